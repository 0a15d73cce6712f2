import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { BLOCKS_NOTE } from "../../../lib/analysis/retention/cohort_counts.ts";
import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { forecastRetention } from "../../../lib/analysis/retention/forecast_retention.ts";
import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { userFlows } from "../../../lib/analysis/retention/cohort_layers.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { withSpans } from "../cohort_frame.ts";
import { chanceOf } from "../simulated_cohorts.ts";
import { near, warned } from "../measured.ts";

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;

/** Own cohorts of twelve units in each of two countries. */
function ownCohorts(unit: string, more: (at: number) => Record<string, string> = () => ({})) {
  const chance = chanceOf(3);
  const rows = ["DE", "FR"].flatMap((country) =>
    Array.from({ length: 12 }, (_, at) => {
      const p = 1 / (1 + Math.exp(1.2 - 0.4 * chance.normal()));
      return Array.from({ length: 9 }, (_, cohort) => ({
        country,
        [unit]: `${country} ${at}`,
        ...more(at),
        cohort: `2025-0${cohort + 1}`,
        month: 3,
        size: 300,
        retained: chance.binomial(300, p),
      }));
    }).flat()
  );
  return retentionCurves(pl.DataFrame(rows), { since: null });
}

const BY = { by: "country", month: 3 } as const;

Deno.test("compareRetention has the same result for any name of the column of units", () => {
  const rows = ["funnel", "project_id", "device"].map((unit) =>
    compareRetention(ownCohorts(unit), BY).toRecords()[0] as Row
  );
  const { cluster_a: _, cluster_b: __, ...expected } = rows[1];
  for (const [at, unit] of ["funnel", "project_id", "device"].entries()) {
    const { cluster_a, cluster_b, ...row } = rows[at];
    deepEqual([cluster_a, cluster_b, row], [unit, unit, expected]);
  }
  deepEqual([expected.test, expected.clusters_a, expected.reason], ["jackknife", 12, null]);
  ok(expected.p_value > 0.01, `${expected.p_value}`);
  const pooled = pooledRetention(ownCohorts("funnel"), { by: "country" });
  deepEqual([...new Set(pooled.getColumn("cluster").toArray())], ["funnel"]);
  equal(cohortTrend(ownCohorts("funnel"), { month: 3 }).getColumn("slope").nullCount(), 9);
});

Deno.test("cluster takes any column of units, and none; cohort_block means the default", () => {
  const curves = ownCohorts("funnel", (at) => ({ region: `region ${at % 4}` }));
  const clusters = (cluster: string) => {
    const [row] = compareRetention(curves, { ...BY, cluster }).toRecords() as Row[];
    return [row.cluster_a, row.clusters_a];
  };
  deepEqual(clusters("funnel"), ["funnel", 12]);
  deepEqual(clusters("region"), ["region", 4]);
  deepEqual(clusters("cohort_block"), ["funnel", 12]);
  deepEqual(clusters("none"), ["none", null]);
  const named = curves.withColumn(pl.lit("a").alias("none"));
  throws(
    () => compareRetention(named, { ...BY, cluster: "none" }),
    /cluster: must be "none" or a column of units; got a column named none: rename it/,
  );
  throws(() => compareRetention(curves, { ...BY, cluster: "size" }), /a column named size: rename/);
  throws(() => cohortTrend(curves, { month: 3, cluster: "none" }), /must be a column of units/);
});

Deno.test("several columns that are left are an error that names them and cluster", () => {
  const single = ownCohorts("funnel");
  const curves = pl.concat(
    ["phone", "desk"].map((device) => single.withColumn(pl.lit(device).alias("device"))),
  );
  const message =
    /: cluster: must name the column .* got none, and funnel and device are left beside country, as in cluster: "funnel"$/;
  const calls: ((frame: DataFrame, more: { cluster?: string }) => DataFrame)[] = [
    (frame, more) => compareRetention(frame, { ...BY, ...more }),
    (frame, more) => pooledRetention(frame, { by: "country", ...more }),
    (frame, more) => cohortTrend(frame, { ...BY, ...more }),
    (frame, more) => detectable(frame, { ...BY, ...more, power: 0.1 }),
  ];
  for (const call of calls) {
    throws(() => call(curves, {}), message);
    ok(call(curves, { cluster: "funnel" }).height > 0);
  }
});

