import assert, { throws } from "node:assert/strict";
import { indexed } from "../../../lib/analysis/series/timeline_columns.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { timelineFrame, type TimelineRow } from "../../analysis/timeline_frame.ts";
import { described } from "../../table/described.ts";
import { testCharts } from "../chart_out.ts";
import { theme } from "../../../lib/chart/theme.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { asSample, frameOf } from "../sample_frames.ts";

const MONTHS = ["2025-01-01", "2025-02-01", "2025-03-01", "2025-04-01"];

type Lines = Readonly<Record<string, readonly (number | null)[]>>;

/** The fees of lines in four months. */
function fees(lines: Lines, incomplete: readonly string[] = []): DataFrame {
  const rows = MONTHS.flatMap((month, index) =>
    Object.entries(lines).map(([id, all]): TimelineRow => [month, id, all[index] ?? null])
  );
  return asSample(timelineFrame("month", rows, incomplete), "metric_breakdown");
}

/** Lines whose values are an index. */
function index(lines: Lines): DataFrame {
  const frame = fees(lines).rename({ fees_sum: "fees_sum_index" });
  return described(frame, ["index", "fees_sum_index"]);
}

/** Nine lines, of which one has no value in March. */
const NINE: Lines = Object.fromEntries(
  Array.from(
    { length: 9 },
    (_, at) => [`g${at}`, [100, 100, at === 4 ? null : 100 + 10 * at, 900 - at]],
  ),
);
/** Nine lines that end beside each other, of which one has no value in February. */
const NEAR: Lines = Object.fromEntries(
  Array.from({ length: 9 }, (_, at) => [`g${at}`, [at, at === 4 ? null : 50, 100 + at, 90]]),
);
/** Fourteen lines that end beside each other. */
const CROWD: Lines = Object.fromEntries(
  Array.from({ length: 14 }, (_, at) => [`g${at}`, [1, 2, 3, 4 + at / 100]]),
);
/** Nine lines, of which the last one is `last` in March. */
function nine(last: number): DataFrame {
  return fees(
    Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`g${at}`, [1, 2, at < 8 ? 3 : last]])),
  );
}

const APRIL = ["2025-04-01"];
const EVENTS = [{ date: "2025-02-10", label: "fork" }, { date: "2030-01-01", label: "later" }];
const WIDE = { a: [1, 2, 3, 4], b: [9e6, 9e6, 9e6, 9e6] };

const days = ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"].map((day) => new Date(day));
/** Lines of any frame, without periods. */
const plain = frameOf({
  date: [...days, ...days],
  chain_id: [...days.map(() => "a"), ...days.map(() => "b")],
  tvl: [0, 100, 50, 25, 80, null, 40, 10],
});

Deno.test("the text of an index has plain numbers", async () => {
  const { label } = await plotTimeline(indexed(fees({ a: [100, 105, 105, 105] }))).spec;
  assert.match(label, /last complete values: a 1\d\d\. Sample data\.$/);
});

Deno.test("plotTimeline colors only lines that gain or lose ranks", async () => {
  const ranks = async (lines: Lines) => {
    const svg = await drawnSvg(plotTimeline(fees(lines), { as: "rank" }));
    return marksOf(svg, "rank", "circle").filter((dot) => dot.getAttribute("fill") !== theme.paper)
      .length;
  };
  const same = { a: [9, 9, 9, 9], d: [1, 1, 1, 1] };
  assert.equal(await ranks({ ...same, b: [8, 7, 7, 7], c: [7, 8, 8, 8] }), 4);
  // April lacks a part of the total and has no ranks, so that `c` gains none.
  assert.equal(await ranks({ b: [8, 8, 8, null], c: [7, 7, 7, 7], d: [1, 1, 1, 1] }), 6);
});

Deno.test("plotTimeline puts names of lines that end early above each other, and leaves the fourth out", async () => {
  const ends = [5, 5, null, null];
  const lines = { whole: [1, 2, 3, 100], a: ends, b: ends, c: ends };
  const places = async (all: Lines) => {
    const svg = await drawnSvg(plotTimeline(fees(all), { highlight: Object.keys(all) }));
    return marksOf(svg, "line label", "text").map((text) =>
      Number(/,([-\d.]+)\)/.exec(text.getAttribute("transform")!)![1])
    ).slice(1).toSorted((one, other) => one - other);
  };
  const [above, at, below, ...others] = await places(lines);
  assert.deepEqual([at! - above!, below! - at!, others], [14, 14, []]);
  assert.equal((await places({ ...lines, d: ends })).length, 3);
  // A line that ends elsewhere keeps its name.
  assert.equal((await places({ ...lines, d: [90, 90, 90, null] })).length, 4);
});

