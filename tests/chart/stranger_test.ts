import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { counterfactual } from "../../lib/analysis/programs/counterfactual.ts";
import { eventStudy } from "../../lib/analysis/programs/event_study.ts";
import { cohortLayers } from "../../lib/analysis/retention/cohort_layers.ts";
import { cohortTrend } from "../../lib/analysis/retention/cohort_trend.ts";
import { compareRetention } from "../../lib/analysis/retention/compare_retention.ts";
import { forecastRetention } from "../../lib/analysis/retention/forecast_retention.ts";
import { pooledRetention } from "../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import { userFlows } from "../../lib/analysis/retention/cohort_layers.ts";
import { check } from "../../lib/analysis/series/check.ts";
import { contributions } from "../../lib/analysis/series/contributions.ts";
import { decompose } from "../../lib/analysis/series/decompose.ts";
import { growthRates } from "../../lib/analysis/series/timeline_columns.ts";
import { indexed } from "../../lib/analysis/series/timeline_columns.ts";
import { resample } from "../../lib/analysis/series/resample.ts";
import { rollingMean } from "../../lib/analysis/series/timeline_columns.ts";
import { shares } from "../../lib/analysis/series/shares.ts";
import { topN } from "../../lib/analysis/tables/top_n.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotDifference } from "../../lib/chart/difference.ts";
import { plotContributions } from "../../lib/chart/contributions.ts";
import { plotContractFlows } from "../../lib/chart/contract_flows.ts";
import { plotCounterfactual } from "../../lib/chart/counterfactual.ts";
import type { PlotChart } from "../../lib/chart/chart.ts";
import { plotEventStudy } from "../../lib/chart/event_study.ts";
import { plotGrowth } from "../../lib/chart/growth.ts";
import { plotLayers } from "../../lib/chart/layers.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { plotUserFlows } from "../../lib/chart/user_flows.ts";
import { where } from "../../lib/table/read/where.ts";
import { trackedPolars as pl } from "../../lib/table/track/tracked_polars.ts";
import { withSource } from "../../lib/table/track/with_source.ts";
import { publicCharts } from "./public_charts.ts";
import { warned } from "../analysis/measured.ts";
import { drawnSvg, marksOf, textsOf } from "./drawn_svg.ts";

const DAY = 86_400_000;
const NAMES = ["Uni", "Maker", "Lido", "Aave", "Curve", "Comp", "Bal", "Year", "Synth", "Dex"];
const LAST = Date.UTC(2026, 5, 17);

/** Weeks at whose beginning two protocols each are treated. */
const STARTS = { Lido: "2026-03-02", Bal: "2026-03-02", Aave: "2026-04-06", Year: "2026-04-06" };

/**
 * Daily fees of ten protocols, retrieved in the middle of June 2026: one giant, one that begins late, one with a gap of a
 * month, one that ends in April, one with single missing days.
 */
function stranger(days = 300) {
  const rows = NAMES.flatMap((protocol, at) =>
    Array.from({ length: days }, (_, day) => ({ protocol, at, before: days - 1 - day }))
  ).filter(({ at, before }) =>
    !(at === 3 && before > 100 && before < 130 || at === 8 && before < 60 ||
      at === 5 && before > 250)
  );
  const fees = rows.map(({ at, before }) =>
    at === 9 && before % 40 === 0
      ? null
      : (at === 0 ? 4e6 : 9e4 / (1 + at)) * (1 + 0.3 * Math.sin(before / 17 + at))
  );
  const users = rows.map(({ at, before }) =>
    Math.round(100 * (10 - at) * (1 + 0.2 * Math.cos(before / 11)))
  );
  return withSource(
    pl.DataFrame({
      protocol: rows.map(({ protocol }) => protocol),
      users: pl.Series("users", users, pl.Float64),
      date: pl.Series("date", rows.map(({ before }) => new Date(LAST - before * DAY)), pl.Date),
      fees_usd: pl.Series("fees_usd", fees, pl.Float64),
    }),
    {
      citation: "Stranger (2026), Protocol fees",
      license: "CC-BY-4.0",
      retrievedAt: "2026-06-17",
      columns: { fees_usd: { unit: "usd", adds: "both" }, users: { adds: "groups" } },
    },
  );
}

