import type { DataFrame } from "../table/polars.ts";

/**
 * A DataFrame that an analysis returned, with its stage, such as `"curves"` or `"pooled"`. A polars step
 * gives a DataFrame of no known stage, which is checked by its columns when a function runs.
 *
 * @category Analysis
 */
export type Staged<Stage extends string> = DataFrame & {
  /** Exists for the compiler alone. */
  readonly "~stage"?: Stage;
};

/**
 * Refuses a frame of another stage at compile time; one of no known stage passes.
 *
 * @category Analysis
 */
export type AtStage<Frame, Stage extends string> = Frame extends { readonly "~stage"?: infer Known }
  ? Known extends Stage | undefined ? Frame : never
  : Frame;
