import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { BLOCKS_NOTE } from "../../../lib/analysis/retention/cohort_counts.ts";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { studentQuantile, studentTails } from "../../../lib/analysis/distributions.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { benjaminiHochberg } from "../../../lib/analysis/retention/significance.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { checkValue, checkValues } from "../check_values.ts";
import { cohortsAsUnits, cohortsOf, curvesOf } from "../cohort_frame.ts";
import { near, warned } from "../measured.ts";

const TWO = curvesOf(
  { project: "a", size: 70, months: [1, 0.8] },
  { project: "b", size: 80, months: [1, 0.6] },
);

Deno.test("compareRetention of independent users uses the score test and Newcombe's bounds", () => {
  const pairs = compareRetention(TWO, { by: "project_id", month: 1, cluster: "none" });
  const [row] = pairs.toRecords();
  deepEqual([row!.group_a, row!.group_b, row!.month, row!.test], ["a", "b", 1, "score"]);
  deepEqual([row!.cluster_a, row!.clusters_a, row!.reason], ["none", null, null]);
  // Newcombe 1998, table II, method 10.
  near(row!.lower, 0.0524, 5e-5);
  near(row!.upper, 0.3339, 5e-5);
  near(row!.difference, 0.2, 1e-12);
  near(row!.p_value, checkValue("score_test", 0.8), 1e-12);
  equal(row!.p_adjusted, row!.p_value);
  equal(row!.confidence, 0.95);
});

/** The second project of each pair ends the groups, so that the sectors are one project each. */
const GROUPS = [
  ...cohortsOf("a", [90, 100, 30, 60, 45], [100, 200, 100, 100, 150]),
  ...cohortsOf("b", [20, 30, 50], [100, 110, 120]),
];

Deno.test("compareRetention tests with clusters, and its bounds agree with the test", () => {
  const curves = cohortsAsUnits(curvesOf(...GROUPS));
  const [row] = compareRetention(curves, { cluster: "unit" }).toRecords();
  deepEqual([row!.test, row!.clusters_a, row!.clusters_b], ["jackknife", 5, 3]);
  // The interval by the definition, from the logits and their errors of R.
  const [x, n] = [[90, 100, 30, 60, 45], [100, 200, 100, 100, 150]];
  const [y, m] = [[20, 30, 50], [100, 110, 120]];
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const logitOf = (kept: readonly number[], all: readonly number[]) => {
    const p = sum(kept) / sum(all);
    const without = kept.map((k, i) => (sum(kept) - k) / (sum(all) - all[i]!));
    const count = kept.length;
    const error = Math.sqrt((count - 1) / count * sum(without.map((q) => (q - p) ** 2)));
    return [
      Math.log(p / (1 - p)),
      (error / (p * (1 - p))) ** 2,
      sum(all) ** 2 / sum(all.map((size) => size ** 2)) - 1,
    ] as const;
  };
  const [[la, va, da], [lb, vb, db]] = [logitOf(x, n), logitOf(y, m)];
  const welch = (va + vb) ** 2 / (va ** 2 / da + vb ** 2 / db);
  const t = (la - lb) / Math.sqrt(va + vb);
  near(studentTails(t, welch), checkValue("jackknife_test"), 1e-12);
  // At most twice the degrees of freedom of the smaller group.
  const degrees = Math.min(welch, 2 * da, 2 * db);
  near(row!.p_value, studentTails(t, degrees), 1e-12);
  const half = studentQuantile(0.95, degrees) * Math.sqrt(va + vb);
  const mean = (la * vb + lb * va) / (va + vb);
  const expit = (logit: number) => 1 / (1 + Math.exp(-logit));
  const apart = (d: number) => expit(mean + d * va / (va + vb)) - expit(mean - d * vb / (va + vb));
  near(row!.lower, apart(la - lb - half), 1e-12);
  near(row!.upper, apart(la - lb + half), 1e-12);
  const alone = compareRetention(curves, { cluster: "none" }).toRecords()[0]!;
  equal(alone.test, "score");
  ok(Number(alone.p_value) < 1e-6);
});

Deno.test("compareRetention does not test a sector of one project, whose variance is unknown", () => {
  const sector = (name: string, projects: readonly number[]) =>
    projects.flatMap((kept, index) =>
      cohortsOf(`${name}${index}`, [kept, kept], [1000, 1000]).map((cohort) => (
        { ...cohort, sector: name }
      ))
    );
  const curves = curvesOf(...sector("A", [500]), ...sector("B", [380, 400, 420]));
  const [row] = compareRetention(curves, { by: "market_sector_id" }).toRecords();
  deepEqual(
    [row!.test, row!.p_value, row!.lower, row!.reason],
    [null, null, null, "one of the two has only one unit, or fewer than three cohorts with dates"],
  );
  deepEqual(
    [row!.cluster_a, row!.clusters_a, row!.cluster_b, row!.clusters_b],
    ["project_id", 1, "project_id", 3],
  );
  near(row!.difference, 0.1, 1e-12);
});

