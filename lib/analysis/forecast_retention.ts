import { checkOptions, integer, number, oneOf } from "../platform/check_options.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import {
  clustersOf,
  COHORT_RULES,
  type CohortGroup,
  cohortGroups,
  type Counts,
  groupColumns,
  type RetentionGroup,
  tracked,
  WASHOUT,
} from "./cohort_counts.ts";
import { GROUP, inGroups, numberOfColumn, tableOf, withKeys } from "./columns.ts";
import { forecastOf, type ObservedCurve } from "./curve_forecast.ts";
import { type CurveMonth, curveTable, LONGEST } from "./curve_table.ts";
import { RETENTION_MODELS } from "./retention_models.ts";
import type { AtStage, Staged } from "./stage.ts";

const RULES = {
  horizon: integer(1, LONGEST),
  fitThrough: number(0),
  model: oneOf([...RETENTION_MODELS, "best"]),
  ...COHORT_RULES,
};

/** Returns the curves of a pooled frame, or one curve per cohort of any other frame. */
function curvesAsTheyStand(frame: DataFrame, fn: string, washout: number) {
  const has = (name: string) => pl.DataFrame.isDataFrame(frame) && frame.columns.includes(name);
  const { rows, keys } = curveTable(has("month") ? tracked(frame, washout) : frame, fn);
  const cluster = has("cluster") ? pl.col("cluster") : pl.lit("none");
  const kinds = inGroups(rows, [GROUP], [cluster.first().fillNull(pl.lit("none")).alias("cluster")])
    .getColumn("cluster").toArray() as string[];
  const numbers = ["month", "retention", "size", "at_risk", "lost"].map(numberOfColumn);
  const steps = rows.select(pl.col(GROUP), ...numbers)
    .filter(pl.col("retention").isNotNull().and(pl.col("size").gt(0)))
    .rename({ at_risk: "atRisk" }).toRecords() as unknown as (CurveMonth & { [GROUP]: number })[];
  const stepsOf = Map.groupBy(steps, (step) => step[GROUP]);
  const curves = kinds.map((kind, group): ObservedCurve => ({
    steps: stepsOf.get(group) ?? [],
    bounds: kind === "none"
      ? "binomial"
      : { reason: `no bounds: the frame is pooled over its ${kind}; pass the curves and by` },
    without: [],
  }));
  return { curves, keys };
}

function stepsOf({ months, total }: CohortGroup, without?: Counts): CurveMonth[] {
  return months.flatMap((month, at): CurveMonth[] => {
    const rest = (name: keyof Counts) => total[name][at]! - (without?.[name][at] ?? 0);
    const size = rest("size");
    if (size <= 1e-9 * total.size[at]!) return [];
    const retention = Math.min(1, Math.max(0, rest("retained") / size));
    return [{ month, retention, size, atRisk: rest("atRisk"), lost: rest("lost") }];
  });
}

/** Returns the curve of a group. For bounds from clusters, also returns the curve without each cluster. */
function curveOf(group: CohortGroup): ObservedCurve {
  const steps = stepsOf(group);
  if (group.cluster === "none") return { steps, bounds: "binomial", without: [] };
  const blocks = group.cluster === "cohort_block";
  const clusters = clustersOf(group, ({ size }) => size.some((users) => users > 0));
  if (clusters.length < 2) {
    const why = blocks ? "fewer than three cohorts with dates" : "one cluster";
    return { steps, bounds: { reason: `no bounds: ${why}` }, without: [] };
  }
  const without = clusters.map((counts) => (
    { size: Math.max(...counts.size), steps: stepsOf(group, counts) }
  ));
  return { steps, bounds: blocks ? "block" : "cluster", without };
}

