import {
  checkOptions,
  didYouMean,
  oneOf,
  required,
  type Rule,
  string,
} from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import type { Column } from "../../schema/columns.ts";
import { dayText } from "../../schema/period.ts";
import { aDay } from "../../table/read/day_rule.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { columnIn } from "../../table/track/frame_columns.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf } from "../columns.ts";
import {
  COUNTERFACTUAL_METHODS,
  counterfactualFit,
  type CounterfactualMethod,
} from "./counterfactual_fit.ts";
import { aConfidence } from "../intervals.ts";
import { fewestLarger, placeboBounds } from "./placebo_bounds.ts";
import { type Study, STUDY_RULES, studyPanel } from "./study_panel.ts";
import { meanOf } from "../sums.ts";
import { DAYS_OF_YEAR, seriesOf, trendOf } from "../trend.ts";

const FEWEST_DONORS = 5;
const FEWEST_BEFORE = 8;
/** Accepts the id of one entity. */
const oneEntity: Rule<string> = (value, refuse) =>
  Array.isArray(value)
    ? refuse("must be one entity; for several, use eventStudy")
    : string(value, refuse);
const RULES = {
  ...STUDY_RULES,
  treated: required(oneEntity),
  event: required(aDay),
  method: oneOf(COUNTERFACTUAL_METHODS),
  scale: oneOf(["level", "log"]),
  confidence: aConfidence,
};

