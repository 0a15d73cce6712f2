import { listed, notify } from "../platform/terminal.ts";
import { listOf, number, oneOf, type Rule, string } from "../platform/check_options.ts";
import { adds } from "../table/read/adds.ts";
import { columnIn, titleIn } from "../table/track/descriptions.ts";
import { responseOf } from "../table/track/provenance.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { datesOf } from "../table/read/reading.ts";
import { requireColumns } from "../table/read/requirements.ts";
import { noteTotal } from "../table/read/totals.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { BarItem, BarsPlan } from "./drawing/bars.ts";
import { formatCount, formatDay } from "./format.ts";
import { type Measure, measureOf } from "./measures.ts";
import { partWindowNote } from "./notes.ts";
import { type ChartOptions, chartSettings, SCALES } from "./options.ts";
import { datesText, windowWords } from "./periods.ts";
import { aReference, type ReferenceOptions, requireReference } from "./reference.ts";
import { numberValues, numericColumns, readRows } from "./read/rows.ts";
import { combinedItem, firstValue } from "./read/combined.ts";
import { largest, sumBy } from "./read/lines.ts";
import {
  bareTitle,
  countOf,
  dayWords,
  inSentence,
  intervalName,
  joined,
  largestOf,
  lastDay,
  monthsText,
  pluralOf,
  valueTexts,
  withoutWindow,
} from "./words.ts";

const fields: Rule<string[]> = (given, refuse) =>
  typeof given === "string" ? [given] : listOf(string)(given, refuse);

const RULES = {
  field: fields,
  lower: string,
  upper: string,
  confidence: number(0, 1),
  reference: aReference,
  scale: oneOf(SCALES),
};

const SOURCE =
  "a frame of blockchainComparison, metricBreakdown or rankBy, or any frame with the columns named";
const DEFAULT_FIELD = "ecosystem_fees_30d_sum";
const AGGREGATION = /_(sum|avg|latest|change|trend|days)$/;
const MOST = { bars: 12, dots: 40 };

/** The statistic that is drawn of a metric whose values add up over entities and days, over entities only, or never. */
const NATURAL = { both: "sum", groups: "latest", none: "avg" };

/** Returns the columns to draw: those that the caller names, else one. */
function fieldsOf(
  frame: DataFrame,
  given: readonly string[] | undefined,
  fn: string,
): readonly string[] {
  if (given !== undefined && given.length === 0) {
    throw new RangeError(`${fn}: field: must name a column; got []`);
  }
  if (given !== undefined) return given;
  if (frame.columns.includes(DEFAULT_FIELD)) return [DEFAULT_FIELD];
  if (frame.columns.includes("metric_id") && frame.columns.includes("value")) {
    throw new RangeError(`${fn}: the frame is in long form; pass the frame of metricBreakdown`);
  }
  const columns = numericColumns(frame);
  const [first] = columns;
  const metric = first?.replace(AGGREGATION, "");
  const natural = `${metric}_${NATURAL[adds(frame, `${metric}_sum`) ?? "both"]}`;
  const chosen = columns.includes(natural) ? natural : first;
  if (chosen === undefined) {
    throw new RangeError(
      `${fn}: field: the frame has no column of numbers; it has ${listed(frame.columns, 20)}`,
    );
  }
  return [chosen];
}

/** Adds a number to each name that several items share. For a frame with dates (`timed`), throws an error instead. */
function distinct(items: readonly BarItem[], timed: boolean, fn: string): BarItem[] {
  const groups = Map.groupBy(items, ({ label }) => label);
  const again = [...groups].find(([, same]) => same.length > 1);
  if (timed && again !== undefined) {
    throw new RangeError(
      `${fn}: each row must be a different item; got "${again[0]}" ${again[1].length} times; ` +
        "keep one date by where(frame, { date }), or the largest by topN; plotTimeline draws all dates",
    );
  }
  return items.map((item) => {
    const times = groups.get(item.label)!.indexOf(item) + 1;
    return times === 1 ? item : { ...item, label: `${item.label} (${times})` };
  });
}

const SPANS: Readonly<Record<string, string>> = {
  ytd: "year to date",
  max: "all time",
  "24h": "1 day",
};

