import type { Frame } from "../../table/columns/polars.ts";

/**
 * A frame that an analysis function returns. `Stage` states which kind of frame it is, such as `"curves"` or
 * `"pooled"`. Methods of polars return a DataFrame without a stage, whose columns are checked only at run time.
 *
 * @category Analysis
 */
export type Staged<Stage extends string> = Frame & {
  /** The stage, for the compiler only: no object has this property. */
  readonly "~stage"?: Stage;
};

/**
 * Accepts a frame of the given stage, or a frame without a stage. A frame of any other stage does not compile.
 *
 * @category Analysis
 */
export type AtStage<Given, Stage extends string> = Given extends { readonly "~stage"?: infer Known }
  ? Known extends Stage | undefined ? Given : never
  : Given;
