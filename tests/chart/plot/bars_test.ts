import { throws } from "node:assert/strict";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { plotContractFlows } from "../../../lib/chart/contract_flows.ts";
import { described } from "../../table/described.ts";
import { testCharts } from "../chart_out.ts";
import { comparisonSample, flowsSample, frameOf } from "../sample_frames.ts";

const groups = described(
  frameOf({
    sector: ["x", "y", "z"],
    share: [0.2, 0.5, null],
    low: [0.1, 0.4, null],
    high: [0.3, 0.7, null],
  }),
  ["fraction", "share", "low", "high"],
);
const sector = { field: "share", label: "sector" };
const bounds = { ...sector, lower: "low", upper: "high" };
const wide = frameOf({
  chain_id: ["a", "b", "c"],
  fees: [5, 5_000, 5_000_000],
  tvl_change: [0.1, -0.25, 0.02],
});
const parts = frameOf({ chain_id: ["a", "b", "c", "d"], fees: [20, 70, null, 10] });

/** The bounds of two sectors, with the levels of the bounds in a column. */
function levels(confidence: readonly number[] | null) {
  return frameOf({
    ...{ sector: ["x", "y"], share: [0.2, 0.5], low: [0.1, 0.4], high: [0.3, 0.7] },
    ...confidence === null ? {} : { confidence },
  });
}

/** Bounded values of very different sizes. */
const apart = frameOf({
  ...{ sector: ["x", "y", "z"], share: [0.5, 0.001, 0.0001] },
  ...{ low: [0.4, 0.0005, 0.00005], high: [0.6, 0.002, 0.0002] },
});

/** The statistics of two metrics. */
function statistics(metric: string) {
  const of = (metric: string) =>
    Object.fromEntries(
      ["sum", "avg", "latest", "change", "trend"].map((name) => [`${metric}_${name}`, [1]]),
    );
  return frameOf({ data_id: ["x"], ...of(metric), ...of("other") });
}

