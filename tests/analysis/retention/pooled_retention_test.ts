import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { studentQuantile } from "../../../lib/analysis/distributions.ts";
import { BLOCKS_NOTE } from "../../../lib/analysis/retention/cohort_counts.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { checkValue } from "../check_values.ts";
import { clustered, cohortFrame } from "../cohort_frame.ts";
import { isWeightedMean } from "./weighted_mean.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";
import { warned } from "../measured.ts";

const COUNTED = ["month", "cohorts", "size", "retained", "retention"];

const COHORTS = [
  { project: "b", sector: "loans", size: 300, months: [1, 0.5, 0.2] },
  { project: "a", sector: "loans", size: 100, months: [1, 0.1] },
  { project: "b", sector: "games", size: 100, months: [1, 0.3, null, 0.25] },
  { project: "b", sector: "games", size: 0, months: [1, 0.9] },
  { project: "b", sector: "games", size: null, months: [1, 0.9] },
];

Deno.test("pooledRetention weights cohorts by size, and counts cohorts and users of each month", () => {
  const pooled = pooledRetention(retentionCurves(cohortFrame(COHORTS)), { cluster: "none" });
  equal(pooled.height, 12);
  deepEqual(pooled.head(5).select(...COUNTED).rows(), [
    [0, 3, 500, 500, 1],
    [1, 3, 500, 190, 0.38],
    [2, 1, 300, 60, 0.2],
    [3, 1, 100, 25, 0.25],
    [4, 0, 0, null, null],
  ]);
  // R: prop.test(190, 500, correct = FALSE)
  deepEqual(pooled.select(pl.col("lower").round(6), pl.col("upper").round(6)).rows()[1], [
    0.338522,
    0.423308,
  ]);
  deepEqual(pooled.select("lower", "upper").rows()[4], [null, null]);
});

Deno.test("pooledRetention by project or sector keeps the order of first appearance", () => {
  const curves = retentionCurves(cohortFrame(COHORTS));
  const shuffled = curves.sort({ by: "month", descending: true, maintainOrder: true });
  for (const frame of [curves, shuffled]) {
    const byProject = pooledRetention(frame, { by: "project_id" });
    deepEqual(byProject.columns.slice(0, 3), ["project_id", "project_name", "month"]);
    const first = byProject.filter(pl.col("month").eq(1));
    deepEqual(first.select("project_id", "project_name", ...COUNTED).rows(), [
      ["b", "The b", 1, 2, 400, 180, 0.45],
      ["a", "The a", 1, 1, 100, 10, 0.1],
    ]);
    deepEqual(byProject.getColumn("month").toArray(), [
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    ]);
  }
  const bySector = pooledRetention(curves, { by: "market_sector_id" });
  const sectors = ["market_sector_id", "market_sector_name"];
  deepEqual(bySector.filter(pl.col("month").eq(1)).select(...sectors, ...COUNTED).rows(), [
    ["loans", "The loans", 1, 2, 400, 160, 0.4],
    ["games", "The games", 1, 1, 100, 30, 0.3],
  ]);
});

Deno.test("pooledRetention keeps a group without an id", () => {
  const curves = retentionCurves(cohortFrame([
    { project: "a", size: 4, months: [1, 0.5] },
    { project: "b", size: 4, months: [1, 0.25] },
  ])).withColumn(
    pl.when(pl.col("project_id").eq(pl.lit("b"))).then(pl.lit(null)).otherwise(pl.col("project_id"))
      .alias("project_id"),
  );
  const pooled = pooledRetention(curves, { by: "project_id" });
  deepEqual(
    pooled.filter(pl.col("month").eq(1)).select("project_id", "project_name", "retention").rows(),
    [["a", "The a", 0.5], [null, "The b", 0.25]],
  );
  equal(pooled.height, 24);
});

// tests/slow has more cohorts.
Deno.test("pooledRetention is the mean weighted by size", () =>
  isWeightedMean({ seed: 5, numRuns: 20 }));

function column(frame: DataFrame, name: string): unknown[] {
  return frame.getColumn(name).toArray();
}

function near(got: unknown, expected: number, digits = 6): void {
  ok(Math.abs(Number(got) - expected) < 0.5 * 10 ** -digits, `${got} is not ${expected}`);
}

