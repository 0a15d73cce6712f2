import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { writeFacts } from "../../service/facts_model.ts";

const [CHAINS, PROJECTS, PRODUCTS, CONTRACTS] = [4, 12, 24, 300];

function ids<T>(count: number, row: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => row(n));
}

/**
 * Writes facts of 45 days whose users grow, with a row or two a day each, at the same projects and
 * contracts. A few contracts have most of the users. Returns how many rows there are.
 */
export async function writeGrowingFacts(folder: string, users: number): Promise<number> {
  await writeFacts(folder, {
    chains: ids(CHAINS, (n) => ({ chain_id: `c${n}`, chain_name: `Chain ${n}` })),
    market_sectors: [{ market_sector_id: "s", market_sector_name: "Sector" }],
    projects: ids(PROJECTS, (n) => ({
      project_id: `p${n}`,
      project_name: `Project ${n}`,
      market_sector_id: "s",
      symbol: null,
    })),
    products: ids(PRODUCTS, (n) => ({
      product_id: `x${n}`,
      product_name: `Product ${n}`,
      project_id: `p${n % PROJECTS}`,
    })),
    contracts: ids(CONTRACTS, (n) => ({
      chain_id: `c${n % CHAINS}`,
      account_address: `0x${n}`,
      account_title: null,
      product_id: `x${n % PRODUCTS}`,
      account_creation_timestamp: null,
    })),
  });
  const database = await openDuckdb();
  try {
    await database.run(`
      CREATE MACRO chance(a, b, c) AS (hash(a * 1000003 + b * 101 + c) % 1000000) / 1e6;
      CREATE TABLE uses AS
      SELECT DISTINCT DATE '2026-01-01' + d::INTEGER AS day, u, floor(${CONTRACTS}
          * pow(chance(u, CASE WHEN chance(u, d, 7) < 0.7 THEN 0 ELSE d END, k), 2))::INTEGER AS c
      FROM range(${users}) AS users(u), range(45) AS days(d), range(2) AS uses(k)
      WHERE chance(u, d, 5) < 0.4 AND (k = 0 OR chance(u, d, 6) < 0.2);
      COPY (
        SELECT day, concat('0x', md5(u::VARCHAR)) AS user_address, concat('c', c % ${CHAINS}) AS chain_id,
          concat('0x', c) AS account_address, 1 + u % 9 AS transaction_count, 21000 + u AS gas_used,
          CAST(chance(u, c, 1) / 10 AS DECIMAL(18, 9)) AS fees_usd,
          CAST(chance(u, c, 2) / 20 AS DECIMAL(18, 9)) AS revenue_usd,
          CAST(chance(u, c, 3) * 100 AS DECIMAL(18, 2)) AS inflows_usd,
          CAST(chance(u, c, 4) * 100 AS DECIMAL(18, 2)) AS outflows_usd
        FROM uses
      ) TO '${folder}/activity.parquet' (FORMAT parquet)`);
    const [row] = await database.rows("SELECT count(*) AS rows FROM uses");
    return Number(row?.rows);
  } finally {
    database.close();
  }
}