Deno.test("groups without units have blocks of cohorts, and say what these leave out", () => {
  const curves = ownCohorts("funnel").filter(
    pl.col("funnel").eq(pl.lit("DE 1")).or(
      pl.col("funnel").eq(pl.lit("FR 2")),
    ),
  ).drop("funnel");
  const [compared, told] = warned(() => compareRetention(curves, BY).toRecords()[0] as Row);
  deepEqual(
    [compared.cluster_a, compared.clusters_a, compared.reason],
    ["cohort_block", 3, BLOCKS_NOTE],
  );
  deepEqual(told, [`compareRetention: ${BLOCKS_NOTE}`]);
  const reason = (frame: DataFrame) => frame.getColumn("reason").toArray().at(-1);
  equal(reason(detectable(curves, BY)), BLOCKS_NOTE);
  const months = pl.concat([1, 2, 3].map((month) =>
    curves.withColumns(
      pl.lit(month).cast(pl.Int64).alias("month"),
      pl.lit(90 / month).alias("retained"),
      pl.lit(0.3 / month).alias("retention"),
    )
  ));
  const forecast = forecastRetention(months, { by: "country", model: "sbg", horizon: 6 });
  deepEqual([reason(forecast), forecast.getColumn("cluster").toArray()[0]], [
    ...[BLOCKS_NOTE, "cohort_block"],
  ]);
  const first = (frame: DataFrame) => frame.getColumn("reason").toArray()[0];
  equal(
    first(cohortTrend(curves, BY)),
    `a break test needs 20 complete periods, got 9; ${BLOCKS_NOTE}`,
  );
  const units = cohortTrend(ownCohorts("funnel"), BY);
  deepEqual([first(units), units.getColumn("cluster").toArray().at(-1)], [
    ...["a break test needs 20 complete periods, got 9", "funnel"],
  ]);
});

Deno.test("two rows of one entity, cohort and month are an error that shows them", () => {
  const curves = ownCohorts("funnel");
  const doubled = pl.concat([curves, curves.head(1)]);
  for (
    const call of [
      (frame: DataFrame) => compareRetention(frame, BY),
      (frame: DataFrame) => pooledRetention(frame),
      (frame: DataFrame) => userFlows(frame),
    ]
  ) {
    throws(
      () => call(doubled),
      /entity: two rows have the same .*cohort.*month; got row 0: .*cohort 2025-01, month 3; row 216: /,
    );
  }
});

Deno.test("a result that rests on fewer than 10 retained or lost users says so", () => {
  const rows = ["DE", "FR"].flatMap((country) =>
    ["a", "b", "c", "d"].map((funnel, at) => ({
      country,
      funnel: `${country} ${funnel}`,
      cohort: "2025-01",
      month: 1,
      size: 100,
      retained: country === "DE" ? 1 + at % 2 : 30 + at,
    }))
  );
  const curves = retentionCurves(pl.DataFrame(rows), { since: null });
  const [row] = compareRetention(curves, { by: "country" }).toRecords() as Row[];
  match(row.reason, /^DE has only 6 retained users; fewer than three cohort dates: shocks that/);
  const [planned] = detectable(curves, { by: "country", power: 0.1 }).toRecords() as Row[];
  match(
    planned.reason,
    /^DE has only 6 retained users; fewer than three cohort dates: shocks that/,
  );
});

