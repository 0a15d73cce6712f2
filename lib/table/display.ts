import { stdout, terminalText, terminalWidth } from "../platform/terminal.ts";
import { excerptOf, type Extent } from "./excerpt.ts";
import { htmlTable } from "./html_table.ts";
import type { DataFrame } from "./polars.ts";
import { type Annotation, annotationOf, type Provenance } from "./provenance.ts";
import { textTable } from "./text_table.ts";

const SOURCES = { service: "live", cache: "from the cache", sample: "SAMPLE DATA" };

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * Returns the last day of a frame's data as text. If the service did not send this day, returns the time of retrieval.
 */
function freshness({ data_through, retrieved_at }: Provenance): string {
  if (data_through === null) return retrieved_at.toISOString().replace(/\.\d+Z$/, "Z");
  const month = MONTHS[data_through.getUTCMonth()];
  return `data through ${data_through.getUTCDate()} ${month} ${data_through.getUTCFullYear()}`;
}

/** Returns the name of the operation. If steps were applied to its frame, adds the prefix `derived from`. */
function originOf({ operation, steps, inputs }: Provenance): string {
  const operations = new Set(inputs.map((input) => input.operation));
  const asked = inputs.length === 0 ? operation : [...operations].join(" + ");
  return steps.length === 0 ? asked : `derived from ${asked}`;
}

/** Returns one line with the source of a frame, the last day of its data, and the number of missing entities. */
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

/** The settings for displaying a frame. */
interface Display {
  /** The maximum number of rows, and the maximum number of columns or their names. */
  readonly extent?: Extent;
  /** Whether the frame was computed from a frame without provenance. */
  readonly unknown?: boolean;
}

// The key under which a frame stores its display settings.
const DISPLAY = Symbol("display");

function displayOf(frame: DataFrame): Display {
  return (frame as unknown as { [DISPLAY]?: Display })[DISPLAY] ?? {};
}

/** Sets how a frame is displayed. */
export function setDisplay(frame: DataFrame, display: Display): void {
  Object.assign(frame, { [DISPLAY]: { ...displayOf(frame), ...display } });
}

/** Returns the columns that `show` chose for a frame. */
export function displayedColumns(frame: DataFrame): Extent["columns"] {
  return displayOf(frame).extent?.columns;
}

function noteOf(frame: DataFrame): string | null {
  const annotation = annotationOf(frame);
  if (annotation !== undefined) return terminalText(sourceLine(annotation));
  return displayOf(frame).unknown ? "provenance unknown" : null;
}

/** Maximum number of columns in an HTML table. */
const PAGE_COLUMNS = 20;
/** Maximum line width of plain text in a notebook, in characters. */
const NOTEBOOK_PLACES = 100;

/** Returns the line width of plain text in the terminal or notebook, in characters. */
function places(): number {
  return stdout.isTerminal() ? Math.max(40, terminalWidth() ?? 0) : NOTEBOOK_PLACES;
}

/** Returns a frame as text for a terminal or a notebook. */
export function plainOf(frame: DataFrame): string {
  const excerpt = excerptOf(frame, displayOf(frame).extent ?? {});
  return textTable(excerpt, { width: places(), color: false, note: noteOf(frame) });
}

/** Returns the display data of a frame for a notebook, by mime type. */
export function bundleOf(frame: DataFrame): Record<string, unknown> {
  const excerpt = excerptOf(frame, { columns: PAGE_COLUMNS, ...displayOf(frame).extent });
  return { "text/html": htmlTable(excerpt, noteOf(frame)), "text/plain": plainOf(frame) };
}
