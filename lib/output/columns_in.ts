import type { Buffer } from "node:buffer";
import { isObject } from "../platform/check_options.ts";
import { listed, notify, shown, terminalText } from "../platform/terminal.ts";
import { dtypeNames } from "../table/columns/dtypes.ts";
import { tableGuard, tableSize } from "../table/columns/empty_cells.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import { checkCsv, checkJson } from "./check_text.ts";
import type { FrameFormat } from "./encode.ts";

/** The name of a file, and where the rows are in its JSON. */
export interface TablePlace {
  readonly name: string;
  readonly rows?: string;
  readonly keys?: readonly string[];
  readonly names?: readonly string[];
}

/** Columns by name. Cells of CSV are texts, and cells of JSON any values. Parquet and Arrow have columns of polars. */
type Columns = Map<string, readonly unknown[] | Series>;

/** A row with the keys of its place. */
type Placed = readonly [key: string | null, value: unknown];

/** Returns the paths of lists near the root, for the message. */
function listsIn(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return [path.join(".")];
  if (!isObject(value) || path.length > 3) return [];
  return Object.entries(value).flatMap(([name, each]) => listsIn(each, [...path, name]));
}

/** Returns the rows at a path. A `*` in the path stands for each member. Its name is the key. */
function rowsAt(root: unknown, path: string): Placed[] {
  const steps = path === "" ? [] : path.split(".");
  const star = steps.indexOf("*");
  if (star !== steps.lastIndexOf("*")) {
    throw new RangeError(`rows: must have one *; got ${shown(path)}`);
  }
  const at = (value: unknown, names: readonly string[], place: string) =>
    names.reduce((each, name) => {
      if (isObject(each) && Object.hasOwn(each, name)) return each[name];
      const members = isObject(each) ? Object.keys(each) : listsIn(root);
      throw new RangeError(
        `rows: ${shown(place)} has no member ${shown(name)}; it has ${listed(members) || "none"}`,
      );
    }, value);
  const list = (value: unknown): readonly unknown[] => {
    if (Array.isArray(value)) return value;
    const near = [...new Set(listsIn(root))].map(shown);
    throw new RangeError(
      `rows: must be the path of a list${
        near.length === 0 ? "" : ` such as ${listed(near)}`
      }; got ${shown(path)}`,
    );
  };
  if (star < 0) return list(at(root, steps, path)).map((row) => [null, row]);
  const outer = at(root, steps.slice(0, star), path);
  if (!isObject(outer) && !Array.isArray(outer)) {
    throw new RangeError(`rows: * must stand for the members of an object; got ${shown(path)}`);
  }
  return Object.entries(outer).flatMap(([key, each]) => {
    const inner = at(each, steps.slice(star + 1), path);
    // An object without a list is one row.
    const rows = isObject(inner) ? [inner] : list(inner);
    return rows.map((row): Placed => [key, row]);
  });
}

/** Returns the columns of rows that are objects, or lists with `names`. */
function columnsOf(placed: readonly Placed[], { keys, names, rows = "" }: TablePlace) {
  const [key, ...more] = keys ?? [];
  const hasStar = rows.split(".").includes("*");
  if (more.length > 0 || hasStar !== (key !== undefined)) {
    throw new RangeError(
      `keys: must have one name for the * of rows; got ${shown(keys ?? [])} for ${shown(rows)}`,
    );
  }
  const columns = new Map<string, unknown[]>();
  const guard = tableGuard(
    placed.length,
    () => tableSize(placed.map(([, value]) => isObject(value) ? value : {})),
  );
  const column = (name: string) => {
    let made = columns.get(name);
    if (made !== undefined) return made;
    if (names === undefined) guard();
    made = new Array<unknown>(placed.length).fill(null);
    columns.set(name, made);
    return made;
  };
  if (key !== undefined) placed.forEach(([of], row) => column(key)[row] = of);
  for (const name of names ?? []) {
    if (name === key) throw new RangeError(`names: must differ from keys; got ${shown(name)}`);
    column(name);
  }
  placed.forEach(([, value], row) => {
    if (names !== undefined && Array.isArray(value) && value.length === names.length) {
      names.forEach((name, at) => column(name)[row] = value[at]);
    } else if (names === undefined && isObject(value)) {
      if (key !== undefined && Object.hasOwn(value, key)) {
        throw new RangeError(`keys: the rows already have a column ${shown(key)}`);
      }
      for (const [name, each] of Object.entries(value)) column(name)[row] = each;
    } else {
      const expected = names === undefined
        ? Array.isArray(value) ? "an object, or names for the values of a list" : "an object"
        : `a list of ${names.length} values`;
      throw new RangeError(`row ${row}: expected ${expected}; got ${shown(value)}`);
    }
  });
  return columns;
}

