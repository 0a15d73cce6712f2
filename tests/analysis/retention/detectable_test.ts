import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { BLOCKS_NOTE } from "../../../lib/analysis/retention/cohort_counts.ts";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { logitEstimate, weightedLogits } from "../../../lib/analysis/retention/logit_estimate.ts";
import { logitTest } from "../../../lib/analysis/retention/significance.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame } from "../cohort_frame.ts";
import { foundOf, twoSectors } from "../detectable_worlds.ts";
import { chanceOf, undated } from "../simulated_cohorts.ts";

const FEW_DATES =
  "fewer than three cohort dates: shocks that all units share at one time are not in the interval";

type DetectableOptions = NonNullable<Parameters<typeof detectable>[1]>;

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
function rowsOf(frame = twoSectors(), options: DetectableOptions = {}): any[] {
  return detectable(frame, options).toRecords();
}

Deno.test("detectable states the clusters, their spread and the smallest difference of each pair", () => {
  const [row] = rowsOf();
  deepEqual([row.group_a, row.group_b, row.month, row.clusters_a, row.clusters_b, row.power], [
    ...["lending", "exchanges", 1, 5, 6, 0.8],
  ]);
  // Drawn with a variance of .16 around a logit of -1.
  ok(row.tau2 > 0.05 && row.tau2 < 0.4, `${row.tau2}`);
  ok(row.retention > 0.2 && row.retention < 0.35);
  ok(row.detectable > 0.08 && row.detectable < 0.25, `${row.detectable}`);
  equal(row.reason, FEW_DATES);
});

Deno.test("detectable has a range, from the bounds of the variance between clusters", () => {
  const [row] = rowsOf();
  ok(row.detectable_low < row.detectable && row.detectable < row.detectable_high);
});

/** Two regions of five lines, each with a cohort in twelve months that move all lines of a region. */
function movedByMonths(seed: number) {
  const chance = chanceOf(seed);
  const rows = ["north", "south"].flatMap((region) => {
    const shocks = Array.from({ length: 12 }, () => 0.5 * chance.normal());
    return [0, 1, 2, 3, 4].flatMap((line) => {
      const level = 0.2 * chance.normal() - 0.5;
      return shocks.map((shock, at) => ({
        region,
        line: `${region} ${line}`,
        cohort: `2024-${String(at + 1).padStart(2, "0")}`,
        month: 1,
        size: 400,
        retained: chance.binomial(400, 1 / (1 + Math.exp(-level - shock))),
      }));
    });
  });
  return retentionCurves(pl.DataFrame(rows), { since: null });
}

Deno.test("the range of detectable allows for how little three blocks show of the shocks that units share", () => {
  const widths = [1, 2, 3].map((seed) => {
    const curves = movedByMonths(seed);
    const alone = curves.withColumn(
      pl.lit(new Date(Date.UTC(2024, 0))).cast(pl.Date).alias("cohort_date"),
    );
    return [curves, alone].map((frame) => {
      const [row] = rowsOf(frame, { by: "region" });
      ok(row.detectable_low < row.detectable && row.detectable < row.detectable_high);
      return row.detectable_high / row.detectable_low;
    });
  });
  for (const [wide, narrow] of widths) ok(wide! >= narrow! - 1e-9, `${wide} ${narrow}`);
  ok(widths.some(([wide, narrow]) => wide! > 1.5 * narrow!), `${widths}`);
});

Deno.test("detectable returns a larger difference for more power, and the same on every run", () => {
  const [low] = rowsOf(twoSectors(), { power: 0.5 });
  const [high] = rowsOf(twoSectors(), { power: 0.9 });
  ok(low.detectable < rowsOf()[0].detectable && rowsOf()[0].detectable < high.detectable);
  deepEqual(rowsOf(), rowsOf());
});

Deno.test("detectable returns a difference that is found in 75 to 85% of 1 000 simulations", () => {
  const found = foundOf(1000);
  ok(found >= 0.75 && found <= 0.85, `${found}`);
});

