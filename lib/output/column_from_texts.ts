import { shown } from "../platform/terminal.ts";
import { momentIn } from "../schema/grammar.ts";
import { dateOfDay } from "../schema/period.ts";
import { dateColumn, momentColumn, nestedColumn, utf8 } from "../table/columns/cell_values.ts";
import { dtypeNames, isNested } from "../table/columns/dtypes.ts";
import { tableGuard, tableSize } from "../table/columns/empty_cells.ts";
import { pl, type Series } from "../table/columns/polars.ts";
import { checkJson } from "./check_text.ts";

/** The cells of a column as texts. Numbers keep all their digits. Lists and structs are JSON texts. Null stays null. */
type Texts = readonly (string | null)[];

/** Returns an example value of a dtype, from which polars can infer the dtype. */
function example(dtype: string): unknown {
  const inner = /^(?:List|Array)\((.*)\)$/.exec(dtype)?.[1];
  if (inner !== undefined) return [example(inner)];
  const members = /^Struct\((.*)\)$/.exec(dtype)?.[1];
  if (members !== undefined) {
    return Object.fromEntries(members.split(", ").map((name) => [name, ""]));
  }
  return dtype.startsWith("Float") ? 0.5 : /^U?Int/.test(dtype) ? 1 : dtype === "Bool" ? true : "";
}

const CAST = /^(?:U?Int(?:8|16|32|64)|Float(?:32|64)|Categorical)$/;

/** Returns the objects in values, at any level. */
function objectsIn(values: readonly unknown[]): Record<string, unknown>[] {
  const objects: Record<string, unknown>[] = [];
  for (const inside = [...values]; inside.length > 0;) {
    const each = inside.pop();
    if (typeof each !== "object" || each === null) continue;
    if (!Array.isArray(each)) objects.push(each as Record<string, unknown>);
    for (const member of Object.values(each)) inside.push(member);
  }
  return objects;
}

/** Checks that structs, in which polars gives each object all members, have not too many empty members. */
function checkMembers(objects: readonly Record<string, unknown>[]): void {
  const size = tableSize(objects);
  const guard = tableGuard(size.rows, () => size);
  for (let column = 0; column < size.columns; column++) guard();
}

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
  if (isNested(dtype)) {
    const json = values((text) => {
      try {
        return JSON.parse(text) === null ? undefined : text;
      } catch {
        return undefined;
      }
    });
    checkJson(new TextEncoder().encode(`[${json}]`));
    checkMembers(objectsIn(json.map((text) => JSON.parse(text ?? "null"))));
    const column = nestedColumn(name, example(dtype), json.map((text) => text ?? "null"));
    const [made] = dtypeNames(pl.DataFrame([column]));
    if (made === dtype && column.nullCount() === json.filter((text) => text === null).length) {
      return column;
    }
    throw new RangeError(`${name}: expected ${dtype}; got ${made}`);
  }
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
