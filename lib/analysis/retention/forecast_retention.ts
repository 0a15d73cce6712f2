import { checkOptions, integer, number, oneOf } from "../../platform/check_options.ts";
import { shown } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  clustersOf,
  COHORT_RULES,
  type CohortGroup,
  cohortGroups,
  type Counts,
  ESTIMATE_RULE,
  leftOutOf,
  type RetentionEstimator,
  trackedCohorts,
  WASHOUT,
} from "./cohort_counts.ts";
import { tableOf, withKeys } from "../columnar.ts";
import { forecastOf, type ObservedCurve } from "./curve_forecast.ts";
import { type CurveMonth, curveTable, LONGEST } from "./curve_table.ts";
import type { CohortOptions } from "./retention_groups.ts";
import { RETENTION_MODELS } from "./retention_models.ts";
import type { AtStage, Staged } from "./stage.ts";
import { meanOf, sumOf } from "../sums.ts";

type ForecastOptions = NonNullable<Parameters<typeof forecastRetention>[1]>;

const RULES = {
  horizon: integer(1, LONGEST),
  fitThrough: number(0),
  model: oneOf(RETENTION_MODELS),
  ...COHORT_RULES,
  ...ESTIMATE_RULE,
};

/** Returns the curves of a pooled frame, or one curve per cohort of any other frame. */
function curvesAsTheyStand(frame: DataFrame, fn: string, washout: number) {
  const has = (name: string) => pl.DataFrame.isDataFrame(frame) && frame.columns.includes(name);
  const rows = has("month") ? trackedCohorts(frame, washout) : frame;
  const { curves, numbers, keys } = curveTable(rows, fn);
  const { month, retention, size, at_risk: atRisk, lost } = numbers;
  const kinds = has("cluster") ? rows.getColumn("cluster").toArray() as (string | null)[] : [];
  const observed = (row: number) => size[row]! > 0 && !Number.isNaN(retention[row]);
  const curveAt = (own: readonly number[]): ObservedCurve => {
    const kind = kinds[own[0]!] ?? "none";
    return {
      cluster: kind,
      remarks: [],
      steps: own.filter(observed).map((row) => ({
        month: month[row]!,
        retention: retention[row]!,
        size: size[row]!,
        atRisk: atRisk[row]!,
        lost: lost[row]!,
      })),
      bounds: kind === "none"
        ? "binomial"
        : { reason: `no bounds: the frame is pooled over its ${kind}; pass the curves and by` },
      without: [],
    };
  };
  return { curves: curves.map(curveAt), keys };
}

/** Returns the months of all users of a group, without one cluster if it is given. */
function weightedSteps({ months, total }: CohortGroup, without?: Counts): CurveMonth[] {
  return months.flatMap((month, at): CurveMonth[] => {
    const rest = (name: Exclude<keyof Counts, "unit">) =>
      total[name][at]! - (without?.[name][at] ?? 0);
    const size = rest("size");
    if (size <= 1e-9 * total.size[at]!) return [];
    const retention = Math.min(1, Math.max(0, rest("retained") / size));
    return [{ month, retention, size, atRisk: rest("atRisk"), lost: rest("lost") }];
  });
}

/** Returns the months of the typical cluster of a group, without one cluster if it is given. */
function unweightedSteps({ months, parts }: CohortGroup, without?: Counts): CurveMonth[] {
  let before = 1;
  return months.flatMap((month, at): CurveMonth[] => {
    const seen = parts.filter((part) => part !== without && part.size[at]! > 0)
      .map(({ size, retained }) => ({ size: size[at]!, retained: retained[at]! }));
    if (seen.length === 0) return [];
    const size = sumOf(seen.map((users) => users.size));
    const retention = month === 0 ? 1 : meanOf(seen.map((users) => users.retained / users.size));
    const atRisk = size * before;
    before = retention;
    return [{ month, retention, size, atRisk, lost: atRisk - size * retention }];
  });
}

