// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import polars, { type DataType } from "npm:nodejs-polars@0.25.2";
import type { Fields } from "../../schema/records.ts";

/** The polars library that makes all frames. All other modules import polars from this module. */
export const pl: typeof polars = polars;

/** Dtypes of a frame's columns, by name. */
export type Schema = Record<string, DataType>;

/**
 * A polars DataFrame. If the type parameter is given, the compiler checks the names and dtypes of the columns.
 *
 * @category Frames
 */
// deno-lint-ignore no-explicit-any -- polars' own default: nothing is known of the columns
export type DataFrame<Columns extends Schema = any> = polars.DataFrame<
  Columns
>;

/**
 * A DataFrame that a function of chainframe returns. It has the methods of polars, and the method `pipe(fn, options)`,
 * which calls a function with the frame and with options, and returns the result. So steps are written in the order in
 * which they run:
 *
 * ```ts
 * import { cohortAnalysis, plotRetention, pooledRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const chart = (await cohortAnalysis())
 *   .pipe(retentionCurves)
 *   .pipe(pooledRetention, { by: "market_sector_id" })
 *   .pipe(plotRetention);
 * console.log(chart.title);
 * ```
 *
 * @category Frames
 */
// deno-lint-ignore no-explicit-any -- polars' own default: nothing is known of the columns
export type Frame<Columns extends Schema = any> = {
  /** Returns the result of a function of this frame. */
  pipe<This, Result>(this: This, fn: (frame: This) => Result): Result;
  pipe<This, Call extends (frame: This, options: never) => unknown>(
    this: This,
    fn: Call,
    ...options: undefined extends Parameters<Call>[1] ? [options?: Parameters<Call>[1]]
      : [options: Parameters<Call>[1]]
  ): ReturnType<Call>;
  select<Name extends keyof Columns>(...columns: Name[]): Frame<{ [Each in Name]: Columns[Each] }>;
  // deno-lint-ignore no-explicit-any -- a parameter of polars
  select(...columns: any[]): Frame<Columns>;
  // deno-lint-ignore no-explicit-any -- a parameter of polars
  filter(predicate: any): Frame<Columns>;
  // deno-lint-ignore no-explicit-any -- a parameter of polars
  sort(...options: any[]): Frame<Columns>;
  // deno-lint-ignore no-explicit-any -- a parameter of polars
  withColumns(...columns: any[]): Frame;
  head(length?: number): Frame<Columns>;
  tail(length?: number): Frame<Columns>;
  limit(length?: number): Frame<Columns>;
} & polars.DataFrame<Columns>;

/**
 * The options of a function: `OptionsOf<typeof plotTimeline>`.
 *
 * @category Frames
 */
export type OptionsOf<Call extends (...args: never[]) => unknown> = NonNullable<
  Parameters<Call>[1]
>;

/**
 * The type of the frame that an operation returns, with the names and dtypes of its columns.
 *
 * @category Frames
 */
export type FrameOf<Operation extends keyof Fields> = Frame<
  {
    [Name in Fields[Operation]["text" | "number" | "list"]]: Name extends
      Fields[Operation]["number"] ? polars.Float64
      : Name extends Fields[Operation]["list"] ? polars.List
      : polars.Utf8;
  }
>;

/**
 * A row of a frame, with a value or null for each column. For a column of unknown dtype, the type of the value is
 * `any`.
 *
 * @category Frames
 */
export type RowOf<Columns extends Schema> = {
  // deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns need no cast
  [Name in keyof Columns]: 0 extends 1 & Columns[Name] ? any
    : Columns[Name] extends polars.Utf8 ? string | null
    : Columns[Name] extends polars.Bool ? boolean | null
    : Columns[Name] extends polars.Date | polars.Datetime ? Date | null
    : Columns[Name] extends
      | polars.Float64
      | polars.Float32
      | polars.Int64
      | polars.Int32
      | polars.Int16
      | polars.Int8
      | polars.UInt64
      | polars.UInt32
      | polars.UInt16
      | polars.UInt8 ? number | null
    : unknown;
};

/** A polars Series: a named, typed column. */
export type Series = polars.Series;
