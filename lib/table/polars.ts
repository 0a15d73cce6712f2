// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import polars from "npm:nodejs-polars@0.25.2";

/** The one door to polars. */

/** The polars that made the frames: use it to filter, join and build on them. */
export const pl: typeof polars = polars;

/** A polars DataFrame. */
export type DataFrame = polars.DataFrame;

/** A polars Series: one named, typed column. */
export type Series = polars.Series;
