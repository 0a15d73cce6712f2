import { where } from "../../lib/table/read/where.ts";
import { doesNotMatch, equal, match, ok } from "node:assert/strict";
import {
  forecastRetention,
  pl,
  plotRetention,
  plotRetentionHeatmap,
  pooledRetention,
  retentionCurves,
} from "../../mod.ts";
import { type Cohort, cohortFrame } from "./cohort_frame.ts";

const MONTHS = [1, 0.6, 0.45, 0.37, 0.32, 0.29];
const COHORTS: Cohort[] = ["a", "b", "c"].flatMap((project, index) =>
  ["2025-01", "2025-02", "2025-03"].map((cohort, age) => ({
    project,
    sector: index < 2 ? "loans" : "games",
    cohort,
    size: 100 * (index + 1) + age,
    months: MONTHS.slice(0, 6 - age).map((value, month) => month === 0 ? 1 : value / (index + 1)),
  }))
);
const curves = retentionCurves(cohortFrame(COHORTS), { unit: "fraction", since: "2025-01" });

/** Words of columns that say something about a month, and must not pass for names of groups. */
const NO_NAMES = /binomial|cluster|project_id|\btrue\b|\bfalse\b|\bsbg\b/;

/** The texts of a picture. */
async function told(chart: { svg(): Promise<string> }): Promise<string> {
  const [, words] = /<desc>([^<]*)<\/desc>/.exec(await chart.svg()) ?? [];
  ok(words !== undefined);
  doesNotMatch(words, NO_NAMES);
  return words;
}

Deno.test("plotRetention draw one line per group of a pooled frame", async () => {
  for (const draw of [plotRetention]) {
    const sectors = await told(
      draw(pooledRetention(curves, { by: "market_sector_id", washout: 1 })),
    );
    match(sectors, /Line chart of 2 market sectors[^:]*: The loans [^:]*; The games /);
    match(
      await told(draw(pooledRetention(curves, { washout: 1 }))),
      /Line chart of first-time users/,
    );
    match(
      await told(draw(pooledRetention(curves, { by: "project_id", cluster: "none", washout: 1 }))),
      /Line chart of 3 projects/,
    );
  }
});

Deno.test("plotRetention draws forecasts with bounds, by cluster and alone, of every model", async () => {
  for (const model of ["active", "sbg"] as const) {
    const forecast = forecastRetention(curves, {
      by: "market_sector_id",
      model,
      horizon: 12,
      washout: 1,
    });
    match(await told(plotRetention(forecast)), /Line chart of 2 market sectors[^:]*: The loans /);
  }
  const alone = forecastRetention(curves, { horizon: 12, washout: 1 });
  match(await told(plotRetention(alone)), /Line chart of first-time users/);
});

Deno.test("plotRetention and plotRetentionHeatmap draw curves that mark left-truncated cohorts", async () => {
  await told(plotRetention(curves));
  match(await told(plotRetentionHeatmap(curves)), /Heat map/);
  await told(plotRetentionHeatmap(where(curves, { project_id: "a" })));
});

Deno.test("plotRetention name the method of cluster and forecast bounds", async () => {
  const interval = async (chart: { svg(): Promise<string> }) =>
    /(\d+%|confidence) intervals?\b/.exec(
      (await chart.svg()).replace(/<(title|desc)>.*?<\/\1>/g, ""),
    )
      ?.[1];
  for (const draw of [plotRetention]) {
    for (const [confidence, words] of [[0.95, "95%"], [0.8, "80%"]] as const) {
      const pooled = pooledRetention(curves, { by: "market_sector_id", confidence, washout: 1 });
      ok(pooled.getColumn("bounds").toArray().includes("cluster"));
      equal(await interval(draw(pooled)), words);
      equal(await interval(draw(pooled.drop("confidence"))), "confidence");
      const forecast = forecastRetention(curves, {
        by: "market_sector_id",
        confidence,
        washout: 1,
      });
      equal(await interval(draw(forecast)), words);
    }
    const both = pl.concat(
      [0.95, 0.8].map((confidence, index) =>
        pooledRetention(curves, { by: "market_sector_id", confidence, washout: 1 })
          .filter(pl.col("market_sector_id").eq(pl.lit(["loans", "games"][index]!)))
      ),
    );
    equal(await interval(draw(both)), "confidence");
  }
});