Deno.test("detectable uses the test of compareRetention", () => {
  const curves = twoSectors();
  const [p] = compareRetention(curves, { by: "market_sector_id", month: 1 })
    .getColumn("p_value").toArray() as number[];
  const projects = (sector: string) =>
    (curves.toRecords() as {
      month: number;
      market_sector_id: string;
      size: number;
      retained: number;
    }[])
      .filter((row) => row.month === 1 && row.market_sector_id === sector);
  ok(
    Math.abs(
      logitTest(undated(projects("lending")), undated(projects("exchanges")), {
        confidence: 0.95,
        estimate: "weighted",
      }).p_value - p!,
    ) < 1e-12,
  );
});

/** Three projects with nine cohorts each, and one with two. */
function fourProjects() {
  const cohorts = [9, 9, 9, 2].flatMap((count, project) =>
    Array.from({ length: count }, (_, at): Cohort => ({
      project: `project-${project}`,
      cohort: `2025-0${at + 1}`,
      size: 1000 + 50 * at,
      months: [1, 0.3 + 0.02 * ((7 * at + project) % 5)],
    }))
  );
  return retentionCurves(cohortFrame(cohorts), { since: null });
}

Deno.test("detectable compares projects by blocks of cohorts, with the test of compareRetention", () => {
  const curves = fourProjects();
  const rows = rowsOf(curves, { by: "project_id" });
  const pairs = compareRetention(curves, { by: "project_id" }).toRecords() as {
    group_a: string;
    group_b: string;
    clusters_a: number;
    clusters_b: number;
    test: string | null;
  }[];
  deepEqual(
    rows.map((row) => [row.group_a, row.group_b, row.clusters_a, row.clusters_b]),
    pairs.map((row) => [row.group_a, row.group_b, row.clusters_a, row.clusters_b]),
  );
  deepEqual(rows.map(({ detectable }) => detectable !== null), [
    ...pairs.map(({ test }) => test === "jackknife"),
  ]);
  const [known] = rows;
  deepEqual([known.clusters_a, known.clusters_b, known.reason], [3, 3, BLOCKS_NOTE]);
  ok(known.detectable > 0.005 && known.detectable < 0.15, `${known.detectable}`);
  const none = rows.find(({ detectable }) => detectable === null);
  equal(none.reason, "needs three cohorts with users in the month on both sides");
});

Deno.test("detectable returns null and a reason if it has too few projects", () => {
  const cohorts = [0.3, 0.5, 0.1].map((retention, at): Cohort => ({
    project: `project-${at}`,
    sector: at === 0 ? "lending" : "exchanges",
    size: 1000,
    months: [1, retention],
  }));
  const [one] = rowsOf(retentionCurves(cohortFrame(cohorts), { since: null }));
  deepEqual([one.detectable, one.tau2, one.clusters_a], [null, null, 1]);
  equal(one.reason, "needs two units with users in the month on both sides");
  const wild = [0.01, 0.97, 0.5, 0.02].map((retention, at): Cohort => ({
    project: `project-${at}`,
    sector: at < 2 ? "lending" : "exchanges",
    size: 1000,
    months: [1, retention],
  }));
  const [two] = rowsOf(retentionCurves(cohortFrame(wild), { since: null }));
  equal(two.detectable, null);
  equal(two.reason, "no difference is found in 80% of simulations");
});

Deno.test("detectable refuses wrong options and missing months", () => {
  const refused = (options: object, message: RegExp) =>
    throws(() => rowsOf(twoSectors(), options as DetectableOptions), message);
  refused({ month: 13 }, /detectable: month: expected one of 0, 1, .*; got 13$/);
  refused({ by: "chain_id" }, /missing: chain_id; got/);
  refused({ power: 1 }, /power: /);
});

Deno.test("logits of simulations are those of the estimate of all users", () => {
  const chance = chanceOf(3);
  for (const count of [2, 3, 40]) {
    const clusters = Array.from({ length: count }, () => {
      const size = 5 + Math.floor(400 * chance.uniform());
      return { size, retained: Math.floor(size * chance.uniform()) };
    });
    const { estimate, influences } = weightedLogits(
      Float64Array.from(clusters, (each) => each.size),
    );
    const found = estimate(Float64Array.from(clusters, (each) => each.retained));
    const { logit, variance, least, degrees, ...rest } = logitEstimate(clusters, "weighted");
    deepEqual(found, { logit, variance, least, degrees });
    deepEqual([...influences], rest.influences);
  }
});
