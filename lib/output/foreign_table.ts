import { Buffer } from "node:buffer";
import { inWords } from "../platform/statement.ts";
import { listed, shown } from "../platform/terminal.ts";
import type { NumberWay } from "../schema/grammar.ts";
import { dtypeNames, isNested, isText } from "../table/columns/dtypes.ts";
import { type ColumnData, frameOfColumns } from "../table/columns/frame_from_rows.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import { columnsIn, type TablePlace } from "./columns_in.ts";
import { formatOf } from "./encode.ts";
import { type Findings, noFindings } from "./findings.ts";
import { inferTexts, inferValues } from "./infer_column.ts";
import { areWritten, isWay, statedColumn } from "./stated_column.ts";

/** The most rows of a footer that an error can mean. */
const FOOTER = 3;

/** Returns an error of a row at the end of CSV with how to leave the end out. */
function withFooter(cause: Error, height: number): Error {
  const [, row] = /^(?:\w+: )?row (\d+), /.exec(cause.message) ?? [];
  const footer = height - Number(row);
  if (row === undefined || footer > Math.min(FOOTER, height - 1)) return cause;
  const words = inWords({ flags: `--footer ${footer}`, code: `footer: ${footer}` });
  return new RangeError(`${cause.message}; if it is not part of the table, pass ${words}`, {
    cause,
  });
}

/** The formats of tables of other sources. */
export const FORMATS = ["json", "ndjson", "csv", "parquet", "arrow"] as const;

/** How to read a table of another source. */
export interface ForeignTable extends TablePlace {
  /** The name of the file, or the path of the address. */
  readonly name: string;
  readonly format?: typeof FORMATS[number];
  readonly dates?: Readonly<Record<string, string>>;
  readonly numbers?: NumberWay | Readonly<Record<string, NumberWay>>;
  readonly columns?: Readonly<Record<string, { readonly dtype?: string }>>;
}

/** Returns the first characters of bytes. */
function beginOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 4_096))
    .replace(/^\u00ef\u00bb\u00bf/, "").trimStart();
}

/** Refuses a page of HTML or XML, whatever the ending of its name. Its lines could be a table of one column. */
function refusePage(begin: string): void {
  if (/^<(?:!doctype|html|\?xml)/i.test(begin)) {
    throw new SyntaxError("expected a table; got a page of HTML or XML");
  }
}

/** Returns the format of bytes: from their first bytes, or from the ending of the name. */
export function formatIn(bytes: Uint8Array, name: string): typeof FORMATS[number] {
  const begin = beginOf(bytes);
  if (begin.startsWith("PAR1")) return "parquet";
  if (begin.startsWith("ARROW1")) return "arrow";
  if (["PK\x03\x04", "\x1f\x8b"].some((magic) => begin.startsWith(magic))) {
    throw new SyntaxError("archives such as .zip and .gz are not supported");
  }
  refusePage(begin);
  const ending = FORMATS.find((each) => each === formatOf(name));
  if (ending !== undefined) return ending;
  if (begin.startsWith("[")) return "json";
  if (!begin.startsWith("{")) return "csv";
  return /^\{[^\n]*\}\r?\n\s*\{/.test(begin) ? "ndjson" : "json";
}

/** Refuses options for columns that the table does not have. */
function requireColumns(names: readonly string[], { dates, numbers, columns }: ForeignTable): void {
  const byName = typeof numbers === "object" ? numbers : {};
  for (const [option, given] of Object.entries({ dates, numbers: byName, columns })) {
    const unknown = Object.keys(given ?? {}).find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    const known = listed(names.map(shown), 20);
    throw new RangeError(`${option}: expected columns of ${known}; got ${shown(unknown)}`);
  }
}

/** Returns the values of a column. Of a column of polars for a stated dtype, the texts. */
function valuesOf(
  column: readonly unknown[] | Series,
  dtype: string | undefined,
): readonly unknown[] {
  if (Array.isArray(column)) return column;
  const series = column as Series;
  const [own] = dtypeNames(pl.DataFrame([series])) as [string];
  const isCast = dtype !== undefined && !isText(own) && !isNested(own);
  return (isCast ? series.cast(pl.Utf8) : series).toArray() as unknown[];
}

/** Returns what states a source, with the names that columns have in the frame in place of those in the table. */
export function inFrame<
  Source extends {
    readonly entity?: string | readonly string[];
    readonly date?: string;
    readonly columns: Readonly<Record<string, object>>;
  },
>(source: Source, names: ReadonlyMap<string, string>): Source {
  const named = (name: string) => names.get(name) ?? name;
  const { entity, date, columns } = source;
  return {
    ...source,
    ...entity !== undefined && { entity: [entity].flat().map(named) },
    ...date !== undefined && { date: named(date) },
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [named(name), column]),
    ),
  };
}

/**
 * Makes a frame from a table of another source. `names` has the name of each column of the table in the frame. Numbers become Float64, `true` and `false` Bool, and ISO dates and times
 * Date or Datetime. Columns of other or mixed values become String; lists and objects in them are JSON texts.
 *
 * @throws {RangeError} when an option does not fit the table; other errors when the bytes are not a table.
 */
export function foreignTable(
  pages: readonly [Uint8Array, ...Uint8Array[]],
  table: ForeignTable,
): {
  readonly frame: DataFrame;
  readonly findings: Findings;
  readonly names: ReadonlyMap<string, string>;
} {
  const { name: file, format = formatIn(pages[0], file), numbers } = table;
  for (const page of pages) refusePage(beginOf(page));
  const buffers = pages.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const findings = noFindings();
  const columns = columnsIn(buffers as [Buffer, ...Buffer[]], format, { place: table, findings });
  requireColumns([...columns.keys()], table);
  // A name of a column can be that of a member of objects, such as constructor.
  const [dates, ways, stated] = [
    table.dates,
    typeof numbers === "object" ? numbers : {},
    table.columns,
  ]
    .map((given) => new Map<string, unknown>(Object.entries(given ?? {})));
  const read = ([name, column]: [string, readonly unknown[] | Series]): ColumnData => {
    const when = dates!.get(name) as string | undefined;
    const { dtype } = (stated!.get(name) ?? {}) as { readonly dtype?: string };
    const way = ways!.get(name) as NumberWay | undefined;
    const values = () => valuesOf(column, when ?? way ? undefined : dtype);
    if ((when ?? way ?? dtype) !== undefined) {
      const all = values();
      try {
        return statedColumn(name, { values: all, when, way, dtype }, findings);
      } catch (cause) {
        throw format === "csv" ? withFooter(cause as Error, all.length) : cause;
      }
    }
    const isTexts = Array.isArray(column) ||
      isText(dtypeNames(pl.DataFrame([column as Series]))[0]!);
    if (isWay(numbers) && isTexts) {
      const texts = values();
      if (areWritten(texts, numbers)) {
        return statedColumn(name, { values: texts, way: numbers }, findings);
      }
    }
    if (Array.isArray(column)) return inferValues(name, column, findings);
    return format === "csv" ? inferTexts(name, column as Series, findings) : column as Series;
  };
  const note = (text: string) => void findings.changes.push(text);
  const frame = frameOfColumns([...columns].map(read), note);
  const made = frame.columns;
  return {
    frame,
    findings,
    names: new Map([...columns.keys()].map((name, at) => [name, made[at]!])),
  };
}
