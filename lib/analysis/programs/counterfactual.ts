import {
  boolean,
  checkOptions,
  didYouMean,
  oneOf,
  required,
} from "../../platform/check_options.ts";
import { counted, listed, notify } from "../../platform/terminal.ts";
import type { Column } from "../../schema/dictionary.ts";
import { dayText } from "../../schema/period.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { tableOf } from "../columnar.ts";
import { aConfidence } from "../intervals.ts";
import { DAYS_OF_YEAR, seriesOf, trendOf } from "../trend.ts";
import {
  COUNTERFACTUAL_METHODS,
  type CounterfactualFit,
  type CounterfactualMethod,
  fitterOf,
} from "./counterfactual_fit.ts";
import { fewestLarger, type Placebo, placeboBounds, placebosOf, rankAmong } from "./placebos.ts";
import { type ById, type Starts, startsRule } from "./starts.ts";
import { type Study, STUDY_RULES, studyPanel } from "./study_panel.ts";

const FN = "counterfactual";
const FEWEST_DONORS = 5;
const FEWEST_BEFORE = 8;
/** A fit is poor if its error before the event is more than this times the median of the placebos' errors. */
const POOR = 2;
const RULES = {
  ...STUDY_RULES,
  starts: required(startsRule),
  method: oneOf(COUNTERFACTUAL_METHODS),
  intercept: boolean,
  scale: oneOf(["level", "log"]),
  confidence: aConfidence,
};

function refuse(reason: string): never {
  throw new RangeError(`${FN}: ${reason}`);
}

/** The options that also become columns of the result. */
interface Settings {
  readonly field: string;
  readonly method: CounterfactualMethod;
  readonly intercept: boolean;
  readonly scale: "level" | "log";
  readonly event: number;
  readonly confidence: number;
}

/** Returns the treated entity and the day of its event. */
function eventOf(starts: Starts): readonly [treated: string, event: number] {
  const given = [...starts].filter((each): each is [string, number] => each[1] !== null);
  if (given.length > 1) {
    refuse(
      `starts: must have one entity; for several, use eventStudy; got ${
        listed(given.map(([id]) => id))
      }`,
    );
  }
  return given[0] ??
    refuse('starts: must have an entity, such as { fjord: "2026-01-05" }; got none');
}

/**
 * Returns the values of the treated entity, followed by those of its donors. The dates before the event come first, and
 * `before` is their number. `leftOut` is the number of entities that are left out because they lack a value at a date.
 */
