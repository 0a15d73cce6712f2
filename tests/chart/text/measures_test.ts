import assert from "node:assert/strict";
import { axisName, measureOf } from "../../../lib/chart/measures.ts";
import { servedColumns, setColumns } from "../../../lib/table/track/descriptions.ts";
import { pl } from "../../../lib/table/columns/polars.ts";

Deno.test("measureOf returns meaning and unit of a field, and whether it adds up", () => {
  const cases: [string, string, string, boolean][] = [
    ["ecosystem_fees_30d_sum", "Ecosystem fees over 30 days", "", true],
    ["ecosystem_fees_max_sum", "Ecosystem fees over all time", "", true],
    [
      "ecosystem_fees_1d_trend",
      "Ecosystem fees over 1 day against the 1 day before",
      "",
      false,
    ],
    ["market_cap_fd_latest", "Market cap, fully diluted, latest", "", true],
    ["active_users_daily_7d_change", "Daily active users, change over 7 days", "", false],
    ["transaction_count_90d", "Transaction count over 90 days", "transactions", true],
    ["core_developers_latest", "Core developers, latest", "developers", false],
    ["ecosystem_project_count_latest", "Ecosystem project count, latest", "projects", false],
    ["fees", "Fees", "", true],
    ["fees_avg", "Fees, average", "", true],
    ["fees_days", "Fees, days of the average", "days", false],
    ["active_users_sum", "Active users, sum", "users", false],
    // Fields outside the interface have the currency of their name, and are never added up.
    ["fees_eur", "Fees", "EUR", false],
    ["something_new", "Something new", "", false],
  ];
  for (const [field, title, axis, additive] of cases) {
    const { title: said, axis: unit, additive: adds } = measureOf(
      setColumns(pl.DataFrame({}), servedColumns([field])),
      field,
    );
    assert.deepEqual([said, unit, adds], [title, axis, additive], field);
  }
});

Deno.test("axisName adds the unit unless the title has it", () => {
  for (
    const [title, axis, name] of [
      ["Fees", "", "Fees"],
      ["Active users", "users", "Active users"],
      ["Core developers, latest", "developers", "Core developers, latest"],
      ["Fees, days of the average", "hours", "Fees, days of the average, hours"],
    ] as const
  ) {
    assert.equal(axisName({ ...measureOf(pl.DataFrame({}), "fees"), title, axis }), name);
  }
});