/** A stranger's cohorts by country and funnel, of which the last ones are young. */
function visitors() {
  const rows = ["Brazil", "Japan", "Kenya"].flatMap((country, c) =>
    ["ad", "friend"].flatMap((funnel, f) =>
      Array.from({ length: 8 }, (_, k) => {
        const users = (month: number) =>
          Math.round(400 * (1 + c) * (0.6 + 0.05 * c + 0.04 * f + 0.001 * ((k * 7) % 5)) ** month);
        const months = Array.from({ length: 12 }, (_, month) => [
          `month_${month}`,
          k + month <= 10 ? users(month) : null,
        ]);
        return {
          ...{ country, funnel, cohort: `2025-0${k + 1}`, initial_cohort_size: users(0) },
          ...Object.fromEntries(months),
        };
      })
    )
  );
  return withSource(pl.DataFrame(rows), {
    citation: "Stranger (2026), Protocol fees",
    license: "CC-BY-4.0",
    retrievedAt: "2026-06-17",
  });
}

const daily = stranger();
const fees = daily.drop("users");
const monthly = resample(fees, { every: "month", missing: 0 });
const weekly = resample(fees, { every: "week", missing: 0 });
const priced = daily.filter(pl.col("fees_usd").isNotNull())
  .withColumns(pl.col("fees_usd").div(pl.col("users")).alias("fees_per_user"));
const curves = retentionCurves(visitors());
const pooled = pooledRetention(curves, { by: "country" });
const yesterday = where(daily, { date: "2026-06-16" });
const field = "fees_usd";
const stated = {
  citation: "Stranger (2026), Protocol fees",
  license: "CC-BY-4.0",
  retrievedAt: "2026-06-17",
};
const bridge = pl.Series("bridge", ["Hop", "Across", "Stargate"], pl.Utf8);
const numbers = (columns: Readonly<Record<string, readonly (number | null)[]>>) =>
  Object.entries(columns).map(([name, values]) => pl.Series(name, [...values], pl.Float64));
const bridges = withSource(
  pl.DataFrame([
    bridge,
    ...numbers({ inflows: [5, 3, 9], outflows: [2, 4, 9], net_flows: [3, -1, 0] }),
  ]),
  stated,
);
const empty = [null, null, null];
const growth = withSource(
  pl.DataFrame([
    bridge,
    pl.Series("measure", ["tvl", "tvl", "tvl"], pl.Utf8),
    ...numbers({
      ...{ "1d": [0.1, -0.2, 0], "7d": [0.3, 0.1, -0.4], "30d": [0.2, 0.1, null] },
      ...{ "90d": empty, "180d": empty, "365d": empty },
    }),
  ]),
  stated,
);

const drawings: Readonly<Record<string, () => PlotChart>> = {
  "Fees of 10 protocols, Aug 2025 to May 2026": () => plotTimeline(monthly),
  "Fees, growth over a month: 10 protocols, Sep 2025 to May 2026": () =>
    plotTimeline(growthRates(monthly, { field })),
  "Fees, index: 9 protocols, Sep 2025 to May 2026": () =>
    plotTimeline(indexed(where(monthly, { date: { from: "2025-09-01" } } as never), { field })),
  "Fees, rolling mean of 3 months: 10 protocols, Oct 2025 to May 2026": () =>
    plotTimeline(rollingMean(monthly, { field, periods: 3 })),
  "Ranks of 10 protocols by fees, Aug 2025 to May 2026": () =>
    plotTimeline(monthly, { as: "rank" }),
  "Contributions of 10 protocols to the monthly growth of fees, Sep 2025 to May 2026": () =>
    plotContributions(contributions(monthly, { field })),
  "Fees of Lido, observed and expected, 18 Aug 2025 to 8 Jun 2026": () =>
    plotCounterfactual(
      counterfactual(weekly, {
        field,
        starts: { Lido: "2026-03-01" },
      }),
    ),
  "Effect on fees by periods since treatment began": () =>
    plotEventStudy(warned(() => eventStudy(weekly, { field, starts: STARTS }))[0]),
  "Fees of 5 protocols, Aug 2025 to May 2026": () =>
    plotTimeline(topN(monthly, { field, limit: 5 })),
  "Share of fees of the 6 largest of 10 protocols, Aug 2025 to Jun 2026": () =>
    plotTimeline(shares(monthly, { field }), { as: "stack" }),
  "Change of fees of 22 values of protocol and factor, 23 Aug 2025 to 16 Jun 2026": () =>
    plotTimeline(decompose(priced, { product: field, factors: ["users", "fees_per_user"] })),
  "Contributions of 10 protocols to the growth of fees, Aug 2025 to May 2026": () =>
    plotContributions(contributions(monthly, { field }), { as: "waterfall" }),
  "Fees of 9 protocols, 16 Jun 2026": () => plotComparison(yesterday.drop("users")),
  "Fees against users of 9 protocols, 16 Jun 2026": () =>
    plotScatter(yesterday, { x: "users", y: field }),
  "Retention of 3 countries, months 1 to 10": () => plotRetention(pooled),
  "Retention and forecast of 3 countries, months 1 to 24": () =>
    plotRetention(forecastRetention(curves, { by: "country" })),
  "Retention by month of arrival, Jan 2025 to Aug 2025": () => plotRetentionHeatmap(curves),
  "Difference in retention of 3 pairs, month 3": () =>
    plotDifference(compareRetention(curves, { by: "country", month: 3 })),
  "Retention of ad minus that of friend, month 1": () =>
    plotDifference(compareRetention(curves, { by: "funnel" })),
  "Trend of retention in month 2 of 3 countries, cohorts of Jan 2025 to Aug 2025": () =>
    plotCohortTrend(cohortTrend(curves, { month: 2, by: "country" })),
  "Active users by month of arrival, Jan 2025 to Nov 2025": () => plotLayers(cohortLayers(curves)),
  "Monthly active users gained and lost, Jan 2025 to Nov 2025": () =>
    plotUserFlows(userFlows(curves)),
  "Flows of contracts of 3 bridges": () => plotContractFlows(bridges),
  "Change of TVL of 3 bridges, 1 to 30 days": () => plotGrowth(growth, { label: "bridge" }),
};

