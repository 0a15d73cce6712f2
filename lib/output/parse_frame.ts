import type { Buffer } from "node:buffer";
import { counted, notify, shown, terminalText } from "../platform/terminal.ts";
import { dateColumn, isRow, momentColumn, utf8, withDigits } from "../table/build/cell_values.ts";
import { dtypeNames, isNested } from "../table/build/dtypes.ts";
import { nestedColumn } from "../table/build/nested_values.ts";
import { type DataFrame, pl, type Series } from "../table/build/polars.ts";
import type { FrameFormat } from "./encode.ts";
import { checkCsv, checkJson } from "./check_text.ts";
import type { SideCar } from "./side_car.ts";

/** The cells of a column as texts. Numbers keep all their digits. Lists and structs are JSON texts. Null stays null. */
type Texts = readonly (string | null)[];

/** The content of a text file. */
interface Cells {
  readonly names: readonly string[];
  readonly height: number;
  readonly textsOf: (name: string) => Texts;
}

/**
 * Options of polars for CSV. All columns are text: an inferred dtype would make a number of an id such as `007`, and
 * null could not be distinguished from an empty text. The names are a row, because polars leaves doubled quotation marks
 * in the names of a header.
 */
const AS_TEXTS = { hasHeader: false, inferSchemaLength: 0, truncateRaggedLines: false };

function csvCells(bytes: Buffer): Cells {
  const frame = pl.readCSV(bytes, AS_TEXTS);
  const names = frame.row(0).map((name) => name ?? "");
  // polars leaves out a byte order mark. In a file of `save`, which writes none, it belongs to the first name.
  if (bytes.toString("utf8", 0, 3) === "\ufeff") names[0] = `\ufeff${names[0]}`;
  const columns = new Map(frame.getColumns().map((column, index) => [names[index], column]));
  return {
    names,
    height: frame.height - 1,
    textsOf: (name) => columns.get(name)!.toArray().slice(1) as (string | null)[],
  };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function jsonCells(bytes: Buffer, format: "json" | "ndjson"): Cells {
  const text = bytes.toString();
  const rows = format === "json"
    ? withDigits(text)
    : text.split("\n").filter((line) => line !== "").map(withDigits);
  if (!Array.isArray(rows) || !rows.every(isRow)) {
    throw new RangeError("must contain a list of objects");
  }
  return {
    names: [...new Set(rows.flatMap(Object.keys))],
    height: rows.length,
    textsOf: (name) => rows.map((row) => textOf(Object.hasOwn(row, name) ? row[name] : null)),
  };
}

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
    const moment = new Date(text);
    return Number.isNaN(moment.getTime()) ? undefined : moment;
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
    const column = nestedColumn(name, example(dtype), json.map((text) => text ?? "null"));
    const [made] = dtypeNames(pl.DataFrame([column]));
    if (made === dtype && column.nullCount() === json.filter((text) => text === null).length) {
      return column;
    }
    throw new RangeError(`${name}: expected ${dtype}; got ${made}`);
  }
  const [isMoment, zone] = /^Datetime(?:\((.+)\))?$/.exec(dtype) ?? [];
  if (isMoment) {
    // CSV has zones as +0100, which JavaScript does not read.
    const zoned = (text: string) =>
      /[+-]\d\d:?\d\d$/.test(text) ? text.replace(/(\d\d):?(\d\d)$/, "$1:$2") : `${text}Z`;
    const column = momentColumn(name, values((text) => date(zoned(text))) as Date[]);
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

/**
 * Returns the names of a CSV header without repetition, as polars makes them: `a`, `a_duplicated_0`. A notice lists the
 * names that occur twice.
 */
function distinctNames(names: readonly string[], file: string): string[] {
  const counts = new Map<string, number>();
  const made = names.map((name) => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count === 0 ? name : `${name}_duplicated_${count - 1}`;
  });
  const twice = [...counts].filter(([, count]) => count > 1).map(([name]) => shown(name));
  if (new Set(made).size < made.length) throw new RangeError(`has two columns ${twice[0]}`);
  if (twice.length > 0) {
    const renamed = made.filter((name, index) => name !== names[index]).map(shown);
    notify(
      terminalText(
        `openFrame: ${file}: the header has ${twice.join(", ")} twice: read as ${
          renamed.join(", ")
        }`,
      ),
    );
  }
  return made;
}

/** Returns the cells of a CSV text as texts, by the name of their column. */
export function csvColumns(bytes: Buffer, file: string): Map<string, Texts> {
  checkCsv(bytes);
  const frame = pl.readCSV(bytes, AS_TEXTS);
  const names = distinctNames(frame.row(0).map((name) => name ?? ""), file);
  return new Map(
    frame.getColumns().map((column, index) => [
      names[index]!,
      column.toArray().slice(1) as (string | null)[],
    ]),
  );
}

/** Checks that the columns of a file are those of its side-car. */
function requireSame(names: readonly string[], listed: readonly string[]): void {
  const lacking = (some: readonly string[], all: readonly string[]) => {
    const there = new Set(all);
    return some.find((name) => !there.has(name));
  };
  const missing = lacking(listed, names);
  if (missing !== undefined) {
    throw new RangeError(`has no column ${shown(missing)} of its side-car`);
  }
  const more = lacking(names, listed);
  if (more !== undefined) {
    throw new RangeError(`has the column ${shown(more)}, which is not in its side-car`);
  }
  if (names.length === listed.length) return;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  throw new RangeError(`has two columns ${shown(twice)}`);
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

/** Makes a frame from the bytes of a file. With `columns` of a side-car, its dtypes are restored. */
export function parsed(
  bytes: Buffer,
  format: FrameFormat,
  { columns, rows, file }: Partial<SideCar> & { readonly file: string },
): DataFrame {
  const isJson = format === "json" || format === "ndjson";
  if (isJson) checkJson(bytes, { lines: format === "ndjson" });
  if (format === "csv") checkCsv(bytes);
  if (columns !== undefined && (isJson || format === "csv")) {
    const listed = Object.keys(columns);
    if (listed.length === 0) return pl.DataFrame({});
    const { names, height, textsOf } = isJson ? jsonCells(bytes, format) : csvCells(bytes);
    // A JSON text without rows has no names.
    const isEmpty = isJson && height === 0;
    if (!isEmpty) requireSame(names, listed);
    if (rows !== undefined && rows !== height) {
      throw new RangeError(`has ${counted(height, "row")}, but its side-car has ${rows}`);
    }
    return pl.DataFrame(
      listed.map((name) => columnFrom(name, columns[name]!, isEmpty ? [] : textsOf(name))),
    );
  }
  if (isJson) {
    // By default, polars drops fields that first occur after the 50th line.
    const all = null as unknown as number;
    const lines = format === "json" ? "json" : "lines";
    return pl.readJSON(bytes, { format: lines, inferSchemaLength: all });
  }
  if (format === "csv") {
    const names = pl.readCSV(bytes, { ...AS_TEXTS, nRows: 1 }).row(0).map((name) => name ?? "");
    const made = distinctNames(names, file);
    const frame = pl.readCSV(bytes, { truncateRaggedLines: false, inferSchemaLength: 10_000 });
    frame.columns = made;
    return frame;
  }
  const frame = withoutDecimals(format === "parquet" ? pl.readParquet(bytes) : pl.readIPC(bytes));
  if (columns !== undefined) requireSame(frame.columns, Object.keys(columns));
  return frame;
}