Deno.test("plotTimeline labels days, months and years, each year once", async () => {
  for (
    const [dates, labels] of [
      [["2026-01-05", "2026-01-06", "2026-01-07"], ["Jan 52026", "Jan 6", "Jan 7"]],
      [["2025-12-01", "2026-01-01", "2026-02-01"], ["Dec2025", "Jan2026", "Feb"]],
      [["2024-01-01", "2025-01-01", "2026-01-01"], ["2024", "2025", "2026"]],
    ] as const
  ) {
    const frame = frameOf({ date: dates.map((day) => new Date(day)), fees: [1, 2, 3] });
    const svg = await drawnSvg(plotTimeline(frame, { x: "date", field: "fees" }));
    assert.deepEqual(textsOf(svg, "x-axis tick label"), [...labels]);
  }
});

Deno.test("labels of dates in narrow panels do not overlap", async () => {
  const months = Array.from({ length: 14 }, (_, at) => new Date(Date.UTC(2025, 4 + at, 1)));
  const ids = Array.from({ length: 24 }, (_, at) => `g${at}`);
  const frame = frameOf({
    date: ids.flatMap(() => months),
    chain_id: ids.flatMap((id) => months.map(() => id)),
    tvl: ids.flatMap((_, at) => months.map((_, month) => 10 ** (at % 6) * (month + 1))),
  });
  const svg = await drawnSvg(plotTimeline(frame, { field: "tvl", axes: "own" }));
  const labels = textsOf(svg, "x-axis tick label");
  assert.deepEqual([...new Set(labels)], ["Jul2025", "Jan2026"]);
});

/** What panels that share a scale say and draw. */
const SHARED = {
  subtitle: "US$; values: Mar 2025",
  scales: Array(9).fill("utc 2025-01-01 2025-03-01; linear 0 30"),
};

