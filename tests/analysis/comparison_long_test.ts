import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { comparisonLong } from "../../lib/analysis/comparison_long.ts";
import { COMPARISON_FIELDS } from "../../lib/schema/comparison_fields.ts";
import { float64 } from "../../lib/table/columns.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { utf8 } from "../../lib/table/columns.ts";

function comparisonFrame(chains: readonly string[], values: (number | null)[][]): DataFrame {
  return pl.DataFrame([
    utf8("chain_id", chains),
    utf8("chain_name", chains.map((chain) => chain.toUpperCase())),
    ...COMPARISON_FIELDS.map(({ name }, index) => float64(name, values[index]!)),
  ]);
}

Deno.test("comparisonLong splits field names", () => {
  const long = comparisonLong(pl.DataFrame([
    utf8("chain_id", ["birch", "alder"]),
    utf8("chain_name", ["Birch", "Alder"]),
    float64("ecosystem_dex_trading_volume_30d_sum", [1, null]),
    float64("market_cap_fd_latest", [2, 20]),
    float64("active_users_daily_365d_change", [0.5, -0.5]),
    float64("transaction_count_1d", [3, 30]),
    float64("transaction_count_1d_trend", [4, 40]),
    float64("transaction_count_max", [5, 50]),
    float64("ecosystem_fees_max_sum", [6, 60]),
    float64("ecosystem_project_count_latest", [7, 70]),
    utf8("note", ["", ""]),
  ]));
  deepEqual(long.columns, ["chain_id", "chain_name", "measure", "statistic", "window", "value"]);
  deepEqual(long.rows().slice(0, 8), [
    ["birch", "Birch", "market_cap_fd", "latest", null, 2],
    ["birch", "Birch", "active_users_daily", "change", "365d", 0.5],
    ["birch", "Birch", "transaction_count", "sum", "1d", 3],
    ["birch", "Birch", "transaction_count", "trend", "1d", 4],
    ["birch", "Birch", "transaction_count", "sum", "max", 5],
    ["birch", "Birch", "ecosystem_dex_trading_volume", "sum", "30d", 1],
    ["birch", "Birch", "ecosystem_fees", "sum", "max", 6],
    ["birch", "Birch", "ecosystem_project_count", "latest", null, 7],
  ]);
  deepEqual(long.rows()[13], [
    "alder",
    "Alder",
    "ecosystem_dex_trading_volume",
    "sum",
    "30d",
    null,
  ]);
});

Deno.test("comparisonLong pivoted back equals its input", () => {
  const value = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));
  const table = fc.integer({ min: 1, max: 4 }).chain((chains) =>
    fc.array(fc.array(value, { minLength: chains, maxLength: chains }), {
      minLength: COMPARISON_FIELDS.length,
      maxLength: COMPARISON_FIELDS.length,
    })
  );
  fc.assert(
    fc.property(table, (values) => {
      const frame = comparisonFrame(["d", "a", "c", "b"].slice(0, values[0]!.length), values);
      const wide = new Map<string, Record<string, unknown>>();
      for (const row of comparisonLong(frame).toRecords()) {
        const { chain_id, chain_name, measure, statistic, window } = row;
        const field = COMPARISON_FIELDS.find((field) =>
          field.measure === measure && field.statistic === statistic && field.window === window
        );
        const record = wide.get(chain_id as string) ?? { chain_id, chain_name };
        record[field!.name] = row.value;
        wide.set(chain_id as string, record);
      }
      deepEqual([...wide.values()], frame.toRecords());
    }),
    { seed: 5, numRuns: 20 },
  );
});

Deno.test("comparisonLong of no chains has every column", () => {
  const long = comparisonLong(comparisonFrame([], COMPARISON_FIELDS.map(() => [])));
  equal(long.height, 0);
  deepEqual(
    long.columns.map((name) => long.getColumn(name).dtype.variant),
    ["String", "String", "String", "String", "String", "Float64"],
  );
});

Deno.test("comparisonLong names missing columns", () => {
  throws(() => comparisonLong(pl.DataFrame([utf8("chain_id", ["alder"])])), {
    name: "RangeError",
    message: "comparisonLong: expected a frame of blockchainComparison; missing: " +
      "chain_name, any of the 95 fields, as ecosystem_fees_30d_sum; got chain_id",
  });
});
