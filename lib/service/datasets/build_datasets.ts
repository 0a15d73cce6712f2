import { blockchainComparison } from "./blockchain_comparison.ts";
import { cohortAnalysis } from "./cohort_analysis.ts";
import { FIRST_DAYS, GROUP_USERS } from "./group_values.ts";
import { projectContracts } from "./project_contracts.ts";
import { projectSummary } from "./project_summary.ts";
import { type ReadActivity, readActivityHere } from "./read_activity.ts";
import { createHash } from "node:crypto";
import { type Database, quoteText } from "../engine/duckdb.ts";
import type { Span } from "./window_value.ts";

/** Version of the tables in a data file. The service refuses files of other versions, which must be built again. */
export const DATA_LAYOUT = 10;

// Creates small tables of entities and their parents, which other statements join. A cell is a product on a chain.
const DIMENSIONS = `
CREATE TABLE data.chain AS SELECT * FROM facts.chains ORDER BY chain_id;
CREATE TABLE data.market_sector AS SELECT * FROM facts.market_sectors ORDER BY market_sector_id;
CREATE TABLE data.project AS SELECT * FROM facts.projects ORDER BY project_id;
CREATE TABLE data.product AS SELECT * FROM facts.products ORDER BY product_id;
CREATE TABLE data.project_link AS SELECT * FROM facts.project_links;
CREATE TABLE data.project_rename AS SELECT * FROM facts.project_renames ORDER BY old_project_id;
CREATE TABLE data.cell AS
  SELECT row_number() OVER (ORDER BY product_id, chain_id)::INTEGER AS cell,
    product_id, project_id, market_sector_id, chain_id
  FROM (
    SELECT product_id, chain_id FROM facts.contracts
    UNION SELECT product_id, chain_id FROM facts.product_daily
  )
  JOIN data.product USING (product_id) JOIN data.project USING (project_id)
  ORDER BY cell;
CREATE TABLE work.project_named AS
  SELECT project_id, project_name, market_sector_id, market_sector_name
  FROM data.project JOIN data.market_sector USING (market_sector_id);
CREATE TABLE work.contract AS
  SELECT contract, cell, product_id, project_id, project_name, market_sector_id,
    market_sector_name, chain_id, chain_name, account_address, account_title,
    strftime(account_creation_timestamp, '%Y-%m-%dT%H:%M:%S.%g') || 'Z'
      AS account_creation_timestamp
  FROM facts.contracts
  JOIN (SELECT contract, chain_id, account_address FROM facts.contract_keys) AS keys
    USING (chain_id, account_address)
  JOIN data.cell USING (product_id, chain_id)
  JOIN work.project_named USING (project_id, market_sector_id)
  JOIN data.chain USING (chain_id);
`;

// `user_set` has the sets of cells (products on a chain) that users used on a day. A set of one cell gets a negative
// number. It has only one row per day, so counting its users needs no DISTINCT.
const DAILY = `
CREATE TABLE data.cell_daily AS
  SELECT cell, day, transaction_count, gas_used, fees, revenue, dex_trading_volume, inflows,
    outflows, net_flows, tvl, active_loans
  FROM (
    SELECT cell, day, sum(transaction_count_sum)::BIGINT AS transaction_count,
      sum(gas_used_sum)::BIGINT AS gas_used, sum(fees_sum) AS fees, sum(revenue_sum) AS revenue,
      sum(dex_trading_volume_sum) AS dex_trading_volume, sum(inflows_sum) AS inflows,
      sum(outflows_sum) AS outflows, sum(net_flows_sum) AS net_flows
    FROM work.contract_daily JOIN (SELECT contract, cell FROM work.contract) USING (contract)
    GROUP BY cell, day
  )
  FULL JOIN work.level_daily USING (cell, day)
  ORDER BY day, cell;
CREATE TABLE data.user_set AS
  WITH keys AS (SELECT cell, concat(product_id, ',', chain_id) AS cell_key FROM data.cell)
  SELECT day, -cell AS set_no, cell, users
  FROM (SELECT day, users, cells[1] AS cell_key FROM work.user_set WHERE len(cells) = 1)
  JOIN keys USING (cell_key)
  UNION ALL
  SELECT day, set_no, cell, users
  FROM (
    SELECT day, set_no, users, unnest(cells) AS cell_key
    FROM (SELECT *, row_number() OVER (PARTITION BY day ORDER BY cells)::INTEGER AS set_no
          FROM work.user_set WHERE len(cells) > 1)
  )
  JOIN keys USING (cell_key)
  ORDER BY day, set_no, cell;
`;

async function spanOf(database: Database): Promise<Span> {
  const [row] = await database.rows(`
    SELECT (SELECT max(day) FROM work.contract_daily) AS last_day,
      least((SELECT min(day) FROM work.contract_daily), (SELECT min(day) FROM facts.product_daily),
        (SELECT min(day) FROM facts.project_daily), (SELECT min(day) FROM facts.chain_daily))
        AS first_day`);
  return { first_day: String(row?.first_day), last_day: String(row?.last_day) };
}

