/**
 * The operations as the tools call them: the texts of their frames are safe for agents before anything is computed or
 * drawn from them.
 *
 * @module
 */
import * as chainframe from "../../mod.ts";
import { safeFrame } from "./safe.ts";

type Operation<Query> = (
  query: Query,
  connection: chainframe.Connection,
) => Promise<chainframe.DataFrame>;

function safe<Query>(operation: Operation<Query>, longest?: number): Operation<Query> {
  return async (query, connection) =>
    safeFrame(await operation(query, connection), connection, longest);
}

export const blockchainComparison = safe(chainframe.blockchainComparison);
export const cohortAnalysis = safe(chainframe.cohortAnalysis);
export const metricAggregations = safe(chainframe.metricAggregations);
export const metricBreakdown = safe(chainframe.metricBreakdown);
// A description can be long. All other texts are names and ids.
export const project = safe(chainframe.project, 10_000);
export const projectContracts = safe(chainframe.projectContracts);
export const timeline = safe(chainframe.timeline);

/** Returns one list of the catalog. */
export async function catalogList(
  kind: string,
  connection: chainframe.Connection,
): Promise<chainframe.DataFrame> {
  const lists = await chainframe.catalog(connection) as unknown as Record<
    string,
    chainframe.DataFrame
  >;
  return safeFrame(lists[kind]!, connection);
}