/**
 * Options of polars for CSV. All columns are text: an inferred dtype would make a number of an id such as `007`, and
 * null could not be distinguished from an empty text. The names are a row, because polars leaves doubled quotation marks
 * in the names of a header.
 */
const AS_TEXTS = { hasHeader: false, inferSchemaLength: 0, truncateRaggedLines: false };

function csvColumns(bytes: Buffer): Columns {
  checkCsv(bytes);
  const frame = pl.readCSV(bytes, AS_TEXTS);
  const names = frame.row(0).map((name) => name ?? "");
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new RangeError(`has two columns ${shown(twice)}`);
  return new Map(
    frame.getColumns().map((column, index) => [names[index]!, column.toArray().slice(1)]),
  );
}

/** A number that is not parsed. `JSON.stringify` writes its digits. */
interface RawNumber {
  readonly rawJSON: string;
}

// The types of TypeScript do not have these functions yet.
export const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/** Parses JSON, and keeps the digits of all numbers. This takes several times as long as `JSON.parse`. */
function withDigits(text: string): unknown {
  const kept = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && String(value) !== context!.source
      ? rawJSON(context!.source!)
      : value;
  return JSON.parse(text, kept);
}

function jsonColumns(bytes: Buffer, format: "json" | "ndjson", place: TablePlace): Columns {
  checkJson(bytes, { lines: format === "ndjson" });
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const root = format === "json"
    ? withDigits(text)
    : text.split("\n").filter((line) => line.trim() !== "").map(withDigits);
  return columnsOf(rowsAt(root, place.rows ?? ""), place);
}

/** Most significant digits of a decimal number that Float64 keeps. */
const MOST_DIGITS = 15;

/** Converts columns of decimals, which JavaScript cannot read, to Float64. A notice names columns that lose digits. */
function withoutDecimals(frame: DataFrame): DataFrame {
  const dtypes = dtypeNames(frame);
  const named = (pattern: RegExp) =>
    frame.columns.filter((_, index) => pattern.test(dtypes[index]!));
  const [nested] = named(/\(.*Decimal/);
  if (nested !== undefined) throw new RangeError(`${nested}: decimals in lists are not supported`);
  const names = named(/^Decimal/);
  if (names.length === 0) return frame;
  const digits = (text: string | null) =>
    (text ?? "").replace(/^-?0*\.?0*|\./g, "").replace(/0+$/, "").length;
  const rounded = names.filter((name) =>
    (frame.getColumn(name).cast(pl.Utf8).toArray() as (string | null)[])
      .some((text) => digits(text) > MOST_DIGITS)
  );
  if (rounded.length > 0) {
    const list = rounded.map(shown).join(", ");
    notify(terminalText(`openFrame: decimals are read as Float64, which rounds values of ${list}`));
  }
  return frame.withColumns(...names.map((name) => pl.col(name).cast(pl.Float64)));
}

/** Returns the columns of a table. */
export function columnsIn(bytes: Buffer, format: FrameFormat, place: TablePlace): Columns {
  if (format === "json" || format === "ndjson") return jsonColumns(bytes, format, place);
  if ((place.rows ?? place.keys ?? place.names) !== undefined) {
    throw new RangeError(`rows, keys and names: are for JSON; got ${format}`);
  }
  if (format === "csv") return csvColumns(bytes);
  const frame = withoutDecimals(format === "parquet" ? pl.readParquet(bytes) : pl.readIPC(bytes));
  return new Map(frame.columns.map((name) => [name, frame.getColumn(name)]));
}
