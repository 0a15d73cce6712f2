import { Buffer } from "node:buffer";
import { shownColumns } from "../../lib/output/terminal_table.ts";
import { inspected } from "../../lib/platform/terminal.ts";
import {
  type Chart,
  type Connection,
  type DataFrame,
  dictionary,
  errorsOf,
  pl,
  type Provenance,
  provenanceOf,
  rowsOf,
} from "../../mod.ts";
import { safeText } from "./safe.ts";

/** Default number of rows in a result, and maximum number. */
export const ROWS = 50;
export const MOST_ROWS = 200;
/** Maximum size of the text and of the structured content of a result, each in bytes of UTF-8. */
const MOST_BYTES = 100_000;

type Cell = string | number | boolean | null | Cell[] | { [name: string]: Cell };

/** The result of a tool, with the member names of the protocol. */
export interface ToolResult {
  readonly content: readonly (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  )[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** The parts of a result that fit its size. */
interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Number of elements of a list: errors, notes, steps, ids of the query. */
  readonly items: number;
  /** Number of characters of a text. */
  readonly length: number;
}

/** Converts values to JSON, and counts what an extent leaves out. */
function converter({ items, length }: Extent, connection: Connection) {
  let cutTexts = 0;
  const leftOut = new Map<string, number>();
  const textOf = (value: string): string => {
    const text = safeText(value, connection, MOST_BYTES);
    if (text.length <= length) return text;
    cutTexts++;
    return `${text.slice(0, length).toWellFormed()}…`;
  };
  // Names are not cut, so that two names never become one. safeFrame has cut long names.
  const nameOf = (name: string) => safeText(name, connection);
  /** Int64 becomes a number. A date becomes ISO text, without the time if it is midnight UTC. */
  const cellOf = (value: unknown, name: string): Cell => {
    if (value === null || value === undefined) return null;
    if (typeof value === "bigint") return Number(value);
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (value instanceof Date) {
      const isOut = Number.isNaN(value.getTime());
      return isOut ? "out of range" : value.toISOString().replace("T00:00:00.000Z", "");
    }
    if (Array.isArray(value)) {
      const more = value.length - items;
      if (more > 0) leftOut.set(name, (leftOut.get(name) ?? 0) + more);
      return value.slice(0, items).map((each) => cellOf(each, name));
    }
    if (typeof value === "string") return textOf(value);
    if (typeof value !== "object") return value as boolean;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [nameOf(key), cellOf(each, key)]),
    );
  };
  /** Returns what was left out, as texts. */
  const notes = () => [
    ...[...leftOut].map(([name, count]) => `${count} of ${name}`),
    ...cutTexts === 0 ? [] : [`the ends of ${cutTexts} texts of more than ${length} characters`],
  ];
  return { textOf, nameOf, cellOf, notes };
}

type Converter = ReturnType<typeof converter>;