/** Returns the curve of a group. For bounds from clusters, also returns the curve without each cluster. */
function curveOf(group: CohortGroup, estimate: RetentionEstimator): ObservedCurve {
  const weighted = estimate === "weighted";
  const stepsOf = weighted ? weightedSteps : unweightedSteps;
  const { cluster } = group;
  const known = { cluster, remarks: leftOutOf(group), steps: stepsOf(group), without: [] };
  if (cluster === "none") return { ...known, bounds: "binomial" };
  const blocks = cluster === "cohort_block";
  const clusters = clustersOf(group, ({ size }) => size.some((users) => users > 0));
  if (clusters.length < 2) {
    const why = blocks ? "fewer than three cohorts with dates" : "one cluster";
    return { ...known, bounds: { reason: `no bounds: ${why}` } };
  }
  const without = clusters.map((counts) => (
    { size: weighted ? Math.max(...counts.size) : 1, steps: stepsOf(group, counts) }
  ));
  return { ...known, bounds: blocks ? "block" : "cluster", without };
}

/** Predicts retention curves for the function `fn`, and returns the months of each group. */
function forecastRows(frame: DataFrame, options: ForecastOptions, fn: string) {
  const checked = checkOptions(options, RULES, fn);
  const { horizon = 24, fitThrough = Infinity, model = "active", confidence = 0.95 } = checked;
  const { by, washout = WASHOUT, estimate = "weighted" } = checked;
  const given = (["cluster", "estimate"] as const)
    .find((name) => checked[name] !== undefined);
  if (by === undefined && given !== undefined) {
    throw new RangeError(
      `${fn}: ${given}: requires by, which pools the curves; got ${shown(options[given])}`,
    );
  }
  const pooled = (by: readonly string[]) => {
    const { groups, keys } = cohortGroups(frame, { ...checked, fn, by, estimate, washout });
    return { curves: groups.map((group) => curveOf(group, estimate)), keys };
  };
  const { curves, keys } = by === undefined ? curvesAsTheyStand(frame, fn, washout) : pooled(by);
  const wanted = { horizon, fitThrough, model, confidence };
  return { groups: curves.map((curve) => forecastOf(curve, wanted)), keys };
}

