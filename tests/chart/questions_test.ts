import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { cohortLayers } from "../../lib/analysis/cohort_layers.ts";
import { cohortTrend } from "../../lib/analysis/cohort_trend.ts";
import { contributions } from "../../lib/analysis/contributions.ts";
import { counterfactual } from "../../lib/analysis/counterfactual.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { shares } from "../../lib/analysis/shares.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotContributions } from "../../lib/chart/contributions.ts";
import { plotCounterfactual } from "../../lib/chart/counterfactual.ts";
import { plotLayers } from "../../lib/chart/layers.ts";
import { plotShares } from "../../lib/chart/shares.ts";
import type { DataFrame } from "../../lib/table/polars.ts";
import { type Cohort, cohortFrame } from "../analysis/cohort_frame.ts";
import { drawnSvg, marksOf } from "./drawn_svg.ts";
import { timelineFrame, type TimelineRow } from "../analysis/timeline_frame.ts";

function month(at: number): string {
  return new Date(Date.UTC(2024, at, 1)).toISOString().slice(0, 10);
}

/** Twelve chains over 20 months; the fees of one are half as much again from the 15th on. */
const FEES = Array.from(
  { length: 20 },
  (_, at) =>
    Array.from({ length: 12 }, (_, chain): TimelineRow => [
      month(at),
      `chain-${chain}`,
      (100 + 5 * at + 3 * Math.sin(at * (chain + 1))) * (1 + chain / 10) *
      (chain === 3 && at >= 15 ? 1.5 : 1),
    ]),
).flat();

function fees(incomplete: string[] = []): DataFrame {
  return timelineFrame("month", FEES, incomplete);
}

const COHORTS = Array.from({ length: 16 }, (_, at): Cohort => ({
  cohort: month(at).slice(0, 7),
  size: 1000,
  months: [1, 0.3 + 0.005 * at, 0.2],
}));

function curves(): DataFrame {
  return retentionCurves(cohortFrame(COHORTS), { since: null });
}

Deno.test("plotCounterfactual draws the observed and expected values and the gaps of its frame", async () => {
  const result = counterfactual(fees(), {
    field: "fees_sum",
    treated: "chain-3",
    event: "2025-04",
    scale: "log",
    confidence: 0.9,
  });
  const chart = plotCounterfactual(result);
  const { rows, panels, subtitle } = await chart.spec;
  equal(panels.length, 2);
  // The dates of both panels are aligned.
  deepEqual([panels[0]!.marginLeft, panels[0]!.marginRight], [
    panels[1]!.marginLeft,
    panels[1]!.marginRight,
  ]);
  match(
    subtitle,
    /^Event on .*2025; synthetic control; mean effect \+\d+(\.\d)?%; rank 1 of 12 units$/,
  );
  // deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
  const treated = (result.toRecords() as any[]).filter(({ role }) => role === "treated");
  const drawn = (group: string) => rows.filter((row) => row.group === group);
  deepEqual(drawn("observed").map(({ value }) => value), treated.map((row) => row.observed));
  deepEqual(drawn("expected").map(({ value }) => value), treated.map((row) => row.expected));
  deepEqual(drawn("chain-3").map(({ value }) => value), treated.map(({ gap }) => Math.expm1(gap)));
  ok(
    drawn("chain-3").every(({ lower, value, upper }) =>
      Number(lower) < Number(value) && Number(value) < Number(upper)
    ),
  );
  match(await chart.svg(), /event/);
});

Deno.test("plotContributions stacks the parts of each period, and draws their sum", async () => {
  const parts = contributions(fees(["2025-08-01"]), { field: "fees_sum" });
  const { rows, legend } = await plotContributions(parts, { limit: 4 }).spec;
  equal(legend.length, 5);
  const dates = new Set(rows.map(({ date }) => Number(date)));
  // The first period and the incomplete one have no contributions.
  equal(dates.size, 18);
  for (const date of dates) {
    const own = rows.filter((row) => Number(row.date) === date);
    const total = own.find(({ group }) => group === "total")!.value as number;
    const sum = own.filter(({ group }) => group !== "total")
      .reduce((all, { value }) => all + Number(value), 0);
    ok(Math.abs(sum - total) < 1e-12, `${sum} ${total}`);
  }
});

