import { deepStrictEqual } from "node:assert/strict";
import { ENDPOINTS } from "../../lib/schema/endpoints.ts";

// INTERFACE 4, word by word: method and path, parameters with `!` for required.
const INTERFACE = {
  metric_breakdown: [
    "POST /v2/metric-breakdown",
    "metric_ids! interval! group_by! project_ids product_ids chain_ids market_sector_ids start end",
  ],
  metric_aggregations: ["GET /v2/metric-aggregations", "project_ids metric_ids"],
  blockchain_comparison: [
    "GET /v2/datasets/blockchain_comparison",
    "chain_ids order_by order_direction limit",
  ],
  project_contracts: [
    "GET /v2/datasets/project_contracts",
    "project_ids chain_ids market_sector_ids order_by order_direction limit",
  ],
  cohort_analysis: [
    "GET /v2/datasets/cohort_analysis",
    "project_ids market_sector_ids order_by order_direction limit",
  ],
  project: ["GET /v2/projects/{project_id}", "project_id!"],
};

Deno.test("the endpoints have the methods, paths and parameters of the interface", () => {
  const endpoints = Object.entries(ENDPOINTS).map(([name, { method, path, parameters }]) => [
    name,
    [
      `${method} ${path}`,
      Object.entries(parameters)
        .map(([parameter, rule]) =>
          "required" in rule && rule.required ? `${parameter}!` : parameter
        )
        .join(" "),
    ],
  ]);
  deepStrictEqual(Object.fromEntries(endpoints), INTERFACE);
});

Deno.test("the endpoints allow the values of the interface", () => {
  const { interval, group_by } = ENDPOINTS.metric_breakdown.parameters;
  deepStrictEqual(interval.words, ["24h", "7d", "30d", "90d", "180d", "365d", "ytd", "max"]);
  deepStrictEqual(group_by.words, [
    "projects",
    "chains",
    "chain-project",
    "chain-product",
    "chain-market-sector",
    "market-sector",
    "product",
  ]);
  deepStrictEqual(ENDPOINTS.cohort_analysis.parameters.order_direction.words, ["asc", "desc"]);
});

Deno.test("the endpoints have the keys that identify a row", () => {
  const keys = Object.values(ENDPOINTS).map(({ operation, keys }) => [operation, keys.join(" ")]);
  deepStrictEqual(Object.fromEntries(keys), {
    metric_breakdown: "data_id chain_id product_id",
    metric_aggregations: "project_id metric_id metric_aggregation_name",
    blockchain_comparison: "chain_id",
    project_contracts: "project_id chain_id account_address",
    cohort_analysis: "project_id cohort",
    project: "project_id",
  });
});
