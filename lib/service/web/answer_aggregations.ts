import { METRIC_BY_ID, METRICS } from "../datasets/metric.ts";
import { splitKnown } from "../query/entity_list.ts";
import { readAggregations } from "../query/read_aggregations.ts";
import type { Ctx } from "./env.ts";
import { sendNew } from "./send.ts";

/** The query of the metric aggregations, checked. */
export interface AggregationsQuery {
  readonly project_ids?: readonly string[] | undefined;
  readonly metric_ids?: readonly string[] | undefined;
}

// Left out or the single word: everything there is.
function isAll(ids: readonly string[] | undefined): ids is undefined {
  return ids === undefined || (ids.length === 1 && ids[0] === "all");
}

/** Answers the metric aggregations: what exists in `data`, what does not in `errors`. */
export async function answerAggregations(c: Ctx, query: AggregationsQuery): Promise<Response> {
  const { database, known } = c.env.snapshot;
  const nothing = { found: null, errors: [] };
  const projects = isAll(query.project_ids)
    ? nothing
    : splitKnown("project_ids", query.project_ids, known.project_ids);
  const metrics = isAll(query.metric_ids)
    ? nothing
    : splitKnown("metric_ids", query.metric_ids, METRIC_BY_ID);
  const chosen = metrics.found?.flatMap((id) => METRIC_BY_ID.get(id) ?? []) ?? METRICS;
  const data = await readAggregations(database, chosen, projects.found);
  const errors = [...projects.errors, ...metrics.errors];
  return sendNew(c, errors.length === 0 ? { data } : { data, errors }, data.length);
}
