import { Buffer } from "node:buffer";
import { listed, notify, shown, terminalText } from "../platform/terminal.ts";
import { booleanIn, CODE, isMissing, momentIn, numberIn } from "../schema/grammar.ts";
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

/** Returns the kind of a text of CSV, and its value. */
const KINDS = {
  number: (text: string) => CODE.test(text) ? undefined : numberIn(text),
  boolean: booleanIn,
  time: (text: string) => momentIn(text)?.time,
};

/** Makes a column from values of any type. All cells of a CSV file are texts, so `isCsv` also finds numbers in texts. */
function columnOf(name: string, values: readonly unknown[], isCsv: boolean): ColumnData {
  const filled = values.map((each) => {
    const cell = isRawJSON(each) ? Number(each.rawJSON) : each;
    return typeof cell !== "string" ? cell : isMissing(cell.trim()) ? null : cell.trim();
  });
  const found = Object.entries(KINDS).map(([kind, read]) => {
    const isText = isCsv || kind === "time";
    let count = 0;
    const made = filled.map((cell) => {
      if (cell === null) return null;
      count++;
      if (typeof cell === "string") return isText ? read(cell) : undefined;
      return typeof cell === kind && (kind !== "number" || Number.isFinite(cell))
        ? cell
        : undefined;
    });
    return count > 0 && !made.includes(undefined) ? made as (number | boolean | null)[] : null;
  });
  const [numbers, booleans, times] = found;
  if (numbers) {
    const made = Float64Array.from(numbers, (each) => each === null ? NaN : each as number);
    if (made.some((each) => Math.abs(each) > Number.MAX_SAFE_INTEGER)) {
      notify(terminalText(`openFrame: ${name}: whole numbers above 2^53 are rounded`));
    }
    return { name, numbers: made };
  }
  if (booleans) return pl.Series(name, booleans as boolean[], pl.Bool);
  return times ? timeColumn(name, times as number[]) : { name, texts: values.map(asText) };
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