/** Returns the text of a table cell. Escapes `\` and `|`, which would break the table. */
function inCell(text: string): string {
  // The escapes of invisible characters stay as they are.
  return text.replace(/\\(?!u(?:[0-9a-f]{4}|\{))|\|/g, "\\$&");
}

function textTable(
  shown: ReturnType<typeof shownColumns>,
  { textOf, nameOf }: Converter,
): string {
  const columns = shown.map(({ name, cells }) => [
    inCell(nameOf(name)),
    "---",
    ...cells.map((text) => inCell(textOf(text))),
  ]);
  const lines = Array.from(
    { length: columns[0]?.length ?? 2 },
    (_, line) => `| ${columns.map((column) => column[line]).join(" | ")} |`,
  );
  return lines.join("\n");
}

/** Returns the source, the query and the errors of a frame, which agents must state with numbers from the frame. */
function originOf(frame: DataFrame, { cellOf }: Converter, { items }: Extent) {
  let provenance: Provenance;
  try {
    provenance = provenanceOf(frame);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { errors: [], errors_left_out: 0, source: null, data_through: null, sha256: null };
  }
  const { sample, steps, data_through = null, notes = [] } = provenance;
  const first = provenance.kind === "combined" ? provenance.inputs[0]! : provenance;
  const { operation = null, query = {}, source = first.kind, sha256 = null, retrieved_at } = first;
  const missing = errorsOf(frame);
  return {
    errors: rowsOf(missing.head(items)).map((error) => cellOf(error, "errors")),
    errors_left_out: Math.max(0, missing.height - items),
    source: sample ? "SAMPLE DATA" : source,
    ...sample ? { notice: "SAMPLE DATA: names and numbers are invented. Say so." } : {},
    operation,
    query: cellOf(query, "query"),
    steps: cellOf(steps, "steps"),
    notes: cellOf(notes, "notes"),
    retrieved_at: retrieved_at?.toISOString() ?? null,
    data_through: cellOf(data_through, "data_through"),
    sha256,
  };
}

/** A result without its image. */
interface Content {
  readonly text: string;
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}

function half(number: number, least: number): number {
  return Math.max(least, Math.floor(number / 2));
}

/** Returns a smaller extent. Leaves out rows, unless the other parts of the result are too long by themselves. */
function smaller(
  { rows, columns, items, length }: Extent,
  { structuredContent: { rows: _, ...others } }: Content,
): Extent {
  if (bytesOf(others) <= MOST_BYTES / 2 && rows > 1) {
    return { rows: half(rows, 1), columns, items, length };
  }
  // Short texts and few items are enough to see what there is, so columns are left out last.
  if (items > 1 || length > 100) {
    return { rows, columns, items: half(items, 1), length: half(length, 100) };
  }
  return { rows: half(rows, 0), columns: half(columns, 1), items, length };
}

/** Returns the content of the largest extent whose text and structured content fit. */
function fitting(extent: Extent, contentOf: (extent: Extent) => Content): Content {
  const content = contentOf(extent);
  const { text, structuredContent } = content;
  if (Math.max(bytesOf(text), bytesOf(structuredContent)) <= MOST_BYTES) return content;
  return fitting(smaller(extent, content), contentOf);
}

/** The meaning of each column of an analysis. */
const MEANINGS = new Map(
  rowsOf(await dictionary()).map(({ record, name, about }) => [`${record}.${name}`, about]),
);

const MOST_COLUMNS = 200;
const MOST_ITEMS = 100;
/** Number of characters of all cells of the first extent, so that a hostile service does not make it huge. */
const MOST_CHARACTERS = 40_000_000;

/** Creates a result from a frame: structured content, and a text table of the same rows. */
export function frameResult(frame: DataFrame, limit: number, connection: Connection): ToolResult {
  const contentOf = (extent: Extent): Content => {
    const convert = converter(extent, connection);
    const names = frame.columns.slice(0, extent.columns);
    // polars reads some names as patterns, such as `*`, so columns are not selected by name.
    const shown = pl.DataFrame(frame.getColumns().slice(0, names.length)).head(extent.rows);
    const columns = shownColumns(frame.head(extent.rows), names);
    const rows_left_out = frame.height - shown.height;
    const columns_left_out = frame.width - names.length;
    const origin = originOf(frame, convert, extent);
    const { errors, errors_left_out, source, data_through, sha256 } = origin;
    const content = {
      rows: rowsOf(shown).map((row) => convert.cellOf(row, "rows")),
      rows_left_out,
      columns: columns.map(({ name, unit, meaning, from }) => ({
        name: convert.nameOf(name),
        unit,
        meaning: meaning || (MEANINGS.get(`${from}.${name}`) ?? null),
      })),
      columns_left_out,
      ...origin,
    };
    const left_out = convert.notes();
    const table = textTable(columns, convert);
    const missing = errors.map((error) => inCell(Object.values(error ?? {}).join(" "))).join("; ");
    const more = errors_left_out > 0 ? `; and ${errors_left_out} more` : "";
    const notes = [
      rows_left_out > 0 &&
      `${rows_left_out} more rows left out: raise limit or narrow the query.`,
      columns_left_out > 0 && `${columns_left_out} more columns left out.`,
      left_out.length > 0 && `Left out: ${left_out.join("; ")}.`,
      errors.length > 0 && `Not found: ${missing}${more}`,
      `Source: ${source ?? "not known"}; data through ${data_through ?? "not stated"}; sha256 ${
        sha256 ?? "not known"
      }.`,
    ].filter((note) => note !== false);
    return {
      text: `${table}\n\n${notes.join("\n")}`,
      structuredContent: { ...content, ...left_out.length === 0 ? {} : { left_out } },
    };
  };
  const rows = Math.min(limit, frame.height);
  const columns = Math.min(MOST_COLUMNS, frame.width);
  const length = Math.ceil(MOST_CHARACTERS / (Math.max(1, rows) * columns));
  const { text, structuredContent } = fitting(
    { rows, columns, items: MOST_ITEMS, length: Math.min(MOST_BYTES, length) },
    contentOf,
  );
  return { content: [{ type: "text", text }], structuredContent };
}

/** Creates a result from a chart: the image, the caption, and the source of the data. */
export async function chartResult(chart: Chart, connection: Connection): Promise<ToolResult> {
  const contentOf = (extent: Extent): Content => {
    const convert = converter(extent, connection);
    // The names in the caption are safe, so its line breaks are those of the chart.
    const caption = inspected(chart).split("\n").map(convert.textOf).join("\n");
    const origin = chart.source === undefined ? {} : originOf(chart.source, convert, extent);
    const left_out = convert.notes();
    return {
      text: [
        caption,
        "notice" in origin ? origin.notice : [],
        left_out.length === 0 ? [] : `Left out: ${left_out.join("; ")}.`,
      ].flat().join("\n"),
      structuredContent: {
        title: convert.textOf(chart.title),
        caption,
        ...origin,
        ...left_out.length === 0 ? {} : { left_out },
      },
    };
  };
  const { text, structuredContent } = fitting(
    { rows: 0, columns: 1, items: MOST_ITEMS, length: MOST_BYTES / 4 },
    contentOf,
  );
  const data = Buffer.from(await chart.png()).toString("base64");
  return {
    content: [{ type: "image", data, mimeType: "image/png" }, { type: "text", text }],
    structuredContent,
  };
}

/** Creates the result of a call that failed. */
export function errorResult(error: unknown, connection: Pick<Connection, "redact">): ToolResult {
  const message = error instanceof Error ? error.message : String(error);
  return { content: [{ type: "text", text: safeText(message, connection) }], isError: true };
}