/** Describes the dates of the request that returned a frame: `30 days to 30 Jun 2026`. */
function queryWords(frame: DataFrame, locale: string): string {
  const { interval, start, end } = responseOf(frame)?.query ?? {};
  const text = (value: unknown) => typeof value === "string" ? value : "";
  if (text(start) + text(end) !== "") return `${text(start) || "…"} to ${text(end) || "…"}`;
  const day = lastDay(frame);
  const span = SPANS[text(interval)] ?? text(interval).replace(/^(\d+)d$/, "$1 days");
  return day === null || span === "" ? span : `${span} to ${formatDay(day, locale)}`;
}

/** From this ratio of the largest value to the median, a notice names the logarithmic scale. */
const GIANT = 100;

/** Most measures that a title names. */
const MOST_TITLED = 3;

/** Joins titles for a title: `Fees over 30 days, daily active users and change of TVL over 7 days`. */
function enumerated(titles: readonly string[]): string {
  const parts = titles.map(inSentence).map((title) =>
    title.replace(/^(.*), (change|trend)/, "$2 of $1")
  );
  const text = [parts.slice(0, -1).join(", "), parts.at(-1)].join(" and ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Draws each row as a bar, ranked by a measure (a numeric column). If the measure can be added, each bar is labeled
 * with its share of the sum. If there are several measures, each measure has its own panel, with the rank of each
 * value. If bounds (`lower` and `upper`) are given, rows are drawn as dots with intervals. On a logarithmic axis, rows
 * are drawn as dots, because bars must begin at zero.
 *
 * Takes the result of `blockchainComparison`, `metricBreakdown` or `rankBy`, or any other frame if the options name its
 * columns. If there are more than 12 rows (40 for dots; see `limit`), those with the largest values are drawn. If the
 * measure can be added, the sum of the other rows is also drawn. A row without a value has a text in place of a bar.
 *
 * @example
 * ```ts
 * import { blockchainComparison, plotComparison } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * console.log(plotComparison(chains, { field: ["ecosystem_fees_30d_sum", "active_users_daily_latest"] }));
 * ```
 *
 * @example Dots with intervals
 * ```ts
 * import { cohortAnalysis, pl, plotComparison, pooledRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const sixth = pooledRetention(curves, { by: "market_sector_id" }).filter(pl.col("month").eq(6));
 * console.log(plotComparison(sixth, { field: "retention", lower: "lower", upper: "upper" }));
 * ```
 *
 * @throws {RangeError} when a column is missing, an item occurs twice, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotComparison(
  frame: DataFrame,
  options:
    & {
      /**
       * The numeric column to draw, or a list of columns. Each column has its own panel. Rows are ranked by the first
       * column.
       * @default {`ecosystem_fees_30d_sum`, or the first metric with values: its sum, or latest for levels, avg for users}
       */
      readonly field?: string | readonly string[];
      /**
       * The column of the lower bounds. If bounds are given, rows are drawn as dots with intervals.
       * @default {none}
       */
      readonly lower?: string;
      /**
       * The column of the upper bounds.
       * @default {none}
       */
      readonly upper?: string;
      /**
       * The confidence level of the bounds: 0.95 for 95%.
       * @default {the value of the frame's column `confidence`, if it is the same in all rows}
       */
      readonly confidence?: number;
      /**
       * The scale of the values. `"log"` requires values above zero, and draws dots. `"auto"` is linear for bars. For dots,
       * it is logarithmic if the largest value is more than 30 times the smallest value, and the values are not fractions.
       * @default {"auto"}
       */
      readonly scale?: "auto" | "linear" | "log";
    }
    & ReferenceOptions
    & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotComparison", options, RULES);
  const { fn, label, lower, upper, unit, locale, source = frame, reference, scale, confidence } =
    settings;
  requireReference(settings);
  const bounds = [lower, upper].filter((name) => name !== undefined);
  if (bounds.length === 1) {
    throw new RangeError(`${fn}: lower and upper: must be given together; got ${bounds[0]} alone`);
  }
  requireColumns(frame, { fn, source: SOURCE, columns: label === undefined ? [] : [label] });
  const named = fieldsOf(frame, settings.field, fn);
  requireColumns(frame, { fn, source: SOURCE, numbers: named });
  const valuedFields = named.filter((name) => numberValues(frame, name).some((v) => v !== null));
  // A measure without values has no panel.
  const fields = valuedFields.length > 0 ? valuedFields : named;
  for (const field of fields) noteTotal(frame, { fn, field });
  const measures = fields.map((field) => measureOf(frame, field, { unit }));
  const as = bounds.length > 0 ? "dots" : "bars";
  const { limit = MOST[as] } = settings;
  const numbers = [...fields, ...bounds];
  const rows = readRows(frame, { source: SOURCE, label, alone: "", numbers }, fn);
  const noun = rows[0]?.noun ?? "group";
  const read = rows.map((row): BarItem =>
    bounds.length === 0 ? row : {
      ...row,
      lower: row.values.at(-2)!,
      upper: row.values.at(-1)!,
      values: row.values.slice(0, -2),
    }
  );
  const asked = frame.columns.includes("data_id");
  const all = distinct(read, asked || datesOf(frame, fn).length > 0, fn);
  const [first] = measures as [Measure];
  const adds = measures.map(({ additive }) => additive);
  const other = first.additive && as === "bars"
    ? (rest: readonly BarItem[]) => combinedItem(rest, ` ${pluralOf(noun)}`, adds)
    : undefined;
  const what = `largest ${pluralOf(noun)}`;
  const valued = all.filter(({ values }) => values.some((value) => value !== null));
  const { kept, ...left } = largest(valued, { limit, sizeOf: firstValue, other }, what);
  const isEmpty = ({ values }: BarItem) => values.every((value) => value === null);
  // Rows without a value follow where there is room.
  const items = [...kept, ...all.filter(isEmpty).slice(0, Math.max(0, limit - kept.length))];
  const parts = items.map(firstValue).filter((value) => value !== null);
  const total = sumBy(parts, (value) => value);
  const shares = as === "bars" && measures.length === 1 && first.additive && total > 0 &&
    parts.length > 1 && parts.every((value) => value >= 0);
  const periods = fields.map((field) =>
    asked
      ? queryWords(source, locale)
      : joined([windowWords(frame, field, settings), datesText(frame, locale)], ", ")
  );
  const levels = confidence === undefined ? numberValues(frame, "confidence") : [confidence];
  const several = measures.length > 1;
  const drawn = kept.filter(({ folded }) => !folded).length;
  const lacking = all.filter(({ values }) => values.includes(null)).length;
  const count = largestOf(drawn, valued.filter(({ folded }) => !folded).length, noun);
  // The rows can be those of one month since first use.
  const months = columnIn(frame, "month")?.unit === "months"
    ? new Set(numberValues(frame, "month").flatMap((month) => month ?? []))
    : [];
  const of = count + (new Set(months).size === 1 ? ` in ${monthsText([...months])}` : "");
  const [span = ""] = new Set(periods);
  const sizes = items.filter(({ folded }) => !folded).flatMap((item) => firstValue(item) ?? [])
    .toSorted((a, b) => b - a);
  if (
    as === "bars" && scale === undefined && sizes.at(-1)! > 0 &&
    sizes[0]! >= GIANT * sizes[Math.floor(sizes.length / 2)]!
  ) {
    notify(`${fn}: the largest value is ${GIANT} times the median or more; scale: "log" shows all`);
  }
  const plan: BarsPlan = {
    measures,
    items,
    noun: rows[0]?.noun.one ?? "group",
    as,
    scale,
    shares,
    reference,
    interval: intervalName(levels, locale),
  };
  return readyChart({
    again: plotComparison,
    frame,
    settings,
    series: settings.highlight === undefined ? [] : items,
    groups: items,
    empty: items.every(({ values }) => values.every((value) => value === null)),
    words: {
      what: !several
        ? span === "" ? first.title : withoutWindow(first.title)
        : measures.length > MOST_TITLED
        ? countOf(measures.length, "measure")
        : enumerated(measures.map(({ title }) => bareTitle(title))),
      of,
      span: new Set(periods).size === 1 ? span : dayWords("to", [frame, fields[0]!], settings),
      said: [
        several ? `Ranked by ${inSentence(first.title)}; in brackets: the rank` : "Largest first",
        shares ? `%: share of the sum of ${countOf(valued.length, noun)}` : "",
      ],
      kind: as === "bars" ? "Bar chart" : "Dot plot",
      rows: valueTexts(kept, first.unit, firstValue),
      noun,
      ...several ? { rowsAre: inSentence(first.title) } : {},
      ...left,
      missing: named.filter((name) => !fields.includes(name)).map((name) => titleIn(frame, name)),
      bounds: bounds.length > 0 ? "whiskers" : undefined,
      interval: intervalName(levels, locale, "interval of unknown level"),
      notes: [
        lacking > 0 && `Without a value: ${formatCount(lacking)} of ${formatCount(all.length)}.`,
        partWindowNote(frame, fields),
      ],
    },
    figure: (draw, look) => draw.barsFigure(plan, look),
  });
}