Deno.test("pooledRetention has bounds from the differences between clusters", () => {
  const curves = clustered([90, 100, 30, 60, 45], [100, 200, 100, 100, 150]);
  const [, row] = pooledRetention(curves).toRecords() as [unknown, Record<string, number>];
  deepEqual([row.cluster, row.clusters, row.bounds], ["project_id", 5, "cluster"]);
  equal(row.retention, 0.5);
  near(row.lower, checkValue("cluster_lower"), 12);
  near(row.upper, checkValue("cluster_upper"), 12);
  near(row.dispersion, 27, 9);
  const [, alone] = pooledRetention(curves, { cluster: "none" }).toRecords();
  deepEqual([alone!.cluster, alone!.clusters, alone!.dispersion, alone!.bounds], [
    ...["none", null, null, "binomial"],
  ]);
  near(alone!.lower, 0.461675);
});

Deno.test("pooledRetention chooses the clusters of each group", () => {
  const curves = retentionCurves(cohortFrame([
    { project: "a", sector: "one", cohort: "2025-01", size: 10, months: [1, 0.5] },
    { project: "a", sector: "one", cohort: "2025-02", size: 10, months: [1, 0.7] },
    { project: "b", sector: "two", cohort: "2025-01", size: 10, months: [1, 0.5] },
    { project: "c", sector: "two", cohort: "2025-02", size: 10, months: [1, 0.7] },
    { project: "c", sector: "two", cohort: "2025-03", size: 10, months: [1] },
    { project: "d", sector: "none", cohort: "2025-03", size: 0, months: [1] },
  ]));
  const told = (frame: DataFrame) =>
    frame.filter(pl.col("month").eq(1)).select("cluster", "clusters", "bounds").rows();
  deepEqual(told(pooledRetention(curves, { by: "market_sector_id" })), [
    ["cohort_block", 1, "one_cluster"],
    ["project_id", 2, "cluster"],
    ["cohort_block", 0, null],
  ]);
  deepEqual(told(pooledRetention(curves, { by: "project_id" })), [
    ["cohort_block", 1, "one_cluster"],
    ["cohort_block", 1, "one_cluster"],
    ["cohort_block", 1, "one_cluster"],
    ["cohort_block", 0, null],
  ]);
  deepEqual(told(pooledRetention(curves)), [["project_id", 3, "cluster"]]);
  // Beside units, the word means the default.
  deepEqual(
    told(pooledRetention(curves, { cluster: "cohort_block" })),
    told(pooledRetention(curves)),
  );
});

Deno.test("pooledRetention has no bounds at 0, at 1, in month 0 and with one cluster", () => {
  const bounds = (retained: number[], sizes: number[]) =>
    pooledRetention(clustered(retained, sizes)).select("lower", "upper", "bounds").rows()[1];
  const wilson = (retained: number[], sizes: number[]) =>
    pooledRetention(clustered(retained, sizes), { cluster: "none" })
      .select("lower", "upper", "bounds").rows()[1];
  deepEqual(bounds([0, 0, 0], [20_000, 20_000, 20_000]), [null, null, "edge"]);
  deepEqual(bounds([10, 20], [10, 20]), [null, null, "edge"]);
  deepEqual(bounds([7], [10]), [null, null, "one_cluster"]);
  deepEqual(bounds([0], [10]), [null, null, "one_cluster"]);
  const [first] = pooledRetention(clustered([5, 10], [10, 20])).toRecords();
  deepEqual([first!.retention, first!.lower, first!.upper, first!.bounds], [
    ...[1, null, null, "month_0"],
  ]);
  // Wilson's where users are independent, at 0 and at 1, too.
  // R: prop.test(0, 60000, correct = FALSE)
  const [lower, upper, kind] = wilson([0, 0, 0], [20_000, 20_000, 20_000]) as number[];
  deepEqual([lower, kind], [0, "binomial"]);
  near(upper, 0.0000640202, 10);
  // Clusters that are alike by chance do not make the bounds narrower than users alone.
  const [low, high] = bounds([5, 10], [10, 20]) as number[];
  const [least, most] = wilson([5, 10], [10, 20]) as number[];
  ok(low! <= least! && most! <= high!);
  // One cluster with no users left and one with all of them give no certainty.
  const [wide, far, cluster] = bounds([0, 10], [10, 10]) as [number, number, string];
  ok(wide < 0.01 && far > 0.99 && cluster === "cluster");
});

Deno.test("pooledRetention has no bounds in months with one project", () => {
  const curves = retentionCurves(
    cohortFrame([
      { project: "a", size: 1000, months: [1, 0.5, 0.4] },
      { project: "b", size: 1000, months: [1, 0.3] },
    ]),
  );
  const rows = pooledRetention(curves, { by: "market_sector_id" })
    .select("retention", "lower", "upper", "bounds", "clusters").rows();
  deepEqual([rows[1]![0], rows[1]![3], rows[1]![4]], [0.4, "cluster", 2]);
  ok(rows[1]!.every((value) => value !== null));
  deepEqual(rows[2], [0.4, null, null, "one_cluster", 1]);
});

