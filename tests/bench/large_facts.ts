// Writes facts L, on which the benchmarks measure: 1 000 projects, 2 000 products, 30 chains, 8 000
// contracts, 20 sectors, 365 days and 10 million rows of activity, users and contracts heavy-tailed.
import { openDuckdb, quoteText } from "../../lib/service/engine/duckdb.ts";

/** How much of everything there is. */
export interface FactsSize {
  readonly projects: number;
  readonly users: number;
  readonly days: number;
  /** Rows of activity, of which those that fall on the same key are left out. */
  readonly activity: number;
}

/** Facts L. */
export const FACTS_L: FactsSize = {
  projects: 1_000,
  users: 500_000,
  days: 365,
  activity: 10_000_000,
};

// From 0 up to 1, decided by the number of the row and by what it is drawn for: DuckDB's own random
// numbers depend on the number of threads.
const RANDOM = "CREATE MACRO u(i, what) AS (hash(what || i) >> 11)::DOUBLE / 9007199254740992";

function selects(
  { projects, users, days, activity }: FactsSize,
): Record<string, string> {
  const products = 2 * projects;
  const contracts = 8 * projects;
  const first = `DATE '2026-06-17' - ${days - 1}`;
  const id = (prefix: string, number: string) => `'${prefix}' || ${number}`;
  const day = `(${first} + floor(u(i, 'day') * ${days})::INTEGER)::DATE`;
  const money = (what: string, most: number) =>
    `round(pow(u(i, '${what}'), 4) * ${most}, 6)::DECIMAL(18, 6)`;
  return {
    chains: `SELECT ${id("c", "i")} AS chain_id, ${
      id("Chain ", "i")
    } AS chain_name FROM range(30) r(i)`,
    market_sectors: `SELECT ${id("s", "i")} AS market_sector_id, ${
      id("Sector ", "i")
    } AS market_sector_name
        FROM range(20) r(i)`,
    projects: `SELECT ${id("p", "i")} AS project_id, ${id("Project ", "i")} AS project_name,
        ${id("s", "i % 20")} AS market_sector_id FROM range(${projects}) r(i)`,
    products: `SELECT ${id("q", "i")} AS product_id, ${id("Product ", "i")} AS product_name,
        ${id("p", `i % ${projects}`)} AS project_id FROM range(${products}) r(i)`,
    contracts: `SELECT ${id("c", "floor(pow(u(i, 'chain'), 2) * 30)::INTEGER")} AS chain_id,
        '0x' || lpad(to_hex(i), 40, '0') AS account_address, ${
      id("q", `i % ${products}`)
    } AS product_id,
        TIMESTAMP '2025-01-01 00:00:00' + to_seconds(i) AS account_creation_timestamp
      FROM range(${contracts}) r(i)`,
    activity: `SELECT day, user_address, chain_id, account_address,
        1 + i % 9 AS transaction_count, 21000 + i % 90000 AS gas_used,
        ${money("fees", 20)} AS fees_usd, ${money("fees", 4)} AS revenue_usd,
        CASE WHEN contract % 3 = 0 THEN ${money("volume", 9000)} END AS dex_trading_volume_usd,
        ${money("in", 5000)} AS inflows_usd, ${money("out", 5000)} AS outflows_usd
      FROM (
        SELECT min(i) AS i, day, ${id("u", "user_no")} AS user_address, contract FROM (
          SELECT i, ${day} AS day, floor(pow(u(i, 'user'), 3) * ${users})::BIGINT AS user_no,
            floor(pow(u(i, 'contract'), 3) * ${contracts})::BIGINT AS contract
          FROM range(${activity}) r(i)
        ) GROUP BY day, user_no, contract
      )
      JOIN (SELECT chain_id, account_address, row_number() OVER (ORDER BY account_address) - 1
          AS contract FROM contracts) USING (contract)
      ORDER BY i`,
    product_daily: `SELECT (${first} + d::INTEGER)::DATE AS day, ${id("q", "i")} AS product_id,
        ${id("c", "i % 30")} AS chain_id, ${money("tvl", 1_000_000_000)} AS tvl_usd
      FROM range(${products}) r(i), range(${days}) s(d)`,
    project_daily: `SELECT (${first} + d::INTEGER)::DATE AS day, ${id("p", "i")} AS project_id,
        round(1e6 + u(i, 'cap') * 1e9 + d * 1000, 2) AS market_cap_fd_usd,
        round(5e5 + u(i, 'cap') * 4e8 + d * 1000, 2) AS market_cap_circ_usd,
        (3 + i % 40)::BIGINT AS core_developers FROM range(${projects}) r(i), range(${days}) s(d)`,
    chain_daily: `SELECT (${first} + d::INTEGER)::DATE AS day, ${id("c", "i")} AS chain_id,
        round(1e9 + u(i, 'cap') * 1e11 + d * 1e5, 2) AS market_cap_fd_usd,
        (30 + i)::BIGINT AS core_developers FROM range(30) r(i), range(${days}) s(d)`,
  };
}

/** Writes facts of a size, the same for the same size, as Parquet files. */
export async function writeLargeFacts(
  folder: string,
  size: FactsSize,
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const database = await openDuckdb({ temporaryFolder: `${folder}/spill` });
  try {
    await database.run(RANDOM);
    const { activity, ...others } = selects(size);
    for (const [name, select] of Object.entries(others)) {
      await database.run(`CREATE TABLE ${name} AS ${select}`);
    }
    await database.run(`CREATE TABLE activity AS ${activity}`);
    for (const name of [...Object.keys(others), "activity"]) {
      const path = quoteText(`${folder}/${name}.parquet`);
      await database.run(`COPY ${name} TO ${path} (FORMAT parquet)`);
    }
  } finally {
    database.close();
    await Deno.remove(`${folder}/spill`, { recursive: true }).catch(() => {});
  }
}
