import {
  blockchainComparison,
  type BlockchainComparisonQuery,
  cohortAnalysis,
  type CohortAnalysisQuery,
  type Connection,
  type DataFrame,
  GROUP_BYS,
  INTERVALS,
  metricAggregations,
  type MetricAggregationsQuery,
  metricBreakdown,
  type MetricBreakdownQuery,
  type Operation,
  project,
  projectContracts,
  type ProjectContractsQuery,
  type ProjectQuery,
} from "../../mod.ts";
import { idList } from "./id_list.ts";
import type { Option } from "./option.ts";
import type { Arguments } from "./read_arguments.ts";
import { UsageError } from "./usage_error.ts";

/** What stands behind an option, and so how it is read. */
type Kind = "IDS" | "WORD" | "DATE" | "COUNT";

/** The fields of each query. A field that is missing here, or is none, does not compile. */
const FIELDS = {
  metric_breakdown: {
    metric_ids: "IDS",
    interval: "WORD",
    group_by: "WORD",
    project_ids: "IDS",
    product_ids: "IDS",
    chain_ids: "IDS",
    market_sector_ids: "IDS",
    start: "DATE",
    end: "DATE",
  } satisfies Record<keyof MetricBreakdownQuery, Kind>,
  metric_aggregations: {
    project_ids: "IDS",
    metric_ids: "IDS",
  } satisfies Record<keyof MetricAggregationsQuery, Kind>,
  blockchain_comparison: {
    chain_ids: "IDS",
    order_by: "WORD",
    order_direction: "WORD",
    limit: "COUNT",
  } satisfies Record<keyof BlockchainComparisonQuery, Kind>,
  project_contracts: {
    project_ids: "IDS",
    chain_ids: "IDS",
    market_sector_ids: "IDS",
    order_by: "WORD",
    order_direction: "WORD",
    limit: "COUNT",
  } satisfies Record<keyof ProjectContractsQuery, Kind>,
  cohort_analysis: {
    project_ids: "IDS",
    market_sector_ids: "IDS",
    order_by: "WORD",
    order_direction: "WORD",
    limit: "COUNT",
  } satisfies Record<keyof CohortAnalysisQuery, Kind>,
  project: { project_id: "IDS" } satisfies Record<keyof ProjectQuery, Kind>,
} satisfies Record<Operation, object>;

const ASK: Readonly<
  Record<Operation, (query: never, connection: Connection) => Promise<DataFrame>>
> = {
  metric_breakdown: metricBreakdown,
  metric_aggregations: metricAggregations,
  blockchain_comparison: blockchainComparison,
  project_contracts: projectContracts,
  cohort_analysis: cohortAnalysis,
  project,
};

const optionNamed = (field: string) => field.replaceAll("_", "-");

/** The options of the queries. */
export const QUERY_OPTIONS: readonly Option[] = [
  {
    name: "project-ids",
    value: "IDS",
    several: true,
    about: "Ids, comma separated, or @FILE.csv: its column of that name (project_ids or " +
      "project_id), or else its first.",
  },
  { name: "chain-ids", value: "IDS", several: true, about: "In the same form." },
  { name: "market-sector-ids", value: "IDS", several: true, about: "In the same form." },
  { name: "product-ids", value: "IDS", several: true, about: "In the same form." },
  { name: "metric-ids", value: "IDS", several: true, about: "In the same form." },
  { name: "project-id", value: "IDS", several: true, about: "In the same form, of project." },
  { name: "interval", value: "WORD", about: `One of ${INTERVALS.join(", ")}.` },
  { name: "group-by", value: "WORD", about: `One of ${GROUP_BYS.join(", ")}.` },
  { name: "start", value: "DATE", about: "The first day, as 2025-01-31." },
  { name: "end", value: "DATE", about: "The last day, as 2025-01-31." },
  { name: "order-by", value: "FIELD", about: "The field of the answer to sort by." },
  { name: "order-direction", value: "WORD", about: "asc (if not given) or desc." },
  { name: "limit", value: "COUNT", about: "The largest number of rows." },
];

function countOf(given: Arguments, option: string): number {
  const text = given.one(option)!;
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--${option}: must be a whole number above 0: ${text}`);
}

/** Reads the ids that an option names, as every script does. */
async function valueOf(given: Arguments, field: string, kind: Kind): Promise<unknown> {
  const option = optionNamed(field);
  if (kind === "IDS") return await idList(given, option);
  return kind === "COUNT" ? countOf(given, option) : given.one(option);
}

/**
 * The query of an operation that the options ask for.
 *
 * @throws {UsageError} for an option that another operation takes.
 */
export async function queryOf(
  operation: Operation,
  given: Arguments,
): Promise<Record<string, unknown>> {
  const fields: Readonly<Record<string, Kind>> = FIELDS[operation];
  const taken = Object.keys(fields).map(optionNamed);
  const other = QUERY_OPTIONS.find(({ name }) => given.has(name) && !taken.includes(name));
  if (other !== undefined) {
    const list = taken.map((name) => `--${name}`).join(", ");
    throw new UsageError(`--${other.name}: is no option of ${operation}, which takes ${list}`);
  }
  const query: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries(fields)) {
    if (given.has(optionNamed(field))) query[field] = await valueOf(given, field, kind);
  }
  return query;
}

/** Asks an operation. The query is checked by the operation itself. */
export function askOperation(
  operation: Operation,
  query: Record<string, unknown>,
  connection: Connection,
): Promise<DataFrame> {
  return ASK[operation](query as never, connection);
}
