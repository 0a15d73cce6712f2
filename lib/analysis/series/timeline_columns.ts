import { checkOptions, integer, type Refuse, required } from "../../platform/check_options.ts";
import { inWords } from "../../platform/statement.ts";
import { counted, notify } from "../../platform/terminal.ts";
import type { Column } from "../../schema/dictionary.ts";
import { dayText, periodsBefore, yearBefore } from "../../schema/period.ts";
import { aDay } from "../../table/read/day_rule.ts";
import { type Panel, panelOf, panelValues } from "../../table/read/panel.ts";
import { columnsPerDay, PER } from "../../table/read/per_day.ts";
import { columnNames, requireColumns } from "../../table/read/requirements.ts";
import { requireSteps } from "../../table/read/steps.ts";
import type { DataFrame, Frame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  columnIn,
  type ColumnKind,
  computedColumn,
  partsIn,
  titleIn,
} from "../../table/track/descriptions.ts";
import { numberColumns, refuseTaken } from "../columnar.ts";

/**
 * Returns for each period the index of the period that is `count` periods earlier, or of that of the year before. -1 if the
 * frame does not have it.
 */
function earlierPeriods({ every, starts, ends }: Panel, count: number | "year"): Int32Array {
  const places = new Map(Array.from(starts, (start, at) => [start, at]));
  const follows = new Map(Array.from(ends, (end, at) => [end + 1, at]));
  return Int32Array.from(starts, (start, at) => {
    const period = { start, end: ends[at]! };
    if (count === "year") return places.get(yearBefore(period, every ?? "day")?.start ?? NaN) ?? -1;
    if (every !== null) return places.get(periodsBefore(period, every, count).start) ?? -1;
    // Periods of several lengths: the period before ends the day before.
    let place: number | undefined = at;
    for (let back = 0; back < count && place !== undefined; back++) {
      place = follows.get(starts[place]!);
    }
    return place ?? -1;
  });
}

/**
 * Adds a result column `<column>_<suffix>` for each input column of a timeline. The results are computed from the values
 * of the input column, or from its values per day. `resultsIn` returns a function from the values of a series to the
 * result of a period; NaN means null. Of comparisons, `baseOf` is the index of the period with which a period is compared,
 * or -1. A percentage needs a base above 0: other results are null, and one notice has their number and the first.
 */
function addPerColumn(
  frame: DataFrame,
  { fn, options, field, entity, per, suffix, unit, title = suffix }: {
    readonly fn: string;
    readonly options: object;
    readonly field?: readonly string[];
    readonly entity?: readonly string[];
    readonly per?: "period" | "whole";
    readonly suffix: string;
    /** The unit of the results. */
    readonly unit: ColumnKind;
    /** The end of the titles of the results. */
    readonly title?: string | ((panel: Panel) => string);
  },
  resultsIn: (panel: Panel) => {
    readonly resultOf: (series: Float64Array, at: number) => number;
    readonly baseOf?: (at: number) => number;
  },
): Frame {
  const panel = panelOf(frame, { fn, entity });
  const { starts, cells } = panel;
  requireSteps(panel);
  const numbers = field ??
    frame.columns.filter((name) =>
      ![panel.date, "until", ...panel.entity].includes(name) && frame.getColumn(name).isNumeric()
    );
  requireColumns(frame, { fn, source: "columns of a timeline", numbers });
  if (numbers.length === 0) {
    throw new RangeError(`${fn}: field: the frame has no column of numbers`);
  }
  const named = (name: string) => `${name}_${suffix}`;
  refuseTaken(frame, numbers.map(named), fn);
  const daily = per === undefined ? columnsPerDay(panel, numbers, per) : [];
  const periods = starts.length;
  const { resultOf, baseOf } = resultsIn(panel);
  // An index of -1 takes long.
  const bases = Int32Array.from(starts, (_, at) => baseOf?.(at) ?? -1);
  const unbased: { readonly name: string; readonly cell: number }[] = [];
  const results = numbers.map((name) => {
    const values = panelValues(panel, name, { per: daily.includes(name) ? "day" : per ?? "whole" });
    const found = new Float64Array(values.length).fill(NaN);
    for (let start = 0; start < values.length; start += periods) {
      const series = values.subarray(start, start + periods);
      for (let at = 0; at < periods; at++) {
        const base = bases[at]!;
        if (base >= 0 && series[base]! <= 0) {
          if (Number.isNaN(series[at])) continue;
          unbased.push({ name, cell: start + base });
        } else found[start + at] = resultOf(series, at);
      }
    }
    const ofRows = new Float64Array(cells.length);
    for (let row = 0; row < cells.length; row++) ofRows[row] = found[cells[row]!]!;
    return [named(name), ofRows] as const;
  });
  const [first] = unbased;
  if (first !== undefined) {
    const entity = panel.keys[Math.floor(first.cell / periods)];
    notify(
      `${fn}: a percentage needs a base above 0: ${
        counted(unbased.length, "value is", "values are")
      } null; the first base is ${panelValues(panel, first.name)[first.cell]}, ${first.name}${
        panel.entity.length > 0 ? ` of ${entity}` : ""
      } on ${dayText(starts[first.cell % periods]!)}`,
    );
  }
  const made = numberColumns(Object.fromEntries(results));
  const columns = numbers.map((name): [string, Column] => {
    const column = computedColumn(named(name), unit, columnIn(frame, name));
    return [named(name), {
      ...column,
      title: `${titleIn(frame, name)}, ${typeof title === "string" ? title : title(panel)}`,
      of: partsIn(frame, [name]),
      // A mean is not a comparison of periods.
      ...suffix !== "mean" && { per: daily.includes(name) ? "day" : "period" },
    }];
  });
  return withProvenance(frame, frame.withColumns(...made.getColumns()), {
    fn: daily.length > 0 ? `${fn} per day` : fn,
    options,
    entity: panel.entity,
    first: numbers.flatMap((name) => [named(name), name]).slice(0, 6),
    columns: new Map(columns),
  });
}

