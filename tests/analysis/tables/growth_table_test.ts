import { deepEqual, equal, throws } from "node:assert/strict";
import { growthTable } from "../../../lib/analysis/tables/growth_table.ts";
import { float64 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";

const WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"];

const COLUMNS = [
  ...["chain_id", "chain_name", "measure", "statistic"],
  ...WINDOWS,
  "partly_filled",
];

function comparison(): DataFrame {
  const growth = (prefix: string, suffix: string, first: number) =>
    WINDOWS.map((window, index) =>
      float64(`${prefix}_${window}_${suffix}`, [first + index, index === 5 ? null : -index])
    ).toReversed();
  return pl.DataFrame([
    utf8("chain_id", ["birch", "alder"]),
    utf8("chain_name", ["Birch", "Alder"]),
    ...growth("ecosystem_tvl", "change", 10),
    ...growth("ecosystem_fees", "trend", 20),
    ...growth("transaction_count", "trend", 30),
    float64("transaction_count_1d", [99, 99]),
    float64("ecosystem_fees_1d_sum", [99, 99]),
  ]);
}

Deno.test("growthTable has a row per chain and a column per window: change of levels, trend of sums", () => {
  const tvl = growthTable(comparison(), { field: "ecosystem_tvl" });
  deepEqual(tvl.columns, COLUMNS);
  deepEqual(tvl.rows(), [
    ["birch", "Birch", "ecosystem_tvl", "change", 10, 11, 12, 13, 14, 15, null],
    ["alder", "Alder", "ecosystem_tvl", "change", -0, -1, -2, -3, -4, null, null],
  ]);
  deepEqual(growthTable(comparison(), { field: "ecosystem_fees" }).rows()[0], [
    ...["birch", "Birch", "ecosystem_fees", "trend"],
    ...[20, 21, 22, 23, 24, 25, null],
  ]);
  deepEqual(growthTable(comparison(), { field: "transaction_count" }).rows()[0], [
    ...["birch", "Birch", "transaction_count", "trend"],
    ...[30, 31, 32, 33, 34, 35, null],
  ]);
});

Deno.test("growthTable of no chains has every column and no rows", () => {
  const table = growthTable(comparison().slice(0, 0), { field: "ecosystem_tvl" });
  equal(table.height, 0);
  deepEqual(table.columns, COLUMNS);
});

Deno.test("growthTable refuses a measure without growth, and names missing columns", () => {
  throws(() => growthTable(comparison(), { field: "ecosystem_project_count" as "ecosystem_tvl" }), {
    name: "RangeError",
    message:
      /^growthTable: field: must be one of market_cap_fd, .*; got "ecosystem_project_count"$/,
  });
  throws(
    () => growthTable(comparison().drop("ecosystem_tvl_7d_change"), { field: "ecosystem_tvl" }),
    {
      name: "RangeError",
      message:
        /^growthTable: expected a frame of blockchainComparison; missing: ecosystem_tvl_7d_change; got/,
    },
  );
});
