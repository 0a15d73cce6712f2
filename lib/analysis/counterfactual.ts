import { checkOptions, didYouMean, integer, oneOf, string } from "../platform/check_options.ts";
import { notify } from "../platform/terminal.ts";
import { dateOfDay, dayOf, dayText, periodAt, periodsBefore } from "../schema/period.ts";
import { dateColumn } from "../table/columns.ts";
import { aDay } from "../table/day_rule.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { withProvenance } from "../table/show.ts";
import { arraysIn, inGroups, numberOfColumn, tableOf } from "./columns.ts";
import {
  COUNTERFACTUAL_METHODS,
  counterfactualFit,
  type CounterfactualMethod,
} from "./counterfactual_fit.ts";
import { tracked, WASHOUT } from "./cohort_counts.ts";
import { aConfidence } from "./intervals.ts";
import { type UnitPanel, unitPanel } from "./unit_panel.ts";

const FEWEST_DONORS = 5;
const FEWEST_BEFORE = 8;
const RULES = {
  field: string,
  treated: string,
  event: aDay,
  method: oneOf(COUNTERFACTUAL_METHODS),
  scale: oneOf(["level", "log"]),
  unit: string,
  date: string,
  by: oneOf(["project_id", "market_sector_id"]),
  month: integer(1, 1200),
  confidence: aConfidence,
};

function refuse(reason: string): never {
  throw new RangeError(`counterfactual: ${reason}`);
}

/**
 * Returns, for each unit and date, the retention in the given month after first use. The date is the calendar month in
 * which this retention was observed.
 */
function retentionByDate(frame: DataFrame, by: string, month: number): DataFrame {
  requireColumns(frame, {
    fn: "counterfactual",
    source: "a frame of retentionCurves",
    columns: [by, "cohort_date"],
    numbers: ["month", "size", "retained"],
  });
  const [size, retained] = [numberOfColumn("size"), numberOfColumn("retained")];
  const curves = tracked(frame, WASHOUT).filter(
    pl.col("month").eq(month).and(size.gt(0)).and(retained.isNotNull())
      .and(pl.col(by).isNotNull()).and(pl.col("cohort_date").isNotNull()),
  );
  const seen = (curves.getColumn("cohort_date").toArray() as unknown as Date[])
    .map((cohort) => periodsBefore(periodAt(dayOf(cohort), "month"), "month", -month));
  const dates = (["start", "end"] as const).map((side) =>
    dateColumn(side, seen.map((period) => dateOfDay(period[side])))
  );
  return inGroups(curves.withColumns(...dates), [by, "start"], [
    pl.col("end").first().alias("until"),
    retained.sum().div(size.sum()).alias("retention"),
  ]).rename({ start: "date" });
}

type CounterfactualFit = ReturnType<typeof counterfactualFit>;

/** The options that also become columns of the result. */
interface Settings {
  readonly field: string;
  readonly method: CounterfactualMethod;
  readonly scale: "level" | "log";
  readonly event: number;
  readonly confidence: number;
}

/**
 * Returns the values of the treated unit, followed by those of its donors. The dates before the event come first, and
 * `before` is their number. `leftOut` is the number of units that are left out because they lack a value at a date.
 */
function studyOf(panel: UnitPanel, treated: string, { event, scale, field }: Settings) {
  const { unit, count, rows } = panel;
  const names = rows.head(count).getColumn(unit).toArray() as string[];
  if (!names.includes(treated)) refuse(`treated: ${didYouMean(treated, names)}`);
  const isBefore = pl.col("(end)").cast(pl.Int64).lt(event);
  const isAfter = pl.col("date").cast(pl.Int64).gtEq(event);
  const kept = rows.filter(pl.col("(complete)").and(isBefore.or(isAfter)));
  const before = kept.filter(isBefore).height / count;
  const cells = arraysIn(kept, ["date", field]);
  const days = [...cells.date!].filter((_, row) => row % count === 0);
  if (before < FEWEST_BEFORE) {
    refuse(
      `event: needs ${FEWEST_BEFORE} complete periods before ${dayText(event)}, got ${before}`,
    );
  }
  if (before === days.length) {
    refuse(`event: the frame has no complete period from ${dayText(event)} on`);
  }
  const log = scale === "log";
  // The logarithm of 0 or less is undefined.
  const scaled = (value: number) => !log ? value : value > 0 ? Math.log(value) : NaN;
  const all = names.map((name, index) => (
    { name, values: days.map((_, at) => scaled(cells[field]![at * count + index]!)) }
  ));
  const own = all.find(({ name }) => name === treated)!;
  const hole = own.values.findIndex((value) => !Number.isFinite(value));
  if (hole >= 0) {
    const rule = log ? `null or not above 0, and scale "log" needs values above 0` : "null";
    const date = dayText(days[hole]!);
    refuse(`treated: ${field} of ${treated} is ${rule}: ${date}; filter the frame to other dates`);
  }
  const donors = all.filter((each) => each !== own && each.values.every(Number.isFinite));
  const leftOut = all.length - 1 - donors.length;
  if (donors.length < FEWEST_DONORS) {
    refuse(
      `needs ${FEWEST_DONORS} donors with a value at every date, got ${donors.length}; ` +
        `${leftOut} units are left out because ${field} is null at some date`,
    );
  }
  return { unit, units: [own, ...donors], days, before, leftOut };
}