function refuse(reason: string): never {
  throw new RangeError(`counterfactual: ${reason}`);
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
 * Returns the values of the treated entity, followed by those of its donors. The dates before the event come first, and
 * `before` is their number. `leftOut` is the number of entities that are left out because they lack a value at a date.
 */
function studyOf(study: Study, treated: string, { event, scale }: Settings) {
  const { entity, field, ids, dates, numbers } = study;
  if (!ids.includes(treated)) refuse(`treated: ${didYouMean(treated, ids)}`);
  const places = (wanted: (date: Study["dates"][number]) => boolean) =>
    dates.flatMap((date, at) => date.complete && wanted(date) ? [at] : []);
  const earlier = places(({ end }) => end < event);
  const kept = [...earlier, ...places(({ start }) => start >= event)];
  const before = earlier.length;
  const days = kept.map((at) => dates[at]!.start);
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
  const all = ids.map((name, index) => (
    { name, values: kept.map((at) => scaled(numbers[field]![at * ids.length + index]!)) }
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
        `${leftOut} entities are left out because ${field} is null at some date`,
    );
  }
  return { entity, entities: [own, ...donors], days, before, leftOut };
}

/** Returns `value / divisor`, or 0 if the value is 0. */
function ratio(value: number, divisor: number): number {
  return value === 0 ? 0 : value / divisor;
}

/** Returns the bounds of an effect that is the same at all dates after the event, or the reason why there are none. */
function effectBounds(
  fits: readonly CounterfactualFit[],
  { before, confidence }: { readonly before: number; readonly confidence: number },
) {
  const fewest = fewestLarger(fits.length - 1, confidence);
  if (fewest < 1) {
    const needed = Math.ceil(confidence / (1 - confidence) - 1e-9);
    return { reason: `no bounds: ${needed} donors are needed for ${percent(confidence)}` };
  }
  const bounds = placeboBounds(fits, { from: before, to: Infinity, fewest, after: true });
  if (bounds === null) return { reason: "no bounds: no constant effect fits" };
  const [effect_lower, effect_upper] = bounds;
  const open = [[effect_lower, "lower"], [effect_upper, "upper"]] as const;
  const missing = open.flatMap(([bound, name]) => Number.isNaN(bound) ? [name] : []);
  const reason = missing.length === 0
    ? null
    : `no ${missing.join(" and ")} bound: for any effect, a placebo deviates as much, because ` +
      "the treated entity is its donor";
  return { effect_lower, effect_upper, reason };
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))}%`;
}

/**
 * Returns the slope of the gap before the event, and the reason why the fit is poor, if it is: the gap is large before
 * the event, or it has a slope that makes up more than a tenth of the effect.
 */
function fitBefore(
  { gap, effect, poor, rmse_before, deviation }: CounterfactualFit,
  { days, before }: { readonly days: readonly number[]; readonly before: number },
) {
  const years = days.map((day) => day / DAYS_OF_YEAR);
  const { slope, p_value } = trendOf(
    years.slice(0, before),
    seriesOf(gap.slice(0, before)),
    0.95,
  );
  const drift = slope * (meanOf(years.slice(before)) - meanOf(years.slice(0, before)));
  const trended = p_value < 0.05 && Math.abs(drift) > Math.abs(effect) / 10;
  const why = [
    ...poor
      ? [
        `rmse_before ${rmse_before.toPrecision(3)}, standard deviation ${deviation.toPrecision(3)}`,
      ]
      : [],
    ...trended ? [`slope of the gap ${slope.toPrecision(3)} a year, p ${p_value}`] : [],
  ];
  return { pre_slope: slope, pre_p: p_value, fit: why.length > 0 ? "poor" : "good", why };
}

function resultOf(
  { entity, entities, days, before, leftOut }: ReturnType<typeof studyOf>,
  fits: readonly CounterfactualFit[],
  { pre, unit, ...settings }: Settings & {
    readonly pre: ReturnType<typeof fitBefore>;
    readonly unit: Column | undefined;
  },
): DataFrame {
  const { confidence, scale } = settings;
  const value = scale === "log" ? Math.exp : (number: number) => number;
  const ratios = fits.map((fit) => ratio(fit.rmse_after, fit.rmse_before));
  const fewest = fewestLarger(fits.length - 1, confidence);
  const bounds = days.map((_, at) =>
    fewest < 1 ? null : placeboBounds(fits, { from: at, to: at + 1, fewest, after: at >= before })
  );
  const own = { ...effectBounds(fits, { before, confidence }), ...pre };
  const donors = fits[0]!.weights.map((weight, index) => ({ weight, index: index + 1 }))
    .sort((a, b) => b.weight - a.weight);
  const rows = [{ weight: null, index: 0 }, ...donors].flatMap(({ weight, index }) => {
    const { gap, poor, ...fit } = fits[index]!;
    const { name, values } = entities[index]!;
    return days.map((day, at) => {
      const [lower, upper] = index === 0 ? bounds[at] ?? [] : [];
      return {
        ...settings,
        ...fit,
        fit: poor ? "poor" : "good",
        ...index === 0 ? own : {},
        [entity]: name,
        role: index === 0 ? "treated" : "placebo",
        date: day,
        after: at >= before,
        observed: value(values[at]!),
        expected: value(values[at]! - gap[at]!),
        gap: gap[at],
        lower,
        upper,
        weight,
        p_value: ratios.filter((ratio) => ratio >= ratios[index]!).length / fits.length,
        smallest_p: 1 / fits.length,
        left_out: leftOut,
      };
    });
  });
  const gaps = scale === "log" ? "number" : "number field";
  return tableOf(rows, [
    ["key", entity],
    ["text id", "role"],
    ["date", "date"],
    ["flag", "after"],
    ["number field", "observed", "expected"],
    [gaps, "gap", "lower", "upper"],
    ["number fraction", "weight"],
    [gaps, "rmse_before", "rmse_after", "effect", "effect_lower", "effect_upper"],
    ["number statistic", "p_value", "smallest_p"],
    [gaps, "pre_slope"],
    ["number statistic", "pre_p"],
    ["text", "fit", "reason"],
    ["whole", "left_out"],
    ["text", "field", "method", "scale"],
    ["date", "event"],
    ["number fraction", "confidence"],
  ], unit);
}

/**
 * Compares the values of an entity after an event with the values expected without the event, estimated from other
 * entities.
 *
 * Returns one row per entity and date. The treated entity comes first, followed by its donors in descending order of
 * weight. Each donor is also a placebo: it is analyzed as if it were the treated entity. The treated entity is then one
 * of its donors.
 *
 * | column | dtype | |
 * |---|---|---|
 * | the column of entities | String | the entity |
 * | `role` | String | `treated` or `placebo` |
 * | `date` | Date | the first day of the period |
 * | `after` | Boolean | whether the period is after the event |
 * | `observed`, `expected` | Float64 | the observed value, and the value expected without the event, in the unit of `field` |
 * | `gap` | Float64 | `observed - expected`; with `scale: "log"`, the logarithm of `observed` minus the logarithm of `expected` |
 * | `lower`, `upper` | Float64 | pointwise bounds of `gap` at the level `confidence`, for the treated entity only: the effects at this date that the ratio test, with the gap of this date in place of `rmse_after`, does not reject; null if there are too few donors, or no effect on this side is rejected |
 * | `weight` | Float64 | the weight of the donor in the expected values of the treated entity; null for the treated entity |
 * | `rmse_before`, `rmse_after` | Float64 | root mean square of `gap` before the event, and after it; with `sdid`, `rmse_before` is the standard deviation of `gap` before the event |
 * | `effect` | Float64 | the mean `gap` after the event |
 * | `effect_lower`, `effect_upper` | Float64 | bounds of an effect that is the same at all dates after the event, for the treated entity only: the effects that the ratio test does not reject; null if there are too few donors, no constant effect fits, or no effect on this side is rejected |
 * | `p_value` | Float64 | the rank of the entity's ratio `rmse_after / rmse_before` among all entities, divided by J + 1; the largest ratio has rank 1 |
 * | `smallest_p` | Float64 | 1 / (J + 1): no p value can be smaller |
 * | `pre_slope`, `pre_p` | Float64 | change of `gap` per year before the event, and its p value by the test of `cohortTrend`, for the treated entity only |
 * | `fit` | String | `poor` if `rmse_before` is more than half the standard deviation of the entity's values before the event. The treated entity also has a `poor` fit if `pre_p` is below .05 and the slope explains more than a tenth of the effect: \|`pre_slope` · (mean date after − mean date before)\| > \|`effect`\| / 10. Otherwise `good` |
 * | `reason` | String | the reason why `effect_lower` or `effect_upper` is null; otherwise null |
 * | `left_out` | Int64 | number of entities that are not used as donors because a value is null or, with `scale: "log"`, not above 0 |
 * | `field`, `method`, `scale`, `event`, `confidence` | String, Date, Float64 | the options, the same in every row |
 *
 * A period is before the event if its last day is earlier than the event. A
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
 * - `synthetic`: the weights minimize the distance between the weighted donors and the treated entity before the event,
 *   without covariates (Abadie, Diamond and Hainmueller 2010, JASA 105, 493-505). The solver is exact. The method
 *   assumes that the entity lies between its donors.
 * - `sdid`: donors and dates have weights (Arkhangelsky et al. 2021, AER 111, 4088-4118). The weights of donors are
 *   fitted with an intercept and a ridge penalty ζ = (N_tr·T_post)^¼ · σ. N_tr is 1, T_post is the number of dates
 *   after the event, and σ is the standard deviation of the donors' first differences.
 *
 * `p_value` is the ratio test of Abadie, Diamond and Hainmueller (2010), for all methods. It assumes that the event could
 * have happened to any entity. `effect_lower` and `effect_upper` invert this test (Firpo and Possebom 2018, Journal of
 * Causal Inference 6): they are the bounds of the effects c that it does not reject. For this test, c is subtracted from
 * the values of the treated entity after the event, also where this entity is a donor of a placebo. (With `sdid`, the
 * weights of the dates are not fitted again.) The paper of `sdid` has another test: the standard deviation of the effects
 * on placebos, without the treated entity as a donor. For California's Proposition 99, this standard error is 9.368, and
 * p is .096. It is not computed here.
 *
 * All methods assume that the event has no effect on donors (no spillover), and that the entity did not change before
 * the event because it was expected (anticipation). The test finds too many effects if the treated entity wanders and
 * its donors are steady, and if it is more exposed to a common shock than its donors: docs/analysis.md has the rates.
 * Values in dollars follow token prices, and are such a shock.
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
 * @param frame a frame of entities over time, such as one of `timeline`; or a frame of `retentionCurves`, with the
 * option `month`
 * @throws {RangeError} when columns are missing, the treated entity is missing or has a null in a period of the study,
 * there are fewer than 5 donors, fewer than 8 periods before the event, or no period after it.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function counterfactual(frame: DataFrame, options: {
  /** The column of values. This option is not required for retention curves, whose values are in `retention`. */
  readonly field?: string;
  /** The entity affected by the event: a value of the column of entities. */
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
   * `"log"` compares natural logarithms: a gap of 0.405 is 50% more than expected. Use it for entities of very
   * different size.
   *
   * @default {"level"}
   */
  readonly scale?: "level" | "log";
  /**
   * The column that names the entities. For retention curves: `"project_id"` or `"market_sector_id"`.
   *
   * @default {`data_id`, else the only column whose name ends in `_id`, else the only column of texts; for retention curves `"project_id"`}
   */
  readonly entity?: string;
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
  /** The month of retention to compare, 1 or more. Required for retention curves, and only allowed for these. */
  readonly month?: number;
  /**
   * The confidence of the bounds, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}): Frame {
  const checked = checkOptions(options, RULES, "counterfactual");
  const { treated, event } = checked;
  const { method = "synthetic", scale = "level", confidence = 0.95 } = checked;
  const panel = studyPanel(frame, { fn: "counterfactual", ...checked });
  const settings = { field: panel.field, method, scale, event, confidence };
  const study = studyOf(panel, treated, settings);
  const series = study.entities.map(({ values }) => values);
  const fits = series.map((observed, index) =>
    counterfactualFit(method, {
      observed,
      donors: series.filter((_, other) => other !== index),
      before: study.before,
    })
  );
  const pre = fitBefore(fits[0]!, study);
  if (pre.fit === "poor") {
    notify(
      `counterfactual: ${treated} differs from its donors already before the event: ` +
        pre.why.join("; "),
    );
  }
  const unit = columnIn(frame, settings.field);
  return withProvenance(frame, resultOf(study, fits, { ...settings, pre, unit }), {
    fn: "counterfactual",
    options,
    first: ["observed", "expected", "gap", "lower", "upper"],
  });
}
