import { deepEqual, equal, match, throws } from "node:assert/strict";
import { contributions } from "../../../lib/analysis/series/contributions.ts";
import { counterfactual } from "../../../lib/analysis/programs/counterfactual.ts";
import { eventStudy } from "../../../lib/analysis/programs/event_study.ts";
import { resample } from "../../../lib/analysis/series/resample.ts";
import { shares } from "../../../lib/analysis/series/shares.ts";
import { growthRates, indexed } from "../../../lib/analysis/series/timeline_columns.ts";
import { cohortLayers, userFlows } from "../../../lib/analysis/retention/cohort_layers.ts";
import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import type { PlotChart } from "../../../lib/chart/chart.ts";
import { plotCohortTrend } from "../../../lib/chart/cohort_trend.ts";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { plotContributions } from "../../../lib/chart/contributions.ts";
import { plotCounterfactual } from "../../../lib/chart/counterfactual.ts";
import { plotEventStudy } from "../../../lib/chart/event_study.ts";
import { plotLayers } from "../../../lib/chart/layers.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { plotUserFlows } from "../../../lib/chart/user_flows.ts";
import type { DataFrame } from "../../../lib/table/columns/polars.ts";
import { where } from "../../../lib/table/read/where.ts";
import { type Cohort, cohortFrame } from "../../analysis/cohort_frame.ts";
import { warned } from "../../analysis/measured.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { ownFees } from "../own_months.ts";

const FEES = ownFees(Object.fromEntries(
  Array.from({ length: 12 }, (_, chain) => [
    `p${chain}`,
    Array.from(
      { length: 20 },
      (_, at) =>
        (100 + 5 * at + 3 * Math.sin(at * (chain + 1))) * (1 + chain / 10) *
        (chain === 3 && at >= 15 ? 1.5 : 1),
    ),
  ]),
));
const field = "fees_usd";
const march = new Date("2026-03-01");
const starts = { p3: "2026-04-01", p5: "2026-04-01", p7: "2026-02-01" };

const CHARTS: Readonly<Record<string, (frame: DataFrame, date: string) => PlotChart>> = {
  plotTimeline: (frame) => plotTimeline(frame, { field }),
  shares: (frame) => plotTimeline(shares(frame, { field })),
  growthRates: (frame) => plotTimeline(growthRates(frame, { field })),
  indexed: (frame) => plotTimeline(indexed(frame, { field })),
  resample: (frame) => plotTimeline(resample(frame, { every: "quarter", how: "sum" }), { field }),
  contributions: (frame) => plotContributions(contributions(frame, { field })),
  waterfall: (frame) => plotContributions(contributions(frame, { field }), { as: "waterfall" }),
  counterfactual: (frame) =>
    plotCounterfactual(counterfactual(frame, { field, starts: { p3: "2026-04-01" } })),
  eventStudy: (frame) => plotEventStudy(eventStudy(frame, { field, starts, scale: "log" })),
  plotComparison: (frame, date) => plotComparison(where(frame, { [date]: march }), { field }),
};

for (const [name, draw] of Object.entries(CHARTS)) {
  Deno.test(`the chart of ${name} reads dates in a column of any name`, () =>
    warned(async () => {
      const shown = async (date: string) => {
        const frame = date === "date" ? FEES : FEES.rename({ date });
        const { title, subtitle, caption, rows } = await draw(frame, date).spec;
        return { title, subtitle, caption, rows };
      };
      deepEqual(await shown("paid_on"), await shown("date"));
    })[0]);
}

Deno.test("plotComparison refuses several dates of an entity, whatever the name of their column", () => {
  throws(
    () => plotComparison(FEES.rename({ date: "paid_on" }), { field }),
    /each row must be a different item; got "p0" 20 times/,
  );
});

const COHORTS = Array.from({ length: 16 }, (_, at): Cohort => ({
  cohort: new Date(Date.UTC(2024, at, 1)).toISOString().slice(0, 7),
  size: 1000,
  months: [1, 0.3 + 0.005 * at, 0.2],
}));
const curves = retentionCurves(cohortFrame(COHORTS), { since: null });
const events = [{ date: "2024-09-01", label: "fork" }, { date: "2031-01-01", label: "later" }];

for (
  const [name, draw, lines] of [
    ["plotLayers", () => plotLayers(cohortLayers(curves), { events }), 1],
    ["plotUserFlows", () => plotUserFlows(userFlows(curves), { events }), 2],
    ["plotCohortTrend", () => plotCohortTrend(cohortTrend(curves, { month: 1 }), { events }), 1],
  ] as const
) {
  Deno.test(`${name} marks events, and counts those outside of its dates`, async () => {
    const chart = draw();
    const svg = await drawnSvg(chart);
    const names = textsOf(svg, "rule name").filter((text) => text !== "older cohorts unknown");
    deepEqual(names, ["fork"]);
    // The line of an event goes through all panels of a chart.
    const places = [...svg.querySelectorAll('g[aria-description="rule"] line')]
      .map((line) => line.getAttribute("x1"));
    equal(places.length - (textsOf(svg, "rule name").length - 1), lines);
    match((await chart.spec).caption.join(" "), /Events outside the drawn dates: 1\./);
  });
}

Deno.test("an event on the day of a counterfactual names its line", async () => {
  const result = counterfactual(FEES, { field, starts: { p3: "2026-04-01" } });
  const named = [
    { date: "2026-04-01", label: "exploit" },
    { date: "2025-10-01", label: "rumors" },
  ];
  const svg = await drawnSvg(plotCounterfactual(result, { events: named }));
  deepEqual(textsOf(svg, "rule name"), ["rumors", "exploit"]);
  equal(marksOf(svg, "difference", "path").length, 1);
});
