import { terminalText } from "../../platform/terminal.ts";
import { USD } from "./amounts.ts";

/** Thrown for invalid facts. Each problem names the file, the row and the column. Nothing is built or loaded. */
export class FactsError extends Error {
  /** The name of the class. */
  override readonly name = "FactsError";
  /** One sentence for each problem. */
  readonly problems: readonly string[];
  /** Creates the error from one sentence per problem, in the order of the files. */
  constructor(problems: readonly string[]) {
    // Problems quote the facts and are printed in terminals, so control characters are replaced.
    const safe = problems.map(terminalText);
    super(`Cannot build from these facts:\n${safe.join("\n")}`);
    this.problems = safe;
  }
}

/**
 * Type of a column of the facts:
 *
 * - `text`: text that is not empty.
 * - `id`: text that a request can contain: no comma, no blank at either end, and not `all`, `.` or `..`.
 * - `day`: a calendar day.
 * - `timestamp`: a moment in UTC.
 * - `count`: a whole number that is not negative and is exact in JSON.
 * - `amount`: an amount in US dollars with nine decimals, not negative.
 * - `balance`: an amount in US dollars with nine decimals, positive or negative.
 */
type FactType = "text" | "id" | "day" | "timestamp" | "count" | "amount" | "balance";

/** A column of a table of facts. */
export interface FactColumn {
  readonly name: string;
  readonly type: FactType;
  /** Whether the column may be missing or contain nulls. Null means unknown. */
  readonly optional: boolean;
}

/** Columns whose values must exist in another table. */
interface FactReference {
  readonly columns: readonly string[];
  readonly table: string;
  /** The text of the message about a row whose values do not exist in `table`. */
  readonly without: string;
}

/** A table of facts: one file, `<name>.parquet` or `<name>.csv`. */
export interface FactTable {
  readonly name: string;
  /** Whether the file may be missing. The table of a missing file is empty. */
  readonly optional: boolean;
  readonly columns: readonly FactColumn[];
  /** The columns of the unique key. */
  readonly key: readonly string[];
  readonly references: readonly FactReference[];
}

// The columns that refer to another table. A table that refers to contracts needs no reference to chains, because every
// contract has a known chain.
const REFERENCES: Readonly<Record<string, FactReference>> = {
  chain_id: { columns: ["chain_id"], table: "chains", without: "refers to no known chain" },
  market_sector_id: {
    columns: ["market_sector_id"],
    table: "market_sectors",
    without: "refers to no known market sector",
  },
  project_id: { columns: ["project_id"], table: "projects", without: "refers to no known project" },
  product_id: { columns: ["product_id"], table: "products", without: "refers to no known project" },
  account_address: {
    columns: ["chain_id", "account_address"],
    table: "contracts",
    without: "refers to no known contract",
  },
};

function referencesOf(table: string, columns: readonly FactColumn[]): FactReference[] {
  const found = columns.flatMap(({ name }) => REFERENCES[name] ?? [])
    .filter((reference) => reference.table !== table);
  const ofContract = found.some(({ table }) => table === "contracts");
  return found.filter(({ table }) => !ofContract || table !== "chains");
}

/** Creates a table from a list of its columns. `*` marks a column of the key, and `?` marks an optional column. */
function factTable(name: string, text: string): FactTable {
  const marked = text.split(", ").map((column) => column.split(/ |(?=[*?])/));
  const columns = marked.map(([name, type, mark]) => (
    { name: name!, type: type as FactType, optional: mark === "?" }
  ));
  return {
    name: name.replace("?", ""),
    optional: name.endsWith("?"),
    columns,
    key: marked.filter(([, , mark]) => mark === "*").map(([name]) => name!),
    references: referencesOf(name, columns),
  };
}

const CONTRACT_DAY = "day day*, chain_id text*, account_address text*";
const CAPS = "market_cap_fd_usd amount?, market_cap_circ_usd amount?, core_developers count?";

/** All tables of the facts. A `?` after the name of a table marks an optional table. */
export const FACT_LAYOUT: readonly FactTable[] = Object.entries({
  chains: "chain_id id*, chain_name text",
  market_sectors: "market_sector_id id*, market_sector_name text",
  projects: "project_id id*, project_name text, market_sector_id text, symbol text?, " +
    "description_what text?, description_how text?, description_who text?",
  products: "product_id id*, product_name text, project_id text",
  contracts: "chain_id text*, account_address text*, account_title text?, product_id text, " +
    "account_creation_timestamp timestamp?",
  activity: "day day*, user_address text*, chain_id text*, account_address text*, " +
    "transaction_count count, gas_used count?, fees_usd amount?, revenue_usd balance?, " +
    "dex_trading_volume_usd amount?, inflows_usd amount?, outflows_usd amount?",
  "project_links?": "project_id text*, summary text, url text*",
  "project_renames?": "old_project_id id*, project_id text",
  "contract_events?": `${CONTRACT_DAY}, event_name text, event_signature text*, event_count count`,
  "contract_transfers?": `${CONTRACT_DAY}, asset_symbol text*, transfer_count count`,
  "product_daily?": "day day*, product_id text*, chain_id text*, tvl_usd amount?, " +
    "active_loans_usd amount?",
  "project_daily?": `day day*, project_id text*, ${CAPS}`,
  "chain_daily?": `day day*, chain_id text*, ${CAPS}`,
}).map(([name, text]) => factTable(name, text));

const STORED: Readonly<Record<FactType, string>> = {
  text: "VARCHAR",
  id: "VARCHAR",
  day: "DATE",
  timestamp: "TIMESTAMP",
  count: "BIGINT",
  amount: USD,
  balance: USD,
};

/**
 * Returns the name and the SQL type of a column in the tables of the build. There, a column of US dollars has nine
 * decimals, and its name is written without the ending `_usd`.
 */
export function storedColumn({ name, type }: FactColumn): { name: string; type: string } {
  return { name: name.replace(/_usd$/, ""), type: STORED[type] };
}

/** All tables except `activity`. The build stores `activity` with numbers for users and keys for contracts. */
export const STORED_TABLES: readonly FactTable[] = FACT_LAYOUT.filter(({ name }) =>
  name !== "activity"
);

/** SQL that creates the tables of {@linkcode STORED_TABLES} in the schema `facts`. */
export const FACT_TABLES = `
CREATE SCHEMA facts;
${
  STORED_TABLES.map(({ name, columns }) => {
    const list = columns.map(storedColumn).map(({ name, type }) => `${name} ${type}`);
    return `CREATE TABLE facts.${name} (${list.join(", ")});`;
  }).join("\n")
}
`;

/** The name of the file that marks a folder of facts as sample data. */
export const SAMPLE_MARK = "SAMPLE_DATA.txt";

/** The columns of `activity` in US dollars, without the ending `_usd`. */
export const AMOUNTS = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows"];

/**
 * Creates the keys of contracts (`chain_id,account_address`), projects (`project_id`) and cells
 * (`product_id,chain_id`). A cell is a product on a chain.
 *
 * The keys have enumeration types, because their values are compared as fast as numbers.
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
