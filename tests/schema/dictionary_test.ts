import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  type Adds,
  columnTitle,
  currencyOf,
  fieldNamed,
  fieldNames,
} from "../../lib/schema/dictionary.ts";
import { COMPARISON_FIELDS } from "../../lib/schema/comparison_fields.ts";
import {
  BLOCKCHAIN_COMPARISON_RECORD,
  COHORT_ANALYSIS_RECORD,
  ERROR_RECORD,
  METRIC_AGGREGATIONS_RECORD,
  METRIC_BREAKDOWN_RECORD,
  PROJECT_CONTRACTS_RECORD,
  PROJECT_RECORD,
} from "../../lib/schema/records.ts";

Deno.test("fieldNamed returns role, unit, title, and whether values add up", () => {
  const cases: [string, string, string | null, string, Adds | null][] = [
    ["chain_id", "id", null, "Chain id", null],
    ["chain_name", "name", null, "Chain name", null],
    ["ecosystem_fees_30d_sum", "value", "usd", "Ecosystem fees over 30 days", "groups"],
    ["ecosystem_fees_max_sum", "value", "usd", "Ecosystem fees over all time", "groups"],
    [
      "ecosystem_fees_1d_trend",
      "value",
      "change",
      "Ecosystem fees over 1 day against the 1 day before",
      "none",
    ],
    ["market_cap_fd_latest", "value", "usd", "Market cap, fully diluted, latest", "groups"],
    ["ecosystem_tvl_latest", "value", "usd", "Ecosystem TVL, latest", "groups"],
    [
      "active_users_daily_7d_change",
      "value",
      "change",
      "Daily active users, change over 7 days",
      "none",
    ],
    [
      "transaction_count_90d",
      "value",
      "transactions",
      "Transaction count over 90 days",
      "groups",
    ],
    ["core_developers_latest", "value", "developers", "Core developers, latest", "none"],
    ["fees", "value", "usd", "Fees", "both"],
    ["fees_sum", "value", "usd", "Fees, sum", "both"],
    ["fees_avg", "value", "usd", "Fees, average", "groups"],
    ["fees_trend", "value", "change", "Fees against the window before", "none"],
    ["fees_days", "value", "days", "Fees, days of the average", "none"],
    ["active_users_sum", "value", "users", "Active users, sum", "none"],
    ["month_3", "value", "retention", "Month 3", "none"],
    [
      "outfows_1d_sum_trend",
      "value",
      "change",
      "Outflows over 1 day against the 1 day before",
      "none",
    ],
    // A metric of another service: its aggregation is known, the unit of its sum is not.
    ["fares_sum", "value", null, "Fares, sum", null],
    ["fares_change", "value", "change", "Fares, change", "none"],
  ];
  for (const [name, role, unit, title, adds] of cases) {
    const found = fieldNamed(name);
    deepStrictEqual(
      [found?.role, found?.unit, found?.title, found?.adds],
      [role, unit, title, adds],
      name,
    );
  }
});

Deno.test("fieldNamed returns undefined for other columns, and columnTitle makes words of them", () => {
  strictEqual(fieldNamed("fees_eur"), undefined);
  strictEqual(fieldNamed("toString"), undefined);
  strictEqual(fieldNamed("fees_sum_growth"), undefined);
  strictEqual(columnTitle("fees_eur"), "Fees");
  strictEqual(columnTitle("fees_usd_growth"), "Fees growth");
  strictEqual(currencyOf("fees_usd"), "usd");
  strictEqual(currencyOf("fees_usd_growth"), null);
});

Deno.test("fieldNamed knows every field of the interface, and a unit for each of the 95 comparison fields", () => {
  const records = [
    ...[METRIC_BREAKDOWN_RECORD, METRIC_AGGREGATIONS_RECORD, BLOCKCHAIN_COMPARISON_RECORD],
    ...[PROJECT_CONTRACTS_RECORD, COHORT_ANALYSIS_RECORD, PROJECT_RECORD, ERROR_RECORD],
  ];
  for (const { name, dtype } of records.flat()) {
    const found = fieldNamed(name);
    ok(found, name);
    if (dtype === "Float64") notStrictEqual(found.unit, null, name);
    // Numbers are values, and texts are not; `value` is text in two records.
    if (name !== "value") strictEqual(found.role === "value", dtype === "Float64", name);
  }
  for (const { name, statistic, window } of COMPARISON_FIELDS) {
    const found = fieldNamed(name)!;
    strictEqual(found.unit === "change", statistic === "change" || statistic === "trend", name);
    strictEqual(found.window, window, name);
  }
});

Deno.test("every line of the table of columns has a meaning, and a known role or unit", () => {
  const units = "usd fraction change retention index statistic users addresses developers " +
    "transactions contracts projects cohorts clusters gas days months count";
  for (const name of fieldNames()) {
    const { role, unit, meaning } = fieldNamed(name)!;
    ok(["id", "name", "time", "value", "note"].includes(role), name);
    ok(unit === null || units.split(" ").includes(unit), `${name}: ${unit}`);
    ok(/^[A-Z0-9`(].*\.$/.test(meaning) || meaning.startsWith("p value"), `${name}: ${meaning}`);
  }
});
