import { deepStrictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  blockchainComparison,
  cohortAnalysis,
  type DataFrame,
  metricAggregations,
  metricBreakdown,
  project,
  projectContracts,
} from "../../mod.ts";
import { sampleConnection } from "./sample_connection.ts";

const FRAMES = new URL("./frames.json", import.meta.url);

function digestOf(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

function contractOf(frame: DataFrame) {
  const rows = frame.toRecords();
  return {
    rows: rows.length,
    dtypes: Object.fromEntries(frame.columns.map((name) => [name, String(frame.schema[name])])),
    sha256: digestOf(rows),
  };
}

Deno.test("the six sample frames have the rows and dtypes that are kept", async () => {
  const connection = sampleConnection();
  const breakdown = {
    metric_ids: ["fees", "active_users", "tvl", "market_cap_fd"],
    interval: "30d",
    group_by: "chain-project",
  } as const;
  const project_id = ["tidewater", "kora-finance", "mosskeep"];
  const frames = {
    metric_breakdown: contractOf(await metricBreakdown(breakdown, connection)),
    metric_aggregations: contractOf(await metricAggregations({}, connection)),
    blockchain_comparison: contractOf(await blockchainComparison({}, connection)),
    project_contracts: contractOf(await projectContracts({}, connection)),
    cohort_analysis: contractOf(await cohortAnalysis({}, connection)),
    project: contractOf(await project({ project_id }, connection)),
  };
  if (Deno.args.includes("--update")) {
    await Deno.writeTextFile(FRAMES, `${JSON.stringify(frames, null, 2)}\n`);
  }
  deepStrictEqual(frames, JSON.parse(await Deno.readTextFile(FRAMES)));
});