Deno.test("every public chart draws a stranger's frame", () => {
  const drawn = Object.values(drawings).flatMap((draw) => /plot[A-Z]\w+/.exec(String(draw)) ?? []);
  deepEqual([...new Set(drawn)].toSorted(), publicCharts());
});

for (const [title, draw] of Object.entries(drawings)) {
  Deno.test(`a stranger's frame: ${title}`, async () => {
    const chart = draw();
    const { caption } = await chart.spec;
    equal(chart.title, title);
    match(caption.at(-1)!, /Stranger \(2026\), Protocol fees, CC-BY-4\.0\.$/);
    ok((await chart.svg()).length > 2000);
  });
}

Deno.test("plotTimeline without field draws the column that growthRates added", async () => {
  const { rows } = await plotTimeline(growthRates(monthly, { field })).spec;
  const uni = rows.filter(({ group, value }) => group === "Uni" && value !== null);
  ok(uni.length > 5 && uni.every(({ value }) => Math.abs(Number(value)) < 100));
});

Deno.test("plotTimeline of the rows of check names what to call", () => {
  throws(
    () => plotTimeline(check(monthly)),
    /frame: expected values over time; got the rows of check\. Print them by show\(frame\), and draw/,
  );
});

Deno.test("plotUserFlows of own cohorts draws the change of their total, and no part that is unknown", async () => {
  const flows = userFlows(curves);
  const { rows, legend } = await plotUserFlows(flows).spec;
  deepEqual(legend.map(({ label }) => label), ["new", "returned", "lost"]);
  const total = [...flows.getColumn("total")] as number[];
  deepEqual(
    rows.filter(({ group }) => group === "Change of active users").map(({ value }) => value),
    total.map((now, at) => at === 0 ? null : now - total[at - 1]!),
  );
});

Deno.test("plotComparison of many dates names where and topN", () => {
  throws(
    () => plotComparison(fees),
    /keep one date by where.* topN.* plotTimeline draws all dates/,
  );
});

Deno.test("plotTimeline draws one date as bars, faded if the period still runs", async () => {
  const svg = await drawnSvg(plotTimeline(where(monthly, { date: "2026-06-01" })));
  const bars = marksOf(svg, "bar", "rect");
  equal(bars.length, 10);
  deepEqual([...new Set(bars.map((bar) => bar.getAttribute("fill-opacity")))], ["0.45"]);
  equal(marksOf(svg, "line", "path").length, 0);
});