testCharts([
  [
    "plotTimeline draws a line for each group, with its name",
    () => plotTimeline(fees({ alder: [1, 2, 3, 4], ember: [4, 3, 2, 9] })),
    {
      title: "Fees per month of 2 groups, Jan 2025 to Apr 2025",
      subtitle: "US$",
      notes: "",
      legend: "",
      rows: [
        ...["ember 2025-01-01 4", "ember 2025-02-01 3", "ember 2025-03-01 2", "ember 2025-04-01 9"],
        ...["alder 2025-01-01 1", "alder 2025-02-01 2", "alder 2025-03-01 3", "alder 2025-04-01 4"],
      ],
      scales: ["utc 2025-01-01 2025-04-01; linear 0 9"],
      marks: { line: 8, leader: 0 },
      texts: { "line label": ["ember", "alder"] },
    },
  ],
  [
    "plotTimeline leaves out a period that is not over, and names the months of a gap",
    () => plotTimeline(fees({ alder: [1, null, 3, 4] }, APRIL)),
    {
      title: "Fees per month of alder, Jan 2025 to Mar 2025",
      subtitle: "US$",
      notes: "Not drawn: Apr 2025, which is not over.",
      rows: ["alder 2025-01-01 1", "alder 2025-02-01 –", "alder 2025-03-01 3"],
      marks: { line: 2, value: 2, "value, not complete": 0 },
      texts: { gap: ["no data Feb"] },
    },
  ],
  [
    "plotTimeline draws lines in panels if their names do not fit, largest first, with the last complete value",
    () => plotTimeline(fees(NEAR, APRIL)),
    {
      subtitle: "US$; values: Mar 2025",
      notes: "Not drawn: Apr 2025, which is not over. Empty: no value (1 of 27).",
      columns: 5,
      panels: ["g8", "g7", "g6", "g5", "g4", "g3", "g2", "g1", "g0"],
      scales: Array(9).fill("utc 2025-01-01 2025-03-01; linear 0 112.3"),
      marks: { line: 26, "value, not complete": 0 },
    },
  ],
  [
    "plotTimeline draws two panels in a row of a narrow chart",
    () => plotTimeline(fees(NEAR), { width: 336 }),
    { columns: 2 },
  ],
  [
    "plotTimeline names the highlighted lines with their values, and the extremes of the others",
    () => plotTimeline(fees({ ...CROWD, far: [9, 9, 9, 9e3] }), { highlight: ["g3"] }),
    {
      subtitle: "US$, logarithmic axis; 3 of 15 named",
      texts: { "line label": ["far", "g3", "g0"], "end value": ["$4.03"] },
    },
  ],
  [
    "plotTimeline draws nine lines in one panel if one is highlighted",
    () => plotTimeline(fees(NINE), { highlight: ["g1"] }),
    {
      panels: [undefined],
      scales: ["utc 2025-01-01 2025-04-01; linear 0 900"],
      marks: { line: 35, value: 4, leader: 2, "line label": 3 },
    },
  ],
  [
    "plotTimeline with limit draws the largest lines and the sum of the others",
    () => plotTimeline(fees(NINE), { limit: 2 }),
    {
      notes: "Drawn: the 2 largest groups of 9, and the sum of the others.",
      rows: [
        ...["g0 2025-01-01 100 true", "g0 2025-02-01 100 true"],
        ...["g0 2025-03-01 100 true", "g0 2025-04-01 900 true"],
        ...["g1 2025-01-01 100 true", "g1 2025-02-01 100 true"],
        ...["g1 2025-03-01 110 true", "g1 2025-04-01 899 true"],
        // In March, a group lacks a value, so that the sum is not complete.
        ...["other (7 groups) 2025-01-01 700 true", "other (7 groups) 2025-02-01 700 true"],
        ...["other (7 groups) 2025-03-01 910 false", "other (7 groups) 2025-04-01 6265 true"],
      ],
      texts: { "line label": ["other (7 groups)", "g0", "g1"] },
    },
  ],
  [
    "plotTimeline has a log axis for values of different magnitudes",
    () => plotTimeline(fees(WIDE)),
    {
      subtitle: "US$, logarithmic axis",
      scales: ["utc 2025-01-01 2025-04-01; log 1 10000000"],
    },
  ],
  [
    "plotTimeline has a linear axis if the caller wants it",
    () => plotTimeline(fees(WIDE), { scale: "linear" }),
    { scales: ["utc 2025-01-01 2025-04-01; linear 0 9000000"], subtitle: "US$" },
  ],
  [
    "plotTimeline has a linear axis if a value is zero",
    () => plotTimeline(fees({ ...WIDE, a: [0, 2, 3, 4] })),
    { scales: ["utc 2025-01-01 2025-04-01; linear 0 9000000"] },
  ],
  [
    "plotTimeline gives panels their own scales if half of them would be flat",
    () => plotTimeline(nine(30)),
    {
      subtitle: "US$; each panel has its own scale; values: Mar 2025",
      scales: [30, ...Array(8).fill(3)].map((most) =>
        `utc 2025-01-01 2025-03-01; linear 0 ${most}`
      ),
    },
  ],
  [
    "plotTimeline lets panels share a scale if fewer than half of them would be flat",
    () => plotTimeline(nine(12)),
    { subtitle: SHARED.subtitle, scales: Array(9).fill("utc 2025-01-01 2025-03-01; linear 0 12") },
  ],
  [
    "plotTimeline lets panels share a scale if the caller wants it",
    () => plotTimeline(nine(30), { axes: "shared" }),
    SHARED,
  ],
  [
    "plotTimeline draws an index with its base",
    () => plotTimeline(index({ a: [100, 120, 90, 150] })),
    {
      title: "Fees sum index of a, Jan 2025 to Apr 2025",
      subtitle: "Index, Jan 2025 = 100, by month, axis does not start at 0",
      scales: ["utc 2025-01-01 2025-04-01; linear 90 150"],
      marks: { "100": 1 },
      texts: { "end value": ["150"] },
    },
  ],
  [
    "plotTimeline has a log axis for an index from 20 : 1 on",
    () => plotTimeline(index({ a: [100, 120, 90, 80], b: [100, 900, 7000, 5000] })),
    {
      scales: ["utc 2025-01-01 2025-04-01; log 66.9 8371"],
      subtitle: "Index, Jan 2025 = 100, by month, logarithmic axis",
    },
  ],
  [
    "plotTimeline draws the index of a frame that has one, of the lines with the largest values before",
    () => plotTimeline(indexed(fees({ a: [1, 1, 1, 9], b: [90, 90, 90, 90] })), { limit: 1 }),
    {
      title: "Fees per month, index: b, Jan 2025 to Apr 2025",
      notes: "Drawn: the 1 largest groups of 2. Sums are compared per day of the period.",
    },
  ],
  [
    "plotTimeline chooses the highest lines of an index if the values before are not known",
    () => plotTimeline(index({ a: [100, 900], b: [100, 50] }), { limit: 1 }),
    { notes: "Drawn: the 1 largest groups of 2." },
  ],
  [
    "plotTimeline ranks each period in which no missing value could change the order",
    () =>
      plotTimeline(
        fees({
          a: [1, 5, 3, 90],
          b: [2, 5, 4, 7],
          c: [3, 6, 2, 8],
          giant: [900, 900, 900, 900],
          gone: [500, null, 500, 500],
        }, APRIL),
        { as: "rank" },
      ),
    {
      title: "Ranks of 5 groups by fees per month, Jan 2025 to Mar 2025",
      subtitle: "Rank 1: the largest fees per month; not ranked: Feb 2025, Apr 2025",
      notes: "",
      // The position of a row, then its rank.
      rows: [
        ...["giant 2025-01-01 1 1", "giant 2025-02-01 –", "giant 2025-03-01 1 1"],
        ...["gone 2025-01-01 2 2", "gone 2025-02-01 –", "gone 2025-03-01 2 2"],
        ...["b 2025-01-01 4 4", "b 2025-02-01 –", "b 2025-03-01 3 3"],
        ...["a 2025-01-01 5 5", "a 2025-02-01 –", "a 2025-03-01 4 4"],
        ...["c 2025-01-01 3 3", "c 2025-02-01 –", "c 2025-03-01 5 5"],
      ],
      scales: ["utc 2025-01-01 2025-03-01; linear 5.5 0.5"],
    },
  ],
  [
    "plotTimeline writes equal ranks for equal values",
    () => plotTimeline(fees({ a: [5, 5, 5, 5], b: [5, 5, 5, 5] }), { as: "rank" }),
    { texts: { "rank text": ["1", "1", "1", "1"], "line label": ["a", "b", "a", "b"] } },
  ],
  [
    "plotTimeline ranks the smallest first",
    () =>
      plotTimeline(fees({ a: [1, 1, 1, 1], b: [2, 2, 2, 2] }), { as: "rank", descending: false }),
    {
      subtitle: "Rank 1: the smallest fees per month",
      texts: { "line label": ["a", "b", "a", "b"] },
    },
  ],
  [
    "plotTimeline with limit draws the first ranks",
    () =>
      plotTimeline(fees({ a: [1, 1, 1, 1], b: [2, 2, 2, 2], c: [0, 0, 0, 0] }), {
        as: "rank",
        limit: 2,
      }),
    {
      notes: "Drawn: the 2 groups with the first ranks, of 3.",
      texts: { "rank text": ["1", "2", "1", "2"], "line label": ["b", "a", "b", "a"] },
    },
  ],
  [
    "plotTimeline stacks values that add up, with their total, and marks events",
    () =>
      plotTimeline(fees({ a: [1, 2, 3, 4], b: [5, null, 7, 8] }, APRIL), {
        as: "stack",
        events: EVENTS,
      }),
    {
      title: "Fees per month of 2 groups, Jan 2025 to Apr 2025",
      subtitle: "US$; faded: Apr 2025 so far; values: Mar 2025",
      notes: "Faded, without all parts: Feb 2025. Events outside the drawn dates: 1. " +
        "Empty: no value (1 of 8).",
      legend: "",
      rows: [
        ...["b 2025-01-01 5", "b 2025-02-01 –", "b 2025-03-01 7", "b 2025-04-01 8"],
        ...["a 2025-01-01 1", "a 2025-02-01 2", "a 2025-03-01 3", "a 2025-04-01 4"],
        ...[
          "total 2025-01-01 6",
          "total 2025-02-01 2",
          "total 2025-03-01 10",
          "total 2025-04-01 12",
        ],
      ],
      scales: ["utc 2024-12-18 2025-04-15; linear 0 12"],
      marks: { part: 7, rule: 1, total: 0 },
      texts: { "rule name": ["fork"], "line label": ["a", "b"], "end value": ["$3", "$7"] },
    },
  ],
  [
    "plotTimeline leaves out periods before the first value and after the last",
    () => plotTimeline(fees({ a: [null, 1, 2, null], b: [null, null, 2, null] })),
    {
      title: "Fees per month of 2 groups, Feb 2025 to Mar 2025",
      rows: ["a 2025-02-01 1", "a 2025-03-01 2", "b 2025-02-01 –", "b 2025-03-01 2"],
      scales: ["utc 2025-02-01 2025-03-01; linear 0 2"],
    },
  ],
  [
    "plotTimeline draws a frame with dates and without periods",
    () => plotTimeline(plain, { by: "chain_id" }),
    {
      title: "TVL of 2 chains, Jan 2026 to Apr 2026",
      notes: "",
      scales: ["utc 2026-01-01 2026-04-01; linear 0 100"],
      marks: { line: 7 },
      texts: { "line label": ["a", "b"], gap: ["no data Feb"] },
    },
  ],
  [
    "plotTimeline draws highlighted lines in color, and names all",
    () => plotTimeline(plain, { by: "chain_id", highlight: ["b"] }),
    { marks: { line: 7, value: 3, leader: 0, "line label": 2 } },
  ],
  [
    "plotTimeline draws numbers across, and one line without groups",
    () => plotTimeline(frameOf({ month: [1, 2, 3], retention: [0.5, 0.4, 0.3] }), { x: "month" }),
    {
      rows: ["all 1 0.5", "all 2 0.4", "all 3 0.3"],
      scales: ["linear 1 3; linear 0.3 0.5"],
      marks: { "line label": 0 },
      texts: { "end value": ["0.3"] },
    },
  ],
]);

