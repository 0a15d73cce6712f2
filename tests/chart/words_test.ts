import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { cohortLayers, userFlows } from "../../lib/analysis/retention/cohort_layers.ts";
import { pooledRetention } from "../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import { growthRates, rollingMean } from "../../lib/analysis/series/timeline_columns.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotLayers } from "../../lib/chart/layers.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { plotUserFlows } from "../../lib/chart/user_flows.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { where } from "../../lib/table/read/where.ts";
import { withSource } from "../../lib/table/track/with_source.ts";

/** Four months of some entities. */
function months(column: string, names: readonly string[]): DataFrame {
  return pl.DataFrame(names.flatMap((name, at) =>
    Array.from({ length: 4 }, (_, month) => (
      { [column]: name, date: new Date(Date.UTC(2025, month)), trades: 50 * (at + 1) + month }
    ))
  ));
}

Deno.test("titles count entities by the plural of their column", () => {
  for (
    const [column, counted] of [
      ["oracle", "3 oracles"],
      ["Registry", "3 registries"],
      ["mutex", "3 mutexes"],
      ["L2", "3 L2s"],
      ["dex", "3 dexes"],
      ["DEX", "3 DEXes"],
      ["fee tier", "3 fee tiers"],
      // A plural of another language is not known.
      ["сеть", "3 values of сеть"],
    ] as const
  ) {
    strictEqual(
      plotTimeline(months(column, ["a", "b", "c"]), { field: "trades" }).title,
      `Trades of ${counted}, Jan 2025 to Apr 2025`,
    );
  }
});

Deno.test("a single entity is named, not counted", async () => {
  const { label, title } = await plotTimeline(months("oracle", ["Pyth"]), { field: "trades" }).spec;
  strictEqual(title, "Trades of Pyth, Jan 2025 to Apr 2025");
  match(label, /^Line chart of Pyth, /);
});

/** The cohorts of two regions and two shops, with their own word for a channel. */
const COHORTS = withSource(
  pl.DataFrame(
    ["Nord", "Süd"].flatMap((region, at) =>
      ["web", "shop"].flatMap((channel, more) =>
        ["2025-01", "2025-02", "2025-03"].flatMap((cohort, late) =>
          [200, 90 - 9 * at, 70 + 7 * more].slice(0, 3 - late).map((retained, month) => (
            { region, channel, cohort, month, size: 200, retained }
          ))
        )
      )
    ),
  ),
  { citation: "Shops" },
) as unknown as DataFrame;

Deno.test("a title names what the frame was filtered to", () => {
  const curves = retentionCurves(COHORTS);
  const both = where(curves, { region: "Nord", channel: "web" });
  for (
    const { title } of [
      plotRetentionHeatmap(both),
      plotLayers(cohortLayers(both)),
      plotUserFlows(userFlows(both)),
      plotRetention(pooledRetention(both)),
    ]
  ) {
    match(title, /Nord(?:,| ·) web/);
    strictEqual(title.split("Nord").length, 2, title);
  }
  const web = where(curves, { channel: "web" });
  match(
    plotRetention(pooledRetention(web, { by: "region" })).title,
    /^Retention of 2 regions, web,/,
  );
  doesNotMatch(plotRetention(pooledRetention(curves, { by: "region" })).title, /web|shop|Nord/);
  // A filter of the only entity is not repeated, and a filter of several is not named.
  const frame = months("oracle", ["Pyth", "Api3", "Redstone"]);
  strictEqual(
    plotTimeline(where(frame, { oracle: "Api3" }), { field: "trades" }).title,
    "Trades of Api3, Jan 2025 to Apr 2025",
  );
  match(
    plotTimeline(where(frame, { oracle: ["Api3", "Pyth"] }), { field: "trades" }).title,
    /^Trades of 2 oracles, Jan/,
  );
});

Deno.test("a comparison of one month since first use says which", () => {
  const pooled = pooledRetention(retentionCurves(COHORTS), { by: "region" });
  const chart = plotComparison(where(pooled, { month: 1 }), { field: "retention" });
  strictEqual(chart.title, "Retention of 2 regions in month 1");
});

Deno.test("titles of growth and of means name their distance and their periods", () => {
  const frame = months("oracle", ["Pyth", "Api3"]);
  const field = "trades";
  const titles = [
    plotTimeline(growthRates(frame, { field })),
    plotTimeline(growthRates(frame, { field, periods: 2 })),
    plotTimeline(growthRates(frame, { field, periods: "year" }), { field: "trades_growth" }),
    plotTimeline(rollingMean(frame, { field, periods: 3 })),
  ].map(({ title }) => title.replace(/:.*/, ""));
  deepStrictEqual(titles, [
    "Trades, growth over a month",
    "Trades, growth over 2 months",
    "Trades, growth over a year",
    "Trades, rolling mean of 3 months",
  ]);
});
