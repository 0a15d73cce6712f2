import type { Buffer } from "node:buffer";
import { shown } from "../platform/terminal.ts";
import { momentIn } from "../schema/grammar.ts";
import { dateOfDay } from "../schema/period.ts";
import { dateColumn, momentColumn, nestedColumn, utf8 } from "../table/columns/cell_values.ts";
import { dtypeNames, isNested } from "../table/columns/dtypes.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import { tableGuard, tableSize } from "../table/columns/empty_cells.ts";
import { checkJson } from "./check_text.ts";
import { columnsIn } from "./columns_in.ts";
import type { FrameFormat } from "./encode.ts";

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

/** Makes a column of a dtype from the texts of its cells. Dtypes that cannot be restored stay text. */
export function columnFrom(name: string, dtype: string, given: Texts): Series {
  // In a CSV of one column, `save` writes null as an empty text.
  const texts = dtype === "String" ? given : given.map((text) => text === "" ? null : text);
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
  const column = utf8(name, texts);
  const type = (pl as unknown as Readonly<Record<string, typeof pl.Utf8>>)[dtype]!;
  return CAST.test(dtype) ? column.cast(type, true) : column;
}

/** Returns a text unchanged, and other values as JSON. Null stays null. */
export function asText(value: unknown): string | null {
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}

/** Makes the frame of a file with the dtypes that its side-car has. */
export function restored(
  bytes: Buffer,
  format: FrameFormat,
  { columns: dtypes, rows, name }: {
    readonly columns: Readonly<Record<string, string>>;
    readonly rows?: number | undefined;
    readonly name: string;
  },
): DataFrame {
  const listed = Object.keys(dtypes);
  if (listed.length === 0) return pl.DataFrame({});
  // polars leaves out a byte order mark. In a file of `save`, which writes none, it belongs to the first name.
  const mark = format === "csv" && bytes.toString("utf8", 0, 3) === "\ufeff" ? "\ufeff" : "";
  const columns = new Map(
    [...columnsIn(bytes, format, { name })].map(([each, column], index) => [
      index === 0 ? mark + each : each,
      column,
    ]),
  );
  // A JSON text without rows has no names.
  const missing = listed.find((each) => columns.size > 0 && !columns.has(each));
  if (missing !== undefined) {
    throw new RangeError(`has no column ${shown(missing)} of its side-car`);
  }
  const more = [...columns.keys()].find((each) => !Object.hasOwn(dtypes, each));
  if (more !== undefined) {
    throw new RangeError(`has the column ${shown(more)}, which is not in its side-car`);
  }
  const frame = pl.DataFrame(listed.map((each) => {
    const column = columns.get(each) ?? [];
    return Array.isArray(column)
      ? columnFrom(each, dtypes[each]!, column.map(asText))
      : column as Series;
  }));
  if (rows === undefined || rows === frame.height) return frame;
  throw new RangeError(`has ${frame.height} rows, but its side-car has ${rows}`);
}
