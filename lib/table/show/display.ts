import { counted, stdout, terminalText, terminalWidth } from "../../platform/terminal.ts";
import { type ColumnSummary, columnSummary } from "./column_summary.ts";
import { ALL, excerptOf, type Extent } from "./excerpt.ts";
import { htmlTable } from "./html_table.ts";
import type { DataFrame } from "../columns/polars.ts";
import {
  type Annotation,
  annotationOf,
  type Input,
  inputsOf,
  type Provenance,
  SOURCES,
} from "../track/provenance.ts";
import { statedReading } from "../read/reading_text.ts";
import { textTable } from "./text_table.ts";

const SERVED = { service: "live", cache: "from the cache" };

function dayText(date: Date): string {
  return date.toUTCString().slice(5, 16).replace(/^0/, "");
}

/** Returns the last day of a frame's data as text. If it is not known, returns the day or the time of retrieval. */
function freshness({ data_through, retrieved_at }: Provenance): string | null {
  if (data_through) return `data through ${dayText(data_through)}`;
  if (!retrieved_at) return null;
  const isDay = retrieved_at.getTime() % 86_400_000 === 0;
  return isDay ? dayText(retrieved_at) : retrieved_at.toISOString().replace(/\.\d+Z$/, "Z");
}

const UNKNOWN = "origin unknown";

/** Returns the name of an input: the operation, the citation, or the file. */
export function inputName(input: Input): string {
  if (input.kind === "response") return input.operation;
  return input.kind === "given" ? input.citation : input.file ?? UNKNOWN;
}

/** Returns one line with the source of a frame, the last day of its data, and the number of missing entities. */
export function sourceLine({ provenance, errors }: Annotation): string {
  const inputs = inputsOf(provenance);
  const responses = inputs.filter((each) => each.kind === "response");
  const isMixed = provenance.sample && !inputs.every(({ sample }) => sample);
  const joined = (names: readonly string[]) => [...new Set(names)].join(" + ");
  const names = joined(
    inputs.map((each) => inputName(each) + (isMixed && each.sample ? " (SAMPLE DATA)" : "")),
  );
  const isShared = responses.length > 0 && responses.length < inputs.length &&
    provenance.data_through;
  const source = SOURCES[Math.max(...responses.map((each) => SOURCES.indexOf(each.source)))];
  return [
    provenance.steps.length === 0 || names === UNKNOWN ? names : `derived from ${names}`,
    provenance.sample && !isMixed ? "SAMPLE DATA" : [],
    source === undefined || source === "sample"
      ? []
      : [SERVED[source], new URL(responses[0]!.url).host],
    isShared
      ? `${joined(responses.map(inputName))} ${freshness(provenance)}`
      : freshness(provenance) ?? [],
    errors.height > 0 ? `${counted(errors.height, "entity error")}: see errorsOf(frame)` : [],
  ].flat().join(" · ");
}

/** The settings for displaying a frame. */
interface Display {
  /** Whether a terminal prints the summary of each column, too. */
  readonly summary?: boolean;
  /** The maximum number of rows, and the maximum number of columns or their names. */
  readonly extent?: Extent;
  /** Whether the frame was computed from a frame without provenance. */
  readonly unknown?: boolean;
}

// The key under which a frame stores its display settings.
const DISPLAY = Symbol("display");

export function displayOf(frame: DataFrame): Display {
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
  if (annotation !== undefined) {
    const parts = [statedReading(frame), sourceLine(annotation)].filter((part) => part !== null);
    return terminalText(parts.join(" · "));
  }
  return displayOf(frame).unknown ? UNKNOWN : null;
}

/** Maximum line width of plain text in a notebook, in characters. */
const NOTEBOOK_PLACES = 100;

/** Returns a function that summarizes a column of a frame, each once. */
function summaries(frame: DataFrame): (name: string) => ColumnSummary {
  const made = new Map<string, ColumnSummary>();
  return (name) => {
    const summary = made.get(name) ?? columnSummary(frame, name, displayOf(frame).extent?.locale);
    made.set(name, summary);
    return summary;
  };
}

/** Returns a frame as text for a terminal or a notebook. */
export function plainOf(frame: DataFrame): string {
  const width = stdout.isTerminal() ? Math.max(40, terminalWidth() ?? 0) : NOTEBOOK_PLACES;
  const { extent = {}, summary = false } = displayOf(frame);
  const summaryOf = summaries(frame);
  return textTable(excerptOf(frame, extent), {
    width,
    note: noteOf(frame),
    wordsOf: summary ? (name) => summaryOf(name).words : undefined,
  });
}

/** Returns the display data of a frame for a notebook, by mime type. */
export function bundleOf(frame: DataFrame): Record<string, unknown> {
  const excerpt = excerptOf(frame, displayOf(frame).extent ?? {});
  const summaryOf = frame.height > ALL ? summaries(frame) : undefined;
  return {
    "text/html": htmlTable(excerpt, { note: noteOf(frame), summaryOf }),
    "text/plain": plainOf(frame),
  };
}
