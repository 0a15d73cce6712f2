import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { compareRetention } from "../../lib/analysis/compare_retention.ts";
import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { benjaminiHochberg, logRank } from "../../lib/analysis/significance.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { checkValue, checkValues } from "./check_values.ts";
import { type Cohort, cohortFrame } from "./cohort_frame.ts";

function curvesOf(...cohorts: readonly Cohort[]): DataFrame {
  return retentionCurves(cohortFrame(cohorts), { unit: "fraction" });
}

function near(got: unknown, expected: number, within: number): void {
  ok(Math.abs(Number(got) - expected) <= within, `${got} is not ${expected}`);
}

const TWO = curvesOf(
  { project: "a", size: 70, months: [1, 0.8] },
  { project: "b", size: 80, months: [1, 0.6] },
);

Deno.test("compareRetention combines bounds by square-and-add, and tests by score", () => {
  const pairs = compareRetention(TWO, { by: "project_id", month: 1 });
  deepEqual(pairs.columns, [
    ...["group_a", "group_b", "month", "retention_a", "retention_b", "difference", "lower"],
    ...["upper", "test", "p_value", "p_adjusted", "log_rank", "log_rank_p_value"],
    "confidence",
  ]);
  deepEqual(
    pairs.columns.map((name) => pairs.getColumn(name).dtype.variant),
    [
      ...["String", "String", "Int64", ...Array(5).fill("Float64")],
      ...["String", ...Array(5).fill("Float64")],
    ],
  );
  const [row] = pairs.toRecords();
  deepEqual([row!.group_a, row!.group_b, row!.month, row!.test], ["a", "b", 1, "score"]);
  // Newcombe 1998, table II, method 10.
  near(row!.lower, 0.0524, 5e-5);
  near(row!.upper, 0.3339, 5e-5);
  near(row!.difference, 0.2, 1e-12);
  near(row!.p_value, checkValue("score_test", 0.8), 1e-12);
  equal(row!.p_adjusted, row!.p_value);
  equal(row!.confidence, 0.95);
});

Deno.test("compareRetention tests by clusters where a group has them", () => {
  const [x, n] = [[90, 100, 30, 60, 45], [100, 200, 100, 100, 150]];
  const [y, m] = [[20, 30, 50], [100, 110, 120]];
  const groups = [
    ...x.map((kept, i) => ({
      project: "a",
      cohort: `${i}`,
      size: n[i]!,
      months: [1, kept / n[i]!],
    })),
    ...y.map((kept, i) => ({
      project: "b",
      cohort: `${i}`,
      size: m[i]!,
      months: [1, kept / m[i]!],
    })),
  ];
  const [row] = compareRetention(curvesOf(...groups)).toRecords();
  const [a, b] = pooledRetention(curvesOf(...groups), { by: "project_id" })
    .filter(pl.col("month").eq(1)).toRecords() as Record<string, number>[];
  equal(row!.test, "welch");
  near(
    row!.lower,
    a!.retention! - b!.retention! -
      Math.hypot(a!.retention! - a!.lower!, b!.upper! - b!.retention!),
    1e-12,
  );
  near(row!.p_value, checkValue("welch_test"), 1e-12);
  const alone = compareRetention(curvesOf(...groups), { cluster: "none" }).toRecords()[0]!;
  equal(alone.test, "score");
  ok(Number(alone.p_value) < 1e-6);
  // One cluster has the error of its users; nobody and everybody get half a user on both sides.
  const mixed = [0, 1, 0.5].map((part) =>
    compareRetention(
      curvesOf(...groups.slice(0, 5), { project: "c", size: 50, months: [1, part] }),
    ).toRecords()[0]!
  );
  ok(mixed.every(({ test, p_value }) => test === "welch" && Number(p_value) > 0));
  near(mixed[2]!.p_value, 1, 1e-9);
});

Deno.test("compareRetention compares every pair, and adjusts for their number", () => {
  const curves = curvesOf(
    { project: "c", size: 100, months: [1, 0.5] },
    { project: "a", size: 100, months: [1, 0.7] },
    { project: "b", size: 100, months: [1] },
    { project: "d", size: 100, months: [1, 0.5] },
  );
  const pairs = compareRetention(curves);
  deepEqual(pairs.select("group_a", "group_b").rows(), [
    ...[["c", "a"], ["c", "b"], ["c", "d"], ["a", "b"], ["a", "d"], ["b", "d"]],
  ]);
  const rows = pairs.toRecords();
  deepEqual(rows.map(({ p_value }) => p_value === null), [false, true, false, true, false, true]);
  deepEqual(
    rows.map(({ test }) => test),
    ["score", null, "score", null, "score", null],
  );
  deepEqual(
    rows.map(({ p_adjusted }) => p_adjusted),
    benjaminiHochberg(rows.map(({ p_value }) => p_value === null ? NaN : Number(p_value)))
      .map((value) => Number.isNaN(value) ? null : value),
  );
  deepEqual([rows[1]!.retention_b, rows[1]!.difference, rows[1]!.lower], [null, null, null]);
  deepEqual([rows[2]!.difference, rows[2]!.p_value], [0, 1]);
});