/**
 * Returns a factor for each date: the half-width of the bounds, divided by the `rmse_before` of the treated unit. Each
 * placebo has a ratio on the date: |gap| / `rmse_before`. The factor is the ratio that at most a fraction 1 -
 * `confidence` of the units exceeds. It is NaN if there are too few placebos.
 */
function reach(placebos: readonly CounterfactualFit[], confidence: number): number[] {
  const rank = Math.ceil(confidence * (placebos.length + 1) - 1e-9);
  return placebos[0]!.gap.map((_, at) => {
    const sizes = placebos.map((fit) =>
      fit.gap[at] === 0 ? 0 : Math.abs(fit.gap[at]!) / fit.rmse_before
    ).sort((a, b) => a - b);
    const found = sizes[rank - 1] ?? NaN;
    return Number.isFinite(found) ? found : NaN;
  });
}

function resultOf(
  { unit, units, days, before, leftOut }: ReturnType<typeof studyOf>,
  fits: readonly CounterfactualFit[],
  settings: Settings,
): DataFrame {
  const value = settings.scale === "log" ? Math.exp : (number: number) => number;
  const reaches = reach(fits.slice(1), settings.confidence);
  const ratios = fits.map((fit) => fit.rmse_after === 0 ? 0 : fit.rmse_after / fit.rmse_before);
  const donors = fits[0]!.weights.map((weight, index) => ({ weight, index: index + 1 }))
    .sort((a, b) => b.weight - a.weight);
  const rows = [{ weight: null, index: 0 }, ...donors].flatMap(({ weight, index }) => {
    const { gap, poor, ...fit } = fits[index]!;
    const { name, values } = units[index]!;
    return days.map((day, at) => {
      const wide = index === 0 ? reaches[at]! * fit.rmse_before : NaN;
      return {
        ...settings,
        ...fit,
        [unit]: name,
        role: index === 0 ? "treated" : "placebo",
        date: day,
        after: at >= before,
        observed: value(values[at]!),
        expected: value(values[at]! - gap[at]!),
        gap: gap[at],
        lower: gap[at]! - wide,
        upper: gap[at]! + wide,
        weight,
        p_value: ratios.filter((ratio) => ratio >= ratios[index]!).length / fits.length,
        fit: poor ? "poor" : "good",
        left_out: leftOut,
      };
    });
  });
  return tableOf(rows, [
    ["text", unit, "role"],
    ["date", "date"],
    ["flag", "after"],
    ["number", "observed", "expected", "gap", "lower", "upper", "weight"],
    ["number", "rmse_before", "rmse_after", "effect", "p_value"],
    ["text", "fit"],
    ["whole", "left_out"],
    ["text", "field", "method", "scale"],
    ["date", "event"],
    ["number", "confidence"],
  ]);
}

