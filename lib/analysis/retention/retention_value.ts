import { checkOptions, integer, number, oneOf, required } from "../../platform/check_options.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf, withKeys } from "../columnar.ts";
import { COHORT_RULES } from "./cohort_counts.ts";
import { forecastRows } from "./forecast_retention.ts";
import type { CohortOptions } from "./retention_groups.ts";
import { RETENTION_MODELS } from "./retention_models.ts";
import type { AtStage } from "./stage.ts";

const RULES = {
  revenue: required(number(0)),
  cost: number(0),
  discount: number(0),
  horizon: integer(1, 1200),
  ...COHORT_RULES,
  model: oneOf(RETENTION_MODELS),
};

type Month = ReturnType<typeof forecastRows>["groups"][number][number];

/**
 * Returns the retention in a month of a forecast, and its bounds: the observed retention, or the predicted retention if
 * the month was not observed. The bounds of the prediction are shifted to the retention. NaN means unknown, so that sums
 * that include an unknown month are unknown, too.
 */
function knownOf({ month, net_activity: observed = NaN, predicted = NaN, lower, upper }: Month) {
  if (month === 0) return { month, modeled: false, value: 1, lower: 1, upper: 1 };
  const modeled = Number.isNaN(observed);
  const value = modeled ? predicted : observed;
  const shifted = (bound: number) => Math.min(1, Math.max(0, value + bound - predicted));
  return { month, modeled, value, lower: shifted(lower), upper: shifted(upper) };
}

/** Sums up the months of a group for a curve or bound. `worthOf` returns the value of an active user in a month. */
function sumsOf(
  months: readonly ReturnType<typeof knownOf>[],
  side: "value" | "lower" | "upper",
  { cost, worthOf }: {
    readonly cost: number;
    readonly worthOf: (month: number) => number;
  },
) {
  let [active, value, modeled, payback] = [0, 0, 0, NaN];
  for (const { month, ...shares } of months) {
    active += shares[side];
    value += shares[side] * worthOf(month);
    if (shares.modeled) modeled += shares[side] * worthOf(month);
    if (Number.isNaN(payback) && value >= cost * (1 - 1e-12)) payback = month;
  }
  return { active, value, payback, tail: value > 0 ? modeled / value : NaN };
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
     * The model for months that are not observed, as in `forecastRetention`.
     *
     * @default {the default of `forecastRetention`}
     */
    readonly model?: "active" | "sbg";
  } & CohortOptions,
): Frame {
  const fn = "retentionValue";
  const { revenue, cost = NaN, discount = 0, horizon = 36, ...more } = checkOptions(
    options,
    RULES,
    fn,
  );
  const given = Object.keys(more) as (keyof typeof options)[];
  const wanted = Object.fromEntries(given.map((name) => [name, options[name]]));
  const { groups, keys } = forecastRows(curves, { ...wanted, horizon }, fn);
  const worthOf = (month: number) => revenue * (1 + discount) ** (-month / 12);
  const rows = groups.map((forecast) => {
    const months = forecast.filter(({ month }) => month <= horizon).map(knownOf);
    const [middle, lower, upper] = (["value", "lower", "upper"] as const)
      .map((side) => sumsOf(months, side, { cost, worthOf }));
    return {
      ...forecast[0],
      active_months: middle!.active,
      active_months_lower: lower!.active,
      active_months_upper: upper!.active,
      value: middle!.value,
      value_lower: lower!.value,
      value_upper: upper!.value,
      tail: middle!.tail,
      payback: middle!.payback,
      // With a higher curve, a cost is paid back earlier.
      payback_lower: upper!.payback,
      payback_upper: lower!.payback,
    };
  });
  const table = tableOf(rows, [
    ["number months", "active_months", "active_months_lower", "active_months_upper"],
    ["number", "value", "value_lower", "value_upper"],
    ["number fraction", "tail"],
    ["whole months", "payback", "payback_lower", "payback_upper"],
    ["text", "model", "bounds", "reason"],
    ["number fraction", "confidence"],
  ]);
  return withProvenance(curves, withKeys(table, keys, [...rows.keys()]), {
    fn,
    options,
    first: ["value", "value_lower", "value_upper", "active_months", "payback"],
  });
}