/** Cohorts of one project, month after month from January 2024 on. */
function monthly(retained: readonly number[], size = 1000): DataFrame {
  return retentionCurves(
    cohortFrame(retained.map((kept, index) => ({
      cohort: new Date(Date.UTC(2024, index, 1)).toISOString().slice(0, 10),
      size,
      months: [1, kept / size],
    }))),
  );
}

Deno.test("pooledRetention divides the cohorts of one project into three blocks of neighbors", () => {
  const kept = [500, 520, 480, 300, 310, 290, 400];
  const curves = monthly(kept);
  const [, row] = pooledRetention(curves).toRecords() as [unknown, Record<string, number>];
  deepEqual([row.cluster, row.clusters, row.bounds], ["cohort_block", 3, "block"]);
  // Blocks of 3, 2 and 2 cohorts, delete-a-block jackknife, Kish's degrees of freedom.
  const blocks = [[1500, 3000], [610, 2000], [690, 2000]] as const;
  const p = 2800 / 7000;
  const without = blocks.map(([x, n]) => (2800 - x) / (7000 - n));
  const error = Math.sqrt(2 / 3 * without.reduce((sum, q) => sum + (q - p) ** 2, 0));
  const degrees = 7000 ** 2 / (3000 ** 2 + 2 * 2000 ** 2) - 1;
  const half = studentQuantile(0.95, degrees) * error / (p * (1 - p));
  near(row.lower, 1 / (1 + Math.exp(half - Math.log(p / (1 - p)))), 12);
  // The order of the rows does not matter, that of the months does.
  const turned = curves.sort({ by: "cohort_date", descending: true, maintainOrder: true });
  near(pooledRetention(turned).toRecords()[1]!.lower, row.lower!, 12);
  const mixed = pooledRetention(monthly([500, 300, 520, 310, 480, 290, 400])).toRecords()[1]!;
  ok(Number(mixed.lower) > row.lower! + 0.02);
  for (
    const few of [monthly([500, 300]), curves.withColumn(pl.lit(null).alias("cohort_date")), [
      curves.drop("cohort_date"),
    ]].flat()
  ) {
    deepEqual(
      pooledRetention(few).select("lower", "upper", "cluster", "clusters", "bounds").rows()[1],
      [null, null, "cohort_block", 1, "one_cluster"],
    );
  }
});

Deno.test("pooledRetention unweighted estimates what the typical project retains", () => {
  const options = { estimate: "unweighted" } as const;
  const rowsOf = (retained: number[], sizes: number[]) =>
    pooledRetention(clustered(retained, sizes), options).toRecords() as Record<string, number>[];
  const [zero, row] = rowsOf([30, 30, 30], [100, 100, 100]);
  // Equal shares have the variance of independent users:
  // R: plogis(qlogis(.3) + c(-1, 1) * qt(.975, 2) * sqrt((1 / 30 + 1 / 70) / 3))
  near(row!.retention, 0.3, 12);
  near(row!.lower, 0.199506570960327, 12);
  near(row!.upper, 0.424283235772948, 12);
  deepEqual([row!.lower!.toFixed(4), row!.upper!.toFixed(4)], ["0.1995", "0.4243"]);
  deepEqual([row!.bounds, row!.clusters, row!.net_activity, row!.at_risk, row!.lost], [
    ...["cluster", 3, null, null, null],
  ]);
  deepEqual([zero!.retention, zero!.bounds], [1, "month_0"]);
  // R: s <- c(90, 100, 30, 60, 45) / c(100, 200, 100, 100, 150); m <- mean(s)
  //    c(m, plogis(qlogis(m) + c(-1, 1) * qt(.975, 4) * sd(s) / sqrt(5) / (m * (1 - m))))
  const apart = rowsOf([90, 100, 30, 60, 45], [100, 200, 100, 100, 150])[1]!;
  [apart.retention, apart.lower, apart.upper].forEach((got, at) =>
    near(got, [0.52, 0.23891694100785932, 0.7889673283170907][at]!, 12)
  );
  const edge = rowsOf([0, 50, 100], [100, 100, 100])[1]!;
  near(edge.retention, 0.5, 12);
  deepEqual([edge.bounds, edge.lower! > 0], ["cluster", true]);
  const none = rowsOf([0, 0], [10, 5])[1]!;
  deepEqual([none.retention, none.lower, none.bounds], [0, null, "edge"]);
  const one = pooledRetention(clustered([40], [100]), options);
  deepEqual(one.select("lower", "bounds", "clusters").rows()[1], [null, "one_cluster", 1]);
  for (const wrong of [{ by: "project_id" }, { cluster: "none" }] as const) {
    throws(() => pooledRetention(clustered([40], [100]), { ...options, ...wrong }), {
      name: "RangeError",
      message: /^pooledRetention: estimate: "unweighted" is the mean of the units of a group, got /,
    });
  }
});

