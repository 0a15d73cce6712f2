import { aNumber, aWhole, checkOptions, oneOf } from "../platform/check_options.ts";
import { carry } from "../table/show.ts";
import { utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { numberColumns } from "./columns.ts";
import { GROUP, LONGEST } from "./curve_rows.ts";
import { forecastOf, parametersOf, type Wanted } from "./curve_forecast.ts";
import { curvesAsTheyStand, curvesPooled, type ObservedCurve } from "./forecast_source.ts";
import {
  LEFT_TRUNCATED,
  type LeftTruncated,
  RETENTION_CLUSTERS,
  RETENTION_GROUPS,
  type RetentionCluster,
  type RetentionGroup,
} from "./pooled_groups.ts";
import { RETENTION_MODELS, type RetentionModel } from "./retention_models.ts";
import { aConfidence } from "./retention_bounds.ts";

/**
 * Options of {@linkcode forecastRetention}.
 *
 * @category Analysis
 */
export interface ForecastRetentionOptions {
  /**
   * The last month to predict, a whole number from 1 to 1200. Later months that are observed stay.
   *
   * @default {24}
   */
  readonly horizon?: number;
  /**
   * The last month to fit the model to: what is observed later is held out, to compare with.
   *
   * @default {the last observed month}
   */
  readonly fitThrough?: number;
  /**
   * The model: `"sbg"` (shifted beta-geometric), `"bdw"` (beta-discrete-Weibull), `"geometric"`
   * (constant churn), or `"best"` for that of the three with the least AIC.
   *
   * @default {"sbg"}
   */
  readonly model?: RetentionModel | "best";
  /**
   * Pools the curves of a frame of `retentionCurves` by `"project_id"`, `"market_sector_id"` or
   * `"all"`, so that the bounds go by its clusters.
   *
   * @default {the groups of the frame}
   */
  readonly by?: RetentionGroup;
  /**
   * What is independent of one another, where `by` is given: as in `pooledRetention`.
   *
   * @default {`"project_id"` for a group of several projects, else `"cohort"`}
   */
  readonly cluster?: RetentionCluster;
  /**
   * What becomes of the cohorts that `left_truncated` marks: `"drop"` leaves them out.
   *
   * @default {"drop"}
   */
  readonly leftTruncated?: LeftTruncated;
  /**
   * The confidence of the bounds, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}

const RULES = {
  horizon: aWhole(1, LONGEST),
  fitThrough: aNumber(0),
  model: oneOf([...RETENTION_MODELS, "best"]),
  by: oneOf(RETENTION_GROUPS),
  cluster: oneOf(RETENTION_CLUSTERS),
  leftTruncated: oneOf(LEFT_TRUNCATED),
  confidence: aConfidence,
};

const NUMBERS = ["month", "observed", "predicted", "lower", "upper"];
const PARAMETERS = [
  ...["alpha", "beta", "c", "se_log_alpha", "se_log_beta", "log_likelihood", "aic"],
];
const COLUMNS = [...NUMBERS, "bounds", "model", ...PARAMETERS, "adjusted", "reason"];

function tableOf(curves: readonly ObservedCurve[], wanted: Wanted): DataFrame {
  const rows = curves.flatMap((curve, group) => {
    const made = forecastOf(curve, wanted);
    const parameters = parametersOf(made);
    const last = Math.max(wanted.horizon, ...curve.observed.keys());
    return Array.from({ length: last + 1 }, (_, month) => ({
      ...{ [GROUP]: group, month, observed: curve.observed.get(month) ?? NaN, ...parameters },
      predicted: made.predicted[month] ?? NaN,
      lower: made.limits[month]?.lower ?? NaN,
      upper: made.limits[month]?.upper ?? NaN,
      made,
    }));
  });
  const array = (name: string) =>
    Float64Array.from(rows, (row) => {
      const value = (row as unknown as Record<string, number>)[name]!;
      return Number.isFinite(value) ? value : NaN;
    });
  const numbers = [GROUP, ...NUMBERS, ...PARAMETERS].map((name) => [name, array(name)] as const);
  const asked = wanted.model === "best" ? null : wanted.model;
  return numberColumns(Object.fromEntries(numbers)).withColumns(
    pl.col("month").cast(pl.Int64),
    utf8("bounds", rows.map(({ made }) => made.bounds)),
    utf8("model", rows.map(({ made }) => made.fit?.model ?? asked)),
    pl.Series("adjusted", rows.map(({ made }) => made.adjusted), pl.Bool),
    utf8("reason", rows.map(({ made }) => made.reason)),
  );
}

/**
 * Projects retention curves with a model of how users leave, fitted to each group by maximum
 * likelihood, and says how sure that is.
 *
 * - `sbg`, the shifted beta-geometric (Fader and Hardie 2007, "How to project customer retention",
 *   Journal of Interactive Marketing 21, 76-90): each user leaves with a probability of their own per
 *   month, spread over the users by a beta distribution. Retention in month t is
 *   `B(alpha, beta + t) / B(alpha, beta)`, the product over i = 1 … t of
 *   `(beta + i - 1) / (alpha + beta + i - 1)`.
 * - `bdw`, the beta-discrete-Weibull (Fader, Hardie, Liu, Davin and Steenburgh 2018, the same journal
 *   43, 1-16): `B(alpha, beta + t^c) / B(alpha, beta)`, so that a user may also become more (`c` below
 *   1) or less loyal with time.
 * - `geometric`: all users leave with the same probability.
 *
 * The groups are those of the frame, or with `by` those that its cohorts are pooled to. One row per
 * group and month, from 0 to `horizon`:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | as they came | |
 * | `month` | Int64 | 0 to `horizon`, or to the last observed month where that is later |
 * | `observed` | Float64 | the retention that came; null where none did |
 * | `predicted` | Float64 | the model's retention; null where nothing could be fitted |
 * | `lower`, `upper` | Float64 | bounds of `predicted`, as far as its parameters are unsure; null where there are none |
 * | `bounds` | String | `"binomial"`: from the likelihood, for users independent of one another; `"cluster"`: from how the forecast moves when one cluster after the other is left out; null without bounds |
 * | `model` | String | `sbg`, `bdw` or `geometric`; null where none of several could be fitted |
 * | `alpha`, `beta`, `c` | Float64 | the parameters, the same in every row of a group; null where there are none; `c` of `sbg` is 1 |
 * | `se_log_alpha`, `se_log_beta` | Float64 | standard errors of the parameters' logarithms, by the likelihood |
 * | `log_likelihood`, `aic` | Float64 | at the maximum, and 2 (parameters - log-likelihood) |
 * | `adjusted` | Boolean | true where the curve rises somewhere, as activity may and survival may not: then such months are pooled with their neighbours (pool adjacent violators, weighted by users) |
 * | `reason` | String | why there are no parameters; else null |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95 % |
 *
 * The likelihood is a product over months, each with its own users at risk and lost (`at_risk` and
 * `lost` of `pooledRetention`), so a cohort that is too young for a month does not count in it: it is
 * exact for cohorts of unlike age. A frame without these columns has them derived from `size` and
 * `retention`, as if one cohort stood behind all months. Months without users are skipped over.
 *
 * A group with fewer than three observed months (`bdw` four, `geometric` two), month 0 among them,
 * has null in all numbers and the reason. Where nobody left, or everybody at once, or churn does not
 * slow down, the likelihood has no maximum at finite parameters: they are null, `predicted` is the
 * curve that it tends to, and `reason` says so. Where month 0 is below 1, the model describes those
 * who were active in it, and `predicted` starts from there; where it is missing, it is taken for 1.
 *
 * Bounds hold, if the model does. Those of the likelihood also need users who are independent of one
 * another, and are too narrow where cohorts or projects differ: pass the curves and `by`. Bounds by
 * cluster need two clusters or more, and enough months without each of them.
 *
 * @example The published fit of the paper
 * ```ts
 * import { forecastRetention, pl } from "@chainframe/chainframe";
 *
 * const retention = [1, 0.631, 0.468, 0.382, 0.326, 0.289, 0.262, 0.241];
 * const regular = pl.DataFrame({
 *   month: retention.map((_, month) => month),
 *   size: retention.map(() => 1000),
 *   retention,
 * });
 * const forecast = forecastRetention(regular, { horizon: 12 });
 * console.log(forecast.toString()); // alpha 0.704, beta 1.182, month 12: 0.170
 * ```
 *
 * @param frame a frame of `pooledRetention`, or of `retentionCurves` for a forecast per cohort or,
 * with `by`, per group
 * @throws {RangeError} when columns are missing, a month stands twice in a group, a value is
 * impossible, an option is out of its range, or `cluster` is given without `by`.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Analysis
 */
export function forecastRetention(
  frame: DataFrame,
  options: ForecastRetentionOptions = {},
): DataFrame {
  const asker = "forecastRetention";
  const checked = checkOptions(options, RULES, asker);
  const { horizon = 24, fitThrough = Infinity, model = "sbg", confidence = 0.95 } = checked;
  const { by, cluster, leftTruncated = "drop" } = checked;
  if (by === undefined && cluster !== undefined) {
    throw new RangeError(`${asker}: cluster goes with by, which pools the curves: ${cluster}`);
  }
  const { curves, keys, columns } = by === undefined
    ? curvesAsTheyStand(frame, { asker, leftTruncated })
    : curvesPooled(frame, { asker, by, cluster, leftTruncated });
  const table = tableOf(curves, { horizon, fitThrough, model, confidence });
  const named = table.join(keys, { on: GROUP, how: "left" }).sort([GROUP, "month"]);
  const forecast = named.select(
    ...[...columns, ...COLUMNS].map((name) => pl.col(name)),
    pl.lit(confidence).cast(pl.Float64).alias("confidence"),
  );
  return carry(frame, forecast, asker);
}
