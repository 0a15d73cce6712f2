import { deepStrictEqual as equal, ok } from "node:assert/strict";
import {
  blockchainComparison,
  check,
  type Frame,
  growthTable,
  metricAggregations,
  metricBreakdown,
  pl,
  plotComparison,
  plotGrowth,
  rankBy,
} from "../../mod.ts";
import { float64, utf8 } from "../../lib/table/columns/cell_values.ts";
import { partWindows } from "../../lib/table/read/part_windows.ts";
import { answering } from "../operations/answering.ts";
import { hearing } from "../http/hearing.ts";
import { sampleConnection } from "./sample_connection.ts";

// Figures of the vendor's first version, as it answered on 10 July 2022 for one project with data since 17 December
// 2020, from the public repository messari/subgraphs: subgraphs/lido/validation/metrics-aggregates-2022-07-10.json and
// metrics-daily-2022-07-10.json. Only numbers are kept here. `daily` has the values of the last days, the newest first.
const RECORDED = {
  revenue_total: {
    daily: [
      ...[578837.4553940205, 607295.4019825077, 614550.791413872, 618034.7898140699],
      ...[591638.2247886488, 559776.9629268893, 565498.0000931314, 527897.0441715592],
    ],
    latest: 578837.4553940205,
    "1d_sum": 578837.4553940205,
    "7d_sum": 4135631.62641314,
    "180d_sum": 156606749.31104666,
    "365d_sum": 281927225.6903391,
    max_sum: 303113360.88622266,
    "1d_change": -0.046860138403133855,
    "7d_change": 0.02358886379561409,
    "180d_trend": 0.25929491742903843,
    "365d_trend": 12.307156925210005,
  },
  tvl: {
    daily: [
      ...[5250360556.740897, 5250407031.952428, 5344081527.037344, 5133736448.543099],
      ...[4974559493.445548, 4984983055.945947, 4624675259.240275, 4581471448.52764],
    ],
    latest: 5250360556.740897,
    "1d_change": -0.000008851734969894665,
    "7d_change": 0.13529280704639302,
  },
  price: {
    daily: [0.6817001914843445, 0.7449391070413826],
    latest: 0.638055,
    "1d_change": -0.0245424,
  },
} as const;

const rows = Object.entries(RECORDED).flatMap(([metric_id, { daily: _, ...values }]) =>
  Object.entries(values).map(([metric_aggregation_name, value]) => ({
    project_id: "one",
    project_name: "One",
    metric_id,
    metric_aggregation_name,
    value: String(value),
  }))
);

function recorded() {
  return metricAggregations({}, answering({ data: rows }).connection);
}

const near = (a: number, b: number, least = 1e-12) => ok(Math.abs(a / b - 1) < least, `${a} ${b}`);

Deno.test("metricAggregations reads the recorded figures to the last digit", async () => {
  const frame = await recorded();
  equal(
    frame.getColumn("value_number").toArray(),
    Object.values(RECORDED).flatMap(({ daily: _, ...values }) => Object.values(values)),
  );
});

Deno.test("recorded: a change over W days compares with the first day of the window, over one with the day before", () => {
  for (const { daily, ...values } of [RECORDED.revenue_total, RECORDED.tvl]) {
    near(1 + values["7d_change"], daily[0]! / daily[6]!);
    ok(Math.abs(values["7d_change"] - (daily[0]! / daily[7]! - 1)) > 0.01);
    near(1 + values["1d_change"], daily[0]! / daily[1]!);
  }
  near(
    RECORDED.revenue_total["7d_sum"],
    RECORDED.revenue_total.daily.slice(0, 7)
      .reduce((sum: number, value) => sum + value, 0),
  );
});

Deno.test("recorded: the latest price and its change are live values, not those of the last day", () => {
  const { daily, latest, ...values } = RECORDED.price;
  ok(Math.abs(latest / daily[0] - 1) > 0.05);
  ok(Math.abs(values["1d_change"] - (daily[0] / daily[1] - 1)) > 0.05);
});

Deno.test("recorded: the trend over 365 days is of a window before that is only partly filled, and check says so", async () => {
  const { max_sum, ...values } = RECORDED.revenue_total;
  near(1 + values["365d_trend"], values["365d_sum"] / (max_sum - values["365d_sum"]));
  const found = check(await recorded());
  equal(
    found.select("metric_id", "metric_aggregation_name", "value", "severity").rows(),
    [["revenue_total", "365d_trend", 12.307156925210005, "look"]],
  );
});

/** Ten chains, of which the last has the recorded figures. */
function comparison(): Frame {
  const { max_sum, ...values } = RECORDED.revenue_total;
  const ids = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "one"];
  const of = (other: (at: number) => number, own: number) =>
    ids.map((_, at) => at === 9 ? own : other(at));
  const windows = ["1d", "7d", "30d", "90d", "180d", "365d"];
  return pl.DataFrame([
    utf8("chain_id", ids),
    utf8("chain_name", ids.map((id) => `Chain ${id}`)),
    ...windows.map((window) =>
      float64(
        `ecosystem_revenue_${window}_trend`,
        of((at) => at / 10, window === "365d" ? values["365d_trend"] : values["180d_trend"]),
      )
    ),
    float64("ecosystem_revenue_365d_sum", of((at) => 1e6 + at, values["365d_sum"])),
    float64("ecosystem_revenue_max_sum", of((at) => 9e6 + at, max_sum)),
  ]) as unknown as Frame;
}

const TEXT =
  "Chain one (365d): nothing was counted before the previous window: it may be only partly filled";

Deno.test("growthTable, rankBy and charts name the row of a window that may be only partly filled", async () => {
  const field = "ecosystem_revenue_365d_trend";
  equal(
    await hearing(() => growthTable(comparison(), { field: "ecosystem_revenue" })),
    [`growthTable: ${TEXT}`],
  );
  equal(await hearing(() => rankBy(comparison(), { field })), [`rankBy: ${TEXT}`]);
  const text = (svg: string) => svg.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  ok(text(await plotComparison(comparison(), { field }).svg()).includes(TEXT));
  const grown = growthTable(comparison(), { field: "ecosystem_revenue" });
  ok(text(await plotGrowth(grown).svg()).includes(TEXT));
});

Deno.test("no trend of the sample is of a window before that is only partly filled", async () => {
  const connection = sampleConnection();
  const frames = [
    await metricAggregations({}, connection),
    await blockchainComparison({}, connection),
  ];
  const names = frames[0]!.getColumn("metric_aggregation_name").toArray() as string[];
  ok(names.filter((name) => name.endsWith("_trend")).length > 5_000);
  for (const frame of frames) equal(partWindows(frame), []);
});

Deno.test("an answer of metricBreakdown has no sum over all days, so that nothing can be seen in it", async () => {
  const metrics = { revenue_total: { sum: 60, trend: 0.5 } };
  const item = { data_id: "one", chain_id: null, product_id: null, metrics };
  const frame = await metricBreakdown(
    { metric_ids: ["revenue_total"], interval: "30d", group_by: "projects" },
    answering({ data: [item] }).connection,
  );
  equal(check(frame).height, 0);
});
