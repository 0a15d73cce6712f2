import { described } from "../table/described.ts";
import assert from "node:assert/strict";
import type { PlotChart, PlotSpec } from "../../lib/chart/chart.ts";
import { setColors } from "../../lib/chart/color_registry.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotDifference } from "../../lib/chart/difference.ts";
import { plotLayers } from "../../lib/chart/layers.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotUserFlows } from "../../lib/chart/user_flows.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { asSample, curvesSample, frameOf } from "./sample_frames.ts";

type Cell = string | number | Date | null;

/** Makes a frame from rows of cells. */
function table(names: string, rows: readonly (readonly Cell[])[]): DataFrame {
  return frameOf(
    Object.fromEntries(names.split(" ").map((name, at) => [name, rows.map((row) => row[at]!)])),
  );
}

const day = (text: string) => new Date(text);
const BOUNDED = "project_id month size retention lower upper bounds cluster confidence";

/** Groups over two months, whose intervals are half as wide as given. */
function groups(ids: string, half: number): DataFrame {
  return table(
    BOUNDED,
    [...ids].flatMap((id, at) =>
      [1, 2].map((month) => {
        const share = 0.8 - 0.1 * at - 0.05 * month;
        return [id, month, 10 + at, share, share - half, share + half, "cluster", "country", 0.95];
      })
    ),
  );
}

/** Data through 17 March 2026. */
const march = asSample(frameOf({ a: [1] }), "cohort_analysis", "service", day("2026-03-17"));

const FORECAST = "month size net_activity predicted lower upper bounds cluster";
const forecast = (bounds: string, cluster: string, off = 0, half = 0.1) =>
  described(
    table(FORECAST, [
      [1, 9000, 0.5, 0.5 + off, 0.4, 0.6, bounds, cluster],
      [2, 9000, 0.4, 0.4, 0.3, 0.5, bounds, cluster],
      [3, null, null, 0.3, 0.3 - half, 0.3 + half, bounds, cluster],
    ]),
    ["note", "bounds", "cluster"],
  );

const TRIANGLE = "project_id project_name cohort cohort_date month size retention";
const triangle = table(TRIANGLE, [
  ["a", "A", "2026-02", day("2026-02-01"), 0, 50, 1],
  ["a", "A", "2026-02", day("2026-02-01"), 1, 50, 0],
  ["a", "A", "2026-02", day("2026-02-01"), 2, 50, null],
  ["a", "A", "2026-01", day("2026-01-01"), 0, 1200, 1],
  ["a", "A", "2026-01", day("2026-01-01"), 1, 1200, 0.42],
  ["a", "A", "2026-01", day("2026-01-01"), 2, 1200, 0.3],
]);

const PAIRS = "group_a group_b month difference lower upper lower_all upper_all p_adjusted " +
  "confidence";
const pair = table(PAIRS, [
  ["a", "b", 1, 0.1, 0.02, 0.18, 0.01, 0.2, 0.031, 0.95],
  ["a", "b", 2, 0.05, -0.03, 0.13, -0.1, 0.2, 0.2, 0.95],
  ["a", "b", 3, -0.02, -0.3, 0.1, -0.4, 0.2, 0.7, 0.95],
  ["a", "b", 5, null, null, null, null, null, null, 0.95],
]);
const clustersOf = (kind: string) =>
  described(
    pair.withColumns(
      ...["cluster_a", "cluster_b"].map((name) => pl.lit(kind).alias(name)),
    ),
    ["note", "cluster_a", "cluster_b"],
  );
const pairs = table(PAIRS, [
  ["a", "b", 3, 0.2, 0.1, 0.3, 0.05, 0.35, 0.0001, 0.95],
  ["a", "c", 3, 0.05, 0.01, 0.15, -0.1, 0.2, 0.2, 0.95],
  ["b", "c", 3, -0.1, null, null, null, null, null, 0.95],
]);

const TREND = "market_sector_id date complete month retention lower upper trend trend_lower " +
  "trend_upper slope slope_lower slope_upper p_value p_adjusted slope_pooled " +
  "break_date break_p_value reason confidence cluster";
