/**
 * What a column of the facts holds:
 *
 * - `text`: not empty.
 * - `day`: a calendar day.
 * - `timestamp`: a moment, in UTC.
 * - `count`: a whole number, not negative.
 * - `amount`: US dollars, not negative; kept to the cent.
 * - `balance`: US dollars, of either sign; kept to the cent.
 */
export type FactType = "text" | "day" | "timestamp" | "count" | "amount" | "balance";

/** A column of a table of facts. */
export interface FactColumn {
  readonly name: string;
  readonly type: FactType;
  /** Whether it may be missing, or null in a row: then it is not known. */
  readonly optional: boolean;
}

/** Columns of a table that must be found in another one. */
export interface FactReference {
  readonly columns: readonly string[];
  readonly table: string;
  /** What the row is without it, for the message. */
  readonly without: string;
}

/** A table of facts: one file, `<name>.parquet` or `<name>.csv`. */
export interface FactTable {
  readonly name: string;
  /** Whether the file may be missing: then the table is empty. */
  readonly optional: boolean;
  readonly columns: readonly FactColumn[];
  /** The columns whose values occur once together. */
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

/** The tables of the facts; `?` marks what may be missing. */
export const FACT_LAYOUT: readonly FactTable[] = [
  table("chains", "chain_id text, chain_name text", ["chain_id"]),
  table("market_sectors", "market_sector_id text, market_sector_name text", ["market_sector_id"]),
  table(
    "projects",
    "project_id text, project_name text, market_sector_id text, symbol text?, " +
      "description_what text?, description_how text?, description_who text?",
    ["project_id"],
    [SECTOR],
  ),
  table("products", "product_id text, product_name text, project_id text", ["product_id"], [
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
    "old_project_id text, project_id text",
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
