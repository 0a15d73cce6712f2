import { deepStrictEqual, match, throws } from "node:assert/strict";
import { check } from "../../../lib/analysis/series/check.ts";
import { dateColumn, float64, utf8 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { blockchainComparison } from "../../../lib/operations/blockchain_comparison.ts";
import { timeline } from "../../../lib/operations/timeline.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";
import { provenanceOf } from "../../../lib/table/track/provenance.ts";

type Cells = Readonly<Record<string, readonly (number | string | Date | null)[]>>;

function frameOf(columns: Cells): DataFrame {
  return pl.DataFrame(
    Object.entries(columns).map(([name, cells]) => {
      if (cells.some((cell) => cell instanceof Date)) return dateColumn(name, cells as Date[]);
      return cells.some((cell) => typeof cell === "string")
        ? utf8(name, cells as string[])
        : float64(name, cells as number[]);
    }),
  );
}

/** The findings as texts: field, rule, value, expected, severity. */
function found(columns: Cells): string[] {
  return check(frameOf(columns)).rows().map((row) => row.slice(-5).join(" | "));
}

const days = (count: number, step = 1, first = "2026-01-01") =>
  Array.from({ length: count }, (_, at) => new Date(Date.parse(first) + at * step * 86_400_000));
// Values that vary, without chance.
const noise = (count: number) =>
  Array.from({ length: count }, (_, at) => 100 + 10 * Math.sin(at * at) + at / 10);
const changed = (values: readonly number[], at: number, value: number | null) =>
  values.map((each, index) => index === at ? value : each);

Deno.test("check finds values of a row that do not agree", () => {
  const cases: [columns: Cells, expected: readonly string[]][] = [
    [{
      ecosystem_fees_7d_sum: [5, 5],
      ecosystem_fees_30d_sum: [null, 5],
      ecosystem_fees_max_sum: [4, 6],
    }, [
      "ecosystem_fees_7d_sum | not above a longer window | 5 | at most 4 | broken",
    ]],
    [{ transaction_count_1d: [8], transaction_count_7d: [7] }, [
      "transaction_count_1d | not above a longer window | 8 | at most 7 | broken",
    ]],
    [{ net_flows_1d_sum: [9], net_flows_7d_sum: [7] }, []],
    [{ ecosystem_revenue_30d_sum: [5, 5], ecosystem_fees_30d_sum: [4, null] }, [
      "ecosystem_revenue_30d_sum | revenue not above fees | 5 | at most 4 | look",
    ]],
    [{ revenue_sum: [5, 5], fees_sum: [4, 5] }, [
      "revenue_sum | revenue not above fees | 5 | at most 4 | look",
    ]],
    [{ market_cap_circ_latest: [5], market_cap_fd_latest: [4] }, [
      "market_cap_circ_latest | circulating not above fully diluted | 5 | at most 4 | look",
    ]],
    [{ net_flows_1d_sum: [1, 2, 3], inflows_1d_sum: [3, 3, 3], outflows_1d_sum: [2, 2, null] }, [
      "net_flows_1d_sum | net flows are inflows minus outflows | 2 | 1 | look",
    ]],
    [
      {
        transaction_gas_1d_avg: [2, 2.1, 5],
        gas_used_1d_sum: [10, 10, 0],
        transaction_count_1d_sum: [5, 5, 0],
      },
      ["transaction_gas_1d_avg | gas per transaction | 2.1 | 2 | broken"],
    ],
    [{ chain_id: ["a", "a", "b"], gas_market_share_1d_avg: [0.5, 7, -0.1] }, [
      "chain_id | ids are unique |  | not the ids of row 0 | broken",
      "gas_market_share_1d_avg | not negative | -0.1 | 0 or more | broken",
      "gas_market_share_1d_avg | shares of a chain_id add to at most 1 | 7.5 | at most 1 | look",
    ]],
    [{ initial_cohort_size: [10, 20], month_0: [10, 20], month_1: [-5, 21] }, [
      "month_1 | not negative | -5 | 0 or more | broken",
      "month_1 | not above month 0 | 21 | at most 20 | broken",
    ]],
    [{ initial_cohort_size: [10, 20, 0], month_0: [1, 0.9, 0], month_1: [0.5, 0.5, 0] }, [
      "month_0 | month 0 is whole | 0.9 | 1 | broken",
    ]],
  ];
  for (const [columns, expected] of cases) deepStrictEqual(found(columns), expected);
});

Deno.test("check finds shares that are not from 0 to 1, if the unit is a fraction", () => {
  const frame = frameOf({ market_share: [0.5, 7, -0.2] });
  const described = (unit: string) =>
    check(withSource(frame, { citation: "x", columns: { market_share: { unit } } }));
  deepStrictEqual(described("fraction").select("rule", "value").rows(), [
    ["a part of the whole", 7],
    ["not negative", -0.2],
  ]);
  deepStrictEqual([described("count").height, check(frame).height], [0, 0]);
});

Deno.test("check finds spikes, zeros, repeats and gaps in series", () => {
  const [daily, values] = [days(60), noise(60)];
  const series = (fees: readonly (number | null)[], date = daily) => found({ date, fees });
  deepStrictEqual(series(values), []);
  deepStrictEqual(series(changed(values, 30, 1_000)), [
    "fees | no spike | 1000 | about 104 | look",
  ]);
  deepStrictEqual(series(changed(values, 59, 1)), ["fees | no spike | 1 | about 106 | look"]);
  const monthEnds = noise(120).map((value, at) => at % 30 > 26 ? value / 5 : value);
  deepStrictEqual(series(monthEnds, days(120)), []);
  deepStrictEqual(series(changed(monthEnds, 40, 1e5), days(120)), [
    "fees | no spike | 100000 | about 106 | look",
  ]);
  const twice = values.map((each, index) => index === 30 ? 1_000 : each);
  deepStrictEqual(found({ date: daily, fees_sum: twice, fees_avg: changed(twice, 9, 0) }), [
    "fees_sum | no spike | 1000 | about 104 | look",
    "fees_avg | no zero among values | 1 | above 0; first 0 on 2026-01-10 | look",
  ]);
  deepStrictEqual(series(changed(values, 30, 0)), [
    "fees | no zero among values | 1 | above 0; first 0 on 2026-01-31 | look",
  ]);
  deepStrictEqual(series(changed(values, 0, 0)), []);
  deepStrictEqual(series(values.map((value, at) => at % 3 ? value / 10 : 0)), []);
  deepStrictEqual(series(values.map((value, at) => at % 3 ? value : 0)), [
    "fees | no zero among values | 20 | above 0; first 0 on 2026-01-01 | look",
  ]);
  const flat = values.map((value, at) => at > 20 && at < 28 ? 123.5 : value);
  deepStrictEqual(series(flat), [
    "fees | no repeated value | 123.5 | not the same in 7 periods | look",
  ]);
  deepStrictEqual(series(values.slice(2), daily.filter((_, at) => at !== 9 && at !== 10)), [
    "date | no missing period | 2 | every day after 2026-01-09 | look",
  ]);
  const swapped = daily.map((_, at) => daily[at === 5 ? 6 : at === 6 ? 5 : at]!);
  // Rows are found by their dates, not by their order.
  deepStrictEqual(series(values, swapped), []);
  deepStrictEqual(series(values.toReversed(), daily.toReversed()), []);
  deepStrictEqual(series(values.slice(0, 20), daily.slice(0, 20)), [
    "fees | no spike |  | 26 values that vary; fewer in 1 of 1 series | not judged",
  ]);
  const months = Array.from({ length: 40 }, (_, at) => new Date(Date.UTC(2022, at, 1)));
  deepStrictEqual(series(changed(noise(40), 30, 1_000), months), [
    "fees | no spike | 1000 | about 97.3 | look",
  ]);
  // A launch is no spike.
  deepStrictEqual(series(noise(40).map((value, at) => at < 20 ? value : value * 50), months), []);
  const levels = { fees_latest: [2, 3, 6], fees_change: [null, 0.5, 2] };
  deepStrictEqual(found({ date: months.slice(0, 3), ...levels }), [
    "fees_change | change from the value before | 2 | 1.00000 | look",
    "fees_latest | no spike |  | 12 values that vary; fewer in 1 of 1 series | not judged",
  ]);
});

Deno.test("check reads series by their texts, and says where it cannot read dates", () => {
  const [date, values] = [days(60), noise(60)];
  const two = {
    date: [...date, ...date.filter((_, at) => at !== 9)],
    venue: [...date.map(() => "a"), ...date.slice(1).map(() => "b")],
    fees: [...changed(values, 30, 1_000), ...values.slice(1).map((each) => each * 50)],
  };
  const expected = [
    "date | no missing period | 1 | every day after 2026-01-09 | look",
    "fees | no spike | 1000 | about 104 | look",
  ];
  deepStrictEqual(found(two), expected);
  const text = two.date.map((day) => day.toISOString().slice(0, 10));
  deepStrictEqual(found({ ...two, date: text }), expected);
  const unread = "values over time |  | days, such as 2025-01-31 | not judged";
  deepStrictEqual(found({ date: ["1/2/2026", "1/3/2026"], fees: [1, 2] }), [`date | ${unread}`]);
  deepStrictEqual(
    found({ day: text, venue: two.venue, fees: two.fees }),
    expected.map((line) => line.replace("date", "day")),
  );
});

Deno.test("check keeps the ids and the provenance, finds nothing in the sample, and needs a frame", async () => {
  const chains = await blockchainComparison();
  const clean = check(chains);
  deepStrictEqual(clean.shape, { height: 0, width: 6 });
  deepStrictEqual(provenanceOf(clean).steps, ["check"]);
  const cell = pl.when(pl.col("chain_id").eq(pl.lit("alder"))).then(pl.lit(1e12))
    .otherwise(pl.col("ecosystem_fees_30d_sum"));
  const [row] = check(chains.withColumn(cell.alias("ecosystem_fees_30d_sum"))).toRecords();
  deepStrictEqual({ ...row, expected: "" }, {
    chain_id: "alder",
    field: "ecosystem_fees_30d_sum",
    rule: "not above a longer window",
    value: 1e12,
    expected: "",
    severity: "broken",
  });
  match(String(row!.expected), /^at most \d+/);
  throws(() => check([] as never), /RangeError: check: expected a frame; got \[\]/);
});

Deno.test("check finds series that end before the data", async () => {
  const query = {
    metric_ids: ["fees"],
    group_by: "chains",
    every: "day",
    from: "2026-05-01",
  } as const;
  const fees = await timeline(query);
  deepStrictEqual(check(fees).filter(pl.col("severity").neq(pl.lit("not judged"))).height, 0);
  const isLate = pl.col("data_id").eq(pl.lit("alder"))
    .and(pl.col("date").gt(pl.lit("2026-06-10").cast(pl.Date)));
  const [row] = check(fees.filter(isLate.not())).toRecords();
  deepStrictEqual([row!.rule, row!.data_id, row!.value, row!.expected, row!.severity], [
    ...["up to the end of the data", "alder", 7, "through 2026-06-17", "look"],
  ]);
  // A frame that was cut ends early, but no series in it does.
  const cut = fees.filter(pl.col("date").lt(pl.lit("2026-06-10").cast(pl.Date)));
  deepStrictEqual(check(cut).filter(pl.col("severity").neq(pl.lit("not judged"))).height, 0);
});

Deno.test("check finds the length of periods if the first row has no date", () => {
  const [january, march] = [new Date("2026-01-01"), new Date("2026-03-01")];
  deepStrictEqual(
    found({
      date: [null, january, march],
      until: [null, new Date("2026-01-31"), new Date("2026-03-31")],
      fees: [1, 2, 3],
    }).slice(1, 2),
    ["date | no missing period | 1 | every month after 2026-01-01 | look"],
  );
});

Deno.test("check finds numbers that are not finite, and negative values of what cannot be negative", () => {
  const cells = pl.DataFrame({
    protocol: ["a", "b", "c", "d"],
    fees_usd: [1, NaN, Infinity, -1e9],
    net_fees: [1, -1, -2, -3],
    active_users: [1, 2, 3, -4_000_000],
    tvl_usd: [null, 1, null, NaN],
  });
  deepStrictEqual(
    check(cells).select("field", "rule", "value", "severity").rows(),
    [
      ["fees_usd", "a finite number", NaN, "broken"],
      ["fees_usd", "a finite number", Infinity, "broken"],
      ["fees_usd", "not negative", -1e9, "broken"],
      ["active_users", "not negative", -4_000_000, "broken"],
      ["tvl_usd", "a finite number", NaN, "broken"],
    ].map((row) => Number.isNaN(row[2]) ? [row[0], row[1], null, row[3]] : row),
  );
});

Deno.test("check judges months: a value of 1e12 among 100, and the ends from 24 periods on", () => {
  const months = (count: number) =>
    Array.from({ length: count }, (_, at) => new Date(Date.UTC(2022, at, 1)));
  const of = (count: number, at: number) =>
    found({ date: months(count), fees: changed(noise(count), at, 1e12) });
  deepStrictEqual(of(30, 12), ["fees | no spike | 1000000000000 | about 103 | look"]);
  deepStrictEqual(of(30, 29), ["fees | no spike | 1000000000000 | about 101 | look"]);
  deepStrictEqual(of(14, 6), [
    "fees | no spike | 1000000000000 | about 98.3 | look",
    "fees | no spike |  | 24 values to judge the first and last two; fewer in 1 of 1 series | " +
    "not judged",
  ]);
  deepStrictEqual(of(11, 6), [
    "fees | no spike |  | 12 values that vary; fewer in 1 of 1 series | not judged",
  ]);
});

Deno.test("check finds a unit that is multiplied by 1000 for 30 days, and no doubling", () => {
  const scaled = (factor: number, length: number) =>
    found({
      date: days(200),
      fees: noise(200).map((value, at) => at >= 80 && at < 80 + length ? value * factor : value),
    });
  const rules = (lines: readonly string[]) => lines.map((line) => line.split(" | ").slice(0, 3));
  deepStrictEqual(rules(scaled(1_000, 30)).map(([, rule]) => rule), [
    ...["no jump of the level", "no jump of the level"],
  ]);
  deepStrictEqual(rules(scaled(0.001, 400)).map(([, rule]) => rule), ["no jump of the level"]);
  deepStrictEqual(scaled(2, 30), []);
});

Deno.test("check has one row for a series with missing periods, and dates far away cost nothing", () => {
  const gaps = days(60).filter((_, at) => ![5, 6, 30].includes(at));
  deepStrictEqual(found({ date: gaps, fees: noise(57) }), [
    "date | no missing period | 3 | every day after 2026-01-05 | look",
  ]);
  const far = [...days(40), new Date("9999-12-31")];
  deepStrictEqual(found({ date: far, fees: noise(41) }), [
    "date | a plausible date | 1 | dates from 1990 to 2100; first 9999-12-31 | look",
  ]);
});
