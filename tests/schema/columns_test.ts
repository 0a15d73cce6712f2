import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { columnNames, columnOf, columnTitle } from "../../lib/schema/columns.ts";
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

Deno.test("columnOf returns role, unit, title, and whether values add up", () => {
  const cases: [string, string, string | null, string, boolean, boolean][] = [
    ["chain_id", "id", null, "Chain id", false, false],
    ["chain_name", "name", null, "Chain name", false, false],
    ["cohort_date", "time", null, "Cohort date", false, false],
    ["month", "time", "months", "Month", false, false],
    ["bounds", "note", null, "Bounds", false, false],
    ["ecosystem_fees_30d_sum", "value", "usd", "Ecosystem fees over 30 days", true, true],
    ["ecosystem_fees_max_sum", "value", "usd", "Ecosystem fees over all time", true, true],
    [
      "ecosystem_fees_1d_trend",
      "value",
      "change",
      "Ecosystem fees over 1 day against the 1 day before",
      false,
      false,
    ],
    ["market_cap_fd_latest", "value", "usd", "Market cap, fully diluted, latest", true, false],
    ["ecosystem_tvl_latest", "value", "usd", "Ecosystem TVL, latest", true, false],
    [
      "active_users_daily_7d_change",
      "value",
      "change",
      "Daily active users, change over 7 days",
      false,
      false,
    ],
    [
      "transaction_count_90d",
      "value",
      "transactions",
      "Transaction count over 90 days",
      true,
      true,
    ],
    ["core_developers_latest", "value", "developers", "Core developers, latest", false, false],
    ["fees", "value", "usd", "Fees", true, true],
    ["fees_sum", "value", "usd", "Fees, sum", true, true],
    ["fees_avg", "value", "usd", "Fees, average", true, false],
    ["fees_trend", "value", "change", "Fees against the window before", false, false],
    ["fees_days", "value", "days", "Fees, days of the average", false, false],
    ["active_users_sum", "value", "users", "Active users, sum", false, false],
    ["fees_sum_growth", "value", "change", "Fees, sum, growth", false, false],
    ["fees_sum_index", "value", "index", "Fees, sum, index", false, false],
    ["fees_sum_mean", "value", "usd", "Fees, sum, rolling mean", false, false],
    ["cumulative_share", "value", "fraction", "Cumulative share", false, false],
    ["retention", "value", "fraction", "Retention", false, false],
    ["net_activity", "value", "fraction", "Net activity", false, false],
    ["half_life_upper", "value", "months", "Half life upper", false, false],
    ["q", "value", "fraction", "Q", false, false],
    ["tau2", "value", "statistic", "Tau2", false, false],
    ["month_3", "value", "retention", "Month 3", false, false],
    ["30d", "value", "change", "Growth over 30 days", false, false],
    ["top_3_share", "value", "fraction", "Share of the 3 largest", false, false],
    [
      "outfows_1d_sum_trend",
      "value",
      "change",
      "Outflows over 1 day against the 1 day before",
      false,
      false,
    ],
    // A metric of another service: its aggregation is known, its unit is not.
    ["fares_sum", "value", null, "Fares, sum", false, false],
    ["fares_change", "value", null, "Fares, change", false, false],
  ];
  for (const [name, role, unit, title, groups, time] of cases) {
    const found = columnOf(name);
    deepStrictEqual(
      [found?.role, found?.unit, found?.title, found?.addsOverGroups, found?.addsOverTime],
      [role, unit, title, groups, time],
      name,
    );
  }
});

Deno.test("columnOf returns undefined for other columns, and columnTitle makes words of them", () => {
  strictEqual(columnOf("fees_eur"), undefined);
  strictEqual(columnOf("toString"), undefined);
  strictEqual(columnOf("whatever_growth"), undefined);
  strictEqual(columnTitle("fees_eur"), "Fees eur");
});

Deno.test("columnOf knows every field of the interface, and a unit for each of the 95 comparison fields", () => {
  const records = [
    ...[METRIC_BREAKDOWN_RECORD, METRIC_AGGREGATIONS_RECORD, BLOCKCHAIN_COMPARISON_RECORD],
    ...[PROJECT_CONTRACTS_RECORD, COHORT_ANALYSIS_RECORD, PROJECT_RECORD, ERROR_RECORD],
  ];
  for (const { name, dtype } of records.flat()) {
    const found = columnOf(name);
    ok(found, name);
    if (dtype === "Float64") notStrictEqual(found.unit, null, name);
    // Numbers are values, and texts are not; `value` is text in two records.
    if (name !== "value") strictEqual(found.role === "value", dtype === "Float64", name);
  }
  for (const { name, statistic, window } of COMPARISON_FIELDS) {
    const found = columnOf(name)!;
    strictEqual(found.unit === "change", statistic === "change" || statistic === "trend", name);
    strictEqual(found.window, window, name);
  }
});

/** The column names in the first cells of the tables of a file's doc comments. */
function documented(source: string): string[] {
  const cells = [...source.matchAll(/^ \* \| (`[^|]+) \|/gm)].map(([, cell]) => cell!);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  // Includes options that name a column.
  return names.filter((name) => /^[a-z0-9_]+$/.test(name) && name !== "by" && name !== "as");
}

Deno.test("columnOf has every column that a doc comment lists", async () => {
  const names = new Set<string>();
  for (const folder of ["analysis", "operations"]) {
    const directory = new URL(`../../lib/${folder}/`, import.meta.url);
    for await (const { name } of Deno.readDir(directory)) {
      for (const column of documented(await Deno.readTextFile(new URL(name, directory)))) {
        names.add(column);
      }
    }
  }
  ok(names.size > 60, String(names.size));
  deepStrictEqual([...names].filter((name) => columnOf(name) === undefined), []);
});

Deno.test("every line of the table of columns has a meaning, and a known role or unit", () => {
  const units = "usd fraction change retention index statistic users addresses developers " +
    "transactions contracts projects cohorts clusters gas days months count";
  for (const name of columnNames()) {
    const { role, unit, meaning } = columnOf(name)!;
    ok(["id", "name", "time", "value", "note"].includes(role), name);
    ok(unit === null || units.split(" ").includes(unit), `${name}: ${unit}`);
    ok(/^[A-Z0-9`(].*\.$/.test(meaning) || meaning.startsWith("p value"), `${name}: ${meaning}`);
  }
});
