import type { DataFrame } from "../table/polars.ts";

/**
 * A DataFrame returned by an analysis, with its stage, such as `"curves"` or `"pooled"`. Methods of polars return a
 * DataFrame without a stage, whose columns are checked at run time.
 *
 * @category Analysis
 */
export type Staged<Stage extends string> = DataFrame & {
  /** The stage, for the compiler only: no object has this property. */
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
