import { equal, match, ok } from "node:assert/strict";
import { cohortLayers } from "../../lib/analysis/retention/cohort_layers.ts";
import { compareRetention } from "../../lib/analysis/retention/compare_retention.ts";
import { cohortTrend } from "../../lib/analysis/retention/cohort_trend.ts";
import { pooledRetention } from "../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import type { PlotChart } from "../../lib/chart/chart.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotDifference } from "../../lib/chart/difference.ts";
import { plotLayers } from "../../lib/chart/layers.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { pl } from "../../lib/table/columns/polars.ts";
import { withSource } from "../../lib/table/track/with_source.ts";
import { warned } from "../analysis/measured.ts";

/** Subscriptions of three contracts a month, which grow: 24 cohorts in US dollars. */
function revenue() {
  const rows = Array.from(
    { length: 24 },
    (_, at) =>
      ["a", "b", "c"].flatMap((contract, unit) =>
        [0, 1, 2].map((month) => ({
          contract,
          cohort: new Date(Date.UTC(2023, at)).toISOString().slice(0, 7),
          month,
          size: 1000 + 100 * unit,
          retained: (1000 + 100 * unit) *
            (month === 0 ? 1 : 0.7 + 0.3 * month + 0.01 * ((at * 7) % 5)),
        }))
      ),
  ).flat();
  const frame = withSource(pl.DataFrame(rows), {
    citation: "a test",
    columns: {
      size: { unit: "usd", adds: "groups" },
      retained: { unit: "usd", adds: "groups" },
    },
  });
  return warned(() => retentionCurves(frame, { since: null }))[0];
}

Deno.test("charts of amounts have no word for persons, and name their unit", async () => {
  const curves = revenue();
  const one = curves.filter(pl.col("contract").eq(pl.lit("a")));
  const pooled = warned(() => pooledRetention(curves))[0];
  const charts: Record<string, PlotChart> = {
    plotRetention: plotRetention(pooled),
    "plotRetention of one contract": plotRetention(
      warned(() => pooledRetention(curves, { by: "contract" }))[0],
    ),
    plotRetentionHeatmap: plotRetentionHeatmap(one),
    plotLayers: plotLayers(cohortLayers(curves)),
    plotCohortTrend: plotCohortTrend(warned(() => cohortTrend(curves, { month: 1 }))[0]),
  };
  for (const [name, chart] of Object.entries(charts)) {
    const { title, subtitle, caption } = await chart.spec;
    const words = [title, subtitle, ...caption, await chart.svg(), await chart.html()]
      // Names of classes and attributes are not shown.
      .join("\n").replace(/\b(user-select|interactive|inactive)\b/g, "");
    const shown = words.replace(/<style[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/g, "");
    const found = shown.match(/[^<>\n]{0,40}\b([Uu]sers?|[Aa]ctive)\b[^<>\n]{0,40}/);
    equal(found?.[0], undefined, name);
    ok(/US\$/.test(`${subtitle} ${shown}`), `${name}: ${subtitle}`);
  }
  const { title, subtitle } = await charts.plotRetention!.spec;
  match(title, /^Net retention of value/);
  match(subtitle, /US\$ of month 0/);
});

Deno.test("a heat map of amounts has two hues around 100%, as far as the frame goes", async () => {
  const one = revenue().filter(pl.col("contract").eq(pl.lit("a")));
  const svg = await plotRetentionHeatmap(one).svg({ text: "plain" });
  const edges = [...svg.matchAll(/>(\d+)%</g)].map(([, number]) => Number(number));
  // The largest value is 134%; before, the scale went to 800%.
  ok(Math.max(...edges) <= 134, `${Math.max(...edges)}`);
});

Deno.test("plotDifference draws how long users stay in months", async () => {
  const rows = ["old", "new"].flatMap((plan, side) =>
    [0, 1, 2, 3].flatMap((team) =>
      [100, 50 + 3 * team - 20 * side, 30 + team - 10 * side].map((retained, month) => (
        { plan, team: `${plan} ${team}`, cohort: "2025-01", month, size: 100, retained }
      ))
    )
  );
  const curves = retentionCurves(pl.DataFrame(rows), { since: null });
  const compared = compareRetention(curves, { by: "plan", month: 2, estimate: "cumulative" });
  const { title, subtitle, caption } = await plotDifference(compared).spec;
  const words = [title, subtitle, ...caption].join(" ");
  match(title, /^Stay of old minus that of new/);
  match(subtitle, /In active months/);
  ok(!/percentage points/.test(words), words);
});