Deno.test("compareRetention compares two projects by blocks of their cohorts", () => {
  const six = (kept: number) => [0, 10, -10, 20, 0, -20].map((more) => kept + more);
  const sizes = Array<number>(6).fill(1000);
  const curves = curvesOf(
    ...cohortsOf("a", six(500), sizes),
    ...cohortsOf("b", six(400), sizes),
    ...cohortsOf("c", [400, 410], sizes),
    ...cohortsOf("d", [0, 0, 0], sizes),
  );
  const rows = compareRetention(curves).toRecords();
  deepEqual(rows.map(({ test }) => test), ["jackknife", null, null, null, null, null]);
  deepEqual([rows[0]!.cluster_a, rows[0]!.clusters_a, rows[0]!.clusters_b], ["cohort_block", 3, 3]);
  equal(
    rows[1]!.reason,
    "one of the two has only one unit, or fewer than three cohorts with dates",
  );
  equal(
    rows[2]!.reason,
    "none or all users are retained in one of the two: its clusters have no variance; " +
      "The d has only 0 retained users",
  );
  equal(rows[2]!.p_value, null);
  equal(rows[0]!.reason, BLOCKS_NOTE);
});

Deno.test("equal shares of the units of both groups are no test", () => {
  const units = ["p", "q", "r"].map((project, at) => ({ project, share: 0.3 + at / 10 }));
  const rows = ["early", "late"].flatMap((wave) =>
    units.flatMap(({ project, share }) =>
      ["2024-01", "2024-02", "2024-03"].map((cohort) => (
        { wave, app: project, cohort, month: 1, size: 200, retained: 200 * share }
      ))
    )
  );
  const [row] = warned(() => {
    const curves = retentionCurves(pl.DataFrame(rows), { since: null });
    return compareRetention(curves, { by: "wave", estimate: "unweighted", cluster: "app" });
  })[0].toRecords();
  deepEqual([row!.difference, row!.p_value, row!.lower, row!.test], [0, null, null, null]);
  match(String(row!.reason), /^the difference of the units has no variance/);
});

Deno.test("compareRetention accepts several months, and adjusts over all rows", () => {
  const curves = curvesOf(
    ...["a", "b", "c"].map((project, index) => (
      { project, size: 100, months: [1, 0.5 + index / 10, 0.4 - index / 20] }
    )),
  );
  const pairs = compareRetention(curves, { month: [2, 1], cluster: "none" });
  const rows = pairs.toRecords();
  deepEqual(rows.map(({ month }) => month), [2, 2, 2, 1, 1, 1]);
  deepEqual(
    rows.map(({ p_adjusted }) => p_adjusted),
    benjaminiHochberg(rows.map(({ p_value }) => Number(p_value))),
  );
  const [alone] = compareRetention(curves, { month: 1, cluster: "none" }).toRecords();
  equal(alone!.p_value, rows[3]!.p_value);
  const [zero] = compareRetention(curves, { month: 0 }).toRecords();
  equal(zero!.p_value, null);
  match(
    String(zero!.reason),
    /^retention is 1 in month 0 by definition; The a has only 0 lost users/,
  );
  throws(() => compareRetention(curves, { month: [] }), { name: "RangeError" });
});

Deno.test("a printed comparison has both names, the difference, its bounds and p values", () => {
  const curves = curvesOf(
    ...[1, 2, 3, 4].map((index) => (
      {
        project: `a-long-name-of-project-${index}`,
        size: 990 + index,
        months: [1, 0.5 + index / 100],
      }
    )),
  );
  const shown = (month: number[]) =>
    `${compareRetention(curves, { month, cluster: "none" })}`.split("\n")[0]!.trim()
      .split(/ {2,}/).filter((name) => name !== "…");
  const values = ["difference", "lower", "upper", "p_adjusted", "test", "p_value"];
  deepEqual(shown([1]), ["month", "name_a", "name_b", ...values]);
  deepEqual(shown([0, 1]), ["month", "name_a", "name_b", ...values]);
});

Deno.test("compareRetention refuses a frame that is pooled, and says what to pass", () => {
  // @ts-expect-error: the compiler refuses it, too.
  throws(() => compareRetention(pooledRetention(TWO, { by: "project_id" })), {
    name: "RangeError",
    message: "compareRetention: expected a frame of retentionCurves, got one of pooledRetention; " +
      'pass the curves, as in compareRetention(curves, { by: "market_sector_id" })',
  });
});

