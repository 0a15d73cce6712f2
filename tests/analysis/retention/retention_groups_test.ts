import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { forecastRetention } from "../../../lib/analysis/retention/forecast_retention.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame, curvesOf, withSpans } from "../cohort_frame.ts";
import { chanceOf } from "../simulated_cohorts.ts";
import { near } from "../measured.ts";

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;

const month = (at: number) => new Date(Date.UTC(2024, at, 1)).toISOString().slice(0, 7);
const spanned = (curves: DataFrame) => withSpans(curves, { before: "2024-01", after: "2025-07" });

/** Projects that differ much, with cohorts of 27 months; from July 2025 on, all keep `kept` times as many users. */
function changed(projects: number, kept: number): DataFrame {
  const chance = chanceOf(31);
  return curvesOf(
    ...Array.from({ length: projects }, (_, project) => {
      const level = 1 / (1 + Math.exp(0.8 - 0.8 * chance.normal()));
      const size = Math.round(60 * Math.exp(0.7 * chance.normal())) + 20;
      return Array.from({ length: 27 }, (_, at): Cohort => {
        const retained = chance.binomial(size, level * (at < 18 ? 1 : kept));
        return { project: `p${project}`, cohort: month(at), size, months: [1, retained / size] };
      });
    }).flat(),
  );
}

Deno.test("compareRetention finds a loss in every project by comparing each with itself", () => {
  const curves = spanned(changed(32, 0.7));
  const [paired] = compareRetention(curves, { by: "span" }).toRecords() as Row[];
  deepEqual(
    [paired.group_a, paired.group_b, paired.test, paired.pairs, paired.unpaired],
    ["before", "after", "paired", 32, 0],
  );
  ok(paired.p_value < 1e-6, `${paired.p_value}`);
  ok(paired.lower > 0 && paired.lower < paired.difference && paired.difference < paired.upper);
  near(paired.difference, paired.retention_a - paired.retention_b, 1e-12);
  const [alone] = compareRetention(curves, { by: "span", paired: false })
    .toRecords() as Row[];
  // Each project is left out of both spans at once, so that differences between projects hide nothing.
  deepEqual([alone.test, alone.pairs, alone.unpaired], ["jackknife", 32, 0]);
  ok(alone.p_value < 1e-4, `${alone.p_value}`);
});

// R: na <- c(4000, 3000, 2500, 5000, 3500, 2800); ka <- c(1200, 600, 1000, 900, 1500, 400)
//    nb <- c(4200, 3100, 2000, 4500, 4000, 3000); kb <- c(1000, 450, 700, 600, 1500, 300)
//    w <- na * nb / (na + nb); d <- ka / na - kb / nb; D <- function(i) sum(w[i] * d[i]) / sum(w[i])
//    se <- sqrt(5 / 6 * sum((sapply(1:6, function(i) D(-i)) - D(1:6))^2)); df <- sum(w)^2 / sum(w^2) - 1
//    2 * pt(-D(1:6) / se, df); D(1:6) + c(-1, 1) * qt(.975, df) * se
Deno.test("paired tests are the difference of Mantel and Haenszel with a jackknife over projects", () => {
  const [na, ka] = [[4000, 3000, 2500, 5000, 3500, 2800], [1200, 600, 1000, 900, 1500, 400]];
  const [nb, kb] = [[4200, 3100, 2000, 4500, 4000, 3000], [1000, 450, 700, 600, 1500, 300]];
  const cohorts = (sizes: number[], kept: number[], cohort: string) =>
    sizes.map((size, at): Cohort => (
      { project: `p${at}`, cohort, size, months: [1, kept[at]! / size] }
    ));
  // A seventh project has no cohort after the change.
  const curves = spanned(curvesOf(
    ...cohorts([...na, 100], [...ka, 50], "2024-05"),
    ...cohorts(nb, kb, "2025-08"),
  ));
  const options = { by: "span" } as const;
  const [row] = compareRetention(curves, options).toRecords() as Row[];
  deepEqual([row.test, row.pairs, row.unpaired], ["paired", 6, 1]);
  near(row.p_value, 2.14968079888943e-5, 1e-15);
  near(row.lower, 0.04397419948128724, 1e-12);
  near(row.upper, 0.0599213824165242, 1e-12);
  near(row.retention_a, 0.2697965557839537, 1e-12);
  near(row.retention_a - row.retention_b, row.difference, 1e-15);
  for (const more of [{}, { paired: true }]) {
    throws(
      () => compareRetention(curves, { ...options, ...more, estimate: "weighted" }),
      /estimate: has no effect on paired comparisons, .* got "weighted"; leave it out, or pass paired: false/,
    );
  }
  // All units count by default where groups are not spans; a unit in both is left out of both at once.
  const [joint] = compareRetention(
    spanned(curvesOf(...cohorts(na, ka, "2024-05"), ...cohorts(nb, kb, "2025-08"))),
    { ...options, paired: false },
  ).toRecords() as Row[];
  // numpy: the influences of each unit on both logits, and the variance of their differences.
  near(joint.p_value, 0.005066909588294769, 1e-12);
  deepEqual([joint.test, joint.pairs, joint.unpaired], ["jackknife", 6, 0]);
});

