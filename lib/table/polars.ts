// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import polars from "npm:nodejs-polars@0.25.2";

/** The only import of polars. */

/** The polars instance that made the frames. Use it to filter, join and build on them. */
export const pl: typeof polars = polars;

/**
 * Dtypes of a frame's columns, by name.
 *
 * @category Frames
 */
export type Schema = Record<string, polars.DataType>;

/**
 * A polars DataFrame. With a schema, the compiler knows its columns.
 *
 * @category Frames
 */
// deno-lint-ignore no-explicit-any -- polars' own default: nothing is known of the columns
export type DataFrame<Columns extends Schema = any> = polars.DataFrame<Columns>;

/**
 * A frame with columns of text, numbers and lists.
 *
 * @category Frames
 */
export type FrameOf<
  Texts extends string,
  Numbers extends string = never,
  Lists extends string = never,
> = DataFrame<
  {
    [Name in Texts | Numbers | Lists]: Name extends Numbers ? polars.Float64
      : Name extends Lists ? polars.List
      : polars.Utf8;
  }
>;

/**
 * JavaScript type of a value of a dtype that is not null; any type for an unknown dtype.
 *
 * @category Frames
 */
// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns need no cast
export type JsOf<Dtype> = 0 extends 1 & Dtype ? any
  : Dtype extends polars.Utf8 ? string
  : Dtype extends polars.Bool ? boolean
  : Dtype extends polars.Date | polars.Datetime ? Date
  : Dtype extends
    | polars.Float64
    | polars.Float32
    | polars.Int64
    | polars.Int32
    | polars.Int16
    | polars.Int8
    | polars.UInt64
    | polars.UInt32
    | polars.UInt16
    | polars.UInt8 ? number
  : unknown;

/**
 * A polars Series: a named, typed column.
 *
 * @category Frames
 */
export type Series = polars.Series;
