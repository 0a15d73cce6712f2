import { Buffer } from "node:buffer";
import { CONTROL, inspected } from "../../lib/platform/terminal.ts";
import {
  type Chart,
  type DataFrame,
  dictionary,
  errorsOf,
  type Provenance,
  provenanceOf,
  rowsOf,
} from "../../mod.ts";

/** Default number of rows in a result. The limits are `MOST_ROWS` rows, and `MOST_BYTES` bytes of text. */
export const ROWS = 50;
export const MOST_ROWS = 200;
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

/** Converts a cell to JSON. Int64 becomes a number. A date becomes ISO text, without the time if it is midnight UTC. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof Date) {
    return value.toISOString().replace("T00:00:00.000Z", "");
  }
  if (Array.isArray(value)) return value.map(cellOf);
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cellOf(each)]));
  }
  return value as string | boolean;
}

/** Returns the text of a table cell. Escapes control characters, line breaks and `|`, which would break the table. */
function inCell(value: Cell): string {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/[\\|]/g, "\\$&")
    .replace(CONTROL, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function textTable(names: readonly string[], rows: readonly Record<string, Cell>[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(names.map(inCell)),
    line(names.map(() => "---")),
    ...rows.map((row) => line(names.map((name) => inCell(row[name] ?? null)))),
  ].join("\n");
}

/** Returns the source, the query and the errors of a frame, which agents must state with numbers from the frame. */
function originOf(frame: DataFrame) {
  let provenance: Provenance;
  try {
    provenance = provenanceOf(frame);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { errors: [], source: null, data_through: null, sha256: null };
  }
  const { operation, query, source, sample, data_through, retrieved_at, sha256, notes, steps } =
    provenance;
  return {
    errors: rowsOf(errorsOf(frame)).map(cellOf),
    source: sample ? "SAMPLE DATA" : source,
    ...(sample ? { notice: "SAMPLE DATA: names and numbers are invented. Say so." } : {}),
    operation,
    query: cellOf(query),
    steps,
    notes,
    retrieved_at: retrieved_at.toISOString(),
    data_through: cellOf(data_through),
    sha256,
  };
}

/** The unit and the meaning of each known column. */
const COLUMNS = new Map(
  rowsOf(await dictionary()).map(({ name, unit, about }) => [
    name as string,
    { name, unit, meaning: about },
  ]),
);

/** Creates a result from a frame: structured content, and a text table of the same rows. */
export function frameResult(frame: DataFrame, limit: number): ToolResult {
  const columns = frame.columns.map((name) =>
    COLUMNS.get(name) ?? { name, unit: null, meaning: null }
  );
  const origin = originOf(frame);
  let rows = rowsOf(frame.head(limit)).map(cellOf) as Record<string, Cell>[];
  const contentOf = () => {
    const rows_left_out = frame.height - rows.length;
    const structuredContent = { rows, rows_left_out, columns, ...origin };
    const { errors, source, data_through, sha256 } = origin;
    const notes = [
      rows_left_out > 0
        ? `${rows_left_out} more rows left out: raise limit or narrow the query.`
        : "",
      errors.length > 0 ? `Not found: ${errors.map(inCell).join("; ")}` : "",
      `Source: ${source ?? "not known"}; data through ${data_through ?? "not stated"}; sha256 ${
        sha256 ?? "not known"
      }.`,
    ].filter((note) => note !== "");
    const text = `${textTable(frame.columns, rows)}\n\n${notes.join("\n")}`;
    return { structuredContent, text };
  };
  let made = contentOf();
  while (
    rows.length > 0 && Math.max(made.text.length, JSON.stringify(rows).length) > MOST_BYTES
  ) {
    rows = rows.slice(0, Math.floor(rows.length / 2));
    made = contentOf();
  }
  return {
    content: [{ type: "text", text: made.text }],
    structuredContent: made.structuredContent,
  };
}

/** Creates a result from a chart: the image, the caption, and the source of the data. */
export async function chartResult(chart: Chart): Promise<ToolResult> {
  const caption = inspected(chart);
  const origin = chart.source === undefined ? {} : originOf(chart.source);
  return {
    content: [
      {
        type: "image",
        data: Buffer.from(await chart.png()).toString("base64"),
        mimeType: "image/png",
      },
      {
        type: "text",
        text: caption.replace(CONTROL, (each) => each === "\n" ? each : inCell(each)) +
          ("notice" in origin ? `\n${origin.notice}` : ""),
      },
    ],
    structuredContent: { title: chart.title, caption, ...origin },
  };
}
