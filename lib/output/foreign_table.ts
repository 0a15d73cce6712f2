import { Buffer } from "node:buffer";
import { listed, notify, shown, terminalText } from "../platform/terminal.ts";
import { dateColumn, momentColumn, numberOf } from "../table/columns/cell_values.ts";
import { type ColumnData, frameOfColumns } from "../table/columns/frame_from_rows.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import { columnsIn, isRawJSON, type TablePlace } from "./columns_in.ts";
import { formatOf, type FrameFormat } from "./encode.ts";
import { asText, columnFrom } from "./restore_frame.ts";

/** The units of epochs, in milliseconds. */
export const EPOCHS = { seconds: 1_000, milliseconds: 1, days: 86_400_000 } as const;

/** The formats of tables at an address. */
export const FORMATS = ["json", "ndjson", "csv", "parquet", "arrow"] as const;

/** How to read a table of another source. */
interface ForeignTable extends TablePlace {
  readonly format?: typeof FORMATS[number];
  readonly dates?: Readonly<Record<string, keyof typeof EPOCHS>>;
  readonly columns?: Readonly<Record<string, { readonly dtype?: string }>>;
}

/** Returns the format of bytes: from their first bytes, or from the ending of the name. */
function formatIn(bytes: Uint8Array, name: string): FrameFormat {
  const begin = new TextDecoder("latin1").decode(bytes.subarray(0, 4_096))
    .replace(/^\u00ef\u00bb\u00bf/, "").trimStart();
  if (begin.startsWith("PAR1")) return "parquet";
  if (begin.startsWith("ARROW1")) return "arrow";
  if (["PK\x03\x04", "\x1f\x8b"].some((magic) => begin.startsWith(magic))) {
    throw new SyntaxError("archives such as .zip and .gz are not supported");
  }
  if (/^<(?:!doctype|html|\?xml)/i.test(begin)) {
    throw new SyntaxError("expected a table; got a page of HTML or XML");
  }
  const ending = formatOf(name);
  if (ending !== undefined) return ending;
  if (begin.startsWith("[")) return "json";
  if (!begin.startsWith("{")) return "csv";
  return /^\{[^\n]*\}\r?\n\s*\{/.test(begin) ? "ndjson" : "json";
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|\+00:?00))?$/;

/** Returns the time of an ISO text in UTC. NaN for other texts, and for days such as 30 February. */
function timeOf(value: unknown): number {
  const text = String(value);
  if (!DAY.test(text) && !MOMENT.test(text)) return NaN;
  const [day, clock = "00:00"] = [text.slice(0, 10), /\d{2}:[\d:.]+/.exec(text.slice(10))?.[0]];
  const time = Date.parse(`${day}T${clock.replace(/(\.\d{3})\d+$/, "$1")}Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? NaN : time;
}

/** Makes a Date column if all times are midnight in UTC, otherwise a Datetime column. */
function timeColumn(name: string, times: readonly (number | null)[]): Series {
  const moments = times.map((time) => time === null ? null : new Date(time));
  return times.every((time) => time === null || time % EPOCHS.days === 0)
    ? dateColumn(name, moments)
    : momentColumn(name, moments as Date[]);
}

const [FIRST, LAST] = [Date.UTC(1900, 0), Date.UTC(2200, 0)];

function epochs(name: string, values: readonly unknown[], unit: keyof typeof EPOCHS): Series {
  return timeColumn(
    name,
    values.map((value, row) => {
      if (value === null || value === "") return null;
      const time = (typeof value === "bigint"
        ? Number(value)
        : numberOf(isRawJSON(value) ? value.rawJSON : value) ?? NaN) *
        EPOCHS[unit];
      if (time >= FIRST && time < LAST) {
        return Math.round(time);
      }
      throw new RangeError(
        `dates: row ${row}, ${name}: expected ${unit} since 1970; got ${shown(value)}`,
      );
    }),
  );
}

const NUMERIC = /^-?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Makes a column from values of any type. All cells of a CSV file are texts, so `isCsv` also finds numbers in texts. */
function columnOf(name: string, values: readonly unknown[], isCsv: boolean): ColumnData {
  const filled = isCsv ? values.map((each) => each === "" ? null : each) : values;
  const all = (is: (value: unknown) => boolean) =>
    filled.every((each) => each === null || is(each));
  const isNumber = (each: unknown) =>
    typeof each === "number" || isRawJSON(each) ||
    (isCsv && each !== "." && NUMERIC.test(`${each}`));
  if (all(isNumber)) {
    const numbers = Float64Array.from(
      filled,
      (each) => each === null ? NaN : Number(asText(each)),
    );
    if (numbers.some((each) => Math.abs(each) > Number.MAX_SAFE_INTEGER)) {
      const what = "whole numbers above 2^53 are rounded, and numbers beyond Float64 are null";
      notify(terminalText(`openFrame: ${name}: ${what}`));
    }
    return { name, numbers: numbers.map((each) => Number.isFinite(each) ? each : NaN) };
  }
  if (all((each) => typeof each === "boolean" || (isCsv && /^(?:true|false)$/.test(`${each}`)))) {
    const bools = filled.map((each) => each === null ? null : String(each) === "true");
    return pl.Series(name, bools as boolean[], pl.Bool);
  }
  if (all((each) => typeof each === "string" && !Number.isNaN(timeOf(each)))) {
    return timeColumn(name, filled.map((each) => each === null ? null : timeOf(each)));
  }
  return { name, texts: values.map(asText) };
}

/**
 * Makes a frame from a table of another source. Numbers become Float64, `true` and `false` Bool, and ISO dates and times
 * Date or Datetime. Columns of other or mixed values become String; lists and objects in them are JSON texts.
 *
 * @throws {RangeError} when an option does not fit the table; other errors when the bytes are not a table.
 */
export function foreignTable(bytes: Uint8Array, table: ForeignTable): DataFrame {
  const { name: file, dates = {}, columns: described = {} } = table;
  const format = table.format ?? formatIn(bytes, file);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const columns = columnsIn(buffer, format, table);
  for (const [option, given] of Object.entries({ dates, columns: described })) {
    const unknown = Object.keys(given).find((name) => !columns.has(name));
    if (unknown !== undefined) {
      const names = listed([...columns.keys()].map(shown), 20);
      throw new RangeError(`${option}: expected columns of ${names}; got ${shown(unknown)}`);
    }
  }
  return frameOfColumns(
    [...columns].map(([name, column]): ColumnData => {
      const isList = Array.isArray(column);
      const values = () => isList ? column : (column as Series).toArray() as unknown[];
      if (dates[name] !== undefined) return epochs(name, values(), dates[name]);
      const dtype = described[name]?.dtype;
      if (dtype !== undefined) {
        return columnFrom(name, dtype, isList ? column.map(asText) : values().map(asText));
      }
      return isList ? columnOf(name, column, format === "csv") : column as Series;
    }),
    (note) => notify(terminalText(`openFrame: ${note}`)),
  );
}
