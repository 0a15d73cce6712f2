import { deepStrictEqual as equal, match, ok, strictEqual, throws } from "node:assert/strict";
import { plotTimeline, vegaTimeline } from "../../../lib/chart/timeline.ts";
import { type DataFrame, pl } from "../../../lib/table/polars.ts";
import { timelineFrame, type TimelineRow } from "../../analysis/timeline_frame.ts";
import { drawnSvg, marksOf as elementsOf, textsOf } from "../drawn_svg.ts";
import { asSample } from "../sample_frames.ts";
import { described } from "../../table/described.ts";

/** Ranks of a frame. */
function ranks(frame: DataFrame, options = {}) {
  return plotTimeline(frame, { ...options, as: "rank" });
}

const MONTHS = ["2025-01-01", "2025-02-01", "2025-03-01", "2025-04-01"];

function frameOf(
  values: Readonly<Record<string, readonly (number | null)[]>>,
  incomplete: readonly string[] = [],
): DataFrame {
  const rows = MONTHS.flatMap((month, index) =>
    Object.entries(values).map(([id, all]): TimelineRow => [month, id, all[index] ?? null])
  );
  return asSample(timelineFrame("month", rows, incomplete), "metric_breakdown");
}

/** How many marks of a kind a panel draws. */
function marksOf(panel: unknown, kind: string): readonly { data: readonly unknown[] }[] {
  const marks = (panel as { marks: unknown[] }).marks.flat(3) as {
    ariaDescription?: string;
    data: readonly unknown[];
  }[];
  return marks.filter((mark) => mark?.ariaDescription === kind);
}

Deno.test("plotTimeline draws a line for each group, and names them at their ends", async () => {
  const chart = plotTimeline(frameOf({ alder: [1, 2, 3, 4], "ember-rollup": [4, 3, 2, 9] }), {
    field: "fees_sum",
  });
  const { panels, rows, title, subtitle, legend } = await chart.spec;
  equal([panels.length, legend, title], [
    1,
    [],
    "Fees per month of 2 groups, Jan 2025 to Apr 2025",
  ]);
  equal(subtitle, "");
  equal(rows.filter(({ group }) => group === "ember-rollup").map(({ value }) => value), [
    4,
    3,
    2,
    9,
  ]);
  strictEqual(elementsOf(await drawnSvg(chart), "line", "path").length, 2);
  const svg = await chart.svg();
  ok(svg.includes(">alder<") && svg.includes(">ember-rollup<"));
});

Deno.test("plotTimeline draws incomplete periods hollow and dashed, and nulls as gaps", async () => {
  const chart = plotTimeline(frameOf({ alder: [1, null, 3, 4] }, ["2025-04-01"]));
  const { panels, caption, title } = await chart.spec;
  equal(title, "Fees per month of alder, Jan 2025 to Apr 2025");
  const solid = marksOf(panels[0], "line").flatMap(({ data }) => data as { y: number | null }[]);
  equal(solid.map(({ y }) => y), [1, null, 3, null]);
  const dashed = marksOf(panels[0], "not complete").flatMap(({ data }) => data as { y: null }[]);
  equal(dashed.map(({ y }) => y), [null, null, 3, 4]);
  strictEqual(marksOf(panels[0], "value, not complete").flatMap(({ data }) => data).length, 1);
  equal(caption[0], "Not complete: Apr 2025 (dashed). Empty: no value (1 of 4).");
});

Deno.test("plotTimeline makes small multiples of more than eight lines, unless some are highlighted", async () => {
  const values = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [`g${index}`, [1, 2, 3, 4 + index]]),
  );
  const { panels } = await plotTimeline(frameOf(values)).spec;
  equal(panels.map(({ title }) => title), ["g8", "g7", "g6", "g5", "g4", "g3", "g2", "g1", "g0"]);
  equal((await plotTimeline(frameOf(values), { highlight: ["g1"] }).spec).panels.length, 1);
  const few = await plotTimeline(frameOf(values), { limit: 2 }).spec;
  equal([...new Set(few.rows.map(({ group }) => group))], ["g8", "g7", "other (7 lines)"]);
  match(
    few.caption[0]!,
    /^Drawn: the 2 largest lines of 9, and the sum of the others\./,
  );
});