testCharts([
  [
    "plotComparison draws a bar for each value, largest first, and no bar for null",
    () => plotComparison(comparisonSample()),
    {
      title: "Ecosystem fees over 30 days of 5 chains",
      subtitle: "Largest first; %: share of the sum of 5 chains",
      notes: "Without a value: 1 of 6.",
      legend: "",
      rows: [
        ...["Alder 41200000", "Basalt 18900000", "Cinder 6240000", "Dune 2310000"],
        ...["Ember Rollup 820000", "Fathom –"],
      ],
      scales: ["linear 0 41200000"],
      marks: { bar: 5 },
      texts: {
        value: [
          "$41.2M · 59%",
          "$18.9M · 27%",
          "$6.2M · 9%",
          "$2.3M · 3%",
          "$820K · 1%",
        ],
        missing: ["no value"],
      },
    },
  ],
  [
    "plotComparison counts rows without a value apart from the largest rows",
    () => plotComparison(parts, { field: "fees", limit: 1 }),
    {
      title: "Fees of the 1 largest of 3 chains",
      notes:
        "Drawn: the 1 largest chains of 3, and the sum of the others. Without a value: 1 of 4.",
      rows: ["b 70", "other (2 chains) 30"],
    },
  ],
  [
    "plotComparison draws dots on a logarithmic axis",
    () => plotComparison(wide, { field: "fees", scale: "log" }),
    {
      subtitle: "Largest first, logarithmic axis; %: share of the sum of 3 chains",
      scales: ["log 5 5000000"],
      marks: { bar: 0, "value dot": 3 },
    },
  ],
  [
    "plotComparison draws bars from zero, however different the values",
    () => plotComparison(wide, { field: "fees" }),
    { scales: ["linear 0 5000000"], marks: { bar: 3, "value dot": 0 } },
  ],
  [
    "plotComparison draws gains and losses, with one panel for each measure",
    () => plotComparison(wide, { field: ["fees", "tvl_change"] }),
    {
      title: "Fees and change of TVL of 3 chains",
      subtitle: "Ranked by fees; in brackets: the rank",
      panels: ["Fees", "TVL, change"],
      rows: ["c 5000000 0.02", "b 5000 -0.25", "a 5 0.1"],
      scales: ["linear 0 5000000", "linear -0.25 0.1"],
      marks: { bar: 6 },
      texts: { value: ["$5.0M", "$5.0K", "$5", "+2% (2)", "−25% (3)", "+10% (1)"] },
    },
  ],
  ["plotComparison draws bounds, and no dot for null", () => plotComparison(groups, bounds), {
    title: "Share of 2 sectors",
    notes: "Whiskers: intervals of unknown level. Without a value: 1 of 3.",
    rows: ["y 0.5 0.4 0.7", "x 0.2 0.1 0.3", "z – – –"],
    scales: ["linear 0 0.7"],
    marks: { interval: 2, "lower bound": 2, "upper bound": 2, "value dot": 2 },
    texts: { value: ["50%", "20%"], missing: ["no value"] },
  }],
  [
    "plotComparison draws a reference across bars",
    () => plotComparison(groups, { ...sector, reference: { value: 0.35, label: "all sectors" } }),
    {
      rows: ["y 0.5", "x 0.2", "z –"],
      marks: { reference: 1, interval: 0, "value dot": 0, bar: 2 },
      texts: { "reference value": ["all sectors 35%"] },
    },
  ],
  [
    "plotComparison states the level of the bounds",
    () => plotComparison(levels([0.95, 0.95]), bounds),
    { notes: "Whiskers: 95% intervals." },
  ],
  [
    "plotComparison states no level if the levels differ",
    () => plotComparison(levels([0.95, 0.9]), bounds),
    { notes: "Whiskers: intervals of unknown level." },
  ],
  [
    "plotComparison states the level that the caller gives",
    () => plotComparison(levels(null), { ...bounds, confidence: 0.995 }),
    { notes: "Whiskers: 99.5% intervals." },
  ],
  [
    "plotComparison draws bounds of money on a logarithmic axis",
    () => plotComparison(apart, { ...bounds, unit: "usd" }),
    { scales: ["log 0.00005 0.6"] },
  ],
  [
    "plotComparison draws bounds of fractions on a linear axis",
    () => plotComparison(apart, { ...bounds, unit: "fraction" }),
    { scales: ["linear 0 0.6"] },
  ],
  [
    "plotComparison draws the sum of a metric that adds up",
    () => plotComparison(statistics("fees")),
    { title: "Fees, sum: 1 group", rows: ["x 1"] },
  ],
  ["plotComparison draws the latest value of a level", () => plotComparison(statistics("tvl")), {
    title: "TVL, latest: 1 group",
  }],
  ["plotComparison draws the average of users", () => plotComparison(statistics("active_users")), {
    title: "Active users, average: 1 group",
  }],
  ["plotComparison names items by as few ids as needed", () =>
    plotComparison(frameOf({
      data_id: ["swap", "swap", "lend"],
      chain_id: ["alder", "basalt", "alder"],
      product_id: ["", "", ""],
      fees: [3, 2, 1],
    })), {
    rows: ["swap · alder 3", "swap · basalt 2", "lend · alder 1"],
    texts: { value: ["$3 · 50%", "$2 · 33%", "$1 · 17%"] },
  }],
  [
    "plotContractFlows gives net flows their own scale, and inflows and outflows another",
    () => plotContractFlows(flowsSample()),
    {
      title: "Flows of contracts of 5 market sectors, one day",
      subtitle: "Ranked by net flow; in brackets: the rank; net flows have their own scale",
      notes: "Without a value: a flow of 1 of 5 market sectors. " +
        "Sums of 2 market sectors leave out contracts without a value.",
      rows: [
        ...["Bridge 2360000 5230000 2870000", "Exchange 1290000 8420000 7130000"],
        ...["Games 42000 640000 598000", "Lending -570000 3910000 4480000", "Staking – – 310000"],
      ],
      panels: ["Net flows", "Inflows", "Outflows"],
      scales: ["linear -687200 2360000", "linear 0 8420000", "linear 0 8420000"],
      marks: { bar: 4 + 4 + 5 },
    },
  ],
  ["plotContractFlows draws the sum of the groups that are left out", () => {
    const groups = Array.from({ length: 15 }, (_, group) => group);
    return plotContractFlows(
      frameOf({
        chain_id: groups.map((group) => `chain ${group}`),
        inflows: groups.map((group) => 100 * (group + 1)),
        outflows: groups.map(() => 10),
        net_flows: groups.map((group) => 100 * (group + 1) - 10),
      }),
      { limit: 2 },
    );
  }, {
    title: "Flows of contracts of 2 chains",
    notes: "Drawn: the 2 groups with the largest flows of 15, and the sum of the others.",
    rows: [
      ...["chain 14 1490 1500 10", "chain 13 1390 1400 10", "other (13 groups) 8970 9100 130"],
    ],
    marks: { bar: 9, apart: 3 },
  }],
]);

Deno.test("the charts of rows refuse what they cannot draw", () => {
  const references = [{ value: NaN, label: "x" }, { value: 1 }, { label: "x" }] as unknown[];
  const refused: [draw: () => unknown, message: RegExp][] = [
    [() => plotComparison(comparisonSample(), { field: ["fees"] }), /missing: fees/],
    [
      () => plotComparison(comparisonSample(), { scale: "sqrt" as "log" }),
      /scale: must be one of auto, linear, log/,
    ],
    [
      () => plotComparison(groups, { ...sector, lower: "low" }),
      /^RangeError: plotComparison: lower and upper: must be given together; got low alone$/,
    ],
    [
      () => plotComparison(levels(null), { ...bounds, confidence: 95 }),
      /confidence: must be a number/,
    ],
    [
      () => plotComparison(groups, { ...sector, reference: NaN }),
      /plotComparison: reference: must be a finite number; got NaN/,
    ],
    ...references.map((reference): [() => unknown, RegExp] => [
      () => plotComparison(groups, { ...sector, reference: reference as number }),
      /reference: must be a finite number with its label: { value, label }/,
    ]),
    [
      () => plotComparison(frameOf({ data_id: ["a"], metric_id: ["fees"], value: [1] })),
      /the frame is in long form/,
    ],
    [
      () => plotComparison(frameOf({ data_id: ["a"] })),
      /the frame has no column of numbers; it has data_id/,
    ],
    [
      () => plotComparison(frameOf({ data_id: ["a", "a"], fees_sum: [1, 2] })),
      /each row must be a different item; got "a" 2 times; keep one date by where\(frame, { date }\), or the largest by topN; plotTimeline draws all dates/,
    ],
  ];
  for (const [draw, message] of refused) throws(draw, message);
});
