import type { GroupBy } from "../../schema/group_by.ts";
import type { Interval } from "../../schema/interval.ts";
import { METRIC_BY_ID } from "../datasets/metric.ts";
import { breakdownWindow } from "../query/breakdown_window.ts";
import {
  ENTITY_LISTS,
  type EntityError,
  type EntityList,
  splitKnown,
} from "../query/entity_list.ts";
import { readBreakdown } from "../query/read_breakdown.ts";
import type { Ctx } from "./env.ts";
import { sendNew } from "./send.ts";

/** The body of a metric breakdown, checked. */
export type BreakdownBody =
  & { readonly [list in EntityList]?: readonly string[] | undefined }
  & {
    readonly metric_ids: readonly string[];
    readonly interval: Interval;
    readonly group_by: GroupBy;
    readonly start?: string | undefined;
    readonly end?: string | undefined;
  };

/** Answers the metric breakdown: what exists in `data`, what does not in `errors`. */
export async function answerBreakdown(c: Ctx, body: BreakdownBody): Promise<Response> {
  const { database, known, span } = c.env.snapshot;
  const metrics = splitKnown("metric_ids", body.metric_ids, METRIC_BY_ID);
  const errors: EntityError[] = [...metrics.errors];
  const filters: { [list in EntityList]?: string[] } = {};
  for (const list of Object.keys(ENTITY_LISTS) as EntityList[]) {
    const ids = body[list];
    if (ids === undefined) continue;
    const split = splitKnown(list, ids, known[list]);
    filters[list] = split.found;
    errors.push(...split.errors);
  }
  const data = await readBreakdown(database, {
    metrics: metrics.found.flatMap((id) => METRIC_BY_ID.get(id) ?? []),
    group_by: body.group_by,
    window: breakdownWindow(body.interval, body, span),
    filters,
  });
  return sendNew(c, errors.length === 0 ? { data } : { data, errors }, data.length);
}