Deno.test("retentionCurves keeps own columns, and every analysis groups by them", () => {
  const tiers = ["large", "large", "large", "small", "small", "small"];
  const chance = chanceOf(5);
  const cohorts = cohortFrame(
    tiers.flatMap((_, project) =>
      Array.from({ length: 14 }, (_, at): Cohort => {
        const kept = (p: number) => chance.binomial(500, p - 0.02 * project) / 500;
        return {
          ...{ project: `p${project}`, cohort: month(at), size: 500 },
          months: [1, kept(0.5), kept(0.4), kept(0.3), kept(0.25)],
        };
      })
    ),
  );
  const own = tiers.flatMap((tier) => Array.from({ length: 14 }, () => tier));
  const frame = cohorts.withColumns(
    utf8("tier_id", own),
    utf8("tier_name", own.map((tier) => `The ${tier}`)),
    pl.Series("round", own.map((tier) => tier === "large" ? 1 : 2), pl.Int64),
  );
  const curves = retentionCurves(frame, { unit: "fraction" });
  deepEqual(curves.columns.slice(5, 8), ["tier_id", "tier_name", "round"]);
  const pooled = pooledRetention(curves, { by: ["tier_id", "round"] });
  deepEqual(pooled.columns.slice(0, 4), ["tier_id", "tier_name", "round", "month"]);
  deepEqual(pooled.unique({ subset: ["tier_id"] }).select("tier_name", "round").rows().sort(), [
    ["The large", "1"],
    ["The small", "2"],
  ]);
  const groupsIn = (result: DataFrame) => [...new Set(result.getColumn("tier_id").toArray())];
  for (
    const result of [
      forecastRetention(curves, { by: "tier_id" }),
      cohortTrend(curves, { by: "tier_id" }),
    ]
  ) {
    deepEqual(groupsIn(result), ["large", "small"]);
    ok(result.columns.includes("tier_name"));
  }
  const [found] = compareRetention(curves, { by: "tier_id", groups: ["small", "large"] })
    .toRecords() as Row[];
  deepEqual(
    [found.group_a, found.group_b, found.test, found.clusters_a],
    ["small", "large", "jackknife", 3],
  );
  const timed = withSpans(curves, { early: "2024-01", late: "2024-07" });
  const both = compareRetention(timed, { by: ["tier_id", "span"] }).toRecords() as Row[];
  deepEqual(both.map((row) => [row.group_a, row.group_b, row.pairs]), [
    ["large · early", "large · late", 3],
    ["small · early", "small · late", 3],
  ]);
  const planned = (options: object) =>
    detectable(timed, { by: "span", ...options }).toRecords()[0] as Row;
  // The paired test finds smaller differences than the one of all units, which differ much.
  deepEqual([planned({}).reason, planned({}).clusters_a], [null, 6]);
  ok(planned({}).detectable < 0.05, `${planned({}).detectable}`);
  ok(planned({ confidence: 0.8 }).detectable < planned({}).detectable);
  equal(cohortTrend(timed, { by: "span" }).getColumn("span").nullCount(), 0);
  throws(
    () => retentionCurves(frame.withColumn(pl.lit(1).alias("size"))),
    /retentionCurves: the frame already has size; rename or drop the column/,
  );
});

Deno.test("groups that cannot be used are refused with the reason", () => {
  const curves = changed(6, 1);
  const refused = (options: object, message: RegExp) =>
    throws(() => compareRetention(curves, options as never), message);
  refused({ by: "size" }, /by: must name columns of groups; size is a value: rename it; got/);
  refused({ by: [] }, /by: must be a column, a list of columns, or "all"; got \[\]$/);
  refused({ by: ["cohort", "cohort"] }, /by: must list each column once/);
  refused({ by: "tier" }, /expected a frame of retentionCurves; missing: tier; got/);
  refused({ by: "span" }, /missing: span; got/);
});