function aDistance(value: unknown, refuse: Refuse): number | "year" {
  if (value === "year") return value;
  return integer(1)(value, (allowed) => refuse(`${allowed}, or "year"`));
}

/** The rules of the options of all functions that add columns to a timeline. */
const RULES = { field: columnNames, entity: columnNames };

/**
 * Adds the growth of each value of a timeline since an earlier period.
 *
 * Keeps the rows and columns of the frame, and adds a Float64 column `<column>_growth` for each column of `field`. The
 * growth is the fraction `(value - before) / before`. Sums of months, quarters
 * and years are compared per day, because a month of 31 days has more fees than a month of 28 days. The earlier value
 * `before` is found by its date and the entity of the row, not by row order. The growth is null if the earlier period is missing, if one of the two periods is incomplete, if one of the
 * two values is null, or if the earlier value is not above 0: a notice then has the number of such values.
 *
 * @example The fees of each chain against the month before
 * ```ts
 * import { growthRates, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * const growth = growthRates(fees, { field: "fees_sum" });
 * console.log(growth.select("date", "data_id", "fees_sum", "fees_sum_growth").toString());
 * ```
 *
 * @param timeline a frame of `timeline`, or own data: dates, numbers, and texts that name entities
 * @throws {RangeError} when columns are missing or already exist, the periods have several lengths of the calendar, or are not known from the dates, two rows of a
 * period have the same ids, or `periods` is neither a whole number above 0 nor `"year"`.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function growthRates(timeline: DataFrame, options: {
  /**
   * The distance to the earlier period: a number of periods, or `"year"` for the same period of the previous year (the
   * same day of the month, or the same ISO week).
   *
   * @default {1}
   */
  readonly periods?: number | "year";
  /**
   * The columns whose growth is computed.
   *
   * @default {all columns of numbers}
   */
  readonly field?: string | readonly string[];
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
  /**
   * `"period"` compares the values of periods. By default, sums of months, quarters and years are divided by the number of
   * days of their periods, because these periods have different lengths.
   *
   * @default {values per day, for sums of months, quarters and years}
   */
  readonly per?: "period";
} = {}): DataFrame {
  const fn = "growthRates";
  const rules = { ...RULES, periods: aDistance, per: PER };
  const { periods = 1, ...given } = checkOptions(options, rules, fn);
  const title = ({ every }: Panel) => {
    const distance = periods === "year" ? periods : every ?? "period";
    return `growth over ${
      Number(periods) > 1 ? counted(Number(periods), distance) : `a ${distance}`
    }`;
  };
  const about = { fn, options, ...given, suffix: "growth", unit: "change", title } as const;
  return addPerColumn(timeline, about, (panel) => {
    const { every, complete } = panel;
    if (every === "day" && periods === 1) {
      const week = inWords({ flags: "--periods 7", code: "periods: 7" });
      notify(`${fn}: days of a week differ: ${week} compares each day with the same weekday`);
    }
    const before = earlierPeriods(panel, periods)
      .map((earlier, at) => earlier >= 0 && complete[at] && complete[earlier] ? earlier : -1);
    return {
      baseOf: (at) => before[at]!,
      resultOf: (series, at) => {
        const base = before[at]! < 0 ? NaN : series[before[at]!]!;
        return (series[at]! - base) / base;
      },
    };
  });
}

/** Returns the index of the base period. */
function basePeriod({ every, starts, ends, complete }: Panel, base: number | undefined): number {
  if (base === undefined) {
    const first = complete.indexOf(1);
    if (first >= 0 || starts.length === 0) return first;
    throw new RangeError("indexed: base: no period of the frame is complete");
  }
  const found = starts.findIndex((start, at) => start <= base && base <= ends[at]!);
  if (found >= 0 && complete[found] || starts.length === 0) return found;
  throw new RangeError(
    `indexed: base: the frame ${found >= 0 ? "has no complete" : "has no"} ${
      every ?? "period"
    } that contains ${dayText(base)}`,
  );
}

