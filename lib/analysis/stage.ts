import type { DataFrame } from "../table/polars.ts";

/**
 * A DataFrame returned by an analysis, with its stage, such as `"curves"` or `"pooled"`. Polars steps return a
 * DataFrame without a stage, whose columns are checked at run time.
 *
 * @category Analysis
 */
export type Staged<Stage extends string> = DataFrame & {
  /** Only for the compiler. */
  readonly "~stage"?: Stage;
};

/**
 * Refuses a frame of another stage at compile time; frames without a stage pass.
 *
 * @category Analysis
 */
export type AtStage<Frame, Stage extends string> = Frame extends { readonly "~stage"?: infer Known }
  ? Known extends Stage | undefined ? Frame : never
  : Frame;
