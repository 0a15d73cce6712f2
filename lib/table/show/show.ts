import type { DataFrame, Frame, RowOf, Schema } from "../columns/polars.ts";
import { requireColumns } from "../read/requirements.ts";
import { aLocale } from "../../platform/locale.ts";
import { boolean, checkOptions, integer, listOf, oneOf } from "../../platform/check_options.ts";
import { displayOf, setDisplay } from "./display.ts";
import {
  type Columns,
  columnsOf,
  describedKeys,
  partsIn,
  setColumns,
} from "../track/descriptions.ts";
import { annotationOf, noteStep } from "../track/provenance.ts";
import { combined } from "../track/units_after_steps.ts";
import { track } from "../track/track.ts";

/**
 * Returns the rows of a frame as plain objects. If the type of the frame states its columns, the objects are typed.
 *
 * Text, numbers, booleans and null become JavaScript values. Dates and times become `Date`, lists become arrays, and
 * structs become objects.
 *
 * Whole numbers beyond 2^53, which JavaScript numbers cannot represent, are returned as polars returns them.
 *
 * @example The cohorts of a project, one by one
 * ```ts
 * import { cohortAnalysis, rowsOf } from "@chainframe/chainframe";
 *
 * const cohorts = await cohortAnalysis({ project_ids: ["tidewater"] });
 * for (const { cohort, initial_cohort_size } of rowsOf(cohorts)) {
 *   console.log(cohort, initial_cohort_size?.toLocaleString("en-US") ?? "not known");
 * }
 * ```
 *
 * @throws {RangeError} for a value that is not a frame, such as a promise.
 * @category Frames
 */
export function rowsOf<Columns extends Schema>(frame: DataFrame<Columns>): RowOf<Columns>[] {
  requireColumns(frame, { fn: "rowsOf", source: "a frame" });
  return frame.toRecords() as RowOf<Columns>[];
}

/**
 * Returns a frame that is displayed in another way in notebooks and by `console.log`. The display shows the first and the last rows, the
 * shape and the source. If not all columns fit, it shows the columns that identify a row, then the columns that the last
 * step made, and then the others. Columns of nulls, and options or remarks that are the same in all rows, are listed
 * below the table. A single row that does not fit is a list. All numbers of a column have an equal number
 * of decimals. Fractions and changes are shown as percentages.
 *
 * @example Three columns of a wide frame
 * ```ts
 * import { blockchainComparison, show } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * console.log(show(chains, { limit: 6, columns: ["chain_name", "ecosystem_fees_30d_sum"] }));
 * ```
 *
 * @throws {RangeError} for an unknown option, and for a column that the frame does not have.
 * @category Frames
 */
export function show(frame: DataFrame, options: {
  /**
   * Maximum number of rows. If the frame has more rows, its first and last rows are shown.
   *
   * @default {all rows if there are at most 25; otherwise the first 5 and the last 5}
   */
  readonly limit?: number;
  /**
   * The names of the columns in the order in which they are shown.
   *
   * @default {as many as fit}
   */
  readonly columns?: readonly string[];
  /**
   * Whether a terminal prints a line below the names: the range of numbers and dates, the number of different texts, and
   * the share of nulls. Notebooks have this line for frames of more than 25 rows, with histograms.
   *
   * @default {false}
   */
  readonly summary?: boolean;
  /**
   * The language of numbers and dates, as a locale of `Intl`: `"de"`. All other texts are in English.
   *
   * @default {numbers such as 1,234.5 and dates such as 2026-01-31}
   */
  readonly locale?: string;
} = {}): Frame {
  requireColumns(frame, { fn: "show", source: "a frame" });
  const rules = {
    limit: integer(1),
    columns: listOf(oneOf(frame.columns)),
    summary: boolean,
    locale: aLocale,
  };
  const { limit: rows, columns, summary = false, locale } = checkOptions(options, rules, "show");
  const made = track(frame).clone() as Frame;
  setDisplay(made, {
    ...displayOf(frame),
    summary,
    extent: { ...rows && { rows }, ...columns && { columns }, locale },
  });
  return made;
}

/**
 * Adds the provenance and the entity errors of one or several sources to `frame`, which the function `fn` computed from
 * them, and the descriptions of its columns. Columns that `fn` did not compute are described as in the sources. If a
 * source has no provenance, for example because another copy of polars made it, the display of the result states
 * "origin unknown".
 */
export function withProvenance(
  source: DataFrame | readonly DataFrame[],
  frame: DataFrame,
  { fn, options, entity, columns = new Map(), first = [], of, per }: {
    /** The name of the function, or the text of its step. */
    readonly fn: string;
    /** The options of the call, if one frame and these options make the same result again. */
    readonly options?: object;
    /** The columns of the entity that the function read. Those of the option `by` are the entity of its groups. */
    readonly entity?: readonly string[] | undefined;
    /** The columns that a display shows first besides the keys, at most six. */
    readonly first?: readonly string[];
    /** The descriptions of the columns that the function computed. */
    readonly columns?: Columns;
    /** The columns of the source of which numbers are computed. By default, those of the option `field`. */
    readonly of?: readonly string[];
    /** Whether their values were divided by the days of their periods before. */
    readonly per?: "day" | "period" | undefined;
  },
): Frame {
  const made = track(frame);
  const sources = Array.isArray(source) ? source as readonly DataFrame[] : [source as DataFrame];
  noteStep([...sources.map((each) => track(each)), made], made, {
    name: fn,
    ...options && { args: [options] },
  });
  if (annotationOf(made) === undefined) setDisplay(made, { unknown: true });
  const [from] = fn.split(" ");
  const own = [...columnsOf(made)].filter(([, column]) => column !== undefined);
  const { by, field } = Object(options) as Record<"by" | "field", string | readonly string[]>;
  const parts = of ?? [field ?? []].flat().filter((name) => sources[0]!.columns.includes(name));
  const keys = (entity ?? [by ?? []].flat()).filter((name) => made.columns.includes(name));
  const known = new Map([...combined(sources), ...own, ...columns]);
  const all = new Map(keys.length === 0 ? known : describedKeys(known, { entity: keys }, "found"));
  // A stated date stays the date of a result that has it.
  for (const [name, column] of combined(sources)) {
    const own = all.get(name);
    if (column?.role === "time" && column.key === "stated" && own?.role === "time") {
      all.set(name, { ...own, key: "stated" });
    }
  }
  for (const [name, column] of all) {
    if (column === undefined) continue;
    const { first: before, ...rest } = column;
    const place = first.length === 0 ? before ?? -1 : first.indexOf(name);
    if (column.from !== "" && place === (before ?? -1)) continue;
    const isComputed = column.from === "";
    all.set(name, {
      ...isComputed && column.role === "value" && parts.length > 0 &&
        { of: partsIn(sources[0]!, parts) },
      ...isComputed && column.role === "value" && per && { per },
      ...rest,
      from: isComputed ? from! : column.from,
      ...place >= 0 && { first: place },
    });
  }
  return setColumns(made, all);
}