Deno.test("pooledRetention counts losses and users at risk, and chains net activity", () => {
  const pooled = pooledRetention(
    retentionCurves(cohortFrame([
      { cohort: "2025-01", size: 100, months: [1, 0.9, 0.81] },
      { cohort: "2025-02", size: 1000, months: [1, 0.1] },
    ])),
    { cluster: "none" },
  );
  deepEqual(pooled.head(4).select("size", "retained", "at_risk", "lost").rows(), [
    [1100, 1100, null, null],
    [1100, 190, 1100, 910],
    [100, 81, 90, 9],
    [0, null, 0, null],
  ]);
  const survival = column(pooled, "net_activity");
  deepEqual([survival[0], survival[3]], [1, null]);
  near(survival[1], 190 / 1100, 12);
  near(survival[2], 0.155455);
});

Deno.test("pooledRetention uses the last observed month as the previous one", () => {
  const pooled = pooledRetention(
    retentionCurves(cohortFrame([
      { cohort: "2025-01", size: 100, months: [1, 0.9, null, 0.6] },
      { cohort: "2025-02", size: 100, months: [1, 0.8, 0.7, 0.5] },
      { cohort: "2025-03", size: 100, months: [null, 0.5] },
    ])),
  );
  deepEqual(pooled.select("at_risk", "lost").head(4).rows(), [
    [null, null],
    [300, 80],
    [80, 10],
    [160, 50],
  ]);
});

Deno.test("pooledRetention: net activity can rise, and has no value after the last observed month", () => {
  const of = (...months: (number | null)[]) =>
    pooledRetention(
      retentionCurves(cohortFrame([{ size: 100, months }]), { unit: "fraction" }),
      { cluster: "none" },
    )
      .select("lost", "net_activity").rows() as (number | null)[][];
  const risen = of(1, 0.5, 0.75, 0.6);
  deepEqual(risen.slice(1, 4).map(([lost]) => lost), [50, -25, 15]);
  near(risen[2]![1], 0.75, 12);
  near(risen[3]![1], 0.6, 12);
  // No users are left, then some are active again.
  const gone = of(1, 0, 0, 0.2, 0.1);
  deepEqual(gone.slice(0, 5).map(([, survival]) => survival), [1, 0, 0, null, null]);
  equal(of(1, 1, 1)[2]![1], 1);
});

Deno.test("pooledRetention drops the first cohorts of tracking, and counts them", () => {
  const cohorts = [
    { project: "a", cohort: "2025-01", size: 1000, months: [1, 0.9] },
    { project: "a", cohort: "2025-02", size: 10, months: [1, 0.5] },
    { project: "b", cohort: "2025-01", size: 10, months: [1, 0.1] },
    { project: "b", cohort: "2025-04", size: 100, months: [1, 0.2] },
  ];
  const curves = retentionCurves(cohortFrame(cohorts), { since: "2025-01" });
  const rows = (frame: DataFrame) =>
    frame.filter(pl.col("month").eq(1)).select("cohorts", "size", "retention", "left_out").rows();
  deepEqual(rows(pooledRetention(curves)), [[1, 100, 0.2, 3]]);
  deepEqual(rows(pooledRetention(curves, { washout: 4 })), [[0, 0, null, 4]]);
  deepEqual(rows(pooledRetention(curves, { washout: 1 })), [[2, 110, 25 / 110, 2]]);
  deepEqual(rows(pooledRetention(curves, { washout: 0 })), [[4, 1120, 926 / 1120, 0]]);
  // Where the first tracked month is not known, nothing is left out.
  deepEqual(rows(pooledRetention(curves.drop("tracked_months"))), [[4, 1120, 926 / 1120, 0]]);
  deepEqual(rows(pooledRetention(retentionCurves(cohortFrame(cohorts)))), [
    [4, 1120, 926 / 1120, 0],
  ]);
  const [, told] = warned(() => {
    deepEqual(rows(pooledRetention(curves, { by: "project_id" })), [
      [0, 0, null, 2],
      [1, 100, 0.2, 1],
    ]);
    equal(pooledRetention(curves, { by: "project_id" }).height, 24);
  });
  const message =
    "pooledRetention: no cohorts to count in a; pass washout: 0 to count those that began soon " +
    "after tracking";
  deepEqual(told.slice(0, 2), [`pooledRetention: ${BLOCKS_NOTE}`, message]);
  deepEqual(warned(() => pooledRetention(curves))[1], []);
});