const trendRow = (
  id: string,
  date: string,
  retention: number,
  slope: number | null,
  cluster = "country",
) => [
  ...[id, day(date), "true", 3, retention, retention - 0.1, retention + 0.1],
  ...slope === null
    ? [null, null, null, null, null, null, null, null, null, null, null]
    : [retention + 0.01, retention - 0.02, retention + 0.04],
  ...slope === null
    ? []
    : [slope, slope - 0.02, slope + 0.02, 0.03, 0.06, slope + 0.01, day("2026-01-01"), 0.4],
  ...[slope === null ? "a trend needs 8 complete periods, got 2" : null, 0.95, cluster],
];
const trends = (...ids: readonly (readonly [string, number | null])[]) =>
  table(
    TREND,
    ids.flatMap(([id, slope], at) => [
      trendRow(id, "2026-01-01", 0.3 - 0.1 * at, slope),
      trendRow(id, "2026-02-01", 0.32 - 0.1 * at, slope),
    ]),
  );

const layers = table("project_id date cohort_date active total older_cohorts left_out", [
  ["a", day("2026-01-01"), day("2026-01-01"), 10, 10, 0, 0],
  ["a", day("2026-02-01"), day("2026-01-01"), 4, 16, 1, 0],
  ["a", day("2026-02-01"), day("2026-02-01"), 12, 16, 1, 1],
]);
const flows = table("date new returned lost aged_out total left_out", [
  [day("2026-01-01"), 10, null, 0, 0, 30, 0],
  [day("2026-02-01"), 12, 1, 5, 2, 36, 0],
  [day("2026-03-01"), null, 1, 5, 2, 41, 0],
  [day("2026-04-01"), null, 1, 5, 2, 20, 1],
]);

/** What a chart shows, without its drawing. */
async function shownBy(chart: PlotChart) {
  const { title, subtitle, caption, legend, panels, columns, rows } = await chart.spec;
  const scale = (panels.at(-1)!.y ?? {}) as { type?: string; domain?: readonly number[] };
  return {
    title,
    subtitle,
    notes: caption.slice(0, -1).join(" "),
    legend: legend.map(({ from, label, key }) => [from, label, key].filter(Boolean).join(" ")),
    panels: panels.map(({ title }) => title ?? ""),
    columns,
    scale: scale.domain?.join(" to "),
    rows: rows.map((row: PlotSpec["rows"][number]) =>
      Object.values(row).map((cell) =>
        cell instanceof Date
          ? cell.toISOString().slice(0, 7)
          : typeof cell === "number"
          ? Number(cell.toFixed(3))
          : cell ?? "–"
      ).join(" ")
    ),
  };
}

type Shown = Awaited<ReturnType<typeof shownBy>>;

const curve = "Share of first-time users who are active again";
const shaded = "Shaded: 95% intervals, allowing for differences between countries.";
const observed = "Observed: the retention from each month to the next, multiplied.";
const four = groups("abcd", 0.2);
/** Five groups whose curves cross each other in each month. */
const crossing = table(
  "project_id month size retention",
  [..."abcde"].flatMap((id, at) =>
    [1, 2, 3, 4, 5, 6].map((month) => [id, month, 25, 0.3 + 0.05 * ((at * month * 7) % 11)])
  ),
);
const trending = trends(["x", 0.06], ["y", 0.01], ["z", null]);
const alone = table(
  TREND,
  ["2026-01-01", "2026-02-01"].map((date) => trendRow("x", date, 0.3, 0.06, "cohort_block")),
);

