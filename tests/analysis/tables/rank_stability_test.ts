import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { rankStability } from "../../../lib/analysis/tables/rank_stability.ts";
import { float64, utf8 } from "../../../lib/table/build/columns.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";

function comparison(columns: Record<string, (number | null)[]>): DataFrame {
  const [first] = Object.values(columns);
  return pl.DataFrame([
    utf8("chain_id", first!.map((_, index) => `chain-${index}`)),
    ...Object.entries(columns).map(([name, values]) => float64(name, values)),
  ]);
}

Deno.test("rankStability compares every pair of windows, and drops pairs with null", () => {
  const stability = rankStability(
    comparison({
      ecosystem_fees_1d_sum: [1, 2, 3, 4, 5],
      ecosystem_fees_7d_sum: [10, 20, 30, 40, 50],
      ecosystem_fees_30d_sum: [5, null, 3, 2, 1],
      ecosystem_fees_30d_trend: [1, 1, 1, 1, 1],
    }),
    { field: "ecosystem_fees" },
  );
  deepEqual(stability.columns, ["window", "other", "count", "spearman", "kendall"]);
  deepEqual(stability.rows(), [
    ["1d", "7d", 5, 1, 1],
    ["1d", "30d", 4, -1, -1],
    ["7d", "30d", 4, -1, -1],
  ]);
  equal(stability.getColumn("count").dtype.variant, "Int64");
});

Deno.test("rankStability equals R's numbers, including ties", () => {
  // R: cor(x, y, method = "spearman"), cor(x, y, method = "kendall"), which is tau-b.
  const cases: [x: number[], y: number[], spearman: number, kendall: number][] = [
    [[1, 2, 2, 4, 5, 6], [2, 1, 3, 3, 6, 5], 0.8088235294, 0.6428571429],
    [[3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8], 0.1988536812, 0.1605144708],
    [[0, 0, 0, 1], [1, 2, 3, 4], 0.7745966692, 0.7071067812],
  ];
  for (const [x, y, spearman, kendall] of cases) {
    const frame = comparison({ transaction_count_1d: x, transaction_count_max: y });
    const [row] = rankStability(frame, { field: "transaction_count" }).toRecords();
    deepEqual([row!.window, row!.other, row!.count], ["1d", "max", x.length]);
    ok(Math.abs(Number(row!.spearman) - spearman) < 1e-9, `${row!.spearman} is not ${spearman}`);
    ok(Math.abs(Number(row!.kendall) - kendall) < 1e-9, `${row!.kendall} is not ${kendall}`);
  }
});

Deno.test("rankStability is null for equal or missing values, and accepts infinite ones", () => {
  const rows = (one: (number | null)[], other: (number | null)[]) =>
    rankStability(
      comparison({ ecosystem_tvl_1d_change: one, ecosystem_tvl_7d_change: other }),
      { field: "ecosystem_tvl" },
    ).rows();
  deepEqual(rows([1, 1, 1], [1, 2, 3]), [["1d", "7d", 3, null, null]]);
  deepEqual(rows([1, null], [1, 2]), [["1d", "7d", 1, null, null]]);
  deepEqual(rows([null], [null]), [["1d", "7d", 0, null, null]]);
  deepEqual(rows([], []), [["1d", "7d", 0, null, null]]);
  deepEqual(rows([1, Infinity, 2], [1, 3, 2]), [["1d", "7d", 3, 1, 1]]);
});

Deno.test("rankStability refuses a measure without windows, and a frame with fewer than two", () => {
  const frame = comparison({ ecosystem_fees_1d_sum: [1] });
  throws(() => rankStability(frame, { field: "ecosystem_project_count" as "ecosystem_fees" }), {
    name: "RangeError",
    message: /^rankStability: field: must be one of market_cap_fd, /,
  });
  throws(() => rankStability(frame, { field: "ecosystem_fees" }), {
    name: "RangeError",
    message: /missing: ecosystem_fees_7d_sum, /,
  });
});
