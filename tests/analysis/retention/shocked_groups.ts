import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { near } from "../measured.ts";
import { chanceOf } from "../simulated_cohorts.ts";

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
export type Row = any;

/** The units of a group: the users of each cohort, and the retained users of each cohort date. */
export interface Group {
  readonly name: string;
  readonly year: number;
  readonly units: string;
  readonly sizes: readonly number[];
  readonly retained: readonly (readonly number[])[];
}

/** Curves in month 1 of groups whose units have a cohort in each month from January of a year on. */
export function curvesOf(groups: readonly Group[], group = "country"): DataFrame {
  const rows = groups.flatMap(({ name, year, units, sizes, retained }) =>
    retained.flatMap((kept, unit) =>
      kept.map((count, month) => ({
        [group]: name,
        funnel: `${units}${unit}`,
        cohort: new Date(Date.UTC(year, month)).toISOString().slice(0, 7),
        month: 1,
        size: sizes[unit]!,
        retained: count,
      }))
    )
  );
  return retentionCurves(pl.DataFrame(rows), { since: null });
}

export const compared = (frame: DataFrame, by = "country", options: object = {}): Row =>
  compareRetention(frame, { by, ...options }).toRecords()[0];

/** Random groups of units, each with cohorts in some months. */
const groups = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  units: fc.tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 5 })),
  dates: fc.integer({ min: 3, max: 8 }),
  shock: fc.constantFrom(0, 0.3),
  apart: fc.boolean(),
});

function drawn({ seed, units, dates, shock, apart }: Row): DataFrame {
  const chance = chanceOf(seed);
  return curvesOf(units.map((count: number, side: number): Group => {
    const shocks = Array.from({ length: dates }, () => shock * chance.normal());
    const sizes = Array.from({ length: count }, () => 20 + Math.floor(200 * chance.uniform()));
    return {
      name: `${side}`,
      year: apart ? 2023 + side : 2023,
      units: `${side}-`,
      sizes,
      retained: sizes.map((size) => {
        const own = 0.4 * chance.normal() - 0.5;
        return shocks.map((each) => chance.binomial(size, 1 / (1 + Math.exp(-own - each))));
      }),
    };
  }));
}

/**
 * Compares random groups: bounds and p values agree, are not below those of units alone, and ignore the order of rows.
 */
export function boundsAgree(runs: { readonly seed: number; readonly numRuns: number }): void {
  fc.assert(
    fc.property(groups, (given) => {
      const curves = drawn(given);
      const alone = curves.withColumn(
        pl.lit(new Date(Date.UTC(2025, 0))).cast(pl.Date).alias("cohort_date"),
      );
      for (const estimate of ["weighted", "unweighted"] as const) {
        const [row, units] = [curves, alone].map((frame) =>
          compared(frame, "country", { estimate })
        );
        if (row.p_value === null) continue;
        equal(row.lower <= 0 && 0 <= row.upper, row.p_value >= 0.05);
        ok(row.p_value >= units.p_value - 1e-12);
        const turned = curves.sort({ by: "retained", descending: true });
        const order = { estimate, groups: [row.group_a, row.group_b] };
        const again = compared(turned, "country", order);
        near(again.p_value, row.p_value, 1e-9);
        near(again.lower, row.lower, 1e-9);
      }
      const bounds = (frame: DataFrame) =>
        pooledRetention(frame, { by: "country" }).filter(pl.col("month").eq(1))
          .select("lower", "upper").rows() as number[][];
      bounds(alone).forEach(([lower, upper], at) => {
        const [low, high] = bounds(curves)[at]!;
        if (lower !== null) ok(low! <= lower! + 1e-12 && upper! <= high! + 1e-12);
      });
    }),
    runs,
  );
}
