import { terminalText } from "../../platform/terminal.ts";
import { USD } from "./amounts.ts";

/** Thrown for invalid facts. Each problem names file, row and column. Nothing was built. */
export class FactsError extends Error {
  /** The name of the class. */
  override readonly name = "FactsError";
  /** One sentence for each problem. */
  readonly problems: readonly string[];
  /** Creates the error from one sentence per problem, in the order of the files. */
  constructor(problems: readonly string[]) {
    // Problems quote the facts, and are printed in terminals.
    const safe = problems.map(terminalText);
    super(`Cannot build from these facts:\n${safe.join("\n")}`);
    this.problems = safe;
  }
}

/**
 * Type of a column of the facts:
 *
 * - `text`: not empty.
 * - `id`: text that requests can name.
 * - `day`: a calendar day.
 * - `timestamp`: a moment in UTC.
 * - `count`: a whole number, not negative, exact in JSON.
 * - `amount`: US dollars, not negative, nine decimals.
 * - `balance`: US dollars of either sign, nine decimals.
 */
type FactType = "text" | "id" | "day" | "timestamp" | "count" | "amount" | "balance";

/** A column of a table of facts. */
export interface FactColumn {
  readonly name: string;
  readonly type: FactType;
  /** Whether the column may be missing, or null in a row, which means unknown. */
  readonly optional: boolean;
}

/** Columns of a table whose values must exist in another one. */
export interface FactReference {
  readonly columns: readonly string[];
  readonly table: string;
  /** Problem of a row without a match, for the message. */
  readonly without: string;
}

/** A table of facts: one file, `<name>.parquet` or `<name>.csv`. */
export interface FactTable {
  readonly name: string;
  /** Whether the file may be missing. Then the table is empty. */
  readonly optional: boolean;
  readonly columns: readonly FactColumn[];
  /** Columns that form the unique key. */
  readonly key: readonly string[];
  readonly references: readonly FactReference[];
}

function columns(text: string): FactColumn[] {
  return text.trim().split(/\s*,\s*/).map((entry) => {
    const [name, type] = entry.split(" ") as [string, string];
    return { name, type: type.replace("?", "") as FactType, optional: type.endsWith("?") };
  });
}

function table(
  name: string,
  text: string,
  key: readonly string[],
  references: readonly FactReference[] = [],
): FactTable {
  const optional = name.endsWith("?");
  return { name: name.replace("?", ""), optional, columns: columns(text), key, references };
}

function of(table: string, columns: readonly string[], without: string): FactReference {
  return { columns, table, without };
}

const CHAIN = of("chains", ["chain_id"], "is of no chain");
const SECTOR = of("market_sectors", ["market_sector_id"], "is of no market sector");
const PROJECT = of("projects", ["project_id"], "is of no project");
const PRODUCT = of("products", ["product_id"], "is of no project");
const CONTRACT = of("contracts", ["chain_id", "account_address"], "is of no contract");

/** Tables of the facts; `?` marks optional columns. */
export const FACT_LAYOUT: readonly FactTable[] = [
  table("chains", "chain_id id, chain_name text", ["chain_id"]),
  table("market_sectors", "market_sector_id id, market_sector_name text", ["market_sector_id"]),
  table(
    "projects",
    "project_id id, project_name text, market_sector_id text, symbol text?, " +
      "description_what text?, description_how text?, description_who text?",
    ["project_id"],
    [SECTOR],
  ),
  table("products", "product_id id, product_name text, project_id text", ["product_id"], [
    PROJECT,
  ]),
  table(
    "contracts",
    "chain_id text, account_address text, account_title text?, product_id text, " +
      "account_creation_timestamp timestamp?",
    ["chain_id", "account_address"],
    [CHAIN, PRODUCT],
  ),
  table(
    "activity",
    "day day, user_address text, chain_id text, account_address text, transaction_count count, " +
      "gas_used count?, fees_usd amount?, revenue_usd balance?, dex_trading_volume_usd amount?, " +
      "inflows_usd amount?, outflows_usd amount?",
    ["day", "user_address", "chain_id", "account_address"],
    [CONTRACT],
  ),
  table("project_links?", "project_id text, summary text, url text", ["project_id", "url"], [
    PROJECT,
  ]),
  table(
    "project_renames?",
    "old_project_id id, project_id text",
    ["old_project_id"],
    [PROJECT],
  ),
  table(
    "contract_events?",
    "day day, chain_id text, account_address text, event_name text, event_signature text, " +
      "event_count count",
    ["day", "chain_id", "account_address", "event_signature"],
    [CONTRACT],
  ),
  table(
    "contract_transfers?",
    "day day, chain_id text, account_address text, asset_symbol text, transfer_count count",
    ["day", "chain_id", "account_address", "asset_symbol"],
    [CONTRACT],
  ),
  table(
    "product_daily?",
    "day day, product_id text, chain_id text, tvl_usd amount?, active_loans_usd amount?",
    ["day", "product_id", "chain_id"],
    [PRODUCT, CHAIN],
  ),
  table(
    "project_daily?",
    "day day, project_id text, market_cap_fd_usd amount?, market_cap_circ_usd amount?, " +
      "core_developers count?",
    ["day", "project_id"],
    [PROJECT],
  ),
  table(
    "chain_daily?",
    "day day, chain_id text, market_cap_fd_usd amount?, market_cap_circ_usd amount?, " +
      "core_developers count?",
    ["day", "chain_id"],
    [CHAIN],
  ),
];

