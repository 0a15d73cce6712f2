import {
  boolean,
  checkOptions,
  didYouMean,
  oneOf,
  required,
} from "../../platform/check_options.ts";
import { counted, listed, notify } from "../../platform/terminal.ts";
import { dayText } from "../../schema/period.ts";
import type { Column } from "../../schema/dictionary.ts";
import type { DataFrame, Frame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { tableOf } from "../columnar.ts";
import { aConfidence } from "../intervals.ts";
import { meanOf } from "../sums.ts";
import {
  COUNTERFACTUAL_METHODS,
  type Fits,
  fitsOf,
  placeboBounds,
  rankAmong,
} from "./counterfactual_fit.ts";
import { misfits, trendBefore } from "./misfits.ts";
import { type ById, type Starts, startsRule } from "./starts.ts";
import { type Study, STUDY_RULES, studyPanel } from "./study_panel.ts";
import { withoutTwins } from "./twins.ts";

const FN = "counterfactual";
const FEWEST_DONORS = 5;
const FEWEST_BEFORE = 8;
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

/**
 * Returns the values of the treated entity, and those of its donors, in order of name. The dates before the event come
 * first, and `before` is their number. `left_out` is the number of entities that are no donors: they lack a value at a
 * date, or are another donor under a second name.
 */
function unitsOf({ field, ids, dates, values }: Study, starts: Starts, isLog: boolean) {
  const given = [...starts].filter((each): each is [string, number] => each[1] !== null);
  const [[treated, event] = ["", NaN]] = given;
  if (given.length !== 1) {
    const got = listed(given.map(([id]) => id)) || "none";
    refuse(
      `starts: must have one entity, such as { fjord: "2026-01-05" }; for several, use ` +
        `eventStudy; got ${got}`,
    );
  }
  if (!ids.includes(treated)) refuse(`starts: ${didYouMean(treated, ids)}`);
  const before = dates.filter(({ end }) => end < event).length;
  const kept = [...dates.keys()].filter((at) => at < before || dates[at]!.start >= event);
  const days = kept.map((at) => dates[at]!.start);
  if (before < FEWEST_BEFORE || before === days.length) {
    refuse(
      `starts: needs ${FEWEST_BEFORE} complete periods before ${dayText(event)} and one after ` +
        `it, got ${before} and ${days.length - before}`,
    );
  }
  const units = ids.map((name, index) => ({
    name,
    values: kept.map((at) => {
      const value = values[index * dates.length + at]!;
      // The logarithm of 0 or less is undefined.
      return isLog ? value > 0 ? Math.log(value) : NaN : value;
    }),
  })).sort((a, b) => a.name < b.name ? -1 : 1);
  const rule = isLog ? `null or not above 0, and scale "log" needs values above 0` : "null";
  const own = units.find(({ name }) => name === treated)!;
  const hole = own.values.findIndex(Number.isNaN);
  if (hole >= 0) {
    const date = dayText(days[hole]!);
    refuse(`starts: ${field} of ${treated} is ${rule}: ${date}; filter the frame to other dates`);
  }
  const whole = units.filter((unit) => unit !== own && !unit.values.some(Number.isNaN));
  const { donors, twins, near } = withoutTwins(own, whole, before);
  const notices = [
    twins.length > 0 &&
    `left out, one entity under two names: ${listed(twins)} at all dates before the event`,
    near.length > 0 &&
    `nearly equal before the event, so they may be one entity under two names: ${listed(near)}`,
  ];
  for (const notice of notices) if (notice) notify(`${FN}: ${notice}`);
  if (donors.length < FEWEST_DONORS) {
    const lacking = counted(units.length - 1 - whole.length, "entity");
    refuse(
      `needs ${FEWEST_DONORS} donors with a value at every date, got ${donors.length}; ` +
        `left out, because ${field} is ${rule} at some date: ${lacking}`,
    );
  }
  return { own, donors, days, before, event, left_out: units.length - 1 - donors.length };
}

/**
 * Returns a function that tests the gaps of some dates against those of the placebos, and the reason why there is no p
 * value, or there are no bounds.
 */
function placeboTest({ full, placebos }: Fits, confidence: number) {
  const all = placebos.length + 1;
  // So many placebos must have a ratio that is as large, so that the test does not reject.
  const fewest = all - Math.ceil(confidence * all - 1e-9);
  const exact = full.rmse_held_out === 0
    ? "no p value and no bounds: the donors predict all values before the event exactly"
    : placebos.length === 0
    ? "no p value and no bounds: no donor is a placebo"
    : undefined;
  const few = fewest < 1
    ? `no bounds: ${Math.ceil(confidence / (1 - confidence) - 1e-9)} donors are needed`
    : undefined;
  return (from: number, to: number) => {
    if (exact !== undefined) return { p_value: NaN, reason: exact };
    const bounds = few === undefined ? placeboBounds(placebos, fewest, [from, to]) : undefined;
    return {
      p_value: rankAmong(placebos, [from, to]) / all,
      ...bounds,
      reason: few ?? (bounds ? undefined : "no bounds: no constant effect fits"),
    };
  };
}

/** Returns functions that make the rows of a unit. Donors that are no placebos have no fit. */
function rowsFor({ entity, days, before, isLog }: {
  readonly entity: string;
  readonly days: readonly number[];
  readonly before: number;
  readonly isLog: boolean;
}) {
  const value = isLog ? Math.exp : (number: number) => number;
  const relative = (number = NaN) => isLog ? 100 * Math.expm1(number) : null;
  const shownOf = (values: readonly number[], gap: readonly number[] | undefined) => ({
    observed: values.map(value),
    expected: gap && values.map((each, at) => value(each - gap[at]!)),
  });
  const overallOf = (name: string, values: readonly number[], fit: Partial<Fits["full"]>) => {
    const { observed, expected } = shownOf(values, fit.gap);
    const observed_mean = meanOf(observed.slice(before));
    const expected_mean = expected ? meanOf(expected.slice(before)) : NaN;
    return {
      ...fit,
      row: "overall",
      [entity]: name,
      observed_mean,
      expected_mean,
      total_percent: expected_mean > 0 ? 100 * (observed_mean / expected_mean - 1) : NaN,
      effect_percent: relative(fit.effect),
      gap: null,
    };
  };
  const datesOf = (name: string, values: readonly number[], { gap }: Partial<Fits["full"]>) => {
    const { observed, expected } = shownOf(values, gap);
    return days.map((date, at) => ({
      row: "date",
      [entity]: name,
      date,
      after: at >= before,
      observed: observed[at],
      expected: expected?.[at],
      gap: gap?.[at],
    }));
  };
  return { relative, overallOf, datesOf };
}

/** Makes the table of the result. */
function tableFor(rows: readonly object[], entity: string, gaps: "number" | "number field") {
  return (field: Column | undefined) =>
    tableOf(rows, [
      ["key", entity],
      ["text id", "role", "row"],
      ["date", "date"],
      ["flag", "after"],
      ["number field", "observed", "expected"],
      [gaps, "gap", "lower", "upper"],
      ["number field", "observed_mean", "expected_mean"],
      ["number percent", "total_percent"],
      [gaps, "effect", "effect_lower", "effect_upper"],
      ["number percent", "effect_percent", "lower_percent", "upper_percent"],
      ["number statistic", "p_value", "smallest_p"],
      [gaps, "rmse_before", "rmse_held_out", "rmse_after"],
      ["number fraction", "weight"],
      [gaps, "pre_slope"],
      ["number statistic", "pre_p"],
      ["text", "fit", "rests_on", "reason"],
      ["whole", "left_out"],
      ["text", "field", "method"],
      ["flag", "intercept"],
      ["text", "scale"],
      ["date note", "event"],
      ["number fraction", "confidence"],
    ], field);
}

/**
 * Compares the values of an entity after an event with the values expected without the event, estimated from other
 * entities.
 *
 * Returns first one row `overall` per entity, then one row `date` per entity and date. The treated entity comes first,
 * followed by its donors in descending order of weight. Each donor is also a placebo: it is analyzed as if it were the
 * treated entity, with the other donors. Of more than 200 donors, 200 are drawn as placebos. The first row is the one to
 * cite.
 *
 * | column | dtype | |
 * |---|---|---|
 * | the column of entities | String | the entity |
 * | `role` | String | `treated` or `placebo`; `donor` for donors that are no placebos and have no expected values |
 * | `row` | String | `overall` or `date` |
 * | `date` | Date | the first day of the period; null in rows `overall` |
 * | `after` | Boolean | whether the period is after the event |
 * | `observed`, `expected` | Float64 | the observed value, and the value expected without the event, in the unit of `field` |
 * | `gap` | Float64 | `observed - expected`; with `scale: "log"`, the logarithm of `observed` minus the logarithm of `expected` |
 * | `lower`, `upper` | Float64 | pointwise bounds of `gap` at the level `confidence`, for the treated entity only: the effects at this date that the ratio test, with the gap of this date in place of `rmse_after`, does not reject; null if there are too few donors |
 * | `observed_mean`, `expected_mean` | Float64 | in rows `overall`: the means of `observed` and `expected` after the event |
 * | `total_percent` | Float64 | in rows `overall`: how much the sum of the observed values after the event differs from the sum of the expected ones, in percent. Null if the expected sum is not above 0 |
 * | `effect` | Float64 | the mean `gap` after the event |
 * | `effect_lower`, `effect_upper` | Float64 | bounds of an effect that is the same at all dates after the event, for the treated entity only: the effects that the ratio test does not reject; null if there are too few donors, or no constant effect fits |
 * | `effect_percent`, `lower_percent`, `upper_percent` | Float64 | `effect`, `effect_lower` and `effect_upper` in percent: 5 is 5% more than expected. `effect_percent` is the geometric mean of the ratios of observed and expected values, less 100%. Null with `scale: "level"` |
 * | `p_value` | Float64 | of the treated entity: the rank of the ratio `rmse_after / rmse_held_out`, divided by J + 1, where J is the number of placebos. The rank is 1 plus the number of placebos whose ratio is as large. In rows `date`, the same for the gap of the date |
 * | `smallest_p` | Float64 | 1 / (J + 1): no p value can be smaller |
 * | `rmse_before`, `rmse_after` | Float64 | root mean square of `gap` before the event, and after it; with `sdid`, `rmse_before` is the standard deviation of `gap` before the event |
 * | `rmse_held_out` | Float64 | root mean square of the gaps before the event that the fit did not see: the dates before the event are divided into three blocks, and each is predicted by a fit to the other two |
 * | `weight` | Float64 | the weight of the donor in the expected values of the treated entity; null for the treated entity |
 * | `pre_slope`, `pre_p` | Float64 | change of `gap` per year before the event, and its p value by the test of `cohortTrend`, for the treated entity only; null if the gaps are rounding |
 * | `fit` | String | `poor` if `rmse_held_out` is more than twice the median of the placebos', or if `pre_p` is below .05; otherwise `good`, or null without placebos. For the treated entity only |
 * | `rests_on` | String | the number of placebos, such as `8 placebos` |
 * | `reason` | String | the reason why `p_value` or bounds are null, or what the weights rest on; otherwise null |
 * | `left_out` | Int64 | number of entities that are not used as donors: a value is null or, with `scale: "log"`, not above 0, or the entity equals another one at all dates before the event |
 * | `field`, `method`, `intercept`, `scale`, `event`, `confidence` | String, Boolean, Date, Float64 | the options, in the row `overall` of the treated entity |
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
 * Inference 6): they are the bounds of the effects that it does not reject. The ratio divides by `rmse_held_out`, because a
 * fit makes its own errors small: with 40 donors and 8 periods, a ratio to `rmse_before` finds an effect in 82% of worlds
 * without one. The paper of `sdid` has another test: the
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
 * console.log(result.select("row", "total_percent", "p_value", "fit", "rests_on").head(1).toString());
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
  const panel = studyPanel(frame, FN, checked);
  const { field, entity } = panel;
  const isLog = scale === "log";
  const starts = checked.starts!(FN, entity);
  const { own, donors, days, before, event, left_out } = unitsOf(panel, starts, isLog);
  const fits = fitsOf(
    { method, intercept, before },
    own.values,
    donors.map(({ values }) => values),
  );
  const { full, placebos, exact } = fits;
  const trend = trendBefore(full, days, before);
  const poor = misfits(fits, trend);
  const drawn = placebos.length + exact.length;
  const notices = [
    poor.length > 0 &&
    `${own.name} differs from its donors already before the event: ${poor.join("; ")}`,
    drawn < donors.length && `${drawn} of ${donors.length} donors are drawn as placebos`,
    exact.length > 0 &&
    `${counted(exact.length, "donor is no placebo", "donors are no placebos")}, because the ` +
      `others predict its values exactly: ${listed(exact.map((donor) => donors[donor]!.name))}`,
  ];
  for (const notice of notices) if (notice) notify(`${FN}: ${notice}`);
  const { relative, overallOf, datesOf } = rowsFor({ entity, days, before, isLog });
  const test = placeboTest(fits, confidence);
  const { p_value, lower, upper, reason } = test(before, days.length);
  const many = method === "synthetic" && donors.length >= before &&
    `${donors.length} donors, ${before} periods before: many weights fit alike; those with the ` +
      "least squares are taken";
  const overall = {
    ...overallOf(own.name, own.values, full),
    ...trend,
    ...{ field, method, intercept, scale, event, confidence, left_out },
    role: "treated",
    p_value,
    smallest_p: 1 / (placebos.length + 1),
    effect_lower: lower,
    effect_upper: upper,
    lower_percent: relative(lower),
    upper_percent: relative(upper),
    fit: poor.length > 0 ? "poor" : placebos.length > 0 ? "good" : null,
    rests_on: counted(placebos.length, "placebo"),
    reason: [reason, many].filter((each) => each).join("; ") || null,
  };
  const byDonor = new Map(placebos.map(({ donor, placebo }) => [donor, placebo]));
  const others = [...donors.keys()].sort((a, b) => full.weights[b]! - full.weights[a]!)
    .map((donor) => ({
      ...donors[donor]!,
      fit: byDonor.get(donor) ?? {},
      role: byDonor.has(donor) ? "placebo" : "donor",
      weight: full.weights[donor],
    }));
  const rows = [
    overall,
    ...others.map(({ name, values, fit, role, weight }) => (
      { ...overallOf(name, values, fit), role, weight }
    )),
    ...datesOf(own.name, own.values, full).map((row, at) => (
      { ...row, role: "treated", ...test(at, at + 1) }
    )),
    ...others.flatMap(({ name, values, fit, role }) =>
      datesOf(name, values, fit).map((row) => ({ ...row, role }))
    ),
  ];
  const table = tableFor(rows, entity, isLog ? "number" : "number field");
  return withProvenance(frame, table(columnIn(frame, field)), {
    fn: FN,
    options,
    entity: [entity],
    first: [
      ...["total_percent", "effect", "effect_lower", "effect_upper"],
      ...["p_value", "fit", "rests_on"],
    ],
  });
}