Deno.test("plotContributions draws a waterfall whose parts are the changes between two dates", async () => {
  const frame = fees(["2025-08-01"]);
  const parts = contributions(frame, { field: "fees_sum" });
  const options = { as: "waterfall", from: "2024-03", to: "2025-05-01", limit: 20 } as const;
  const { rows, subtitle } = await plotContributions(parts, options).spec;
  const values = new Map(
    FEES.filter(([date]) => date === "2024-03-01" || date === "2025-05-01")
      .map(([date, chain, value]) => [`${chain} ${date}`, value as number]),
  );
  const before = [...values].filter(([key]) => key.endsWith("2024-03-01"))
    .reduce((sum, [, value]) => sum + value, 0);
  equal(rows.length, 13);
  for (const { group, value } of rows.slice(0, -1)) {
    const change = values.get(`${group} 2025-05-01`)! - values.get(`${group} 2024-03-01`)!;
    ok(Math.abs(Number(value) - change / before) < 1e-12, `${group} ${value}`);
  }
  // Each bar begins where the one above it ends; the last one is their sum.
  rows.slice(1, -1).forEach(({ from }, index) => equal(from, rows[index]!.to));
  const { group, from, to } = rows.at(-1)!;
  deepEqual([group, from, to], ["total", 0, rows.at(-2)!.to]);
  match(subtitle, /^Mar 2024 to May 2025; total \+\d+(\.\d)?%$/);
  const few = await plotContributions(parts, { ...options, limit: 3 }).spec;
  deepEqual(few.rows.map(({ group }) => group).slice(2), ["other (10)", "total"]);
  ok(Math.abs(Number(few.rows.at(-1)!.value) - Number(rows.at(-1)!.value)) < 1e-12);
});

Deno.test("plotContributions refuses dates of a waterfall that it cannot link", () => {
  const parts = contributions(fees(["2025-02-01"]), { field: "fees_sum" });
  const refused = (options: object, message: RegExp) =>
    throws(() => plotContributions(parts, options), message);
  refused({ from: "2024-03" }, /from: requires as: "waterfall"/);
  refused({ as: "waterfall", from: "2024-03-02" }, /from: expected the first day of .*2024-03-02$/);
  refused({ as: "waterfall", from: "2024-03", to: "2024-03" }, /to: must be after 2024-03-01/);
  refused({ as: "waterfall", to: "2025-05" }, /the period of 2025-02-01 has no contributions/);
  refused({ as: "waterfall", to: "soon" }, /to: must be a day, a month or a year/);
});

Deno.test("plotShares over time stacks shares up to 100 %", async () => {
  const chart = plotShares(shares(fees(), { field: "fees_sum" }), { field: "share", as: "time" });
  const { rows } = await chart.spec;
  const first = rows.filter(({ date }) => Number(date) === Date.UTC(2024, 0, 1));
  equal(first.length, 8);
  ok(Math.abs(first.reduce((sum, { value }) => sum + Number(value), 0) - 1) < 1e-12);
  ok(!/fill-opacity="0.45"|Lighter/.test(await chart.svg()));
  const last = shares(fees([month(19)]), { field: "fees_sum" });
  const svg = await plotShares(last, { field: "share", as: "time" }).svg();
  equal(svg.match(/fill-opacity="0.45"/g)?.length, 8);
  match(svg, /Lighter: the period is not complete\./);
  throws(
    () => plotShares(fees(), { field: "share", as: "time" }),
    /plotShares: expected a frame of shares/,
  );
});

Deno.test("plotCohortTrend draws retention, intervals and the line of its frame", async () => {
  const trend = cohortTrend(curves(), { month: 1 });
  const { rows, subtitle } = await plotCohortTrend(trend).spec;
  match(subtitle, /^Slope 6 points a year \(95% interval /);
  const values = (name: string) => trend.getColumn(name).toArray();
  deepEqual(
    rows.filter(({ group }) => group === "trend").map(({ value }) => value),
    values("trend"),
  );
  deepEqual(
    rows.filter(({ group }) => group !== "trend").map(({ value }) => value),
    values("retention"),
  );
});

Deno.test("plotCohortTrend marks measured points, not the fitted line", async () => {
  const trend = cohortTrend(curves(), { month: 1 });
  const svg = await drawnSvg(plotCohortTrend(trend));
  equal(marksOf(svg, "line", "path").length, 2);
  equal(marksOf(svg, "value", "path").length, trend.height);
});

Deno.test("plotLayers draws the active users of each cohort, and names unknown cohorts", async () => {
  const layers = cohortLayers(curves());
  const { rows, caption } = await plotLayers(layers).spec;
  deepEqual(
    rows.reduce((sum, { value }) => sum + Number(value), 0),
    (layers.getColumn("active").toArray() as number[]).reduce((sum, value) => sum + value, 0),
  );
  match(caption.join(" "), /users of cohorts older than 11 months are unknown/);
});

Deno.test("the charts of analyses state that there is nothing to draw, and refuse other frames", async () => {
  const none = contributions(timelineFrame("month", []), { field: "fees_sum" });
  match(await plotContributions(none).svg(), /No data: the frame has no rows/);
  match(await plotContributions(none, { as: "waterfall" }).svg(), /No data: the frame has no rows/);
  match(await plotLayers(cohortLayers(curves().limit(0))).svg(), /No data/);
  match(await plotCohortTrend(cohortTrend(curves().limit(0))).svg(), /No data/);
  for (const draw of [plotCounterfactual, plotContributions, plotCohortTrend, plotLayers]) {
    throws(
      () => draw(cohortFrame([])),
      /expected a frame of (counterfactual|contributions|cohort)/,
    );
  }
});