/**
 * Tables of the facts as the build stores them. Money has nine decimals, so that sums do not depend on
 * order.
 */
export const FACT_TABLES = `
CREATE SCHEMA facts;
CREATE TABLE facts.chains (chain_id VARCHAR, chain_name VARCHAR);
CREATE TABLE facts.market_sectors (market_sector_id VARCHAR, market_sector_name VARCHAR);
CREATE TABLE facts.projects (
  project_id VARCHAR, project_name VARCHAR, market_sector_id VARCHAR, symbol VARCHAR,
  description_what VARCHAR, description_how VARCHAR, description_who VARCHAR
);
CREATE TABLE facts.project_links (project_id VARCHAR, summary VARCHAR, url VARCHAR);
CREATE TABLE facts.project_renames (old_project_id VARCHAR, project_id VARCHAR);
CREATE TABLE facts.products (product_id VARCHAR, product_name VARCHAR, project_id VARCHAR);
CREATE TABLE facts.contracts (
  chain_id VARCHAR, account_address VARCHAR, account_title VARCHAR, product_id VARCHAR, account_creation_timestamp TIMESTAMP
);
CREATE TABLE facts.contract_events (
  day DATE, chain_id VARCHAR, account_address VARCHAR, event_name VARCHAR,
  event_signature VARCHAR, event_count BIGINT
);
CREATE TABLE facts.contract_transfers (
  day DATE, chain_id VARCHAR, account_address VARCHAR, asset_symbol VARCHAR,
  transfer_count BIGINT
);
CREATE TABLE facts.product_daily (
  day DATE, product_id VARCHAR, chain_id VARCHAR, tvl ${USD}, active_loans ${USD}
);
CREATE TABLE facts.project_daily (
  day DATE, project_id VARCHAR, market_cap_fd ${USD}, market_cap_circ ${USD}, core_developers BIGINT
);
CREATE TABLE facts.chain_daily (
  day DATE, chain_id VARCHAR, market_cap_fd ${USD}, market_cap_circ ${USD}, core_developers BIGINT
);
`;

/** The file in a folder of facts that marks them as sample data. */
export const SAMPLE_MARK = "SAMPLE_DATA.txt";

const AMOUNTS = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows"];

/**
 * Activity with the addresses of users, who are numbered in `facts.numbered_activity`. Amounts keep their
 * type.
 */
export const NATURAL_ACTIVITY = `
CREATE VIEW facts.activity AS
  SELECT numbered.* EXCLUDE (user_no)
      REPLACE (${AMOUNTS.map((name) => `CAST(${name} AS ${USD}) AS ${name}`).join(", ")}),
    user_address
  FROM facts.numbered_activity AS numbered JOIN facts.users USING (user_no);
`;

/**
 * Identifies contracts and cells by `chain_id,account_address` and `product_id,chain_id`.
 *
 * They are enumerations, which compare as fast as numbers.
 */
export const CONTRACT_KEYS = `
CREATE TYPE facts.contract_key AS ENUM (
  SELECT concat(chain_id, ',', account_address) AS key FROM facts.contracts ORDER BY key
);
CREATE TYPE facts.cell_key AS ENUM (
  SELECT DISTINCT concat(product_id, ',', chain_id) AS key FROM facts.contracts ORDER BY key
);
CREATE TYPE facts.project_key AS ENUM (SELECT project_id FROM facts.projects ORDER BY project_id);
CREATE TABLE facts.contract_keys AS
  SELECT chain_id, account_address, CAST(project_id AS facts.project_key) AS project_id,
    CAST(concat(chain_id, ',', account_address) AS facts.contract_key) AS contract,
    CAST(concat(product_id, ',', chain_id) AS facts.cell_key) AS cell
  FROM facts.contracts JOIN facts.products USING (product_id);
`;