Deno.test("plotTimeline uses a log axis for values of different magnitudes, and draws an index at 100", async () => {
  const wide = frameOf({ a: [1, 2, 3, 4], b: [9e6, 9e6, 9e6, 9e6] });
  const typeOf = async (frame: DataFrame, options = {}) =>
    ((await plotTimeline(frame, options).spec).panels[0] as { y: { type: string } }).y.type;
  equal(await typeOf(wide), "log");
  equal(await typeOf(wide, { scale: "linear" }), "linear");
  equal(await typeOf(frameOf({ a: [0, 2, 3, 4], b: [9e6, 9e6, 9e6, 9e6] })), "linear");
  const index = frameOf({ a: [100, 120, 90, 150] }).rename({ fees_sum: "fees_sum_index" });
  const { panels, title } = await plotTimeline(described(index, ["index", "fees_sum_index"])).spec;
  equal([marksOf(panels[0], "100").length, title], [
    1,
    "Fees sum index of a, Jan 2025 to Apr 2025",
  ]);
});

Deno.test("plotTimeline uses a log axis for an index if one line is twenty times the others", async () => {
  const indexed = (values: Readonly<Record<string, readonly (number | null)[]>>) =>
    frameOf(values).rename({ fees_sum: "fees_sum_index" });
  const wide = indexed({ a: [100, 120, 90, 80], b: [100, 900, 7000, 5000] });
  const svg = await drawnSvg(plotTimeline(wide));
  const ticks = textsOf(svg, "y-axis tick label");
  equal(ticks, ["100", "300", "1K", "3K", "10K"]);
  equal(textsOf(svg, "y-axis name"), ["index, Jan 2025 = 100, log scale"]);
  // The line at 100 is at 100 of the axis.
  const [rule] = [...svg.querySelectorAll('g[aria-description="100"] line')];
  const [, hundred] = /,([\d.]+)\)/.exec(
    elementsOf(svg, "y-axis tick label", "text").find(({ textContent }) => textContent === "100")!
      .getAttribute("transform")!,
  )!;
  ok(Math.abs(Number(rule!.getAttribute("y1")) - Number(hundred)) < 0.6);
  const flat = await drawnSvg(
    plotTimeline(indexed({ a: [100, 120, 90, 80], b: [100, 900, 700, 500] })),
  );
  equal(textsOf(flat, "y-axis name"), ["index, Jan 2025 = 100"]);
  const linear = await drawnSvg(plotTimeline(wide, { scale: "linear" }));
  equal(textsOf(linear, "y-axis name"), ["index, Jan 2025 = 100"]);
});

Deno.test("plotTimeline draws the axis of small multiples left of each row, and its label once", async () => {
  const values = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [`g${index}`, [1, 2, 3, 4 + index]]),
  );
  const chart = plotTimeline(frameOf(values));
  equal((await chart.spec).columns, 5);
  const svg = await drawnSvg(chart);
  equal(textsOf(svg, "y-axis name"), ["values: Apr 2025"]);
  strictEqual([...svg.querySelectorAll('g[aria-label="y-axis tick label"]')].length, 2);
});

Deno.test("plotTimeline gives panels their own scales from 10 : 1 on, except for fractions", async () => {
  const lines = (last: number) =>
    Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`g${at}`, [1, 2, at < 8 ? 3 : last]]));
  const [shared, own, fraction] = [lines(29), lines(30), lines(30)].map((values) =>
    frameOf(values)
  );
  const axisOf = async (...[frame, options]: Parameters<typeof plotTimeline>) =>
    (await plotTimeline(frame, options).spec).axis;
  equal(await axisOf(shared!), "values: Mar 2025");
  equal(await axisOf(own!), "each panel has its own scale; values: Mar 2025");
  equal(await axisOf(own!, { axes: "shared" }), "values: Mar 2025");
  equal(await axisOf(fraction!, { unit: "fraction" }), "values: Mar 2025");
});

