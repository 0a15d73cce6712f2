// deno-lint-ignore-file no-import-prefix -- scripts are run and installed from anywhere, where no import map applies
import { parse as parseCsv } from "npm:deno-std@1.4.0/csv/parse.js";
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
import { type Arguments, type Option, UsageError } from "./arguments.ts";
import { tell } from "./terminal.ts";

function rowsOf(path: string, text: string, option: string): string[][] {
  try {
    return parseCsv(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new UsageError(`--${option}: is no CSV file: ${path}: ${(error as Error).message}`);
  }
}

/** The ids in the column of the option's name, or in the first: `project_ids`, `project_id`. */
async function idsIn(path: string, option: string): Promise<string[]> {
  const text = await Deno.readTextFile(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(`--${option}: there is no such file: ${path}`);
  });
  const [header, ...rows] = rowsOf(path, text, option);
  if (header === undefined) throw new UsageError(`--${option}: the file is empty: ${path}`);
  const name = option.replaceAll("-", "_");
  const found = header.findIndex((column) => [name, name.replace(/s$/, "")].includes(column));
  const index = Math.max(0, found);
  const cells = rows.map((row) => row[index]?.trim() ?? "");
  const ids = cells.filter((id) => id !== "");
  const empty = cells.length - ids.length;
  if (found === -1) {
    tell(`--${option}: ${path} has no column ${name}; taken: its first, ${header[0]}`);
  }
  if (empty > 0) tell(`--${option}: ${path}: ${empty} rows have no id, and were left out`);
  return ids;
}

/**
 * The ids that an option names: `a,b`, or `@ids.csv` for a column of a file; undefined when it was not
 * given. They are texts, whatever they look like.
 */
export async function idList(given: Arguments, option: string): Promise<string[] | undefined> {
  if (!given.has(option)) return undefined;
  const lists = await Promise.all(
    given.all(option).map((value) =>
      value.startsWith("@")
        ? idsIn(value.slice(1), option)
        : value.split(",").map((id) => id.trim())
    ),
  );
  const ids = lists.flat();
  if (ids.length === 0) {
    throw new UsageError(`--${option}: the file holds no id: ${given.one(option)}`);
  }
  return ids;
}

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