/**
 * Predicts retention curves with a model that is fitted to each group by maximum likelihood. The models are:
 *
 * - `active`, the default, for users who pause and return: in month k (1 or later), the fraction
 *   `q B(alpha, beta + k) / B(alpha, beta)` of the users is active. This is the mean curve of the BG/BB model (Fader, Hardie and Shang 2010, Marketing Science 29, 1086-1108). Each
 *   user leaves for good with an individual probability per month. These probabilities have a beta distribution. Of the
 *   users who have not left, the fraction `q` is active in a month.
 * - `sbg`, the shifted beta-geometric (Fader and Hardie 2007, "How to project customer retention", Journal of
 *   Interactive Marketing 21, 76-90), a model of users under contract, who never pause. With `q` = 1, `active` equals
 *   this model. If users do pause, its predictions fall too slowly in late months.
 *
 * If `by` is given, cohorts are pooled into groups. Otherwise each curve of the frame is a group. Returns one row per
 * group and month, from month 0 to `horizon`:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | unchanged | |
 * | `month` | Int64 | 0 to `horizon`, or to the last observed month if that is later |
 * | `net_activity` | Float64 | the curve to which models are fitted, as in `pooledRetention`. Each value is the previous observed value times a ratio: active users in this month divided by active users in the previous observed month. The ratio uses cohorts that are observed in both months. If there are none, the value is null. If all cohorts have the same age, the curve is their retention. With `estimate: "unweighted"`, the curve is the `retention` of `pooledRetention` with this option |
 * | `predicted` | Float64 | the curve that the model predicts; null if no model was fitted, or the likelihood has no maximum |
 * | `lower`, `upper` | Float64 | bounds of `predicted`, or null |
 * | `bounds` | String | method of the bounds: `cluster` (jackknife over clusters), `block` (jackknife over blocks of cohorts), or `binomial` (likelihood of independent users); null if there are no bounds |
 * | `cluster` | String | kind of the clusters, as in `pooledRetention`; `none` for curves that are not pooled |
 * | `model` | String | `active` or `sbg` |
 * | `alpha`, `beta` | Float64 | parameters of the beta distribution of the probability that a user leaves, the same in every row of a group; null if they could not be estimated |
 * | `q` | Float64 | the fraction of the users who have not left that is active in a month; 1 for `sbg` |
 * | `se_log_alpha`, `se_log_beta`, `se_logit_q` | Float64 | standard errors of log `alpha`, log `beta` and logit `q`, from the likelihood. If the model is `active` and `q` is 1, all three are null. `se_logit_q` is null for `sbg` |
 * | `log_likelihood` | Float64 | log-likelihood at the maximum |
 * | `adjusted` | Boolean | whether months were pooled before fitting. Months in which the curve rises are pooled with their neighbors (pool adjacent violators, weighted by users). Always false for `active` |
 * | `reason` | String | the reason why the prediction or its bounds are null; else what the bounds leave out, and whether the model rests on fewer than 10 retained or lost users in all months |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * The likelihood of `active` is binomial in each month. The number of trials is the number of users at risk, divided by
 * the value of the curve in the previous month. The likelihood of `sbg` has one factor per month, which
 * uses the numbers of users at risk and lost users in this month. This likelihood is exact even if cohorts have
 * different ages. If `at_risk` and `lost` are missing, they are computed from `size` and `retention`, as for a single
 * cohort.
 *
 * `active` needs four observed months, and `sbg` needs three, including month 0. If a group has fewer months, or if the
 * likelihood has no maximum at finite parameters, all its estimates are null, and `reason` states why. If retention in month 0 is below 1, the model describes the users who were active in month 0, and
 * `predicted` starts from the retention in month 0. If month 0 is missing, its retention is assumed to be 1.
 *
 * Bounds assume that the model is correct. To get bounds by projects (or by blocks of cohorts, for a single project),
 * pass a frame of `retentionCurves` and `by`. A frame of `pooledRetention` with bounds by clusters gives no bounds,
 * because it no longer contains the clusters. For a frame without the column `cluster`, bounds assume that users are
 * independent, so they are too narrow if cohorts or projects differ.
 *
 * @example The next year of each market sector
 * ```ts
 * import { cohortAnalysis, forecastRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const forecast = forecastRetention(curves, { by: "market_sector_id", horizon: 24 });
 * console.log(forecast.toString());
 * ```
 *
 * @example The fit that Fader and Hardie (2007) published
 * ```ts
 * import { forecastRetention, pl } from "@chainframe/chainframe";
 *
 * const retention = [1, 0.631, 0.468, 0.382, 0.326, 0.289, 0.262, 0.241];
 * const regular = pl.DataFrame({
 *   month: retention.map((_, month) => month),
 *   size: retention.map(() => 1000),
 *   retention,
 * });
 * const forecast = forecastRetention(regular, { model: "sbg", horizon: 12 });
 * console.log(forecast.toString()); // alpha 0.704, beta 1.182, month 12: 0.170
 * ```
 *
 * @param frame a frame of `retentionCurves` or `pooledRetention`. For a frame of `retentionCurves`, the result has one
 * forecast per group if `by` is given, else one forecast per cohort
 * @throws {RangeError} when columns are missing, a month occurs twice in a group, a value is impossible, an option is
 * out of range, or `cluster` is given without `by`.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function forecastRetention<Given extends DataFrame>(
  frame: Given & AtStage<Given, "curves" | "pooled">,
  options: {
    /**
     * The last month to predict, a whole number from 1 to 1200. Later observed months are kept.
     *
     * @default {24}
     */
    readonly horizon?: number;
    /**
     * The last month used for fitting. To test a forecast, compare it with the observed months after this month.
     *
     * @default {the last observed month}
     */
    readonly fitThrough?: number;
    /**
     * The model: `"active"` (users pause and return) or `"sbg"` (shifted beta-geometric: users leave for good).
     *
     * @default {"active"}
     */
    readonly model?: "active" | "sbg";
    /**
     * The curve to predict: `"weighted"`, of all users of a group, or `"unweighted"`, of its typical unit, as in
     * `pooledRetention`. `"unweighted"` requires `by`.
     *
     * @default {"weighted"}
     */
    readonly estimate?: "weighted" | "unweighted";
  } & CohortOptions = {},
): Staged<"forecast"> {
  const fn = "forecastRetention";
  const { groups, keys } = forecastRows(frame, options, fn);
  const table = tableOf(groups.flat(), [
    ["whole months", "month"],
    ["number fraction", "net_activity", "predicted", "lower", "upper"],
    ["text", "bounds", "cluster", "model"],
    ["number statistic", "alpha", "beta"],
    ["number fraction", "q"],
    ["number statistic", "se_log_alpha", "se_log_beta", "se_logit_q", "log_likelihood"],
    ["flag", "adjusted"],
    ["text", "reason"],
    ["number fraction", "confidence"],
  ]);
  const index = groups.flatMap((months, group) => months.map(() => group));
  return withProvenance(frame, withKeys(table, keys, index), {
    fn,
    options,
    first: ["predicted", "lower", "upper", "net_activity"],
  });
}
