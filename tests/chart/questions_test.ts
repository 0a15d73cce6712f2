import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { cohortTrend } from "../../lib/analysis/retention/cohort_trend.ts";
import { contributions } from "../../lib/analysis/series/contributions.ts";
import { counterfactual } from "../../lib/analysis/programs/counterfactual.ts";
import { eventStudy } from "../../lib/analysis/programs/event_study.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import { shares } from "../../lib/analysis/series/shares.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotContributions } from "../../lib/chart/contributions.ts";
import { plotCounterfactual } from "../../lib/chart/counterfactual.ts";
import { plotEventStudy } from "../../lib/chart/event_study.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { trackedPolars } from "../../lib/table/track/tracked_polars.ts";
import { withSource } from "../../lib/table/track/with_source.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame } from "../analysis/cohort_frame.ts";
import { drawnSvg, marksOf, textsOf } from "./drawn_svg.ts";
import { warned } from "../analysis/measured.ts";
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
    starts: { "chain-3": "2025-04" },
    scale: "log",
    confidence: 0.9,
  });
  const chart = plotCounterfactual(result);
  const { rows, panels, subtitle, caption } = await chart.spec;
  equal(panels.length, 2);
  // The dates of both panels are aligned.
  deepEqual([panels[0]!.marginLeft, panels[0]!.marginRight], [
    panels[1]!.marginLeft,
    panels[1]!.marginRight,
  ]);
  match(subtitle, /^\+50\.4% of fees, largest of 12; event on .*2025; synthetic control$/);
  match(
    caption[0]!,
    /^Mean after the event \+50\.4% against the expected mean \(placebos −9\.3% to \+4\.9%\); geometric mean of the ratios \+50\.4% \(90% interval \+46\.8% to \+54\.5%, if it is constant\); rank 1 of 12 \w+ by the size of the change; with 12, no test at 5% is possible\./,
  );
  // deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
  const treated = (result.toRecords() as any[]).filter(({ role, row }) =>
    role === "treated" && row === "date"
  );
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

Deno.test("plotCounterfactual states no effect if the fit is poor, or other units change as much", async () => {
  const of = async (id: string, factor: number) => {
    const moved = FEES.map(([day, own, fees]): TimelineRow => [
      day,
      own,
      own === id && day < "2024-12" ? fees! * factor : fees,
    ]);
    const options = { field: "fees_sum", starts: { [id]: "2025-04" }, scale: "log" } as const;
    const [frame] = warned(() => counterfactual(timelineFrame("month", moved), options));
    const { title, subtitle, caption: [caption] } = await plotCounterfactual(frame).spec;
    const text = `${title} ${subtitle} ${caption}`;
    ok(!text.replace("at 5% is", "").includes("%"), text);
    return text;
  };
  match(
    await of("chain-5", 2),
    /synthetic control; chain-5 differs from .* before the event Rank /,
  );
  match(await of("chain-6", 1), /synthetic control Rank \d+ of 12 /);
});

Deno.test("plotContributions stacks the parts of each period, and draws their sum", async () => {
  const parts = contributions(fees(["2025-08-01"]), { field: "fees_sum" });
  const { rows, legend } = await plotContributions(parts, { limit: 3 }).spec;
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
  const { rows, caption } = await plotContributions(parts, options).spec;
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
  ok(!caption.some((line) => /total/i.test(line)), "the total is a bar");
  const few = await plotContributions(parts, { ...options, limit: 2 }).spec;
  deepEqual(few.rows.map(({ group }) => group).slice(2), ["other (10)", "total"]);
  ok(Math.abs(Number(few.rows.at(-1)!.value) - Number(rows.at(-1)!.value)) < 1e-12);
});

Deno.test("plotContributions refuses dates of a waterfall that it cannot link", () => {
  const parts = contributions(fees(["2025-02-01"]), { field: "fees_sum" });
  const refused = (options: object, message: RegExp) =>
    throws(() => plotContributions(parts, options), message);
  refused({ from: "2024-03" }, /from: requires as: "waterfall"/);
  refused(
    { as: "waterfall", from: "2019-03-02" },
    /from: expected a day of a period; .*2019-03-02$/,
  );
  refused({ as: "waterfall", from: "2024-03", to: "2024-03" }, /to: must be after 2024-03-01/);
  refused({ as: "waterfall", to: "2025-05" }, /the period of 2025-02-01 has no total/);
  refused({ as: "waterfall", to: "soon" }, /to: must be a day, a month or a year/);
});

Deno.test("a waterfall takes any day of its first and of its last period", async () => {
  const parts = contributions(fees(), { field: "fees_sum" });
  const drawn = (from: string, to: string) =>
    plotContributions(parts, { as: "waterfall", from, to }).svg();
  const first = await drawn("2024-03-01", "2024-07-01");
  equal(await drawn("2024-03-31", "2024-07-15"), first);
  ok(await drawn("2024-04-01", "2024-07-15") !== first);
});

Deno.test("plotContributions adds the first value of an entity that enters", async () => {
  const rows = [[100, null], [100, 50], [100, 60]].flatMap(([alder, birch], at): TimelineRow[] => [
    [month(at), "alder", alder!],
    [month(at), "birch", birch!],
  ]);
  const parts = contributions(timelineFrame("month", rows), { field: "fees_sum", per: "period" });
  const { subtitle, rows: bars } = await plotContributions(parts, { as: "waterfall" }).spec;
  equal(subtitle, "Changes of fees, relative to the total at the start");
  deepEqual(bars.map(({ group, value }) => [group, Math.round(100 * Number(value))]), [
    ["birch", 60],
    ["total", 60],
  ]);
});

