import { checkOptions, integer, number, oneOf } from "../platform/check_options.ts";
import { float64, utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { forecastRetention } from "./forecast_retention.ts";
import { aConfidence } from "./intervals.ts";
import { RETENTION_MODELS } from "./retention_models.ts";
import type { AtStage } from "./stage.ts";

const RULES = {
  revenue: number(0),
  cost: number(0),
  discount: number(0),
  horizon: integer(1, 1200),
  by: oneOf(["project_id", "market_sector_id", "all"] as const),
  model: oneOf([...RETENTION_MODELS, "best"]),
  confidence: aConfidence,
};

/** A month of a curve: the observed retention, or else the model's, with bounds. */
interface Month {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly observed: boolean;
}

type ForecastRow = Readonly<Record<string, unknown>>;

/** Centers the half-widths of the model's bounds on the observed value, or else on the prediction. */
function monthOf(row: ForecastRow): Month {
  const [observed, predicted, lower, upper] = ["observed", "predicted", "lower", "upper"]
    .map((name) => row[name] as number | null);
  if (row.month === 0) return { value: 1, lower: 1, upper: 1, observed: true };
  const value = observed ?? predicted ?? NaN;
  const within = (half: number | null) =>
    half === null || half === undefined || predicted === null || predicted === undefined
      ? NaN
      : Math.min(1, Math.max(0, value + half - predicted));
  return {
    value,
    lower: within(lower!),
    upper: within(upper!),
    observed: observed !== null && observed !== undefined,
  };
}

type Side = "value" | "lower" | "upper";

/** Cumulative sums over months, and the value of each month. */
function running(months: readonly Month[], side: Side, worth: (month: number) => number) {
  let sum = 0;
  return months.map((month, at) => sum += month[side] * worth(at));
}

/** The first month whose sum reaches the cost; null without one, or if sums are unknown. */
function payback(sums: readonly number[], cost: number | undefined): number | null {
  const found = cost === undefined ? -1 : sums.findIndex((sum) => sum >= cost * (1 - 1e-12));
  return found < 0 ? null : found;
}

/** The value of a user of one group. */
function valueOf(
  rows: readonly ForecastRow[],
  { revenue, cost, discount, horizon }: {
    readonly revenue: number;
    readonly cost: number | undefined;
    readonly discount: number;
    readonly horizon: number;
  },
): Record<string, number | null> {
  const months = rows.slice(0, horizon + 1).map(monthOf);
  const worth = (month: number) => revenue * (1 + discount) ** (-month / 12);
  const active = (side: Side) => running(months, side, () => 1).at(-1)!;
  const sums = (side: Side) => running(months, side, worth);
  const value = sums("value").at(-1)!;
  const tail = months.reduce(
    (sum, month, at) => month.observed ? sum : sum + month.value * worth(at),
    0,
  );
  return {
    active_months: active("value"),
    active_months_lower: active("lower"),
    active_months_upper: active("upper"),
    value,
    value_lower: sums("lower").at(-1)!,
    value_upper: sums("upper").at(-1)!,
    tail: value > 0 ? tail / value : null,
    payback: payback(sums("value"), cost),
    payback_lower: payback(sums("upper"), cost),
    payback_upper: payback(sums("lower"), cost),
  };
}

const NUMBERS = [
  ...["active_months", "active_months_lower", "active_months_upper"],
  ...["value", "value_lower", "value_upper", "tail"],
];
const MONTHS = ["payback", "payback_lower", "payback_upper"];
const FORECAST = [
  ...[
    "month",
    "observed",
    "predicted",
    "lower",
    "upper",
    "bounds",
    "model",
    "alpha",
    "beta",
    "q",
    "c",
  ],
  ...["se_log_alpha", "se_log_beta", "se_logit_q", "log_likelihood", "aic", "adjusted", "reason"],
  "confidence",
];

/**
 * Returns the value of a user: expected active months, discounted revenue, and payback time.
 *
 * One row per group:
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | unchanged | |
 * | `active_months`, `active_months_lower`, `active_months_upper` | Float64 | expected active months up to `horizon`, month 0 counted: the sum of the retention curve. Users pause and return, so it is not the time until they leave |
 * | `value`, `value_lower`, `value_upper` | Float64 | `revenue` × Σ retention of month k × (1 + `discount`)^(−k/12), in the unit of `revenue` |
 * | `tail` | Float64 | the part of `value` that comes from the model, after the last observed month |
 * | `payback`, `payback_lower`, `payback_upper` | Int64 | first month in which the accumulated value reaches `cost`; null without `cost`, or if it is not reached by `horizon` |
 * | `model`, `bounds`, `reason`, `confidence` | String, Float64 | as in `forecastRetention` |
 *
 * Months that were observed count as observed, later ones by the model of `forecastRetention`. Bounds add the
 * half-widths of the model's bounds over all months, which is conservative; they do not allow for a wrong model or for
 * a change of `revenue`. `payback_lower` is the earliest month, from the upper bound of the curve. All are null if the
 * model could not be fitted; see `reason`.
 *
 * `revenue` is assumed the same in every active month and independent of how long users stay. Without a
 * discount and for a long `horizon`, most of the value can be `tail`.
 *
 * Source: Fader and Hardie 2010, "Customer-base valuation in a contractual setting", Marketing Science 29, 85-93.
 *
 * @example What is a user of each sector worth, and when is a cost of $20 paid back?
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
 * @param curves a frame of `retentionCurves` with `by`, or another frame that `forecastRetention` accepts
 * @throws {RangeError} when columns are missing, an option is out of range, or `revenue` is not given.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function retentionValue<Frame extends DataFrame>(
  curves: Frame & AtStage<Frame, "curves" | "pooled">,
  options: {
    /** Revenue per active user and month, 0 or more, for example in US dollars. */
    readonly revenue: number;
    /**
     * Cost of acquiring a user, in the same unit.
     *
     * @default {no cost, and no payback}
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
     * Pools the curves by `"project_id"`, `"market_sector_id"` or `"all"`, as in `forecastRetention`.
     *
     * @default {the groups of the frame}
     */
    readonly by?: "project_id" | "market_sector_id" | "all";
    /**
     * The model for months after the last observed one, as in `forecastRetention`.
     *
     * @default {that of forecastRetention}
     */
    readonly model?: "active" | "sbg" | "bdw" | "geometric" | "best";
    /**
     * The confidence of the bounds, between 0 and 1.
     *
     * @default {0.95}
     */
    readonly confidence?: number;
  },
): DataFrame {
  const fn = "retentionValue";
  const checked = checkOptions(options, RULES, fn);
  const { revenue, cost, discount = 0, horizon = 36, by, model, confidence = 0.95 } = checked;
  if (revenue === undefined) throw new RangeError(`${fn}: revenue: is required, got undefined`);
  const wanted: Parameters<typeof forecastRetention>[1] = {
    horizon,
    confidence,
    ...(by === undefined ? {} : { by }),
    ...(model === undefined ? {} : { model }),
  };
  const forecast = forecastRetention(curves as DataFrame, wanted);
  const keys = forecast.columns.filter((name) => !FORECAST.includes(name));
  const groups = new Map<string, ForecastRow[]>();
  for (const row of forecast.toRecords() as ForecastRow[]) {
    const key = JSON.stringify(keys.map((name) => row[name]));
    const rows = groups.get(key);
    if (rows === undefined) groups.set(key, [row]);
    else rows.push(row);
  }
  const all = [...groups.values()];
  const values = all.map((rows) => valueOf(rows, { revenue, cost, discount, horizon }));
  const text = (name: string) => utf8(name, all.map(([row]) => row![name] as string | null));
  const own = forecast.filter(pl.col("month").eq(pl.lit(0))).select(...keys);
  const made = pl.DataFrame([
    ...NUMBERS.map((name) => float64(name, values.map((value) => value[name]!))),
    ...MONTHS.map((name) => float64(name, values.map((value) => value[name]!)).cast(pl.Int64)),
    ...["model", "bounds", "reason"].map(text),
    float64("confidence", all.map(() => confidence)),
  ]);
  const result = keys.length === 0 ? made : pl.concat([own, made], { how: "horizontal" });
  return withProvenance(curves, result, fn);
}
