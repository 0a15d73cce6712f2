import { deepStrictEqual } from "node:assert/strict";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { answering } from "./answering.ts";
import { recordCases } from "./dataset_cases.ts";

const FULL = {
  project_name: "Quillswap",
  project_id: "quillswap",
  market_sector_id: "dex",
  market_sector_name: "Exchanges",
  cohort: "2025-01",
  initial_cohort_size: 120,
  month_0: 1,
  month_1: 0.5,
  month_2: 0.4,
  month_3: 0.3,
  month_4: 0.2,
  month_5: 0.1,
  month_6: 0,
  month_7: 0.05,
  month_8: 0.04,
  month_9: 0.03,
  month_10: 0.02,
  month_11: 0.01,
};

recordCases({
  name: "cohortAnalysis",
  ask: (connection) => cohortAnalysis({}, connection),
  columns: Object.fromEntries(
    Object.entries(FULL).map(([name, value]) => [
      name,
      typeof value === "number" ? "Float64" : "String",
    ]),
  ),
  full: FULL,
  number: "month_11",
  text: "cohort",
});

Deno.test("cohortAnalysis accepts a single record as data, as the interface shows it", async () => {
  const frame = await cohortAnalysis({}, answering({ data: FULL }).connection);
  deepStrictEqual(frame.toRecords(), [FULL]);
});

Deno.test("cohortAnalysis sends GET with its filters", async () => {
  const { connection, sent } = answering({ data: [] });
  const order: string = ["cohort"][0]!;
  await cohortAnalysis(
    { project_ids: ["a"], market_sector_ids: ["b"], order_by: order },
    connection,
  );
  deepStrictEqual(sent, [{
    method: "GET",
    path: "/v2/datasets/cohort_analysis?project_ids=a&market_sector_ids=b&order_by=cohort",
    body: null,
  }]);
});