const CELL_LEVELS = "(FROM facts.product_daily JOIN data.cell USING (product_id, chain_id))";
const CAPS = ["market_cap_fd", "market_cap_circ", "core_developers"];

/**
 * Returns SQL with the levels of each `key` (a cell, project or chain): one row per day. Null means unknown.
 *
 * The SQL repeats the last level on days without a fact, so that a late fact does not lower a sum. The repetition ends
 * after `carryDays` days, or with the last day of the data.
 */
function carriedLevels(
  from: string,
  key: string,
  { levels, carryDays, last_day }: { levels: string[]; carryDays: number; last_day: string },
): string {
  const carried = levels.map((level) =>
    `SELECT ${key}, ${level},
      day + CAST(unnest(range(least(${carryDays + 1}, next_day - day))) AS INTEGER) AS day
    FROM (
      SELECT ${key}, day, ${level},
        lead(day, 1, DATE '${last_day}' + 1) OVER (PARTITION BY ${key} ORDER BY day) AS next_day
      FROM ${from} WHERE ${level} IS NOT NULL
    )`
  );
  return `SELECT ${key}, day, ${levels.map((level) => `max(${level}) AS ${level}`).join(", ")}
    FROM (${carried.join(" UNION ALL BY NAME ")}) GROUP BY ${key}, day`;
}

/** Options of {@linkcode buildDatasets}. */
interface DatasetOptions {
  /**
   * On days without a fact, the last known level is used, for at most this number of days.
   * @default 3
   */
  carryDays?: number | undefined;
  /**
   * The function that reads the raw activity.
   * @default a function that reads the table `facts.numbered_activity`
   */
  readActivity?: ReadActivity | undefined;
}

/** Computes the datasets in the schema `data` from the schema `facts`. */
export async function buildDatasets(
  database: Database,
  { carryDays = 3, readActivity = readActivityHere }: DatasetOptions = {},
): Promise<Span> {
  await database.run("CREATE SCHEMA data; CREATE SCHEMA work");
  await readActivity(database);
  const span = await spanOf(database);
  const create = (table: string, select: string, order?: string) =>
    database.run(
      `CREATE TABLE ${table} AS ${select}${order === undefined ? "" : ` ORDER BY ${order}`}`,
    );
  const levels = (from: string, key: string, levels: string[]) =>
    carriedLevels(from, key, { levels, carryDays, last_day: span.last_day });
  await database.run(DIMENSIONS);
  // These small statements run in parallel, because each statement uses only one core.
  await Promise.all([
    create("work.level_daily", levels(CELL_LEVELS, "cell", ["tvl", "active_loans"])),
    ...["project", "chain"].map((entity) => {
      const key = `${entity}_id`;
      const select = levels(`facts.${entity}_daily`, key, CAPS);
      return create(`data.${entity}_daily`, select, `day, ${key}`);
    }),
    create("data.cohort_analysis", cohortAnalysis(span), "project_id, cohort"),
  ]);
  await database.run(DAILY + GROUP_USERS + FIRST_DAYS);
  await Promise.all([
    create("data.project_contracts", projectContracts(span), "chain_id, account_address"),
    create("data.blockchain_comparison", blockchainComparison(span), "chain_id"),
    create("data.project_summary", projectSummary(span), "project_id"),
  ]);
  await database.run(
    "CREATE TABLE data.span AS SELECT $first_day::DATE AS first_day, $last_day::DATE AS last_day",
    { ...span },
  );
  return span;
}

/** Returns a digest of all rows that are served. The digest does not depend on the order of the rows. */
async function dataDigest(database: Database): Promise<string> {
  const tables = await database.rows(
    `SELECT table_name AS name FROM duckdb_tables()
     WHERE schema_name = 'data' AND table_name NOT IN ('layout', 'prepared_response')
     ORDER BY name`,
  );
  const hash = createHash("sha256").update(`layout ${DATA_LAYOUT}`);
  for (const { name } of tables) {
    const [row] = await database.rows(
      `SELECT count(*) AS rows, CAST(sum(hash(t)::HUGEINT) AS VARCHAR) AS sum FROM data.${name} AS t`,
    );
    hash.update(`\n${name} ${row?.rows} ${row?.sum}`);
  }
  return hash.digest("base64url");
}

/** Stores the version of the tables, the digest of their rows, and whether the data are sample data. */
export async function describeData(database: Database, sample: boolean): Promise<void> {
  const digest = await dataDigest(database);
  await database.run(
    `CREATE TABLE data.layout AS
       SELECT ${DATA_LAYOUT} AS layout, ${quoteText(digest)} AS digest, ${sample} AS sample`,
  );
}