const CASES: readonly [name: string, draw: () => PlotChart, shows: Partial<Shown>][] = [
  ["plotRetention of one curve", () => plotRetention(groups("a", 0.1)), {
    title: "Retention of a, months 1 to 2",
    subtitle: `${curve}; 10 users`,
    notes: shaded,
    legend: [],
    scale: "0 to 0.884",
    rows: ["a 1 0.75 0.65 0.85 10", "a 2 0.7 0.6 0.8 10"],
  }],
  ["plotRetention of three groups with intervals", () => plotRetention(groups("abc", 0.2)), {
    notes: shaded,
    legend: [],
    panels: [""],
  }],
  ["plotRetention of four groups", () => plotRetention(four), {
    title: "Retention of 4 projects, months 1 to 2",
    notes: shaded,
    legend: [],
    panels: [""],
    scale: "0 to 0.988",
  }],
  ["plotRetention of groups that cross", () => plotRetention(crossing), {
    subtitle: `${curve}; 125 users; months since the cohort began, from month 1; values: month 6`,
    panels: ["b", "c", "d", "e", "a"],
    columns: 5,
  }],
  [
    "plotRetention of namesakes and of a project without a name",
    () =>
      plotRetention(table("project_name project_id month retention", [
        ...[["A", "a", 1, 0.5], ["A", "x", 1, 0.4], [null, "b", 1, 0.3]],
      ])),
    { rows: ["a 1 0.5 –", "x 1 0.4 –", "b 1 0.3 –"] },
  ],
  [
    "plotRetention of groups of own data",
    () => plotRetention(table("month retention group", [[1, 0.5, "a"], [1, 0.4, "b"]])),
    { rows: ["a 1 0.5 –", "b 1 0.4 –"] },
  ],
  ["plotRetention on a phone", () => plotRetention(crossing, { width: 360 }), { columns: 3 }],
  ["plotRetention without bands", () => plotRetention(four, { bands: false }), {
    ...{ notes: "", legend: [], panels: [""], scale: "0 to 0.78" },
  }],
  ["plotRetention of thirteen groups", () => plotRetention(groups("abcdefghijklm", 0.02)), {
    notes: "In color: the six groups with most users. " +
      "Intervals are not drawn here; a dot plot of one month shows them.",
    panels: [""],
  }],
  // Sizes 10 and 11: (10 · 0.75 + 11 · 0.65) / 21 and (10 · 0.7 + 11 · 0.6) / 21.
  ["plotRetention with a limit", () => plotRetention(four, { limit: 2, bands: false }), {
    notes: "Drawn: the 2 largest groups of 4.",
    rows: ["c 1 0.55 12", "c 2 0.5 12", "d 1 0.45 13", "d 2 0.4 13"],
  }],
  ["plotRetention of cohorts", () => plotRetention(triangle, { startMonth: 0 }), {
    title: "Retention of 2 monthly cohorts, months 0 to 2",
    subtitle: `${curve}; 1,250 users`,
    notes: "",
    rows: [
      ...["Feb 2026 0 1 50", "Feb 2026 1 0 50", "Feb 2026 2 – 50"],
      ...["Jan 2026 0 1 1200", "Jan 2026 1 0.42 1200", "Jan 2026 2 0.3 1200"],
    ],
  }],
  ["plotRetention of a forecast", () => plotRetention(forecast("cluster", "account")), {
    title: "Retention and forecast of first-time users, months 1 to 3",
    notes: "Shaded: confidence intervals of the fitted curve, allowing for differences between " +
      `accounts. The interval assumes that the model is right. ${observed}`,
    legend: ["observed line", "forecast dashed"],
    rows: ["all 1 0.5 0.4 0.6 0.5 9000", "all 2 0.4 0.3 0.5 0.4 9000", "all 3 – 0.2 0.4 0.3 –"],
  }],
  // The last interval is 0.14 wide, of 0.3: 47%. The first is 0.2 wide, of 0.5: 40%.
  ["plotRetention of a poor fit", () => plotRetention(forecast("binomial", "none", 0.1)), {
    notes: "The model fits badly: outside its sampling interval in 1 of 2 months. " + observed,
    legend: ["observed line", "forecast dashed"],
  }],
  [
    "plotRetention without a forecast",
    () =>
      plotRetention(table("project_id month net_activity predicted reason", [
        ["a", 1, 0.5, null, "two months are too few"],
      ])),
    {
      title: "Retention of a, month 1",
      notes: `${observed} No forecast: a: two months are too few.`,
      rows: ["a 1 0.5 – –"],
    },
  ],
  ["plotRetentionHeatmap", () => plotRetentionHeatmap(triangle, { source: march }), {
    title: "Retention of A by month of arrival, Jan 2026 to Feb 2026",
    subtitle: "Share of the users of a cohort who are active again; 1,250 users",
    notes: "Empty: not yet observed (1 of 6).",
    rows: [
      ...["All cohorts 0 1250 1", "All cohorts 1 1250 0.403", "All cohorts 2 1250 0.3"],
      ...["Jan 2026 0 1200 1", "Jan 2026 1 1200 0.42", "Jan 2026 2 1200 0.3"],
      ...["Feb 2026 0 50 1", "Feb 2026 1 50 0", "Feb 2026 2 50 –"],
    ],
  }],
  ["plotDifference of a pair", () => plotDifference(pair), {
    title: "Retention of a minus that of b, months 1 to 5",
    subtitle: "In percentage points; above 0: a keeps more",
    notes: "Smallest adjusted p 0.031. Shaded: 95% intervals. No interval, not tested: 1 of 4.",
    legend: [],
    rows: [
      ...["a − b 1 0.1 0.02 0.18", "a − b 2 0.05 -0.03 0.13", "a − b 3 -0.02 -0.3 0.1"],
      "a − b 5 – – –",
    ],
  }],
  ["plotDifference of units", () => plotDifference(clustersOf("funnel")), {
    notes:
      "Smallest adjusted p 0.031. Shaded: 95% intervals, allowing for differences between funnels. No " +
      "interval, not tested: 1 of 4.",
  }],
  ["plotDifference of groups without units", () => plotDifference(clustersOf("cohort_block")), {
    notes:
      "Smallest adjusted p 0.031. Shaded: 95% intervals, allowing for differences between periods, not between units " +
      "inside a group. No interval, not tested: 1 of 4.",
  }],
  ["plotDifference of separate months", () => plotDifference(pair.gatherEvery(2)), {
    notes: "Smallest adjusted p 0.031. Whiskers: 95% intervals.",
    legend: [],
  }],
  ["plotDifference of pairs", () => plotDifference(pairs), {
    title: "Difference in retention of 3 pairs, month 3",
    subtitle: "First group minus second, in percentage points; above 0: the first group keeps " +
      "more; hollow: the interval contains 0",
    notes: "Smallest adjusted p < 0.001. Lines: 95% intervals of all pairs together. " +
      "No interval, not tested: 1 of 3.",
    rows: ["a − b 0.2 0.05 0.35", "c − b 0.1 – –", "a − c 0.05 -0.1 0.2"],
  }],
  ["plotCohortTrend of one group", () => plotCohortTrend(trending.limit(2)), {
    title: "Retention in month 3 of x, cohorts of Jan 2026 to Feb 2026",
    subtitle: "Share of first-time users who are active in month 3, axis does not start at 0",
    notes: "Each country counts once: +6 points a year (95% interval +4 to +8 points; p 0.03); " +
      "all users together, with changes of the mix, +7 points. " +
      "Shaded: 95% intervals of the trend, allowing for changes that countries share.",
    legend: [],
    scale: "0.2768 to 0.36",
    rows: [
      ...["x 2026-01 0.3 – –", "x 2026-02 0.32 – –"],
      ...["trend 2026-01 0.31 0.28 0.34", "trend 2026-02 0.33 0.3 0.36"],
    ],
  }],
  ["plotCohortTrend of a group without units", () => plotCohortTrend(alone), {
    notes: "+6 points a year (95% interval +4 to +8 points; p 0.03); " +
      "all users together, with changes of the mix, +7 points. " +
      "Shaded: 95% intervals of the trend, not allowing for differences between units " +
      "inside a group.",
  }],
  ["plotCohortTrend without a trend", () => plotCohortTrend(trending.slice(4, 2)), {
    notes: `A trend needs 8 complete periods, got 2. ${shaded}`,
    rows: ["z 2026-01 0.1 0 0.2", "z 2026-02 0.12 0.02 0.22"],
  }],
  ["plotCohortTrend of groups", () => plotCohortTrend(trending), {
    title: "Trend of retention in month 3 of 3 market sectors, cohorts of Jan 2026 to Feb 2026",
    subtitle: "Change within countries, in percentage points a year; hollow: the interval " +
      "contains 0",
    notes: "Smallest adjusted p 0.06. Lines: 95% intervals, allowing for changes that countries " +
      "share. No trend: z: a trend needs 8 complete periods, got 2.",
    rows: ["x 0.06 0.04 0.08", "y 0.01 -0.01 0.03", "z – – –"],
  }],
  ["plotCohortTrend in panels", () => plotCohortTrend(trending, { as: "lines" }), {
    panels: ["x", "y", "z"],
    subtitle:
      "Share of first-time users who are active in month 3; each panel has its own scale; " +
      "values: Feb 2026",
  }],
  ["plotLayers", () => plotLayers(layers), {
    title: "Active users of a by month of arrival, Jan 2026 to Feb 2026",
    subtitle: "Users who arrived within 1 month; oldest at the bottom",
    notes: "From Feb 2026 on, the bars lack users of cohorts older than 0 months, who are " +
      "unknown. Empty: no value (1 month of cohorts).",
    legend: ["Arrived Jan 2026 Feb 2026 ramp"],
    scale: "0 to 16",
    rows: ["Jan 2026 2026-01 10", "Jan 2026 2026-02 4", "Feb 2026 2026-02 12"],
  }],
  ["plotUserFlows", () => plotUserFlows(flows), {
    title: "Monthly active users gained and lost, Jan 2026 to Apr 2026",
    subtitle: "Users per month; below: the change of their number, with its own scale",
    notes: "Aged out: users of cohorts that are no longer observed, not a loss. " +
      "Cohorts without a value are left out in 1 month.",
    legend: ["new square", "returned square", "lost square", "aged out square"],
    panels: ["", "Change of active users"],
    scale: "0 to 6",
    rows: [
      ...["new 2026-01 10", "new 2026-02 12", "new 2026-03 –", "new 2026-04 –"],
      ...["returned 2026-01 –", "returned 2026-02 1", "returned 2026-03 1", "returned 2026-04 1"],
      ...["lost 2026-01 0", "lost 2026-02 -5", "lost 2026-03 -5", "lost 2026-04 -5"],
      ...["aged out 2026-01 0", ...[2, 3, 4].map((month) => `aged out 2026-0${month} -2`)],
      // A month has a change if no cohort is left out in it.
      ...["Change of active users 2026-01 –", "Change of active users 2026-02 6"],
      ...["Change of active users 2026-03 5", "Change of active users 2026-04 –"],
    ],
  }],
];