Deno.test("the charts of lines refuse what they cannot draw", () => {
  const frame = fees({ a: [1, 2, 3, 4] });
  const texts = frame.withColumn(pl.lit("Total").alias("date"));
  const users = described(frame.rename({ fees_sum: "active_users_sum" }));
  const refused: [() => unknown, RegExp][] = [
    [() => plotTimeline(frame.drop("date")), /missing: date/],
    [() => plotTimeline(frame, { field: "tvl" }), /missing: tvl/],
    [() => plotTimeline(frame, { field: "data_id" }), /^TypeError/],
    [() => plotTimeline(frame.drop("fees_sum")), /the frame has no column of numbers/],
    [
      () => plotTimeline(pl.concat([frame, frame])),
      /by: each line must have one row for each date; got several of "a" at 1 Jan 2025/,
    ],
    [() => plotTimeline(texts), /date: expected days, months, .*; got "Total"/],
    [
      () => plotTimeline(plain, { x: "chain_id" }),
      /^TypeError: \w+: column chain_id: expected dates or numbers; got string a$/,
    ],
    [() => plotTimeline(users, { as: "stack" }), /active_users_sum cannot be stacked: a user can/],
    [
      () => plotTimeline(frame, { events: [{ date: "2025-03", label: "y" }] }),
      /events: must list events, .*; date: must be a day, .*; element 0 has "2025-03"/,
    ],
  ];
  for (const [draw, message] of refused) throws(draw, message);
});

Deno.test("titles name quarters", () => {
  const day = (text: string) => new Date(text);
  const fees = pl.DataFrame([
    pl.Series("date", ["2025-01-01", "2025-10-01"].map(day), pl.Datetime("ms")),
    pl.Series("until", ["2025-03-31", "2025-12-31"].map(day), pl.Datetime("ms")),
    pl.Series("chain", ["a", "a"]),
    pl.Series("fees", [1, 2]),
  ]).withColumns(pl.col("date").cast(pl.Date), pl.col("until").cast(pl.Date));
  assert.match(plotTimeline(fees, { field: "fees" }).title, /, Q1 2025 to Q4 2025$/);
});