Deno.test("compareRetention compares every pair, and adjusts for their number", () => {
  const curves = curvesOf(
    { project: "c", size: 100, months: [1, 0.5] },
    { project: "a", size: 100, months: [1, 0.7] },
    { project: "b", size: 100, months: [1] },
    { project: "d", size: 100, months: [1, 0.5] },
  );
  const pairs = compareRetention(curves, { cluster: "none" });
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

Deno.test("compareRetention of groups compares only these, in the order of the list", () => {
  const curves = curvesOf(
    { project: "c", size: 100, months: [1, 0.5] },
    { project: "a", size: 100, months: [1, 0.7] },
    { project: "d", size: 100, months: [1, 0.6] },
  );
  const compare = (groups: readonly string[]) =>
    compareRetention(curves, { cluster: "none", groups }).toRecords();
  const [pair, ...others] = compare(["a", "c"]);
  deepEqual([pair!.group_a, pair!.group_b, others], ["a", "c", []]);
  near(pair!.difference, 0.2, 1e-12);
  equal(pair!.p_adjusted, pair!.p_value);
  deepEqual(compare(["d", "c", "a"]).map(({ group_a, group_b }) => `${group_a} ${group_b}`), [
    ...["d c", "d a", "c a"],
  ]);
  throws(() => compare(["a", "A1"]), /^RangeError: compareRetention: groups: A1: did you mean a\?/);
  throws(
    () => compare(["a", "a"]),
    /^RangeError: compareRetention: groups: needs two groups; got a, a$/,
  );
});

Deno.test("compareRetention unweighted is Welch's test of the means of shares, on logits", () => {
  const sector = (sector: string, retained: number[], sizes: number[]) =>
    sizes.map((size, at) => (
      { sector, project: `${sector}-${at}`, size, months: [1, retained[at]! / size] }
    ));
  const curves = curvesOf(
    ...sector("a", [90, 100, 30, 60, 45], [100, 200, 100, 100, 150]),
    ...sector("b", [20, 30, 70], [100, 110, 120]),
  );
  const options = { by: "market_sector_id", estimate: "unweighted" } as const;
  const [row] = compareRetention(curves, options).toRecords();
  deepEqual([row!.test, row!.clusters_a, row!.clusters_b], ["unweighted", 5, 3]);
  // scipy: a, b = k / n; L = log(m / (1 - m)), v = var(ddof=1) / count / (m (1 - m))^2 of each mean m;
  // 2 * t.sf(|L_a - L_b| / sqrt(v_a + v_b), min(2 * 2, (v_a + v_b)^2 / (v_a^2 / 4 + v_b^2 / 2)))
  near(row!.p_value, 0.36851778366182036, 1e-12);
  near(row!.retention_a, 0.52, 1e-12);
  near(row!.retention_b, 0.352020202020202, 1e-12);
  ok(Number(row!.lower) < 0 && Number(row!.upper) > 0);
  throws(
    () => compareRetention(curves, { estimate: "unweighted" }),
    /^RangeError: compareRetention: estimate: "unweighted" is the mean of the units of a group, got by: "project_id"/,
  );
});

Deno.test("compareRetention has bounds of all pairs of a month together", () => {
  const curves = curvesOf(...[0.5, 0.7, 0.4].map((share, at) => (
    { project: `p${at}`, size: 100, months: [1, share, at < 2 ? 0.3 : null] }
  )));
  const of = (confidence: number) =>
    compareRetention(curves, { cluster: "none", month: [1, 2], confidence }).toRecords();
  const [together, third, alone] = [of(0.95), of(1 - 0.05 / 3), of(0.95)];
  for (const [at, row] of together.entries()) {
    // Three pairs have bounds in month 1, and one pair in month 2.
    const own = at < 3 ? third[at]! : alone[at]!;
    deepEqual([row.lower_all, row.upper_all], [own.lower, own.upper]);
  }
});

Deno.test("compareRetention handles two groups at 0 or 1, one group, and no group", () => {
  for (const part of [0, 1]) {
    const [row] = compareRetention(
      curvesOf(
        { project: "a", size: 10, months: [1, part] },
        { project: "b", size: 20, months: [1, part] },
      ),
      { cluster: "none" },
    ).toRecords();
    deepEqual([row!.difference, row!.p_value], [0, 1]);
    ok(Number(row!.lower) < 0 && Number(row!.upper) > 0);
  }
  equal(compareRetention(curvesOf({ project: "a", size: 10, months: [1, 0.5] })).height, 0);
  equal(compareRetention(curvesOf()).height, 0);
});

Deno.test("benjaminiHochberg equals R's p.adjust", () => {
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

Deno.test("compareRetention refuses frames and options that it cannot compare", () => {
  throws(() => compareRetention(TWO, { by: "all" as "project_id" }), {
    name: "RangeError",
    message: /^compareRetention: by: must name the columns of groups; got "all"$/,
  });
  throws(() => compareRetention(TWO, { month: 12 }), {
    name: "RangeError",
    message:
      "compareRetention: month: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11; got 12",
  });
  throws(() => compareRetention(TWO.drop("project_id")), {
    name: "RangeError",
    message: /missing: project_id/,
  });
});