/**
 * Predicts retention curves with a model that is fitted to each group by maximum likelihood.
 *
 * The default model, `active`, is for users who pause and return. The models are:
 *
 * - `active`: in month k (1 or later), the fraction `q B(alpha, beta + k) / B(alpha, beta)` of the users is active.
 *   This is the mean curve of the BG/BB model (Fader, Hardie and Shang 2010, Marketing Science 29, 1086-1108). Each
 *   user leaves for good with an individual probability per month. These probabilities have a beta distribution. Of the
 *   users who have not left, the fraction `q` is active in a month.
 * - `sbg`, the shifted beta-geometric (Fader and Hardie 2007, "How to project customer retention", Journal of
 *   Interactive Marketing 21, 76-90), a model of users under contract, who never pause. With `q` = 1, `active` equals
 *   this model. If users do pause, its predictions fall too slowly in late months.
 * - `bdw`, the beta-discrete-Weibull (Fader, Hardie, Liu, Davin and Steenburgh 2018, the same journal 43, 1-16): in
 *   month t, the fraction `B(alpha, beta + t^c) / B(alpha, beta)` of the users is active. Over time, a user becomes
 *   less likely to leave if `c` is below 1, and more likely to leave if `c` is above 1.
 * - `geometric`: all users leave with the same probability in every month.
 *
 * If `by` is given, cohorts are pooled into groups. Otherwise each curve of the frame is a group. Returns one row per
 * group and month, from month 0 to `horizon`:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | unchanged | |
 * | `month` | Int64 | 0 to `horizon`, or to the last observed month if that is later |
 * | `observed` | Float64 | the curve to which models are fitted. Each value is the previous observed value times a ratio: active users in this month divided by active users in the previous observed month. The ratio uses cohorts that are observed in both months. If there are none, the value is null. If all cohorts have the same age, the curve is their retention |
 * | `predicted` | Float64 | the retention that the model predicts; null if no model was fitted |
 * | `lower`, `upper` | Float64 | bounds of `predicted`, or null |
 * | `bounds` | String | method of the bounds: `cluster` (jackknife over clusters), `block` (jackknife over blocks of cohorts), or `binomial` (likelihood of independent users); null if there are no bounds |
 * | `model` | String | the fitted model (`active`, `sbg`, `bdw` or `geometric`), or the requested model if no model was fitted; null if `"best"` was requested and no model was fitted |
 * | `alpha`, `beta` | Float64 | parameters of the beta distribution of the probability that a user leaves, the same in every row of a group; null if they could not be estimated |
 * | `q` | Float64 | the fraction of the users who have not left that is active in a month; 1 for `sbg`, null for `bdw` and `geometric` |
 * | `c` | Float64 | the parameter of `bdw`; 1 for `sbg`, null for other models |
 * | `se_log_alpha`, `se_log_beta`, `se_logit_q` | Float64 | standard errors of log `alpha`, log `beta` and logit `q`, from the likelihood. If the model is `active` and `q` is 1, all three are null. `se_logit_q` is null for all models except `active` |
 * | `log_likelihood`, `aic` | Float64 | log-likelihood at the maximum, and AIC = 2 (number of parameters - log-likelihood) |
 * | `adjusted` | Boolean | whether months were pooled before fitting. Months in which the curve rises are pooled with their neighbors (pool adjacent violators, weighted by users). Always false for `active` |
 * | `reason` | String | the reason why parameters or bounds are null; otherwise null |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * The likelihood of `active` is binomial in each month. The number of trials is the number of users at risk, divided by
 * the value of the curve in the previous month. The other models have a likelihood with one factor per month, which
 * uses the numbers of users at risk and lost users in this month. This likelihood is exact even if cohorts have
 * different ages. If `at_risk` and `lost` are missing, they are computed from `size` and `retention`, as for a single
 * cohort.
 *
 * `active` and `bdw` need four observed months, `sbg` needs three, and `geometric` needs two, including month 0. If a
 * group has fewer months, all its estimates are null, and `reason` states why. If the likelihood has no maximum at
 * finite parameters, the parameters are null, `predicted` is the limiting curve, and `reason` states this. If retention
 * in month 0 is below 1, the model describes the users who were active in month 0, and `predicted` starts from the
 * retention in month 0. If month 0 is missing, its retention is assumed to be 1.
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
export function forecastRetention<Frame extends DataFrame>(
  frame: Frame & AtStage<Frame, "curves" | "pooled">,
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
     * The model: `"active"` (users pause and return), `"sbg"` (shifted beta-geometric), `"bdw"`
     * (beta-discrete-Weibull), `"geometric"` (constant churn), or `"best"`. `"best"` selects the model with the least
     * AIC among `sbg`, `bdw` and `geometric`. The likelihood of `active` uses different data, so its AIC cannot be
     * compared with that of the other models.
     *
     * @default {"active"}
     */
    readonly model?: "active" | "sbg" | "bdw" | "geometric" | "best";
    /**
     * Pools the curves of a frame of `retentionCurves` by `"project_id"`, `"market_sector_id"` or `"all"`. Bounds by
     * clusters require this option.
     *
     * @default {the groups of the frame}
     */
    readonly by?: "project_id" | "market_sector_id" | "all";
    /**
     * The kind of the clusters. Bounds assume that clusters are independent of each other, as in `pooledRetention`.
     * Requires `by`.
     *
     * @default {`"project_id"` for a group of several projects, else `"cohort_block"`}
     */
    readonly cluster?: "project_id" | "cohort_block" | "cohort" | "none";
    /**
     * Leaves out cohorts with fewer `tracked_months` than this, as in `pooledRetention`.
     *
     * @default {3}
     */
    readonly washout?: number;
    /**
     * The confidence of the bounds, between 0 and 1.
     *
     * @default {0.95}
     */
    readonly confidence?: number;
  } = {},
): Staged<"forecast"> {
  const fn = "forecastRetention";
  const checked = checkOptions(options, RULES, fn);
  const { horizon = 24, fitThrough = Infinity, model = "active", confidence = 0.95 } = checked;
  const { by, cluster, washout = WASHOUT } = checked;
  if (by === undefined && cluster !== undefined) {
    throw new RangeError(`${fn}: cluster: requires by, which pools the curves; got ${cluster}`);
  }
  const pooled = (groups: RetentionGroup) => {
    const counting = { fn, keys: groupColumns(groups), cluster, washout };
    const { groups: counted, keys } = cohortGroups(frame, counting);
    return { curves: counted.map(curveOf), keys };
  };
  const { curves, keys } = by === undefined ? curvesAsTheyStand(frame, fn, washout) : pooled(by);
  const wanted = { horizon, fitThrough, model, confidence };
  const rows = curves.flatMap((curve, group) =>
    forecastOf(curve, wanted).map((row) => ({ ...row, [GROUP]: group }))
  );
  const table = tableOf(rows, [
    ["number", GROUP],
    ["whole", "month"],
    ["number", "observed", "predicted", "lower", "upper"],
    ["text", "bounds", "model"],
    ["number", "alpha", "beta", "q", "c", "se_log_alpha", "se_log_beta"],
    ["number", "se_logit_q", "log_likelihood", "aic"],
    ["flag", "adjusted"],
    ["text", "reason"],
    ["number", "confidence"],
  ]);
  return withProvenance(frame, withKeys(table, keys), fn);
}
