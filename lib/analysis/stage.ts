import type { DataFrame } from "../table/polars.ts";

/**
 * A DataFrame that an analysis returns. The type contains the stage of the frame, such as `"curves"` or `"pooled"`.
 * Methods of polars return a DataFrame without a stage. The columns of such a DataFrame are checked only at run time.
 *
 * @category Analysis
 */
export type Staged<Stage extends string> = DataFrame & {
  /** The stage, for the compiler only: no object has this property. */
  readonly "~stage"?: Stage;
};

/**
 * Accepts a frame of the given stage, or a frame without a stage. A frame of any other stage does not compile.
 *
 * @category Analysis
 */
export type AtStage<Frame, Stage extends string> = Frame extends { readonly "~stage"?: infer Known }
  ? Known extends Stage | undefined ? Frame : never
  : Frame;