Deno.test("plotComparison draws bars beside a giant at least 2 px long, and names the log scale", async (t) => {
  const said: string[] = [];
  const { error } = console;
  console.error = (text: string) => said.push(text);
  try {
    const frame = withSource(
      pl.DataFrame({ protocol: ["a", "b", "c"], fees_usd: [1e9, 1e3, 1] }),
      { citation: "x" },
    );
    const svg = await drawnSvg(plotComparison(frame));
    const widths = marksOf(svg, "bar", "rect").map((bar) => Number(bar.getAttribute("width")));
    ok(widths.every((width) => width >= 1.99), String(widths));
    deepEqual(textsOf(svg, "value").length, 3);
  } finally {
    console.error = error;
  }
  await t.step("the notice", () => match(said.join(), /scale: "log" shows all/));
});

Deno.test("plotComparison draws a zero in a strip beside a log axis, and no panel without values", async () => {
  const frame = pl.DataFrame({ protocol: ["a", "b", "c"], fees_usd: [1e4, 100, 0] })
    .withColumns(pl.lit(null).cast(pl.Float64).alias("tvl_usd"));
  const svg = await drawnSvg(plotComparison(frame, { field, scale: "log" }));
  const dots = marksOf(svg, "value dot", "circle");
  equal(dots.length, 3);
  const { panels, caption } = await plotComparison(frame, { field: [field, "tvl_usd"] }).spec;
  equal(panels.length, 1);
  match(caption.join(" "), /Not drawn, no value: TVL\./);
});

Deno.test("plotScatter fits its line only to points that are on the axes, and draws it solid", async () => {
  const frame = pl.DataFrame({
    protocol: ["a", "b", "c", "d"],
    x: [1, 10, 100, 0],
    y: [2, 20, 200, 5000],
  });
  const chart = plotScatter(frame, { x: "x", y: "y", trend: true, scale: "log" });
  equal((await chart.spec).caption[0], "Line: least squares, y ∝ x^1.00, r² = 1.00, n = 3.");
  ok(!(await chart.svg()).includes("stroke-dasharray"));
});

Deno.test("plotTimeline writes each name of ranks once at 320 px, at the last ranked period", async () => {
  const names = textsOf(
    await drawnSvg(plotTimeline(monthly, { as: "rank", width: 320 })),
    "line label",
  );
  deepEqual(names.toSorted(), NAMES.toSorted());
});

Deno.test("charts under a title of the user say the measure in the subtitle", async () => {
  const { subtitle } = await plotTimeline(monthly, { title: "My title" }).spec;
  match(
    subtitle,
    /^Fees of 10 protocols, Aug 2025 to May 2026; US\$ a month; each panel /,
  );
});

Deno.test("stacks of close bars have a height of zero in a gap, and no line of totals across it", async () => {
  const days = [0, 1, 2, 3, 20, 21, 22].flatMap((day) =>
    Array.from({ length: 12 }, (_, at) => day + 23 * at)
  ).toSorted((a, b) => a - b);
  const frame = pl.DataFrame({
    protocol: days.flatMap(() => ["a", "b"]),
    date: pl.Series(
      "date",
      days.flatMap((day) => [day, day].map((d) => new Date(LAST + d * DAY))),
      pl.Date,
    ),
    contribution: days.flatMap((day) => [0.1 + day / 1e4, -0.05]),
    total: days.flatMap((day) => [0.05 + day / 1e4, 0.05 + day / 1e4]),
    status: days.flatMap(() => ["both", "both"]),
  });
  const svg = await drawnSvg(plotContributions(frame, { width: 320 }));
  const [line] = marksOf(svg, "total", "path");
  equal(line!.getAttribute("d")!.split("M").length - 1, 13);
});

Deno.test("plotDifference begins each of several pairs with the group that keeps more, largest first", async () => {
  const number = (name: string, values: (number | null)[]) => pl.Series(name, values, pl.Float64);
  const frame = pl.DataFrame({
    group_a: ["a", "a", "b"],
    group_b: ["b", "c", "c"],
    month: [3, 3, 3],
    difference: number("difference", [-0.2, 0.05, 0.25]),
    lower: number("lower", [-0.3, -0.1, 0.1]),
    upper: number("upper", [-0.1, 0.2, 0.4]),
  });
  const { rows } = await plotDifference(frame).spec;
  deepEqual(rows.map((row) => Object.values(row)), [
    ["b − c", 0.25, 0.1, 0.4],
    ["b − a", 0.2, 0.1, 0.3],
    ["a − c", 0.05, -0.1, 0.2],
  ]);
});
