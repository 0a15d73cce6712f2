import { checkOptions, integer, oneOf } from "../../platform/check_options.ts";
import { mapLong } from "../../platform/long_work.ts";
import { counted } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { columnsOf, computedColumns } from "../../table/track/descriptions.ts";
import { numberColumns, tableOf, withKeys } from "../columnar.ts";
import { COHORT_RULES, cohortGroups, WASHOUT } from "./cohort_counts.ts";
import { forecastOf } from "./curve_forecast.ts";
import { COUNTED, LONGEST, refuseAmounts } from "./curve_table.ts";
import type { CohortOptions } from "./retention_groups.ts";
import { RETENTION_MODELS } from "./retention_models.ts";
import type { AtStage, Staged } from "./stage.ts";

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
 * Cohorts are pooled into the groups that `by` selects. Returns one row per group and month, from month 0 to `horizon`:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | unchanged | |
 * | `month` | Int64 | 0 to `horizon`, or to the last observed month of all groups if that is later |
 * | `net_activity` | Float64 | the curve to which models are fitted, as in `pooledRetention`. Each value is the previous observed value times a ratio: active users in this month divided by active users in the previous observed month. The ratio uses cohorts that are observed in both months. If there are none, the value is null. If all cohorts have the same age, the curve is their retention |
 * | `predicted` | Float64 | the curve that the model predicts; null if no model was fitted, or the likelihood has no maximum |
 * | `lower`, `upper` | Float64 | bounds of `predicted`, or null |
 * | `bounds` | String | method of the bounds: `cluster` (jackknife over clusters), `block` (jackknife over blocks of cohorts), or `binomial` (likelihood of independent users); null if there are no bounds |
 * | `cluster` | String | kind of the clusters, as in `pooledRetention` |
 * | `model` | String | `active` or `sbg` |
 * | `alpha`, `beta` | Float64 | parameters of the beta distribution of the probability that a user leaves, the same in every row of a group; null if they could not be estimated |
 * | `q` | Float64 | the fraction of the users who have not left that is active in a month; 1 for `sbg` |
 * | `log_likelihood` | Float64 | log-likelihood at the maximum |
 * | `adjusted` | Boolean | whether months were pooled before fitting. Months in which the curve rises are pooled with their neighbors (pool adjacent violators, weighted by users). Always false for `active` |
 * | `reason` | String | the reason why the prediction or its bounds are null; else what the bounds leave out, and whether the model rests on fewer than 10 retained or lost users in all months |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * The likelihood of `active` is binomial in each month. The number of trials is the number of users at risk, divided by
 * the value of the curve in the previous month. The likelihood of `sbg` has one factor per month, which
 * uses the numbers of users at risk and lost users in this month. This likelihood is exact even if cohorts have
 * different ages.
 *
 * `active` needs four observed months, and `sbg` needs three, including month 0. If a group has fewer months, or if the
 * likelihood has no maximum at finite parameters, all its estimates are null, and `reason` states why. If retention in
 * month 0 is below 1, the model describes the users who were active in month 0, and `predicted` starts from the retention
 * in month 0. If month 0 is missing, its retention is assumed to be 1.
 *
 * Bounds assume that the model is correct. With `cluster: "none"`, they also assume that users are independent, so they
 * are too narrow if cohorts or projects differ, and they are null if `q` is 1.
 *
 * To test a forecast, pass only early months, as in `where(curves, { month: { to: 5 } })`, and compare it with the
 * later months.
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
 *   retained: retention.map((share) => 1000 * share),
 * });
 * const forecast = forecastRetention(regular, { model: "sbg", horizon: 12 });
 * console.log(forecast.toString()); // alpha 0.704, beta 1.182, month 12: 0.170
 * ```
 *
 * @param curves a frame of `retentionCurves`, or one with the columns `month`, `size` and `retained`
 * @throws {RangeError} when columns are missing, a value is impossible, an option is out of range, the frame is already
 * pooled, two rows have the same entity, cohort and month, or several columns remain as the unit.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function forecastRetention<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
    /**
     * The last month to predict, a whole number from 1 to 1200. Later observed months are kept.
     *
     * @default {24}
     */
    readonly horizon?: number;
    /**
     * The model: `"active"` (users pause and return) or `"sbg"` (shifted beta-geometric: users leave for good).
     *
     * @default {"active"}
     */
    readonly model?: "active" | "sbg";
  } & CohortOptions = {},
): Staged<"forecast"> {
  const fn = "forecastRetention";
  refuseAmounts(curves, fn, "forecasts");
  const rules = { horizon: integer(1, LONGEST), model: oneOf(RETENTION_MODELS), ...COHORT_RULES };
  const checked = checkOptions(options, rules, fn);
  const { horizon = 24, model = "active", confidence = 0.95, by = [], washout = WASHOUT } = checked;
  const { groups, keys } = cohortGroups(curves, { ...checked, fn, by, washout });
  const last = groups.reduce(
    (most, { months, total }) =>
      Math.max(most, months[total.size.findLastIndex((users) => users > 0)] ?? 0),
    horizon,
  );
  const forecasts = mapLong(
    groups,
    { fn, what: () => counted(groups.length, "group"), less: "fewer groups" },
    (group) => forecastOf(group, { model, last, confidence }),
  );
  const column = (name: "net_activity" | "predicted" | "lower" | "upper") => {
    const values = new Float64Array(groups.length * (last + 1)).fill(NaN);
    forecasts.forEach((each, group) => values.set(each[name] ?? [], group * (last + 1)));
    return values;
  };
  const fits = tableOf(forecasts, [
    ["text", "bounds", "cluster", "model"],
    ["number statistic", "alpha", "beta"],
    ["number fraction", "q"],
    ["number statistic", "log_likelihood"],
    ["flag", "adjusted"],
    ["text", "reason"],
    ["number fraction", "confidence"],
  ]);
  const numbers = numberColumns({
    net_activity: column("net_activity"),
    predicted: column("predicted"),
    lower: column("lower"),
    upper: column("upper"),
  });
  const months = pl.DataFrame([pl.Series("month", [...Array(last + 1).keys()], pl.Int64)]);
  const table = withKeys(fits, keys, { fn, groups: [...groups.keys()] })
    .join(months, { how: "cross" })
    .withColumns(...numbers.getColumns())
    .select(...keys.columns, "month", ...numbers.columns, ...fits.columns);
  return withProvenance(curves, table, {
    fn,
    options,
    of: COUNTED,
    first: ["predicted", "lower", "upper", "net_activity"],
    columns: new Map([
      ...columnsOf(keys),
      ...columnsOf(fits),
      ...computedColumns([["months", "month"], ["fraction", ...numbers.columns]]),
    ]),
  });
}
