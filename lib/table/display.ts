import { chosenColumns, excerptOf, shapeText } from "./excerpt.ts";
import { htmlTable } from "./html_table.ts";
import type { DataFrame } from "./polars.ts";
import { type Annotation, annotationOf, type Provenance } from "./provenance.ts";
import { terminalText } from "../host/terminal_text.ts";
import { textTable, type TextTableOptions } from "./text_table.ts";

/**
 * The forms of a display, by mime type.
 *
 * @category Charts
 */
export interface MimeBundle {
  /** The content of one mime type. */
  readonly [type: string]: unknown;
}

/** What a display shows of a frame. */
interface Extent {
  /** The most rows; of a longer frame the first and the last ones. */
  readonly rows?: number;
  /** The most columns, or their names. */
  readonly columns?: number | readonly string[];
}

const SOURCES = { service: "live", cache: "from the cache", sample: "SAMPLE DATA" };

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** How fresh a frame is: the last day of its data, or, where the service does not say, when it came. */
function freshness({ data_through, retrieved_at }: Provenance): string {
  if (data_through === null) return retrieved_at.toISOString().replace(/\.\d+Z$/, "Z");
  const month = MONTHS[data_through.getUTCMonth()];
  return `data through ${data_through.getUTCDate()} ${month} ${data_through.getUTCFullYear()}`;
}

/** What was asked; `derived from` it where the frame is no longer the answer itself. */
function originOf({ operation, steps, inputs }: Provenance): string {
  const operations = new Set(inputs.map((input) => input.operation));
  const asked = inputs.length === 0 ? operation : [...operations].join(" + ");
  return steps.length === 0 ? asked : `derived from ${asked}`;
}

/**
 * One line that says where a frame came from, up to which day its data goes, and how many entities were
 * not found.
 */
export function sourceLine({ provenance, errors }: Annotation): string {
  const { source, url, requests, renamed } = provenance;
  const host = source === "sample" ? null : new URL(url).host;
  const facts = [originOf(provenance), SOURCES[source], host, freshness(provenance)];
  if (requests > 1) facts.push(`${requests} requests`);
  if (renamed.length > 0) facts.push(`${renamed.length} renamed`);
  if (errors.height > 0) {
    const count = errors.height === 1 ? "1 entity error" : `${errors.height} entity errors`;
    facts.push(`${count}: see errorsOf(frame)`);
  }
  return facts.filter((fact) => fact !== null).join(" · ");
}

// A member of the frame, as its other symbols: what remembers keeps it.
const EXTENT = Symbol("extent");

/** Notes how much of a frame its display shows. */
export function setExtent(frame: DataFrame, extent: Extent): void {
  Object.assign(frame, { [EXTENT]: extent });
}

function extentOf(frame: DataFrame): Extent {
  return (frame as unknown as { [EXTENT]?: Extent })[EXTENT] ?? {};
}

function noteOf(frame: DataFrame): string | null {
  const annotation = annotationOf(frame);
  return annotation === undefined ? null : terminalText(sourceLine(annotation));
}

/** What a page has room for, and what a line of a notebook's plain text has. */
const PAGE_COLUMNS = 20;
const NOTEBOOK_PLACES = 100;

/** The places of a line where the text is printed: those of the terminal. */
function places(): number {
  try {
    return Deno.stdout.isTerminal() ? Math.max(40, Deno.consoleSize().columns) : NOTEBOOK_PLACES;
  } catch {
    return NOTEBOOK_PLACES;
  }
}

/** A frame as text, as a terminal or a notebook shows it. */
export function plainOf(
  frame: DataFrame,
  options: TextTableOptions = { width: places(), dtypes: true, color: false },
): string {
  const { rows, columns = Infinity } = extentOf(frame);
  const chosen = chosenColumns(excerptOf(frame, rows), columns);
  return textTable(frame, chosen, { ...options, note: noteOf(frame) });
}

/** What a notebook shows of a frame. */
export function bundleOf(frame: DataFrame): MimeBundle {
  const { rows, columns = PAGE_COLUMNS } = extentOf(frame);
  const chosen = chosenColumns(excerptOf(frame, rows), columns);
  const note = noteOf(frame);
  const notes = [shapeText(frame, chosen.length), ...note === null ? [] : [note]];
  return { "text/html": htmlTable(chosen, notes), "text/plain": plainOf(frame) };
}
