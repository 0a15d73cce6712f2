import type { ApiRequest } from "../../lib/http/request.ts";

/** Any valid request. */
export const QUESTION: ApiRequest = {
  operation: "blockchain_comparison",
  method: "GET",
  path: "/v2/datasets/blockchain_comparison",
  params: {},
  body: null,
};

/** A request with a body. */
export const BREAKDOWN: ApiRequest = {
  operation: "metric_breakdown",
  method: "POST",
  path: "/v2/metric-breakdown",
  params: {},
  body: { metric_ids: ["fees"], interval: "30d", group_by: "chains" },
};

/** A request about a list of chains. */
export function chains(ids: readonly string[], more: ApiRequest["params"] = {}): ApiRequest {
  return { ...QUESTION, params: { chain_ids: ids, ...more } };
}