/**
 * Adds an index of growth to a timeline: each series is 100 in the period of `base`.
 *
 * Keeps the rows and columns of the frame, and adds a Float64 column `<column>_index` for each column of `field`. A
 * series consists of the rows of an entity. The index is 100 times the
 * value divided by the value of the series in the period of `base`. Sums of months, quarters and years are compared per
 * day. The index is null if the value is null or negative. It is
 * null in the whole series if the base value is null, missing or not above 0. Incomplete periods also have an index;
 * see the column `complete`.
 *
 * @example Which chains have grown most since January?
 * ```ts
 * import { indexed, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * const index = indexed(fees, { base: "2025-01", field: "fees_sum" });
 * console.log(index.select("date", "data_id", "fees_sum_index").toString());
 * ```
 *
 * @param timeline a frame of `timeline`, or own data: dates, numbers, and texts that name entities
 * @throws {RangeError} when columns are missing or already exist, the periods have several lengths of the calendar, or are not known from the dates, two rows of a
 * period have the same ids, or `base` is not a day of a complete period of the frame.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function indexed(timeline: DataFrame, options: {
  /**
   * A day of the base period: a Date, or a text such as `2025-01-31`. A month or a year means its first day.
   *
   * @default {the first complete period of the frame}
   */
  readonly base?: string | Date;
  /**
   * The columns to index.
   *
   * @default {all columns of numbers}
   */
  readonly field?: string | readonly string[];
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
  /**
   * `"period"` compares the values of periods. By default, sums of months, quarters and years are divided by the number of
   * days of their periods, because these periods have different lengths.
   *
   * @default {values per day, for sums of months, quarters and years}
   */
  readonly per?: "period";
} = {}): DataFrame {
  const fn = "indexed";
  const { base, ...given } = checkOptions(options, { ...RULES, base: aDay, per: PER }, fn);
  const about = { fn, options, ...given, suffix: "index", unit: "index" } as const;
  return addPerColumn(timeline, about, (panel) => {
    const place = basePeriod(panel, base);
    return {
      baseOf: () => place,
      resultOf: (series, at) => series[at]! >= 0 ? series[at]! / series[place]! * 100 : NaN,
    };
  });
}

/**
 * Adds rolling means to a timeline. Each mean covers the period of the row and the periods directly before it.
 *
 * Keeps the rows and columns of the frame, and adds a Float64 column `<column>_mean` for each column of `field`.
 * Earlier values are found by their dates and the entity of the row. The
 * mean is null if one of the periods is incomplete or missing, or if one of the values is null.
 *
 * @example The mean fees of the last seven days, for each day
 * ```ts
 * import { rollingMean, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "day",
 *   from: "2025-03-01",
 *   to: "2025-03-10",
 * });
 * const week = rollingMean(fees, { periods: 7, field: "fees_sum" });
 * console.log(week.select("date", "data_id", "fees_sum_mean").toString());
 * ```
 *
 * @param timeline a frame of `timeline`, or own data: dates, numbers, and texts that name entities
 * @throws {RangeError} when columns are missing or already exist, the periods have several lengths of the calendar, or are not known from the dates, two rows of a
 * period have the same ids, or `periods` is not a whole number from 1 to 10 000.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function rollingMean(timeline: DataFrame, options: {
  /** The number of periods of each mean, including the row's own period. */
  readonly periods: number;
  /**
   * The columns to average.
   *
   * @default {all columns of numbers}
   */
  readonly field?: string | readonly string[];
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
}): Frame {
  const fn = "rollingMean";
  const rules = { ...RULES, periods: required(integer(1, 10_000)) };
  const { periods, ...given } = checkOptions(options, rules, fn);
  const about = { fn, options, ...given, per: "whole", suffix: "mean" } as const;
  const title = ({ every }: Panel) => `rolling mean of ${counted(periods, every ?? "period")}`;
  return addPerColumn(timeline, { ...about, unit: "field", title }, (panel) => {
    const { complete } = panel;
    const before = earlierPeriods(panel, 1);
    // The number of successive complete periods that end with each period.
    const run = new Uint32Array(before.length);
    for (const at of run.keys()) {
      run[at] = complete[at] === 0 ? 0 : before[at]! < 0 ? 1 : run[before[at]!]! + 1;
    }
    return {
      resultOf: (series, at) => {
        if (run[at]! < periods) return NaN;
        let sum = 0;
        // The periods of a run directly follow each other.
        for (let back = 0; back < periods; back++) sum += series[at - back]! / periods;
        return sum;
      },
    };
  });
}
