import type { Question } from "../../lib/http/question.ts";

/** A question that a test asks where it does not matter which. */
export const QUESTION: Question = {
  operation: "blockchain_comparison",
  method: "GET",
  path: "/v2/datasets/blockchain_comparison",
  params: {},
  body: null,
};

/** A question with a body. */
export const BREAKDOWN: Question = {
  operation: "metric_breakdown",
  method: "POST",
  path: "/v2/metric-breakdown",
  params: {},
  body: { metric_ids: ["fees"], interval: "30d", group_by: "chains" },
};

/** A question about a list of chains. */
export function chains(ids: readonly string[], more: Question["params"] = {}): Question {
  return { ...QUESTION, params: { chain_ids: ids, ...more } };
}