Deno.test("a forecast and a trend of fewer than 10 retained users in all say so", () => {
  const rows = Array.from({ length: 9 }, (_, at) =>
    [1, 2, 3].map((month) => ({
      cohort: `2025-0${at + 1}`,
      month,
      size: 20,
      retained: at < 3 && month === 1 ? 2 : Number(at === 0),
    }))).flat();
  const curves = retentionCurves(pl.DataFrame(rows), { since: null });
  const [told] = warned(() =>
    [
      forecastRetention(curves, { by: "all", model: "sbg", cluster: "none" }),
      cohortTrend(curves, { month: 1 }),
    ].map((frame) => frame.getColumn("reason").toArray()[0] as string)
  );
  // Six users in month 1, one in months 2 and 3.
  equal(told[0], "only 8 retained users");
  match(told[1]!, /; only 6 retained users; /);
});

Deno.test("paired comparisons of nobody have a difference of 0 and no test", () => {
  const rows = ["2024-01", "2025-01"].flatMap((cohort) =>
    ["a", "b", "c"].map((funnel) => ({ funnel, cohort, month: 1, size: 50, retained: 0 }))
  );
  const curvesOf = (given: typeof rows) =>
    withSpans(retentionCurves(pl.DataFrame(given), { since: null }), {
      old: "2024-01",
      new: "2025-01",
    });
  const curves = curvesOf(rows);
  const [row] = compareRetention(curves, { by: "span" }).toRecords() as Row[];
  deepEqual(
    [row.difference, row.lower, row.upper, row.p_value, row.test, row.pairs],
    [0, null, null, null, null, 3],
  );
  match(row.reason, /^none of the users are retained on both sides; old has only 0 retained users/);
  // One unit in both spans cannot be compared with itself; by default, all units count.
  const one = curvesOf(rows.slice(0, 4));
  const paired = compareRetention(one, { by: "span", paired: true }).toRecords()[0] as Row;
  match(paired.reason, /^fewer than two units are in both groups/);
  const more = ["2024-01", "2025-01"].flatMap((cohort, side) =>
    ["a", "b", "c"].map((funnel, at) => (
      { funnel, cohort, month: 1, size: 10, retained: at + side + 1 }
    ))
  );
  const alike = compareRetention(curvesOf(more), { by: "span" }).toRecords()[0] as Row;
  deepEqual([alike.p_value, alike.test], [null, null]);
  match(alike.reason, /^the differences of all units are equal/);
  // Clusters of cohorts or users are not units, so that spans are not paired by default.
  const users = compareRetention(one, { by: "span", cluster: "none" }).toRecords()[0] as Row;
  deepEqual([users.cluster_a, /^fewer than two units/.test(users.reason)], ["none", false]);
});

Deno.test("units in both groups all count, unlike paired ones", () => {
  // 19 funnels in one country, 19 in the other, and two in both, that differ less.
  const chance = chanceOf(9);
  const rows = ["DE", "FR"].flatMap((country) =>
    Array.from({ length: 21 }, (_, at) => ({
      country,
      funnel: at < 2 ? `both ${at}` : `${country} ${at}`,
      cohort: "2025-01",
      month: 1,
      size: 1000,
      retained: chance.binomial(1000, at < 2 || country === "DE" ? 0.2 : 0.5),
    }))
  );
  const curves = retentionCurves(pl.DataFrame(rows), { since: null });
  const [all] = compareRetention(curves, { by: "country" }).toRecords() as Row[];
  deepEqual([all.test, all.pairs, all.unpaired], ["jackknife", 2, 38]);
  ok(all.p_value < 1e-6 && all.difference < -0.25, `${all.p_value} ${all.difference}`);
  near(all.difference, all.retention_a - all.retention_b, 1e-12);
  const [two] = compareRetention(curves, { by: "country", paired: true }).toRecords() as Row[];
  ok(Math.abs(two.difference) < 0.05 && two.p_value > 0.05, `${two.difference}`);
});
