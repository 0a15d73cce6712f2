import { listed } from "../platform/terminal.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { partWindows, partWindowText } from "../table/read/part_windows.ts";
import type { Noun } from "../table/read/reading.ts";
import type { About } from "./chart.ts";
import { formatCount } from "./format.ts";
import type { Settings } from "./options.ts";
import { filteredNames } from "./read/rows.ts";
import { countOf, inSentence, joined, type Note, sourceNote } from "./words.ts";

/** A value that a chart draws. `x` is a position, such as a date in milliseconds. */
interface Value {
  readonly x: number;
  readonly y: number | null;
  readonly complete: boolean;
  readonly predicted?: number | null;
}

/** The words for bounds. */
const BOUNDS = {
  bands: "Shaded",
  selected: "Whiskers (last month), and shaded when you select a line",
  whiskers: "Whiskers",
  lines: "Lines",
};

/** What a chart shows and what it leaves out. */
export interface CaptionPlan {
  /** The measure: `Fees per month`. */
  readonly what: string;
  /** The groups: `24 chains`, or the name of the only group. */
  readonly of?: string;
  /** The drawn periods: `Jan 2025 to Jun 2026`. */
  readonly span?: string;
  /** Further facts for the subtitle. Empty texts are left out. */
  readonly said?: readonly string[];
  /** The kind of the chart, for the alternative text: `Line chart`. */
  readonly kind: string;
  /** The drawn rows with their values, `Alder $41.2M`, and the noun for one row. */
  readonly rows: readonly string[];
  readonly noun: string | Noun;
  /** The meaning of the values in `rows`. */
  readonly rowsAre?: string;
  /** States which rows are left out because of the option `limit`, and how many of them are drawn as their sum. */
  readonly dropped?: Note;
  readonly others?: number;
  /** The results of an analysis, as a line of their own. Empty texts are left out. */
  readonly results?: readonly string[];
  /** The names of rows without a value. */
  readonly missing?: readonly string[];
  /** The values of the drawn rows. Null values and incomplete periods are counted. */
  readonly values?: readonly Value[];
  /** Returns the name of the period that begins at a position. */
  readonly period?: (at: number) => string;
  /** How incomplete periods are drawn. */
  readonly incomplete?: "hollow" | "hollow: not all days" | "faded" | "not ranked";
  /** The reason for empty values. */
  readonly empty?: string;
  /** How bounds are drawn, their name, and the assumption behind them. */
  readonly bounds?: keyof typeof BOUNDS | undefined;
  readonly interval?: string;
  readonly allowing?: string | undefined;
  /** Notes on this kind of chart. */
  readonly notes?: readonly Note[];
}

/** Most names of rows and of periods in a note. */
const MOST_NAMED = 3;

/** Returns the plural of the name of an interval: `95% intervals of all pairs together`. */
function plural(interval: string): string {
  return interval.replace("interval", "intervals");
}

/** Returns a note on names that have no room, if there are any. */
export function unnamedNotes(unnamed: number, all: number): string[] {
  return unnamed > 0
    ? [
      `No room for the names of ${formatCount(unnamed)} of ${formatCount(all)}.`,
    ]
    : [];
}

/** Returns a note on rows whose trend may compare with a window that is only partly filled, if there are any. */
export function partWindowNote(frame: DataFrame, fields: readonly string[]): Note {
  const text = partWindowText(frame, partWindows(frame, fields));
  return text !== null && `${text}.`;
}

/** Returns a text that begins in upper case. */
function sentence(text: string): string {
  return text.replace(/^./u, (letter) => letter.toUpperCase());
}

/** Writes a title: the measure, the groups and the periods. */
function titleText({ what, of = "", span = "" }: Pick<CaptionPlan, "what" | "of" | "span">) {
  return joined([joined([what, of], what.includes(",") ? ": " : " of "), span], ", ");
}

/** The number of rows that an alternative text names. */
const MOST_DESCRIBED = 8;

/** Describes a chart in one sentence for an alternative text. The last row is the sum of `others`, if there are any. */
function described({ kind, of = "", rows, noun, rowsAre, others = 0 }: CaptionPlan): string {
  const count = rows.length - (others > 0 ? 1 : 0);
  const parts = [
    // A single entity has its name.
    count === 1 && typeof noun === "object" && of !== "" ? of : countOf(count, noun),
    others > 0 ? ` and the sum of ${others} others` : "",
    rowsAre === undefined ? "" : `, ${rowsAre}`,
  ];
  const more = rows.length - MOST_DESCRIBED;
  return `${kind} of ${parts.join("")}: ${rows.slice(0, MOST_DESCRIBED).join("; ")}${
    more > 0 ? `; and ${more} more` : ""
  }.`;
}

/** Writes the title, the subtitle, the alternative text and the caption of a chart, with its options applied. */
export function aboutOf(plan: CaptionPlan, { frame, settings, empty: isEmpty }: {
  readonly frame: DataFrame;
  readonly settings: Settings;
  readonly empty: boolean;
}): About {
  const { said = [], dropped = false, missing = [], values = [], period = String } = plan;
  const { incomplete = "hollow", empty = "no value", notes = [] } = plan;
  const { bounds, interval = "interval", allowing = "" } = plan;
  const open = new Set(values.flatMap(({ x, y, complete }) => complete || y === null ? [] : [x]));
  const periods = listed([...open].toSorted((a, b) => a - b).map(period), MOST_NAMED);
  const gaps = values.filter(({ y, predicted = null }) => y === null && predicted === null).length;
  const results = sentence(joined(plan.results ?? []));
  const all: Note[] = [
    dropped,
    bounds !== undefined &&
    `${BOUNDS[bounds]}: ${joined([plural(interval), allowing], ", ")}.`,
    ...notes,
    missing.length > 0 && `Not drawn, no value: ${listed(missing, MOST_NAMED)}.`,
    gaps > 0 && `Empty: ${empty} (${formatCount(gaps)} of ${formatCount(values.length)}).`,
  ];
  const { note = "", caption, source = frame, locale } = settings;
  const made = [results && `${results}.`, all.filter((note) => note !== false).join(" ")];
  const from = sourceNote(source, locale);
  const bare = titleText(plan);
  const filtered = filteredNames(frame).filter((name) => !bare.includes(name));
  const title = filtered.length === 0
    ? bare
    : titleText({ ...plan, of: joined([plan.of ?? "", ...filtered], ", ") });
  const subtitle = joined([
    // Under a title of the user, the subtitle says what is drawn.
    settings.title === undefined ? "" : title,
    ...said.map((fact, at) => settings.title !== undefined && at === 0 ? inSentence(fact) : fact),
    open.size === 0
      ? ""
      : incomplete.includes(":")
      ? incomplete
      : `${incomplete}: ${periods}${incomplete === "not ranked" ? "" : " so far"}`,
  ]);
  const label = !isEmpty
    ? described(plan)
    : `No data: ${frame.height === 0 ? "the frame has no rows" : "every value is null"}`;
  return {
    title: settings.title ?? title,
    subtitle: settings.subtitle ?? sentence(subtitle),
    label: from.startsWith("SAMPLE") ? `${label} Sample data.` : label,
    caption: [note, ...caption === undefined ? made : [caption], from].filter((line) =>
      line !== ""
    ),
  };
}
