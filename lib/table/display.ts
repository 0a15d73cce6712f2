import { placesOf, terminalText } from "../platform/terminal.ts";
import { chosenColumns, type ExcerptColumn, excerptOf, shapeText } from "./excerpt.ts";
import type { DataFrame } from "./polars.ts";
import { type Annotation, annotationOf, type Provenance } from "./provenance.ts";
import { textTable, type TextTableOptions } from "./text_table.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML or XML content and attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

function escaped(text: string): string {
  return escapeMarkup(terminalText(text));
}

const LONGEST = 60;

function shortened(text: string): string {
  return text.length > LONGEST ? `${Array.from(text).slice(0, LONGEST - 1).join("")}…` : text;
}

/** The maximum number and width of key columns that stay fixed during scrolling. */
const FIXED_COLUMNS = 2;
const FIXED_WIDTH = 24;

/** Widths of a letter in a cell, a bold letter in a name, and the padding, in em. */
const [LETTER, BOLD, SPACE] = [0.6, 0.68, 1.6];

/** Widths of the fixed key columns in em; empty for a table that does not scroll. */
function fixedWidths(columns: readonly ExcerptColumn[]): number[] {
  const widths: number[] = [];
  if (columns.length < 6) return widths;
  for (const { key, name, dtype, cells } of columns.slice(0, FIXED_COLUMNS)) {
    const places = Math.max(...[dtype, ...cells].map((text) => placesOf(shortened(text))));
    const width = Math.max(places * LETTER, placesOf(name) * BOLD) + SPACE;
    const taken = widths.reduce((sum, each) => sum + each, width);
    if (!key || taken > FIXED_WIDTH) break;
    widths.push(Math.round(width * 10) / 10);
  }
  return widths;
}

/** Background color of a notebook's cells. Canvas is the browser's own, light or dark. */
const BEHIND = "var(--jp-layout-color0,var(--vscode-editor-background,Canvas))";
const STRIPE = "rgba(128,128,128,.08)";

/** The style of a fixed cell: it covers the scrolling cells below it, including stripes. */
function fixedStyle(widths: readonly number[], column: number, striped: boolean): string {
  const width = widths[column];
  if (width === undefined) return "";
  const left = widths.slice(0, column).reduce((sum, each) => sum + each, 0);
  const stripe = striped ? `;background-image:linear-gradient(${STRIPE},${STRIPE})` : "";
  return `;position:sticky;z-index:1;left:${left}em;min-width:${width}em;max-width:${width}em;` +
    `box-sizing:border-box;overflow:hidden;text-overflow:ellipsis;background-color:${BEHIND}${stripe}`;
}

const CELL = "white-space:nowrap;padding:.2em .8em;border:0";

/** An excerpt as an HTML table, with notes below; texts are escaped. Key columns stay fixed during scrolling. */
function htmlTable(columns: readonly ExcerptColumn[], notes: readonly string[]): string {
  const widths = fixedWidths(columns);
  const align = (numeric: boolean) => `text-align:${numeric ? "right" : "left"}`;
  const heads = columns.map(({ name, dtype, numeric }, index) =>
    `<th style="${CELL};${align(numeric)}${fixedStyle(widths, index, false)}">${escaped(name)}` +
    `<br><small style="font-weight:normal;opacity:.65">${escaped(dtype)}</small></th>`
  );
  const rows = Array.from(columns[0]?.cells ?? [], (_, row) => {
    const striped = row % 2 === 1;
    const cells = columns.map(({ cells, numeric }, index) => {
      const text = cells[row]!;
      const figures = numeric ? ";font-variant-numeric:tabular-nums" : "";
      const faint = text === "null" ? `<span style="opacity:.5">null</span>` : null;
      return `<td style="${CELL};${align(numeric)}${figures}${
        fixedStyle(widths, index, striped)
      }">` +
        `${faint ?? escaped(shortened(text))}</td>`;
    });
    return `<tr style="background:${striped ? STRIPE : "none"}">${cells.join("")}</tr>`;
  });
  const small = notes.map((note) =>
    `<div style="font-size:12px;opacity:.75">${escaped(note)}</div>`
  );
  return `<div style="overflow-x:auto;max-width:100%">` +
    `<table class="dataframe" style="border-collapse:collapse;border:0;margin:0">` +
    `<thead><tr style="border-bottom:1px solid rgba(128,128,128,.5)">${
      heads.join("")
    }</tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table></div>${small.join("")}`;
}

