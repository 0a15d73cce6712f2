import { checkOptions, integer, number, oneOf, required } from "../../platform/check_options.ts";
import { float64 } from "../../table/build/cell_values.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type Expr, GROUP, inGroups, valueWhere } from "../columnar.ts";
import { curveKeys } from "./curve_table.ts";
import { forecasts } from "./forecast_retention.ts";
import { aConfidence } from "../intervals.ts";
import { GROUP_RULES, type SpanOptions } from "./retention_groups.ts";
import { RETENTION_MODELS } from "./retention_models.ts";
import type { AtStage } from "./stage.ts";

const RULES = {
  revenue: required(number(0)),
  cost: number(0),
  discount: number(0),
  horizon: integer(1, 1200),
  ...GROUP_RULES,
  model: oneOf(RETENTION_MODELS),
  confidence: aConfidence,
};

/** For each suffix of the result columns, the column of the curve or bound from which they are computed. */
const SIDES = { "": "value", _lower: "lower", _upper: "upper" } as const;
/**
 * For each payback column, the column of the curve or bound from which it is computed. With a higher curve, a cost is
 * paid back earlier, so the upper bound of the curve gives the lower bound of the payback.
 */
const PAYBACK = { payback: "value", payback_lower: "upper", payback_upper: "lower" } as const;

/**
 * Returns the months of a forecast up to `horizon`, with the retention and its bounds. The retention is the observed
 * retention, or the predicted retention if the month was not observed. The bounds of the prediction are shifted to the
 * retention. Unknown values are NaN, so that sums that include them are NaN, too.
 */
function monthsOf(forecast: DataFrame, horizon: number): DataFrame {
  const [observed, predicted] = [pl.col("net_activity"), pl.col("predicted")];
  const known = observed.fillNull(predicted);
  const month = (value: Expr) =>
    pl.when(pl.col("month").eq(0)).then(pl.lit(1)).otherwise(value).fillNull(pl.lit(NaN));
  const around = (bound: string) =>
    month(known.plus(pl.col(bound)).minus(predicted).clip(0, 1)).alias(bound);
  return forecast.filter(pl.col("month").ltEq(horizon)).withColumns(
    pl.lit(0).alias(GROUP),
    month(known).alias("value"),
    around("lower"),
    around("upper"),
    observed.isNull().and(pl.col("month").gt(0)).cast(pl.Float64).alias("(modeled)"),
  );
}

/** Returns the first month in which the accumulated value reaches the cost. Returns null if there is no such month. */
function payback(side: string, cost: number | undefined): Expr {
  const sum = pl.col(side).mul(pl.col("(worth)")).cumSum();
  if (cost === undefined) return pl.lit(null);
  // Excludes NaN, because polars treats NaN as greater than any number.
  return pl.col("month").filter(sum.gtEq(cost * (1 - 1e-12)).and(sum.isNan().not())).first();
}

