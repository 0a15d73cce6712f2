import { deepEqual, equal, throws } from "node:assert/strict";
import { cohortLayers } from "../../lib/analysis/cohort_layers.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { userFlows } from "../../lib/analysis/user_flows.ts";
import { pl } from "../../lib/table/polars.ts";
import { type Cohort, cohortFrame } from "./cohort_frame.ts";

const COHORTS: readonly Cohort[] = [
  { cohort: "2025-01", size: 100, months: [1, 0.5, 0.6, 0.2] },
  { cohort: "2025-02", size: 200, months: [1, 0.4, 0.4] },
  { project: "birch", cohort: "2025-02", size: 50, months: [1, null, 0.2] },
  { cohort: "2025-04", size: 10, months: [1] },
];

function curvesOf(cohorts = COHORTS, since: string | null = null) {
  return retentionCurves(cohortFrame(cohorts), { since });
}

Deno.test("cohortLayers adds up active users by calendar month and cohort", () => {
  const layers = cohortLayers(curvesOf());
  const day = (value: unknown) => (value as Date).toISOString().slice(0, 7);
  deepEqual(layers.rows().map((row) => [day(row[0]), day(row[1]), ...row.slice(2, 7)]), [
    ["2025-01", "2025-01", 0, 100, 100, 1, 0],
    ["2025-02", "2025-01", 1, 50, 300, 1, 0],
    ["2025-02", "2025-02", 0, 250, 300, 2, 0],
    ["2025-03", "2025-01", 2, 60, 140, 1, 0],
    ["2025-03", "2025-02", 1, 80, 140, 1, 1],
    ["2025-04", "2025-01", 3, 20, 120, 1, 0],
    ["2025-04", "2025-02", 2, 90, 120, 2, 1],
    ["2025-04", "2025-04", 0, 10, 120, 1, 0],
  ]);
});

Deno.test("userFlows counts net flows of each cohort", () => {
  const flows = userFlows(curvesOf());
  deepEqual(flows.columns.slice(1), [
    ...["new", "net_lost", "returned", "net_quick_ratio", "cohorts", "left_out", "older_cohorts"],
  ]);
  deepEqual(flows.rows().map((row) => row.slice(1)), [
    [100, null, null, null, 1, 0, 0],
    [250, 50, 0, 5, 3, 0, 0],
    // The month of one project is unknown, and so is its change to the next.
    [null, 120, 10, null, 2, 1, 0],
    [10, 40, 0, 0.25, 4, 1, 0],
  ]);
});

Deno.test("userFlows and cohortLayers mark the cohort of the month in which tracking began", () => {
  const curves = curvesOf(COHORTS, "2025-01");
  deepEqual(userFlows(curves).getColumn("new").toArray(), [null, 250, null, 10]);
  const marked = cohortLayers(curves).filter(pl.col("left_truncated"));
  equal(marked.height, 4);
});

Deno.test("cohortLayers counts the cohorts whose months are no longer known", () => {
  const long = [
    { cohort: "2024-01", size: 100, months: new Array(12).fill(1) },
    { cohort: "2024-03", size: 100, months: new Array(12).fill(1) },
    { cohort: "2025-03", size: 100, months: [1] },
  ];
  // deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
  const layers = cohortLayers(curvesOf(long)).toRecords() as any[];
  const older = new Map(
    layers.map(({ date, older_cohorts }) => [date.toISOString().slice(0, 7), older_cohorts]),
  );
  deepEqual([older.get("2024-12"), older.get("2025-01"), older.get("2025-03")], [0, 1, 2]);
  deepEqual(userFlows(curvesOf(long)).getColumn("older_cohorts").toArray().at(-1), 2);
});

Deno.test("cohortLayers refuses duplicate months", () => {
  const curves = curvesOf();
  throws(
    () => cohortLayers(pl.concat([curves, curves])),
    /^RangeError: cohortLayers: two rows have project_id .*, month 0; keep one$/,
  );
});