/**
 * The forms of a display, by mime type.
 *
 * @category Charts
 */
export interface MimeBundle {
  /** The content of one mime type. */
  readonly [type: string]: unknown;
}

/** The part of a frame that a display shows. */
interface Extent {
  /** Maximum number of rows; of a longer frame the first and the last ones. */
  readonly rows?: number;
  /** Maximum number of columns, or their names. */
  readonly columns?: number | readonly string[];
}

const SOURCES = { service: "live", cache: "from the cache", sample: "SAMPLE DATA" };

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The last day of a frame's data or, if the service does not state it, when it was retrieved. */
function freshness({ data_through, retrieved_at }: Provenance): string {
  if (data_through === null) return retrieved_at.toISOString().replace(/\.\d+Z$/, "Z");
  const month = MONTHS[data_through.getUTCMonth()];
  return `data through ${data_through.getUTCDate()} ${month} ${data_through.getUTCFullYear()}`;
}

/** The operation, with the prefix `derived from` if the frame was changed since. */
function originOf({ operation, steps, inputs }: Provenance): string {
  const operations = new Set(inputs.map((input) => input.operation));
  const asked = inputs.length === 0 ? operation : [...operations].join(" + ");
  return steps.length === 0 ? asked : `derived from ${asked}`;
}

/**
 * One line with the source of a frame, the last day of its data, and the number of missing entities.
 */
export function sourceLine({ provenance, errors }: Annotation): string {
  const { source, sample, url, requests, renamed } = provenance;
  const host = source === "sample" ? null : new URL(url).host;
  const served = source === "sample" ? null : SOURCES[source];
  const facts = [
    originOf(provenance),
    sample ? SOURCES.sample : null,
    served,
    host,
    freshness(provenance),
  ];
  if (requests > 1) facts.push(`${requests} requests`);
  if (renamed.length > 0) facts.push(`${renamed.length} renamed`);
  if (errors.height > 0) {
    const count = errors.height === 1 ? "1 entity error" : `${errors.height} entity errors`;
    facts.push(`${count}: see errorsOf(frame)`);
  }
  return facts.filter((fact) => fact !== null).join(" · ");
}

// A member of the frame, like its other symbols.
const EXTENT = Symbol("extent");

/** Stores how much of a frame its display shows. */
export function setExtent(frame: DataFrame, extent: Extent): void {
  Object.assign(frame, { [EXTENT]: extent });
}

function extentOf(frame: DataFrame): Extent {
  return (frame as unknown as { [EXTENT]?: Extent })[EXTENT] ?? {};
}

const UNKNOWN = Symbol("provenance unknown");

/** Notes that a frame was computed from one without provenance, so that its display says so. */
export function setUnknown(frame: DataFrame): void {
  Object.assign(frame, { [UNKNOWN]: true });
}

function noteOf(frame: DataFrame): string | null {
  const annotation = annotationOf(frame);
  if (annotation !== undefined) return terminalText(sourceLine(annotation));
  return UNKNOWN in frame ? "provenance unknown" : null;
}

/** Maximum number of columns of an HTML page, and line width of a notebook's plain text. */
const PAGE_COLUMNS = 20;
const NOTEBOOK_PLACES = 100;

/** The line width of the terminal, in columns. */
function places(): number {
  try {
    return Deno.stdout.isTerminal() ? Math.max(40, Deno.consoleSize().columns) : NOTEBOOK_PLACES;
  } catch {
    return NOTEBOOK_PLACES;
  }
}

/** A frame as text for a terminal or a notebook. */
export function plainOf(
  frame: DataFrame,
  options: TextTableOptions = { width: places(), dtypes: true, color: false },
): string {
  const { rows, columns = Infinity } = extentOf(frame);
  const chosen = chosenColumns(excerptOf(frame, rows), columns);
  return textTable(frame, chosen, { ...options, note: noteOf(frame) });
}

/** The display data of a frame for a notebook. */
export function bundleOf(frame: DataFrame): MimeBundle {
  const { rows, columns = PAGE_COLUMNS } = extentOf(frame);
  const chosen = chosenColumns(excerptOf(frame, rows), columns);
  const note = noteOf(frame);
  const shape = shapeText(frame, chosen.columns.length, chosen.empty);
  const notes = [shape, ...note === null ? [] : [note]];
  return { "text/html": htmlTable(chosen.columns, notes), "text/plain": plainOf(frame) };
}
