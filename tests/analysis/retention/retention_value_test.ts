import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { BLOCKS_NOTE } from "../../../lib/analysis/retention/cohort_counts.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { retentionValue } from "../../../lib/analysis/retention/retention_value.ts";
import { float64 } from "../../../lib/table/build/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";
import { cohortFrame } from "../cohort_frame.ts";
import { near } from "../measured.ts";

type RetentionValueOptions = NonNullable<Parameters<typeof retentionValue>[1]>;

function curveOf(retention: readonly (number | null)[], size = 1e9): DataFrame {
  return pl.DataFrame([
    float64("month", retention.map((_, month) => month)),
    float64("size", retention.map(() => size)),
    float64("retention", retention),
  ]);
}

/** The survival of the shifted beta-geometric. */
function sbg(alpha: number, beta: number, months: number): number[] {
  const curve = [1];
  for (let month = 1; month < months; month++) {
    curve.push(curve.at(-1)! * (beta + month - 1) / (alpha + beta + month - 1));
  }
  return curve;
}

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
function valueOf(curve: DataFrame, options: RetentionValueOptions): any {
  return retentionValue(curve, options).toRecords()[0];
}

Deno.test("retentionValue equals the published discounted value of sBG over a very long horizon", () => {
  const row = valueOf(curveOf(sbg(0.704, 1.182, 12)), {
    revenue: 1,
    // .1 a period: here a month is the period.
    discount: 1.1 ** 12 - 1,
    horizon: 1200,
    model: "sbg",
  });
  near(row.value, 3.69515, 1e-4);
  near(row.value_lower, row.value, 1e-3);
  equal(row.model, "sbg");
});

Deno.test("retentionValue sums observed months, and tail is the part of the forecast", () => {
  // With alpha = beta = 1, the retention in month k is 1 / (k + 1).
  const curve = curveOf([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]);
  const harmonic = (last: number) =>
    Array.from({ length: last }, (_, at) => 1 / (at + 1)).reduce((sum, part) => sum + part);
  const seen = valueOf(curve, { revenue: 10, horizon: 4, model: "sbg", cost: 17 });
  near(seen.active_months, harmonic(5), 1e-12);
  near(seen.value, 10 * harmonic(5), 1e-11);
  deepEqual([seen.tail, seen.payback], [0, 2]);
  const longer = valueOf(curve, { revenue: 10, horizon: 60, model: "sbg", cost: 50 });
  near(longer.active_months, harmonic(61), 1e-5);
  near(longer.tail, 1 - harmonic(5) / harmonic(61), 1e-5);
  equal(longer.payback, null);
  const discounted = valueOf(curve, { revenue: 1, horizon: 4, model: "sbg", discount: 4095 });
  // A twelfth root of 4 096 is 2.
  near(discounted.value, 1 + 1 / 4 + 1 / 12 + 1 / 32 + 1 / 80, 1e-9);
  near(discounted.active_months, harmonic(5), 1e-12);
});

Deno.test("retentionValue has bounds for each of its values", () => {
  const row = valueOf(curveOf(sbg(0.9, 1.5, 12), 200), {
    revenue: 5,
    cost: 14,
    horizon: 36,
    model: "sbg",
  });
  ok(row.active_months_lower < row.active_months && row.active_months < row.active_months_upper);
  ok(row.value_lower < row.value && row.value < row.value_upper);
  ok(row.payback_lower <= row.payback && row.payback <= row.payback_upper);
  equal(row.bounds, "binomial");
});

Deno.test("retentionValue by groups keeps their columns; null if no model could be fitted", () => {
  const months = [1, 0.5, 0.4, 0.35, 0.3, 0.28];
  const cohorts = ["2025-01", "2025-02", "2025-03", "2025-04"].flatMap((cohort, at) => [
    {
      cohort,
      size: 900 + 50 * at,
      months: months.map((each) => each * (1 - 0.01 * at * Number(each < 1))),
    },
    { cohort, project: "birch", sector: "lending", size: 500, months: [1] },
  ]);
  const curves = retentionCurves(cohortFrame(cohorts), { since: null });
  const value = retentionValue(curves, { by: "market_sector_id", revenue: 2, horizon: 12 });
  deepEqual(value.columns.slice(0, 3), [
    ...["market_sector_id", "market_sector_name", "active_months"],
  ]);
  // deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
  const [exchanges, lending] = value.toRecords() as any[];
  deepEqual([exchanges.market_sector_id, exchanges.reason], ["exchanges", BLOCKS_NOTE]);
  ok(exchanges.active_months > 3 && exchanges.active_months < 6 && exchanges.tail > 0.1);
  deepEqual([lending.active_months, lending.value, lending.payback], [null, null, null]);
  ok(lending.reason.length > 10);
});

Deno.test("retentionValue refuses wrong options", () => {
  const curve = curveOf([1, 0.5, 0.3, 0.2]);
  const refused = (options: object, message: RegExp) =>
    throws(() => retentionValue(curve, options as RetentionValueOptions), message);
  refused(
    {},
    /^RangeError: retentionValue: revenue: is required: the revenue per active user and month$/,
  );
  refused({ revenue: -1 }, /revenue: must be a number of at least 0/);
  refused({ revenue: 1, horizon: 0 }, /horizon: /);
  refused({ revenue: 1, price: 2 }, /price: /);
});
