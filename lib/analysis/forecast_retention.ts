import { aNumber, aWhole, checkOptions } from "../host/check_options.ts";
import { carry } from "../table/show.ts";
import { float64, utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { curveGroups, GROUP, LONGEST } from "./curve_groups.ts";
import { type CurveForecast, forecastCurve, type Point } from "./forecast_curve.ts";

/** A curve as it was observed. */
interface Curve {
  readonly group: number;
  /** What was observed, by month. */
  readonly observed: ReadonlyMap<number, number>;
  readonly points: readonly Point[];
}

/** Options of {@linkcode forecastRetention}. */
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
}

function curvesOf(rows: DataFrame): Curve[] {
  const curves: (Curve & { observed: Map<number, number>; points: Point[] })[] = [];
  const columns = [GROUP, "month", "retention", "size"];
  for (const row of rows.select(...columns.map((name) => pl.col(name))).rows()) {
    const [group, month, retention, size] = row as [number, number, number | null, number | null];
    let curve = curves.at(-1);
    if (curve?.group !== group) {
      curve = { group, observed: new Map(), points: [] };
      curves.push(curve);
    }
    if (retention === null) continue;
    curve.observed.set(month, retention);
    if (size !== null && size > 0) curve.points.push({ month, retention, size });
  }
  return curves;
}

function predict({ fit, start }: CurveForecast, months: number): (number | null)[] {
  const predicted: (number | null)[] = [];
  let retention = start;
  for (let month = 0; month <= months; month++) {
    if (fit !== null && month > 0) retention *= 1 - fit.hazard(month);
    predicted.push(fit === null ? null : retention);
  }
  return predicted;
}

function tableOf(curves: readonly Curve[], horizon: number, fitThrough: number): DataFrame {
  const rows = curves.flatMap((curve) => {
    const made = forecastCurve(curve.points.filter(({ month }) => month <= fitThrough));
    return predict(made, Math.max(horizon, ...curve.observed.keys())).map((predicted, month) => ({
      group: curve.group,
      month,
      observed: curve.observed.get(month) ?? null,
      predicted,
      made,
    }));
  });
  const number = (name: string, value: (row: typeof rows[number]) => number | null) =>
    float64(name, rows.map(value));
  return pl.DataFrame([
    number(GROUP, ({ group }) => group).cast(pl.Int64),
    number("month", ({ month }) => month).cast(pl.Int64),
    number("observed", ({ observed }) => observed),
    number("predicted", ({ predicted }) => predicted),
    number("alpha", ({ made }) => made.fit?.alpha ?? null),
    number("beta", ({ made }) => made.fit?.beta ?? null),
    number("log_likelihood", ({ made }) => made.fit?.logLikelihood ?? null),
    pl.Series("adjusted", rows.map(({ made }) => made.adjusted), pl.Bool),
    utf8("reason", rows.map(({ made }) => made.reason)),
  ]);
}

/**
 * Projects retention curves with the shifted-beta-geometric model, fitted to each group by maximum
 * likelihood (Fader and Hardie 2007, "How to project customer retention", Journal of Interactive
 * Marketing 21, 76-90).
 *
 * Each user leaves with a probability of their own per month, and these are spread over the users
 * by a beta distribution. Retention in month t is the product over i = 1 … t of
 * `(beta + i - 1) / (alpha + beta + i - 1)`.
 *
 * The groups are those of the frame: every column that `pooledRetention` did not measure. One row
 * per group and month, from 0 to `horizon`:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | as they came | |
 * | `month` | Int64 | 0 to `horizon`, or to the last observed month where that is later |
 * | `observed` | Float64 | the retention that came; null where none did |
 * | `predicted` | Float64 | the model's retention; null where nothing could be fitted |
 * | `alpha`, `beta` | Float64 | the parameters, the same in every row of a group; null where there are none |
 * | `log_likelihood` | Float64 | at the maximum |
 * | `adjusted` | Boolean | true where the curve rises somewhere, as activity may and survival may not: then the model is fitted to the nearest curve that does not (pool adjacent violators, weighted by `size`) |
 * | `reason` | String | why `alpha` and `beta` are null; else null |
 *
 * The likelihood is a product over months, each with the users at risk in it (`size`), so cohorts
 * that are too young for a month do not count in it. For a single cohort it is the paper's. Months
 * without a retention or without users at risk are skipped over.
 *
 * A group with fewer than three such months, month 0 among them, has null in all four numbers and
 * the reason. Where nobody left, or everybody at once, or churn does not slow down, the likelihood
 * has no maximum at finite parameters: `alpha` and `beta` are null, `predicted` is the curve that
 * it tends to, and `reason` says so. Where month 0 is below 1, the model describes those who were
 * active in it, and `predicted` starts from there; where it is missing, it is taken for 1.
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
 * @param pooled a frame of `pooledRetention`, or of `retentionCurves` for a forecast per cohort
 * @throws {RangeError} when columns are missing, a month stands twice in a group, a value is
 * impossible, or an option is out of its range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 */
export function forecastRetention(
  pooled: DataFrame,
  options: ForecastRetentionOptions = {},
): DataFrame {
  const { horizon = 24, fitThrough = Infinity } = checkOptions(
    options,
    { horizon: aWhole(1, LONGEST), fitThrough: aNumber(0) },
    "forecastRetention",
  );
  const { keys, rows } = curveGroups(pooled, "forecastRetention");
  const table = tableOf(curvesOf(rows), horizon, fitThrough);
  const groups = rows.select(GROUP, ...keys).unique({ subset: [GROUP], keep: "first" });
  const named = table.join(groups, { on: GROUP, how: "left" }).sort([GROUP, "month"]);
  const measured = table.columns.filter((name) => name !== GROUP);
  return carry(
    pooled,
    named.select(...[...keys, ...measured].map((name) => pl.col(name))),
    "forecastRetention",
  );
}