/** Nine lines, of which the last month is not complete, and one has no value in the month before. */
function nineLines() {
  return Object.fromEntries(Array.from({ length: 9 }, (_, index) => [
    `g${index}`,
    [100, 100, index === 4 ? null : 100 + 10 * index, 900 - index],
  ]));
}

Deno.test("plotTimeline adds the last complete value to the names of panels, largest first", async () => {
  const chart = plotTimeline(frameOf(nineLines(), ["2025-04-01"]));
  const svg = await drawnSvg(chart);
  const { panels, axis } = await chart.spec;
  equal(axis, "values: Mar 2025");
  equal(panels.map(({ title }) => title), [
    ...["g8", "g7", "g6", "g5", "g3", "g2", "g1", "g0", "g4"],
  ]);
  equal(textsOf(svg, "last value"), [
    ...["$180", "$170", "$160", "$150", "$130", "$120", "$110", "$100"],
  ]);
});

Deno.test("plotTimeline stacks values that add up, with their total, and marks events", async () => {
  const frame = frameOf({ a: [1, 2, 3, 4], b: [5, null, 7, 8] }, ["2025-04-01"]);
  const events = [{ date: "2025-02-10", label: "fork" }, { date: "2030-01-01", label: "later" }];
  const chart = plotTimeline(frame, { as: "stack", events });
  const { rows, caption, legend } = await chart.spec;
  equal(rows.filter(({ group }) => group === "total").map(({ value }) => value), [6, 2, 10, 12]);
  equal(legend.map(({ label }) => label), ["b", "a", "total"]);
  equal(
    caption[0],
    "Not complete: Apr 2025 (lighter). Events outside the drawn dates: 1. " +
      "Vertical lines: fork (10 Feb 2025). Empty: no value (1 of 8).",
  );
  equal(textsOf(await drawnSvg(chart), "rule name"), ["fork"]);
  const users = described(frame.rename({ fees_sum: "active_users_sum" }));
  throws(
    () => plotTimeline(users, { as: "stack" }),
    /active_users_sum cannot be stacked: a user can/,
  );
  throws(
    () => plotTimeline(frame, { events: [{ date: "x", label: "y" }] }),
    /events: must list events/,
  );
});

Deno.test("plotTimeline draws two panels per row at the width of a journal's column", async () => {
  equal((await plotTimeline(frameOf(nineLines()), { width: 336 }).spec).columns, 2);
});

Deno.test("plotTimeline adds the last complete value to the names of an index", async () => {
  const index = frameOf(nineLines(), ["2025-04-01"]).rename({ fees_sum: "fees_sum_index" });
  const chart = plotTimeline(index);
  equal((await chart.spec).axis, "index, Jan 2025 = 100; values: Mar 2025");
  equal(textsOf(await drawnSvg(chart), "last value").slice(0, 3), ["180", "170", "160"]);
});

Deno.test("plotTimeline marks the name of a line only if the line has markers", async () => {
  const frame = frameOf({ a: [1, 2, 3, 4], b: [5, 6, 7, 9], c: [15, 16, 17, 19] });
  const some = await drawnSvg(plotTimeline(frame, { highlight: ["a"] }));
  equal(textsOf(some, "line label").toSorted(), ["a", "b", "c"]);
  strictEqual(elementsOf(some, "line key", "path, circle").length, 1);
  strictEqual(elementsOf(some, "leader", "path").length, 2);
  strictEqual(
    elementsOf(await drawnSvg(plotTimeline(frame)), "line key", "path, circle").length,
    3,
  );
});

Deno.test("plotTimeline leaves out periods before the first value and after the last", async () => {
  const { rows } = await plotTimeline(frameOf({ a: [null, 1, 2, null], b: [null, null, 2, null] }))
    .spec;
  equal([...new Set(rows.map(({ date }) => (date as Date).toISOString().slice(0, 7)))], [
    "2025-02",
    "2025-03",
  ]);
});

Deno.test("plotTimeline accepts a frame with dates and without periods", () => {
  const frame = frameOf({ a: [1, 2, 3, 4] }).drop("until", "complete");
  match(plotTimeline(frame).title, /, Jan 2025 to Apr 2025$/);
});