Deno.test("plotTimeline stacks the column share of shares up to 100 %", async () => {
  const stack = { field: "share", as: "stack" } as const;
  const chart = plotTimeline(shares(fees(), { field: "fees_sum" }), stack);
  const { rows } = await chart.spec;
  const first = rows.filter(({ date }) => Number(date) === Date.UTC(2024, 0, 1));
  // Six parts and the sum of the others.
  equal(first.length, 7);
  ok(Math.abs(first.reduce((sum, { value }) => sum + Number(value), 0) - 1) < 1e-12);
  const drawn = await drawnSvg(chart);
  deepEqual(textsOf(drawn, "y-axis tick label").at(-1), "100%");
  ok(!/fill-opacity="0.45"|faded|total/.test(await chart.svg()));
  const last = shares(fees([month(19)]), { field: "fees_sum" });
  const svg = await plotTimeline(last, stack).svg();
  equal(svg.match(/fill-opacity="0.45"/g)?.length, 7);
  match(svg, /faded: Aug 2025 so far/);
  const few = await plotTimeline(last, { ...stack, limit: 3 }).spec;
  equal(few.rows.filter(({ date }) => Number(date) === Date.UTC(2024, 0, 1)).length, 4);
  const halves = trackedPolars.DataFrame({ date: [new Date("2025-01-01")], q: [0.5] });
  const fraction = withSource(halves, {
    citation: "a test",
    columns: { q: { unit: "fraction" } },
  });
  throws(() => plotTimeline(fraction, { field: "q", as: "stack" }), /q cannot be stacked/);
});

Deno.test("plotCohortTrend marks measured points, not the fitted line", async () => {
  const trend = cohortTrend(curves(), { month: 1 });
  const svg = await drawnSvg(plotCohortTrend(trend));
  equal(marksOf(svg, "line", "path").length, 2);
  equal(marksOf(svg, "value", "circle").length, 16);
});

Deno.test("plotCohortTrend names a break of 20 periods or more", async () => {
  for (const [periods, named] of [[19, false], [20, true]] as const) {
    const cohorts = Array.from({ length: periods }, (_, at): Cohort => ({
      cohort: month(at).slice(0, 7),
      size: 10_000,
      months: [1, (at < 10 ? 0.3 : 0.4) + 0.002 * (at % 3)],
    }));
    const trend = cohortTrend(retentionCurves(cohortFrame(cohorts), { since: null }), { month: 1 });
    equal(trend.getColumn("trend").nullCount(), 1);
    const notes = (await plotCohortTrend(trend).spec).caption.join(" ");
    equal(/The mean changes most after 1 Oct 2024\./.test(notes), named, `${periods} periods`);
  }
});

Deno.test("plotEventStudy draws the effects of each time with both bounds, and counts the rest", async () => {
  const chains = [0, 1, 2, 3, 4, 5, 6, 7];
  const starts = Object.fromEntries(
    chains.map((chain) => [`chain-${chain}`, chain < 4 ? "2025-04" : "2024-12"]),
  );
  const study = eventStudy(fees(), { field: "fees_sum", starts, scale: "log" });
  const chart = plotEventStudy(study);
  const { rows, title, subtitle, caption } = await chart.spec;
  equal(title, "Effect on fees by months since treatment began");
  // Of 24 times from −15 to 8, seven are earlier than −8.
  deepEqual(rows.map(({ time }) => time), Array.from({ length: 17 }, (_, at) => at - 8));
  for (const { time, effect, upper_all, hollow } of rows) {
    const [row] = study.toRecords().filter((each) =>
      each.row === "time" && each.event_time === time
    );
    equal(effect, Math.expm1(row!.effect as number));
    equal(upper_all, row!.upper_all === null ? null : Math.expm1(row!.upper_all as number));
    // From time 5 on, only four of the eight chains count.
    equal(hollow, Number(time) === 5);
  }
  match(
    subtitle,
    /^8 treated entities in 2 waves, 4 controls; changes since time −1; hollow: fewer than 3 /,
  );
  match(
    caption[0]!,
    /^Overall geometric mean \+\d.*; difference before the start: p 0\.\d+\.$/,
  );
  match(caption[1]!, /^Participants were chosen, not drawn: an effect can be selection\./);
  match(caption.join(" "), /Not drawn: 7 times before −8 or after 12\./);
  const svg = await drawnSvg(chart);
  equal(marksOf(svg, "effect", "circle").length, 17);
  equal(marksOf(svg, "interval of all times", "line").length, 16);
  deepEqual(textsOf(svg, "at risk").slice(-2), ["4", "4"]);
  match(svg.textContent, /Months since treatment began/);
});

Deno.test("the charts of analyses state that there is nothing to draw, and refuse other frames", async () => {
  const none = contributions(timelineFrame("month", []), { field: "fees_sum" });
  match(await plotContributions(none).svg(), /No data: the frame has no rows/);
  match(await plotContributions(none, { as: "waterfall" }).svg(), /No data: the frame has no rows/);
  for (const draw of [plotCounterfactual, plotEventStudy, plotContributions]) {
    throws(
      () => draw(cohortFrame([])),
      /expected a frame of (counterfactual|eventStudy|contributions)/,
    );
  }
});