/**
 * Compares the values of a unit after an event with the values expected without the event, estimated from other units.
 *
 * Returns one row per unit and date. The treated unit comes first, followed by its donors in descending order of
 * weight. Each donor is also a placebo: it is analyzed as if it were the treated unit. The treated unit is then one of
 * its donors.
 *
 * | column | dtype | |
 * |---|---|---|
 * | the column of units | String | the unit |
 * | `role` | String | `treated` or `placebo` |
 * | `date` | Date | the first day of the period |
 * | `after` | Boolean | whether the period is after the event |
 * | `observed`, `expected` | Float64 | the observed value, and the value expected without the event, in the unit of `field` |
 * | `gap` | Float64 | `observed - expected`; with `scale: "log"`, the logarithm of `observed` minus the logarithm of `expected` |
 * | `lower`, `upper` | Float64 | bounds of `gap`, for the treated unit only: `gap` ± q × `rmse_before`. At each date, the J placebos have J ratios \|`gap`\| / `rmse_before`; q is the k-th smallest ratio, with k = ⌈`confidence`·(J + 1)⌉. Null if k exceeds J |
 * | `weight` | Float64 | the weight of the donor in the expected values of the treated unit; null for the treated unit |
 * | `rmse_before`, `rmse_after` | Float64 | root mean square of `gap` before the event, and after it; with `sdid`, `rmse_before` is the standard deviation of `gap` before the event |
 * | `effect` | Float64 | the mean `gap` after the event |
 * | `p_value` | Float64 | the rank of the unit's ratio `rmse_after / rmse_before` among all units, divided by J + 1; the largest ratio has rank 1 |
 * | `fit` | String | `poor` if `rmse_before` is more than half the standard deviation of the unit's values before the event; otherwise `good` |
 * | `left_out` | Int64 | number of units that are not used as donors because a value is null or, with `scale: "log"`, not above 0 |
 * | `field`, `method`, `scale`, `event`, `confidence` | String, Date, Float64 | the options, the same in every row |
 *
 * A period is before the event if its `until` (or its `date`, if the frame has no `until`) is earlier than the event. A
 * period is after the event if its `date` is the day of the event or later. If the event begins within a period, but
 * not on its first day, this period is left out. Incomplete periods are left out, too. In retention curves, the date of
 * a value is the month in which it was observed: `cohort_date` plus `month`. Cohorts with fewer than 3 tracked months
 * are left out.
 *
 * The expected values are weighted sums of the donors' values. The weights are 0 or more and add up to 1. The methods
 * are:
 *
 * - `did`: all weights are equal, and the mean difference before the event is subtracted. The method assumes parallel
 *   trends.
 * - `synthetic`: the weights minimize the distance between the weighted donors and the treated unit before the event,
 *   without covariates (Abadie, Diamond and Hainmueller 2010, JASA 105, 493-505). The solver is exact. The method
 *   assumes that the unit lies between its donors.
 * - `sdid`: donors and dates have weights (Arkhangelsky et al. 2021, AER 111, 4088-4118). The weights of donors are
 *   fitted with an intercept and a ridge penalty ζ = (N_tr·T_post)^¼ · σ. N_tr is 1, T_post is the number of dates
 *   after the event, and σ is the standard deviation of the donors' first differences.
 *
 * All methods assume that the event has no effect on donors (no spillover). `p_value` and the bounds assume that the
 * event could have happened to any unit. The smallest possible p value is 1 / (J + 1).
 *
 * @example Did fees on Garnet change in July 2025?
 * ```ts
 * import { counterfactual, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2024-01",
 *   to: "2026-05",
 * });
 * const result = counterfactual(fees, {
 *   field: "fees_sum",
 *   treated: "garnet",
 *   event: "2025-07",
 *   scale: "log",
 * });
 * console.log(result.select("date", "observed", "expected", "gap", "p_value").head(29).toString());
 * ```
 *
 * @param frame a frame of units over time, such as one of `timeline`; or a frame of `retentionCurves`, with the options
 * `by` and `month`
 * @throws {RangeError} when columns are missing, the treated unit is missing or has a null in a period of the study,
 * there are fewer than 5 donors, fewer than 8 periods before the event, or no period after it.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function counterfactual(frame: DataFrame, options: {
  /** The column of values. This option is not required for retention curves, whose values are in `retention`. */
  readonly field?: string;
  /** The unit affected by the event: a value of the column of units. */
  readonly treated: string;
  /** The first day of the event: a Date, or a text such as `2026-01-05`. A month or a year means its first day. */
  readonly event: string | Date;
  /**
   * The method that estimates the expected values: `"synthetic"`, `"did"` or `"sdid"`.
   *
   * @default {"synthetic"}
   */
  readonly method?: "did" | "synthetic" | "sdid";
  /**
   * `"log"` compares natural logarithms: a gap of 0.405 is 50% more than expected. Use it for units of very different
   * size.
   *
   * @default {"level"}
   */
  readonly scale?: "level" | "log";
  /**
   * The column that names the units.
   *
   * @default {`data_id`, else the only column whose name ends in `_id`}
   */
  readonly unit?: string;
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
  /**
   * The column of units of retention curves: `"project_id"` or `"market_sector_id"`. Requires `month`.
   *
   * @default {none: the frame does not hold retention curves}
   */
  readonly by?: "project_id" | "market_sector_id";
  /** The month of retention to compare, 1 or more. For retention curves only. Requires `by`. */
  readonly month?: number;
  /**
   * The confidence of `lower` and `upper`, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}): DataFrame {
  const checked = checkOptions(options, RULES, "counterfactual");
  const { treated, event, by, month, unit, date } = checked;
  const { method = "synthetic", scale = "level", confidence = 0.95 } = checked;
  if (treated === undefined) return refuse("treated: is required, got undefined");
  if (event === undefined) return refuse("event: is required, got undefined");
  if ((by === undefined) !== (month === undefined)) refuse("by, month: give both or neither");
  const field = checked.field ?? (by === undefined ? refuse("field: is required") : "retention");
  if (by !== undefined && field !== "retention") {
    refuse(`field: must be retention where by is given, got ${JSON.stringify(field)}`);
  }
  const columns = { fn: "counterfactual", fields: [field] };
  const panel = by === undefined
    ? unitPanel(frame, { ...columns, unit, date })
    : unitPanel(retentionByDate(frame, by, month!), { ...columns, unit: by });
  const settings = { field, method, scale, event, confidence };
  const study = studyOf(panel, treated, settings);
  const series = study.units.map(({ values }) => values);
  const fits = series.map((observed, index) =>
    counterfactualFit(method, {
      observed,
      donors: series.filter((_, other) => other !== index),
      before: study.before,
    })
  );
  const [{ poor, rmse_before, deviation }] = fits as [CounterfactualFit];
  if (poor) {
    notify(
      `counterfactual: ${treated} differs from its donors already before the event: rmse_before ` +
        `${rmse_before.toPrecision(3)}, standard deviation ${deviation.toPrecision(3)}`,
    );
  }
  return withProvenance(frame, resultOf(study, fits, settings), "counterfactual");
}
