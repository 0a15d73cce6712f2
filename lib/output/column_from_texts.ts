import { shown } from "../platform/terminal.ts";
import { momentIn } from "../schema/grammar.ts";
import { dateOfDay } from "../schema/period.ts";
import { dateColumn, momentColumn, utf8 } from "../table/columns/cell_values.ts";
import { isNested } from "../table/columns/dtypes.ts";
import { pl, type Series } from "../table/columns/polars.ts";
import { nestedFrom } from "./nested_column.ts";

/** The cells of a column as texts. Numbers keep all their digits. Lists and structs are JSON texts. Null stays null. */
type Texts = readonly (string | null)[];

const CAST = /^(?:U?Int(?:8|16|32|64)|Float(?:32|64)|Categorical)$/;

/** Converts texts in polars to numbers or categories. */
function castColumn(texts: Series, dtype: string): Series {
  const type = (pl as unknown as Readonly<Record<string, typeof pl.Utf8>>)[dtype]!;
  const cell = pl.col("cell");
  const filled = pl.when(cell.eq(pl.lit(""))).then(pl.lit(null)).otherwise(cell);
  return pl.DataFrame([texts.rename("cell")]).select(filled.alias("cell")).getColumn("cell")
    .rename(texts.name).cast(type, true);
}

/** Makes a column of a dtype from the texts of its cells. Dtypes that cannot be restored stay text. */
export function columnFrom(name: string, dtype: string, given: Texts | Series): Series {
  const isList = Array.isArray(given);
  if (CAST.test(dtype)) {
    return castColumn(isList ? utf8(name, given) : (given as Series).rename(name), dtype);
  }
  if (dtype === "String" && !isList) return (given as Series).rename(name);
  // In a CSV of one column, `save` writes null as an empty text.
  const texts = (isList ? given : (given as Series).toArray() as Texts)
    .map((text) => text === "" && dtype !== "String" ? null : text);
  const values = <Value>(of: (text: string) => Value | undefined) =>
    texts.map((text, row) => {
      if (text === null) return null;
      const value = of(text);
      if (value !== undefined) return value;
      throw new RangeError(`row ${row}, ${name}: expected ${dtype}; got ${shown(text)}`);
    });
  const date = (text: string) => {
    const moment = momentIn(text);
    if (moment === null) return undefined;
    return dtype === "Date" ? dateOfDay(moment.day) : new Date(moment.time);
  };
  if (isNested(dtype)) return nestedFrom(name, dtype, texts);
  const [isMoment, zone] = /^Datetime(?:\((.+)\))?$/.exec(dtype) ?? [];
  if (isMoment) {
    const column = momentColumn(name, values(date) as Date[]);
    return zone === undefined ? column : column.cast(pl.Datetime("ms", zone));
  }
  if (dtype === "Date") return dateColumn(name, values(date));
  if (dtype === "Bool") {
    const words = new Map([["true", true], ["false", false]]);
    return pl.Series(name, values((text) => words.get(text)) as boolean[], pl.Bool);
  }
  return utf8(name, texts);
}

/** Returns a text unchanged, and other values as JSON. Null stays null. */
export function asText(value: unknown): string | null {
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}