Deno.test("the charts over time refuse frames that are not timelines", () => {
  const frame = frameOf({ a: [1, 2, 3, 4] });
  for (const draw of [plotTimeline, vegaTimeline]) {
    throws(() => draw(frame.drop("date")), /missing: date/);
    throws(() => draw(frame, { field: "tvl" }), /missing: tvl/);
    throws(() => draw(frame, { field: "data_id" }), TypeError);
    throws(() => draw(frame.drop("fees_sum")), /the frame has no column of numbers/);
    throws(() => draw(pl.concat([frame, frame])), /got several of "a" at 1 Jan 2025/);
    throws(
      () => draw(frame.withColumn(pl.col("date").cast(pl.Utf8).alias("date"))),
      /column date: expected Date/,
    );
  }
});

Deno.test("plotTimeline ranks each complete period, with ties and without nulls", async () => {
  const chart = ranks(
    frameOf({ a: [1, 5, 3, 90], b: [2, 5, null, 7], c: [3, null, 2, 8] }, ["2025-04-01"]),
  );
  const { rows, caption } = await chart.spec;
  const of = (group: string) =>
    rows.filter((row) => row.group === group).map(({ rank = null }) => rank);
  // April is not complete, and has no rank.
  equal([of("a"), of("b"), of("c")], [[3, 1, 1], [2, 1, null], [1, null, 2]]);
  match(caption[0]!, /^Not complete: Apr 2025 \(not ranked\)\./);
  const up = ranks(frameOf({ a: [1, 1, 1, 1], b: [2, 2, 2, 2] }), { descending: false });
  const first = (await up.spec).rows.filter(({ group }) => group === "a");
  equal(first.map(({ rank }) => rank), [1, 1, 1, 1]);
  const some = ranks(frameOf({ a: [1, 1, 1, 1], b: [2, 2, 2, 2], c: [0, 0, 0, 0] }), { limit: 2 });
  const { caption: told, rows: kept } = await some.spec;
  match(told[0]!, /^Drawn: the 2 first ranks of 3\./);
  equal([...new Set(kept.map(({ group }) => group))], ["b", "a"]);
});

Deno.test("plotTimeline draws an index from the first period that is complete and above zero for all", async () => {
  const frame = frameOf({ a: [null, 2, 3, 9], b: [5, 4, 2, 1] }, ["2025-04-01"]);
  const { rows, title } = await plotTimeline(frame, { as: "index" }).spec;
  const of = (group: string) => rows.filter((row) => row.group === group).map(({ value }) => value);
  // Sums of months are compared per day: 28 days in February, 31 in March.
  equal(
    [of("a"), of("b")].map((line) =>
      line.map((value) => value && Number(Number(value).toFixed(9)))
    ),
    [
      [null, 100, 135.483870968, 420],
      [112.903225806, 100, 45.161290323, 23.333333333],
    ],
  );
  equal(title, "Index of fees per month of 2 groups, Jan 2025 to Apr 2025");
  match(
    await plotTimeline(frame, { as: "index" }).svg(),
    /Sums are compared per day of the period\./,
  );
  throws(
    () => plotTimeline(frameOf({ a: [0, 0, 0, 0] }), { as: "index" }),
    /as: no period is complete/,
  );
});

Deno.test("plotTimeline with limit draws the largest lines of an index by their sums, not by the index", async () => {
  const frame = frameOf({ small: [1, 5, 9, 20], giant: [900, 910, 900, 890], other: [2, 2, 2, 2] });
  const { rows } = await plotTimeline(frame, { as: "index", limit: 1 }).spec;
  equal([...new Set(rows.map(({ group }) => group))], ["giant"]);
});

Deno.test("vegaTimeline selects lines by their names, and marks incomplete periods", async () => {
  const frame = frameOf({ a: [1, 2, 3, 4], b: [2, 3, 4, 5] }, ["2025-04-01"]);
  const spec = JSON.stringify(await vegaTimeline(frame).spec);
  ok(spec.includes('"name":"selected","select"'));
  ok(spec.includes(' (period not complete)"') && spec.includes('"strokeDash":[4,3]'));
  match(await vegaTimeline(frame).svg(), /^<svg /);
});