Deno.test("pooledRetention sums retained, which the frame must have", () => {
  const rows = { month: [1, 1], size: [3, 3], retention: [0.3333333, 0.7] };
  throws(() => pooledRetention(pl.DataFrame(rows)), /missing: retained; got month, size/);
  const given = pl.DataFrame({ ...rows, retained: [1, null] });
  throws(
    () => pooledRetention(given),
    /two rows have the same month; got row 0: month 1; row 1: month 1/,
  );
  const curves = given.withColumn(utf8("funnel", ["a", "b"]));
  equal(column(pooledRetention(curves), "retained")[0], 1);
  equal(column(pooledRetention(curves), "cohorts")[0], 1);
  const all = curves.withColumn(pl.Series("retained", [1, 2.1], pl.Float64));
  equal(column(pooledRetention(all), "cluster")[0], "funnel");
  equal(column(pooledRetention(curves.head(1).drop("funnel")), "cluster")[0], "none");
});

Deno.test("pooledRetention ignores the order of rows, and accepts cohorts of one name", () => {
  const curves = retentionCurves(cohortFrame([
    { size: 100, months: [1, 0.9, 0.81] },
    { size: 1000, months: [1, 0.1] },
    { project: "other", size: 10, months: [1, 0.5, 0.2] },
  ]));
  const expected = pooledRetention(curves, { cluster: "none" }).rows();
  for (const by of ["month", "retention", "size"]) {
    const turned = curves.sort({ by, descending: true, nullsLast: true });
    deepEqual(pooledRetention(turned, { cluster: "none" }).rows(), expected, by);
  }
});

Deno.test("pooledRetention refuses impossible values", () => {
  const frame = (rows: Record<string, (number | null)[]>) =>
    pl.DataFrame(Object.entries(rows).map(([name, values]) => pl.Series(name, values, pl.Float64)));
  const cases: [rows: Record<string, (number | null)[]>, rule: RegExp][] = [
    [
      { month: [0.5], size: [1], retention: [1] },
      /month is a whole number from 0 to 1200: month 0.5/,
    ],
    [{ month: [null], size: [1], retention: [1] }, /month is a whole number/],
    [{ month: [1], size: [1], retention: [1.5] }, /retention lies between 0 and 1/],
    [{ month: [1], size: [-1], retention: [1] }, /size is 0 or more/],
    [{ month: [1], size: [Infinity], retention: [1] }, /size is 0 or more/],
    [{ month: [1], size: [5], retention: [1], retained: [6] }, /retained lies between 0 and size/],
  ];
  for (const [rows, message] of cases) {
    throws(() => pooledRetention(frame({ ...rows, retained: rows.retained ?? [0] })), {
      name: "RangeError",
      message,
    });
  }
  const nothing = pooledRetention(frame({ month: [0, 1], size: [5, NaN], retained: [NaN, 1] }));
  deepEqual(nothing.select("cohorts", "size", "retention", "net_activity").rows(), [
    [0, 0, null, null],
    [0, 0, null, null],
  ]);
});

Deno.test("pooledRetention refuses another grouping and frames without the columns", () => {
  const curves = retentionCurves(cohortFrame(COHORTS));
  throws(() => pooledRetention(curves, { by: "month" }), {
    name: "RangeError",
    message: /^pooledRetention: by: must name columns of groups; month is a value: rename it/,
  });
  throws(() => pooledRetention(curves, { cluster: "user" as "none" }), {
    name: "RangeError",
    message: /^pooledRetention: cluster: must be "none" or a column of units; got "user"$/,
  });
  throws(() => pooledRetention(curves, { cluster: "cohort" }), {
    name: "RangeError",
    message: /cluster: must be "none" or a column of units; got "cohort", a column of times: /,
  });
  // @ts-expect-error: the compiler refuses it, too.
  throws(() => pooledRetention(pooledRetention(curves)), {
    name: "RangeError",
    message:
      /^pooledRetention: expected a frame of retentionCurves, got one of pooledRetention; pass the curves/,
  });
  throws(() => pooledRetention(cohortFrame(COHORTS)), {
    name: "RangeError",
    message:
      /^pooledRetention: expected a frame of retentionCurves; missing: month, size, retained/,
  });
});