/**
 * Returns the value of a user: expected active months, discounted revenue, and payback time.
 *
 * Returns one row per group:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | unchanged | |
 * | `active_months`, `active_months_lower`, `active_months_upper` | Float64 | expected number of active months up to `horizon`, including month 0: the sum of the retention curve. Users can pause, so this number can be smaller than the number of months until they leave |
 * | `value`, `value_lower`, `value_upper` | Float64 | `revenue` × Σ r_k × (1 + `discount`)^(−k/12), where r_k is the retention in month k, in the unit of `revenue` |
 * | `tail` | Float64 | the fraction of `value` that comes from months in which retention was not observed but predicted |
 * | `payback`, `payback_lower`, `payback_upper` | Int64 | first month in which the accumulated value reaches `cost`; null if `cost` is not given, or not reached by `horizon` |
 * | `model`, `bounds`, `reason`, `confidence` | String, Float64 | as in `forecastRetention` |
 *
 * Observed months use the observed retention. All other months use the prediction of `forecastRetention`. The bounds of
 * a sum are the sums of the monthly bounds, which is conservative. The bounds do not allow for a wrong model or for a
 * change of `revenue`. `payback_lower` is computed from the upper bound of the curve, because with a higher curve, the
 * cost is paid back earlier. All columns of values and bounds are null if the model could not be fitted; see `reason`.
 *
 * `revenue` is assumed to be the same in every active month, and to be independent of how long users stay. With a long
 * `horizon` and no discount, `tail` can be close to 1.
 *
 * Source: Fader and Hardie 2010, "Customer-base valuation in a contractual setting", Marketing Science 29, 85-93.
 *
 * @example How much is a user of each sector worth, and when is a cost of $20 paid back?
 * ```ts
 * import { cohortAnalysis, retentionCurves, retentionValue } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const value = retentionValue(curves, {
 *   by: "market_sector_id",
 *   revenue: 8,
 *   cost: 20,
 *   discount: 0.1,
 *   horizon: 36,
 * });
 * console.log(value.toString());
 * ```
 *
 * @param curves a frame of `retentionCurves` if `by` is given; otherwise any frame that `forecastRetention` accepts
 * @throws {RangeError} when columns are missing, an option is out of range, or `revenue` is not given.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function retentionValue<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves" | "pooled">,
  options: {
    /** Revenue per active user and month, 0 or more, for example in US dollars. */
    readonly revenue: number;
    /**
     * The cost of acquiring a user, in the unit of `revenue`.
     *
     * @default {none; the payback columns are then null}
     */
    readonly cost?: number;
    /**
     * Discount rate per year: with 0.1, a value of 110 in one year is 100 today.
     *
     * @default {0}
     */
    readonly discount?: number;
    /**
     * The last month to include, 1 to 1200.
     *
     * @default {36}
     */
    readonly horizon?: number;
    /**
     * The columns whose values make groups: any column of the frame, or several, `"span"` for groups of time, or
     * `"all"` for one group.
     *
     * @default {the groups of the frame}
     */
    readonly by?: string | readonly string[];
    /**
     * The model for months that are not observed, as in `forecastRetention`.
     *
     * @default {the default of `forecastRetention`}
     */
    readonly model?: "active" | "sbg";
    /**
     * The confidence of the bounds, between 0 and 1.
     *
     * @default {0.95}
     */
    readonly confidence?: number;
  } & SpanOptions,
): Frame {
  const fn = "retentionValue";
  const checked = checkOptions(options, RULES, fn);
  const { revenue, cost, discount = 0, horizon = 36, confidence = 0.95 } = checked;
  const { by, spans, spansOn, model } = options;
  const wanted = { horizon, confidence, by, spans, spansOn, model };
  const forecast = forecasts(curves, wanted as Parameters<typeof forecasts>[1], fn);
  const keys = curveKeys(forecast);
  const months = monthsOf(forecast, horizon);
  const worth = (months.getColumn("month").toArray() as number[])
    .map((month) => revenue * (1 + discount) ** (-month / 12));
  const known = (value: Expr) => value.fillNan(pl.lit(null));
  const sumOf = (side: string) => pl.col(side).mul(pl.col("(worth)")).sum();
  const modeled = pl.col("value").mul(pl.col("(worth)")).mul(pl.col("(modeled)")).sum();
  const tail = valueWhere(sumOf("value").gt(0), modeled.div(sumOf("value")));
  const sides = Object.entries(SIDES);
  const values = inGroups(months.withColumn(float64("(worth)", worth)), [GROUP, ...keys], [
    ...sides.map(([end, side]) => known(pl.col(side).sum()).alias(`active_months${end}`)),
    ...sides.map(([end, side]) => known(sumOf(side)).alias(`value${end}`)),
    known(tail).alias("tail"),
    ...Object.entries(PAYBACK).map(([name, side]) =>
      payback(side, cost).cast(pl.Int64).alias(name)
    ),
    ...["model", "bounds", "reason", "confidence"].map((name) => pl.col(name).first()),
  ]);
  return withProvenance(curves, values.drop(GROUP), {
    fn,
    options,
    first: ["value", "value_lower", "value_upper", "active_months", "payback"],
    columns: computedColumns([
      ["months", "active_months", "active_months_lower", "active_months_upper"],
      ["number", "value", "value_lower", "value_upper"],
      ["fraction", "tail", "confidence"],
      ["months", ...Object.keys(PAYBACK)],
      ["note", "model", "bounds", "reason"],
    ]),
  });
}