for (const [name, draw, shows] of CASES) {
  Deno.test(`${name} draws the rows, notes, legend and scale of its frame`, async () => {
    setColors({});
    const shown = await shownBy(draw());
    const parts = Object.keys(shows) as (keyof Shown)[];
    assert.deepEqual(Object.fromEntries(parts.map((part) => [part, shown[part]])), shows);
  });
}

const REFUSED: readonly (readonly [draw: () => unknown, message: RegExp])[] = [
  [() => plotRetention(frameOf({ a: [1], b: ["x"] })), /missing: month, retention; got a, b/],
  [() => plotRetention(groups("a", 0), { startMonth: -1 }), /startMonth: must be a whole.*got -1/],
  [() => plotRetention(frameOf({ month: [0], retention: ["x"] })), /retention: expected numbers/],
  [() => plotRetention(curvesSample(12)), /has 11 cohorts; at most 8 .* plotRetentionHeatmap or/],
  [
    () =>
      plotDifference(table(
        PAIRS,
        Array.from({ length: 46 }, (_, at) => [
          ...[`g${at}`, "z", 3, 0.1, 0, 0.2, 0, 0.2, 0.1, 0.95],
        ]),
      )),
    /groups: the frame has 46 pairs, at most 45/,
  ],
  [() => plotDifference(pairs.vstack(pair)), /month: the frame has 3 pairs and 4 months/],
  ...[plotCohortTrend, plotLayers, plotUserFlows, plotDifference].map((draw) =>
    [() => draw(frameOf({ month: [1] })), /expected a frame of/] as const
  ),
];

Deno.test("charts of cohorts refuse what they cannot draw, and draw a frame without rows", async () => {
  for (const [draw, message] of REFUSED) assert.throws(draw, message);
  const empty = [
    plotCohortTrend(trending.limit(0)),
    plotLayers(layers.limit(0)),
    plotUserFlows(flows.limit(0)),
    plotDifference(pair.limit(0)),
    plotRetentionHeatmap(triangle.limit(0)),
  ];
  for (const chart of empty) {
    assert.match(await chart.svg(), /No data: the frame has no rows/, chart.title);
  }
});
