import type { Database } from "../engine/duckdb.ts";
import { checkFacts } from "./check_facts.ts";
import { CONTRACT_KEYS, FACT_LAYOUT, FACT_TABLES, NATURAL_ACTIVITY } from "./fact_layout.ts";
import { type FactFiles, readFacts, refuseChanged } from "./read_facts.ts";
import { addendOf, AMOUNT_MACROS, amountOf, isRounded } from "./amounts.ts";

// Reads the money columns of a table, `<name>_usd` in the layout.
type Amounts = (table: string, ...names: string[]) => string;

function amountsOf(files: FactFiles): Amounts {
  return (table, ...names) =>
    names.map((name) => {
      const column = `${name}_usd`;
      const read = table === "activity" ? addendOf : amountOf;
      return `${read(column, files.get(table)?.types.get(column) ?? "VARCHAR")} AS ${name}`;
    }).join(", ");
}

function texts(...names: string[]): string {
  return names.map((name) => `CAST(${name} AS VARCHAR)`).join(", ");
}

// Converts the documented layout to the tables of the build: exact money, natural keys.

const ENTITIES = `
INSERT INTO facts.chains SELECT ${texts("chain_id", "chain_name")} FROM raw.chains;
INSERT INTO facts.market_sectors
  SELECT ${texts("market_sector_id", "market_sector_name")} FROM raw.market_sectors;
INSERT INTO facts.projects SELECT ${
  texts(
    "project_id",
    "project_name",
    "market_sector_id",
    "symbol",
    "description_what",
    "description_how",
    "description_who",
  )
} FROM raw.projects;
INSERT INTO facts.project_links SELECT ${
  texts("project_id", "summary", "url")
} FROM raw.project_links;
INSERT INTO facts.project_renames
  SELECT ${texts("old_project_id", "project_id")} FROM raw.project_renames;
INSERT INTO facts.products SELECT ${
  texts("product_id", "product_name", "project_id")
} FROM raw.products;
INSERT INTO facts.contracts
  SELECT ${texts("chain_id", "account_address", "account_title", "product_id")},
    CAST(account_creation_timestamp AS TIMESTAMP)
  FROM raw.contracts;
INSERT INTO facts.contract_events
  SELECT CAST(day AS DATE), ${
  texts("chain_id", "account_address", "event_name", "event_signature")
},
    CAST(event_count AS BIGINT)
  FROM raw.contract_events;
INSERT INTO facts.contract_transfers
  SELECT CAST(day AS DATE), ${
  texts("chain_id", "account_address", "asset_symbol")
}, CAST(transfer_count AS BIGINT)
  FROM raw.contract_transfers;
`;

function dailySql(amounts: Amounts): string {
  return `
INSERT INTO facts.product_daily
  SELECT CAST(day AS DATE), ${texts("product_id", "chain_id")},
    ${amounts("product_daily", "tvl", "active_loans")}
  FROM raw.product_daily;
INSERT INTO facts.project_daily
  SELECT CAST(day AS DATE), ${texts("project_id")},
    ${amounts("project_daily", "market_cap_fd", "market_cap_circ")}, CAST(core_developers AS BIGINT)
  FROM raw.project_daily;
INSERT INTO facts.chain_daily
  SELECT CAST(day AS DATE), ${texts("chain_id")},
    ${amounts("chain_daily", "market_cap_fd", "market_cap_circ")}, CAST(core_developers AS BIGINT)
  FROM raw.chain_daily;
`;
}

function activitySql(amounts: Amounts): string {
  return `
CREATE TABLE facts.users AS
  SELECT user_address, CAST(row_number() OVER () AS INTEGER) AS user_no
  FROM (SELECT DISTINCT CAST(user_address AS VARCHAR) AS user_address FROM raw.activity);
CREATE TABLE facts.numbered_activity AS
  SELECT CAST(day AS DATE) AS day, user_no, contract, cell, project_id,
    CAST(transaction_count AS BIGINT) AS transaction_count, CAST(gas_used AS BIGINT) AS gas_used,
    ${amounts("activity", "fees", "revenue", "dex_trading_volume", "inflows", "outflows")}
  FROM raw.activity
  JOIN facts.users AS users ON CAST(raw.activity.user_address AS VARCHAR) = users.user_address
  JOIN facts.contract_keys AS keys ON CAST(raw.activity.chain_id AS VARCHAR) = keys.chain_id
    AND CAST(raw.activity.account_address AS VARCHAR) = keys.account_address;
`;
}

async function countRounded(database: Database, files: FactFiles): Promise<number> {
  let rounded = 0;
  for (const { name, columns } of FACT_LAYOUT) {
    const counts = columns.flatMap(({ name: column, type }) => {
      const stored = files.get(name)?.types.get(column);
      if (stored === undefined || (type !== "amount" && type !== "balance")) return [];
      const broken = isRounded(column, stored);
      return broken === null ? [] : [`count(*) FILTER (WHERE ${broken})`];
    });
    if (counts.length === 0) continue;
    const [row] = await database.rows(`SELECT ${counts.join(" + ")} AS rounded FROM raw.${name}`);
    rounded += Number(row?.rounded);
  }
  return rounded;
}

/** Activity that is read elsewhere, not from the facts. */
interface KnownActivity {
  /** Its last day; null without activity. */
  readonly lastDay: string | null;
  /** First day whose activity is read from the facts anyway; null for none. */
  readonly since: string | null;
}

/**
 * Reads and checks the facts of a folder, and fills the schema `facts`.
 *
 * Returns the number of amounts that were rounded to nine decimals.
 *
 * @param known activity that is read elsewhere; by default all activity is read here
 * @throws {FactsError} when the facts are invalid; then nothing is filled.
 */
export async function loadFacts(
  database: Database,
  folder: string,
  known?: KnownActivity,
): Promise<number> {
  const since = known?.since ?? null;
  const tables = known !== undefined && since === null ? ["activity"] : [];
  const files = await readFacts(database, folder, { tables, since });
  await checkFacts(database, files, known?.lastDay);
  await database.run(AMOUNT_MACROS);
  const rounded = await countRounded(database, files);
  const amounts = amountsOf(files);
  await database.run(
    FACT_TABLES + ENTITIES + dailySql(amounts) + CONTRACT_KEYS + activitySql(amounts) +
      NATURAL_ACTIVITY + "DROP SCHEMA raw CASCADE;",
  );
  await refuseChanged(files);
  return rounded;
}
