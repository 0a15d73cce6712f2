import assert from "node:assert/strict";
import type { PlotChart } from "../../lib/chart/chart.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotContractFlows } from "../../lib/chart/contract_flows.ts";
import { plotContributions } from "../../lib/chart/contributions.ts";
import { plotDifference } from "../../lib/chart/difference.ts";
import { publicCharts } from "./public_charts.ts";
import { plotGrowth } from "../../lib/chart/growth.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import type { ChartOptions } from "../../lib/chart/options.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { drawnSvg } from "./drawn_svg.ts";
import { type FrameMakers, frames } from "./edge_frames.ts";

const FIELD = "ecosystem_fees_30d_sum";
const LINES = { x: "month", field: "retention", by: "project_id", label: "project_name" };

const CHARTS: readonly [
  name: string,
  frame: keyof FrameMakers,
  draw: (frame: DataFrame, options: ChartOptions) => PlotChart,
][] = [
  ["plotRetention", "pooled", plotRetention],
  ["plotRetentionHeatmap", "curves", plotRetentionHeatmap],
  ["plotTimeline", "timeline", plotTimeline],
  [
    "plotTimeline as ranks",
    "timeline",
    (frame, options) => plotTimeline(frame, { ...options, as: "rank" }),
  ],
  [
    "plotTimeline as a stack",
    "timeline",
    (frame, options) => plotTimeline(frame, { ...options, as: "stack" }),
  ],
  [
    "plotTimeline in one panel",
    "timeline",
    (frame, options) =>
      plotTimeline(frame, {
        ...options,
        highlight: [frame.getColumn("data_id").nUnique() > 1 ? "n01" : "n00"],
      }),
  ],
  [
    "plotTimeline of any frame",
    "pooled",
    (frame, options) => plotTimeline(frame, { ...options, ...LINES }),
  ],
  [
    "plotComparison",
    "comparison",
    (frame, options) => plotComparison(frame, { ...options, field: FIELD }),
  ],
  [
    "plotScatter",
    "comparison",
    (frame, options) => plotScatter(frame, { ...options, x: FIELD, y: "ecosystem_tvl_30d_change" }),
  ],
  ["plotGrowth", "growth", plotGrowth],
  ["plotContractFlows", "flows", plotContractFlows],
  ["plotContributions", "parts", plotContributions],
  ["plotDifference", "pairs", plotDifference],
  ["plotCohortTrend", "trends", plotCohortTrend],
];

/** Charts whose rows are not groups: times, cohorts that all have a bar, parts of users, and placebos. */
const NO_GROUPS = ["plotCounterfactual", "plotEventStudy", "plotLayers", "plotUserFlows"];

Deno.test("every public chart has its place in this test", () => {
  const named = CHARTS.map(([name]) => name.split(" ")[0]!);
  assert.deepEqual([...new Set([...named, ...NO_GROUPS])].toSorted(), publicCharts());
});

/** The sixth of each twelve groups has no value; sizes fall by a fifth from group to group. */
const valueOf = (group: number, step: number) =>
  group % 12 === 5 ? null : 0.8 * 0.8 ** group * (1 + 0.02 * ((group * 7 + step * 3) % 11));

const nameOf = (group: number) => `n${String(group).padStart(2, "0")}`;

/** The number of rows that the notes count without a name. */
function counted(notes: string): number {
  const sum = (pattern: RegExp, of: (numbers: number[]) => number) =>
    [...notes.matchAll(pattern)].reduce((all, match) => all + of(match.slice(1).map(Number)), 0);
  return sum(
    /(?:Drawn|In the chart|Shown): the (\d+) (?:[^.]*? )?of (\d+)/g,
    ([kept, all]) => all! - kept!,
  ) +
    sum(/(?:Not drawn|Left out|Without)[^.]*? and (\d+) more/g, ([more]) => more!) +
    sum(/Without[^.:]*: (\d+) of \d+/g, ([some]) => some!) +
    sum(/other \((\d+)/g, ([some]) => some!);
}

for (const [name, kind, draw] of CHARTS) {
  Deno.test(`${name} draws, names or counts every row of its frame`, async () => {
    for (const groups of [1, 4, 12, 36]) {
      for (const width of [800, 360]) {
        const what = `${groups} groups at ${width} px`;
        const chart = draw(frames[kind](groups, valueOf, nameOf), { width });
        const { rows, caption, label, legend } = await chart.spec;
        const all = Array.from({ length: groups }, (_, group) => nameOf(group));
        const drawn = new Set(
          rows.map((row) => String(row.group ?? row.label ?? Object.values(row)[0])),
        );
        // A row such as "other (24 chains)" counts the rows that it sums.
        const notes = [...caption, label, ...drawn].join(" ");
        const left = all.filter((each) => groups > 1 && !drawn.has(each) && !notes.includes(each));
        assert.ok(left.length <= counted(notes), `${what}: ${left} are lost: ${notes}`);
        const svg = await drawnSvg(chart);
        const texts = [...svg.querySelectorAll("text")].map(({ textContent }) => textContent).join(
          " ",
        );
        const [, of = 0, drawnIn = 0] = /(\d+) of (\d+) named/.exec(texts)?.map(Number) ?? [];
        const [, room = 0] = /No room for the names of (\d+) of/.exec(texts)?.map(Number) ?? [];
        const shown = [...texts, ...legend.map(({ label }) => label)].join("");
        const nameless = all.filter((each) =>
          groups > 1 && drawn.has(each) && !shown.includes(each)
        );
        assert.ok(nameless.length <= drawnIn - of + room, `${what}: ${nameless} have no name`);
      }
    }
  });
}