function studyOf(study: Study, treated: string, { event, scale }: Settings) {
  const { entity, field, ids, dates } = study;
  if (!ids.includes(treated)) refuse(`starts: ${didYouMean(treated, ids)}`);
  const places = (wanted: (date: Study["dates"][number]) => boolean) =>
    dates.flatMap((date, at) => date.complete && wanted(date) ? [at] : []);
  const earlier = places(({ end }) => end < event);
  const kept = [...earlier, ...places(({ start }) => start >= event)];
  const before = earlier.length;
  const days = kept.map((at) => dates[at]!.start);
  if (before < FEWEST_BEFORE) {
    refuse(
      `starts: needs ${FEWEST_BEFORE} complete periods before ${dayText(event)}, got ${before}`,
    );
  }
  if (before === days.length) {
    refuse(`starts: the frame has no complete period from ${dayText(event)} on`);
  }
  const log = scale === "log";
  // The logarithm of 0 or less is undefined.
  const scaled = (value: number) => !log ? value : value > 0 ? Math.log(value) : NaN;
  const all = ids.map((name, index) => ({
    name,
    values: Float64Array.from(kept, (at) => scaled(study.values[index * dates.length + at]!)),
  }));
  const own = all.find(({ name }) => name === treated)!;
  const hole = own.values.findIndex((value) => !Number.isFinite(value));
  if (hole >= 0) {
    const rule = log ? `null or not above 0, and scale "log" needs values above 0` : "null";
    const date = dayText(days[hole]!);
    refuse(`starts: ${field} of ${treated} is ${rule}: ${date}; filter the frame to other dates`);
  }
  const donors = all.filter((each) => each !== own && each.values.every(Number.isFinite));
  const leftOut = all.length - 1 - donors.length;
  if (donors.length < FEWEST_DONORS) {
    refuse(
      `needs ${FEWEST_DONORS} donors with a value at every date, got ${donors.length}; ` +
        `left out, because ${field} is null at some date: ${
          counted(leftOut, "entity", "entities")
        }`,
    );
  }
  return { entity, own, donors, days, before, leftOut };
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))}%`;
}

/** Returns the bounds of an effect that is the same at all dates after the event, or the reason why there are none. */
function effectBounds(
  placebos: readonly Placebo[],
  { before, confidence }: { readonly before: number; readonly confidence: number },
) {
  const fewest = fewestLarger(placebos.length, confidence);
  if (fewest < 1) {
    const needed = Math.ceil(confidence / (1 - confidence) - 1e-9);
    return { reason: `no bounds: ${needed} donors are needed for ${percent(confidence)}` };
  }
  const bounds = placeboBounds(placebos, { from: before, to: Infinity, fewest });
  if (bounds === null) return { reason: "no bounds: no constant effect fits" };
  return { effect_lower: bounds[0], effect_upper: bounds[1], reason: null };
}

/** Returns the slope of the gap before the event, and the reasons why the fit is poor. */
function fitBefore(
  { gap, rmse_before }: CounterfactualFit,
  { days, before, median }: {
    readonly days: readonly number[];
    readonly before: number;
    readonly median: number;
  },
) {
  const years = days.slice(0, before).map((day) => day / DAYS_OF_YEAR);
  const { slope, p_value } = trendOf(years, seriesOf([...gap.subarray(0, before)]), 0.95);
  const why = [
    rmse_before > POOR * median &&
    `rmse_before ${rmse_before.toPrecision(3)}, median of placebos ${median.toPrecision(3)}`,
    p_value < 0.05 &&
    `slope of the gap ${slope.toPrecision(3)} a year, p ${p_value.toPrecision(2)}`,
  ].filter((reason) => reason !== false);
  return { pre_slope: slope, pre_p: p_value, fit: why.length > 0 ? "poor" : "good", why };
}

function resultOf(
  { entity, own, donors, days, before, leftOut }: ReturnType<typeof studyOf>,
  { full, placebos, pre, median, unit, ...settings }: Settings & {
    readonly full: CounterfactualFit;
    readonly placebos: readonly Placebo[];
    readonly pre: ReturnType<typeof fitBefore>;
    readonly median: number;
    readonly unit: Column | undefined;
  },
): DataFrame {
  const { confidence, scale } = settings;
  const value = scale === "log" ? Math.exp : (number: number) => number;
  const relative = (number = NaN) => scale === "log" ? 100 * Math.expm1(number) : null;
  const fewest = fewestLarger(placebos.length, confidence);
  const all = placebos.length + 1;
  const bounds = effectBounds(placebos, { before, confidence });
  const shared = { ...settings, smallest_p: 1 / all, left_out: leftOut };
  const rowsOf = (
    { name, values }: typeof own,
    { gap, weights: _, ...fit }: Partial<CounterfactualFit>,
    more: object,
  ) =>
    days.map((day, at) => {
      const [lower, upper] = name !== own.name || fewest < 1
        ? []
        : placeboBounds(placebos, { from: at, to: at + 1, fewest }) ?? [];
      return {
        ...shared,
        ...fit,
        ...more,
        [entity]: name,
        date: day,
        after: at >= before,
        observed: value(values[at]!),
        expected: gap && value(values[at]! - gap[at]!),
        gap: gap?.[at],
        effect_percent: relative(fit.effect),
        lower,
        upper,
      };
    });
  const ofTreated = {
    role: "treated",
    weight: null,
    p_value: rankAmong(placebos) / all,
    ...bounds,
    lower_percent: relative(bounds.effect_lower),
    upper_percent: relative(bounds.effect_upper),
    fit: pre.fit,
    pre_slope: pre.pre_slope,
    pre_p: pre.pre_p,
  };
  const fits = new Map(placebos.map(({ donor, placebo }) => [donor, placebo]));
  const sorted = [...donors.keys()].sort((a, b) => full.weights[b]! - full.weights[a]!);
  const rows = [
    ...rowsOf(own, full, ofTreated),
    ...sorted.flatMap((donor) => {
      const fit = fits.get(donor);
      const quality = fit && { fit: fit.rmse_before > POOR * median ? "poor" : "good" };
      const role = fit === undefined ? "donor" : "placebo";
      return rowsOf(donors[donor]!, fit ?? {}, { role, weight: full.weights[donor], ...quality });
    }),
  ];
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
    ["number percent", "effect_percent", "lower_percent", "upper_percent"],
    ["number statistic", "p_value", "smallest_p"],
    [gaps, "pre_slope"],
    ["number statistic", "pre_p"],
    ["text", "fit", "reason"],
    ["whole", "left_out"],
    ["text", "field", "method"],
    ["flag", "intercept"],
    ["text", "scale"],
    ["date", "event"],
    ["number fraction", "confidence"],
  ], unit);
}

/**
 * Compares the values of an entity after an event with the values expected without the event, estimated from other
 * entities.
 *
 * Returns one row per entity and date. The treated entity comes first, followed by its donors in descending order of
 * weight. Each donor is also a placebo: it is analyzed as if it were the treated entity, with the other donors. Of more
 * than 200 donors, 200 are drawn as placebos.
 *
 * | column | dtype | |
 * |---|---|---|
 * | the column of entities | String | the entity |
 * | `role` | String | `treated` or `placebo`; `donor` for donors that were not drawn as placebos, whose fit is null |
 * | `date` | Date | the first day of the period |
 * | `after` | Boolean | whether the period is after the event |
 * | `observed`, `expected` | Float64 | the observed value, and the value expected without the event, in the unit of `field` |
 * | `gap` | Float64 | `observed - expected`; with `scale: "log"`, the logarithm of `observed` minus the logarithm of `expected` |
 * | `lower`, `upper` | Float64 | pointwise bounds of `gap` at the level `confidence`, for the treated entity only: the effects at this date that the ratio test, with the gap of this date in place of `rmse_after`, does not reject; null if there are too few donors |
 * | `weight` | Float64 | the weight of the donor in the expected values of the treated entity; null for the treated entity |
 * | `rmse_before`, `rmse_after` | Float64 | root mean square of `gap` before the event, and after it; with `sdid`, `rmse_before` is the standard deviation of `gap` before the event |
 * | `effect` | Float64 | the mean `gap` after the event |
 * | `effect_lower`, `effect_upper` | Float64 | bounds of an effect that is the same at all dates after the event, for the treated entity only: the effects that the ratio test does not reject; null if there are too few donors, or no constant effect fits |
 * | `effect_percent`, `lower_percent`, `upper_percent` | Float64 | `effect`, `effect_lower` and `effect_upper` in percent: 5 is 5% more than expected. Null with `scale: "level"` |
 * | `p_value` | Float64 | the rank of the ratio `rmse_after / rmse_before` of the treated entity, divided by J + 1, where J is the number of placebos. The rank is 1 plus the number of placebos whose ratio is as large |
 * | `smallest_p` | Float64 | 1 / (J + 1): no p value can be smaller |
 * | `pre_slope`, `pre_p` | Float64 | change of `gap` per year before the event, and its p value by the test of `cohortTrend`, for the treated entity only |
 * | `fit` | String | `poor` if `rmse_before` is more than twice the median of the placebos', or if `pre_p` is below .05; otherwise `good` |
 * | `reason` | String | the reason why `effect_lower` or `effect_upper` is null; otherwise null |
 * | `left_out` | Int64 | number of entities that are not used as donors because a value is null or, with `scale: "log"`, not above 0 |
 * | `field`, `method`, `intercept`, `scale`, `event`, `confidence` | String, Boolean, Date, Float64 | the options, the same in every row |
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
 *   assumes that the entity lies between its donors. With `intercept`, the mean of each entity before the event is taken
 *   off first, so that the largest and the smallest entity can be fitted, too.
 * - `sdid`: donors and dates have weights (Arkhangelsky et al. 2021, AER 111, 4088-4118). The weights of donors are
 *   fitted with an intercept and a ridge penalty ζ = (N_tr·T_post)^¼ · σ. N_tr is 1, T_post is the number of dates
 *   after the event, and σ is the standard deviation of the donors' first differences.
 *
 * `p_value` is the ratio test of Abadie, Diamond and Hainmueller (2010), for all methods. It assumes that the event could
 * have happened to any entity. For each placebo, the placebo is fitted without the treated entity, whose values may have
 * changed, and the treated entity without the placebo (leaving out both; see Lei and Sudijono 2024, arXiv 2401.07152, who
 * leave out all pairs). `effect_lower` and `effect_upper` invert this test (Firpo and Possebom 2018, Journal of Causal
 * Inference 6): they are the bounds of the effects that it does not reject. The paper of `sdid` has another test: the
 * standard deviation of the effects on placebos. For California's Proposition 99, this standard error is 9.368, and p is
 * .096. It is not computed here.
 *
 * All methods assume that the event has no effect on donors (no spillover), and that the entity did not change before
 * the event because it was expected (anticipation). The test finds too many effects if the treated entity wanders and
 * its donors are steady, and if it is more exposed to a common shock than its donors: docs/coverage.md has the rates.
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
 *   starts: { garnet: "2025-07" },
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
  /**
   * The affected entity by its id, with the first day of the event: `{ fjord: "2026-01-05" }`, or a frame with a column
   * of ids and the column `start`. A month or a year means its first day.
   */
  readonly starts: ById<string | Date | null>;
  /**
   * The method that estimates the expected values: `"synthetic"`, `"did"` or `"sdid"`.
   *
   * @default {"synthetic"}
   */
  readonly method?: "did" | "synthetic" | "sdid";
  /**
   * Whether `"synthetic"` takes off the mean of each entity before the event, so that entities of any size can be fitted.
   *
   * @default {false}
   */
  readonly intercept?: boolean;
  /**
   * `"log"` compares natural logarithms: a gap of 0.405 is 50% more than expected. Use it for entities of very
   * different size.
   *
   * @default {"level"}
   */
  readonly scale?: "level" | "log";
  /**
   * The columns that name the entities. For retention curves: `"project_id"` or `"market_sector_id"`. Ids of several
   * columns are written `DE · ads`.
   *
   * @default {the smallest set of columns of texts that, with the date, makes rows unique; for retention curves `"project_id"`}
   */
  readonly entity?: string | readonly string[];
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
  const checked = checkOptions(options, RULES, FN);
  const { method = "synthetic", intercept = false, scale = "level", confidence = 0.95 } = checked;
  if (intercept && method !== "synthetic") {
    refuse(`intercept: is for method "synthetic"; ${method} always has one`);
  }
  const panel = studyPanel(frame, { fn: FN, ...checked });
  const [treated, event] = eventOf(checked.starts!(FN, panel.entity));
  const settings = { field: panel.field, method, intercept, scale, event, confidence };
  const study = studyOf(panel, treated, settings);
  const fitted = { method, intercept, before: study.before };
  const [observed, donors] = [study.own.values, study.donors.map(({ values }) => values)];
  const full = fitterOf(fitted, donors)(observed);
  const placebos = placebosOf(fitted, { observed, donors, full });
  const errors = placebos.map(({ placebo }) => placebo.rmse_before).sort((a, b) => a - b);
  const middle = errors.length / 2;
  const median = (errors[Math.ceil(middle) - 1]! + errors[Math.floor(middle)]!) / 2;
  const pre = fitBefore(full, { ...study, median });
  if (pre.fit === "poor") {
    notify(
      `${FN}: ${treated} differs from its donors already before the event: ${pre.why.join("; ")}`,
    );
  }
  if (placebos.length < donors.length) {
    notify(`${FN}: ${placebos.length} of ${donors.length} donors are drawn as placebos`);
  }
  const unit = columnIn(frame, settings.field);
  const result = resultOf(study, { ...settings, full, placebos, pre, median, unit });
  return withProvenance(frame, result, {
    fn: FN,
    options,
    first: ["observed", "expected", "gap", "lower", "upper"],
  });
}