Deno.test("compareRetention of both at 0 or at 1, of one group and of none", () => {
  for (const part of [0, 1]) {
    const [row] = compareRetention(
      curvesOf(
        { project: "a", size: 10, months: [1, part] },
        { project: "b", size: 20, months: [1, part] },
      ),
    ).toRecords();
    deepEqual([row!.difference, row!.p_value], [0, 1]);
    ok(Number(row!.lower) < 0 && Number(row!.upper) > 0);
  }
  equal(compareRetention(curvesOf({ project: "a", size: 10, months: [1, 0.5] })).height, 0);
  equal(compareRetention(curvesOf()).height, 0);
  equal(compareRetention(curvesOf()).columns.length, 14);
});

Deno.test("compareRetention by log-rank takes the whole curves", () => {
  const curves = curvesOf(
    { project: "a", size: 100, months: [1, 0.9, 0.81] },
    { project: "b", size: 1000, months: [1, 0.1] },
  );
  for (const month of [1, 2]) {
    const [row] = compareRetention(curves, { month }).toRecords();
    near(row!.log_rank, checkValue("cohorts_log_rank"), 1e-9);
    near(row!.log_rank, 406.8016, 5e-5);
    ok(Number(row!.log_rank_p_value) < 1e-80);
  }
  const back = curvesOf(
    { project: "a", size: 100, months: [1, 0.5, 0.6] },
    { project: "b", size: 100, months: [1, 0.5, 0.4] },
  );
  deepEqual(compareRetention(back).select("log_rank", "log_rank_p_value").rows(), [[null, null]]);
});

Deno.test("logRank is R's survdiff", () => {
  const lost = [[9, 13, 18, 23, 31, 34, 48], [5, 5, 8, 8, 12, 23, 27, 30, 33, 43, 45]];
  const seen = [[13, 28, 45, 161], [16]];
  const times = [...new Set([...lost.flat(), ...seen.flat()])].sort((a, b) => a - b);
  const [one, other] = [0, 1].map((group) => ({
    atRisk: times.map((time) =>
      [...lost[group]!, ...seen[group]!].filter((end) => end >= time).length
    ),
    lost: times.map((time) => lost[group]!.filter((end) => end === time).length),
  }));
  near(logRank(one!, other!), checkValue("aml_log_rank"), 1e-12);
  near(logRank(one!, other!), 3.39639, 5e-6);
  near(logRank(other!, one!), 3.39639, 5e-6);
  ok(Number.isNaN(logRank({ atRisk: [], lost: [] }, { atRisk: [], lost: [] })));
  ok(Number.isNaN(logRank({ atRisk: [5], lost: [0] }, { atRisk: [5], lost: [0] })));
});

Deno.test("benjaminiHochberg is R's p.adjust", () => {
  for (const count of [6, 4]) {
    const values = checkValues("benjamini_hochberg").filter(({ y }) => y === count);
    benjaminiHochberg(values.map(({ x }) => x)).forEach((got, index) => {
      near(got, values[index]!.value, 1e-15);
    });
  }
  deepEqual(benjaminiHochberg([0.01, 0.02, 0.03, 0.04, 0.05, 0.5]), [
    ...[0.06, 0.06, 0.06, 0.06, 0.06, 0.5],
  ]);
  deepEqual(benjaminiHochberg([NaN, 0.5]), [NaN, 0.5]);
  deepEqual(benjaminiHochberg([]), []);
});

Deno.test("compareRetention lies around the difference, the other way round as much", () => {
  const group = fc.array(
    fc.integer({ min: 1, max: 100_000 })
      .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n))),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(group, group, (one, other) => {
      const cohorts = (project: string, pairs: readonly (readonly [number, number])[]) =>
        pairs.map(([x, n], i) => ({ project, cohort: `${i}`, size: n, months: [1, x / n] }));
      const [a, b] = [cohorts("a", one), cohorts("b", other)];
      const [row] = compareRetention(curvesOf(...a, ...b)).toRecords() as Record<string, number>[];
      const [back] = compareRetention(curvesOf(...b, ...a)).toRecords() as Record<string, number>[];
      const { lower, difference, upper, p_value } = row!;
      ok(-1 - 1e-9 <= lower! && lower! <= difference! && difference! <= upper!);
      ok(upper! <= 1 + 1e-9 && 0 <= p_value! && p_value! <= 1);
      near(back!.difference, -difference!, 1e-12);
      near(back!.lower, -upper!, 1e-9);
      near(back!.p_value, p_value!, 1e-9);
    }),
    { seed: 5, numRuns: 60 },
  );
});

Deno.test("compareRetention refuses what it cannot compare", () => {
  throws(() => compareRetention(TWO, { by: "all" as "project_id" }), {
    name: "RangeError",
    message: /^compareRetention: by: must be one of project_id, market_sector_id/,
  });
  throws(() => compareRetention(TWO, { month: 12 }), {
    name: "RangeError",
    message:
      "compareRetention: month: must be one of the frame's, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11: 12",
  });
  throws(() => compareRetention(TWO.drop("project_name")), {
    name: "RangeError",
    message: /this frame lacks project_name/,
  });
});
