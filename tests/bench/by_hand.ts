// The baseline of a build: the same values by plain SQL, from the same files into a file. Run it with `deno run --allow-all tests/bench/by_hand.ts FACTS OUT.duckdb`.
import { openDuckdb, quoteText } from "../../lib/service/engine/duckdb.ts";

// The groupings of breakdowns: users are counted per group and day.
const GROUPINGS = [
  "project_id",
  "chain_id",
  "product_id",
  "market_sector_id",
  "chain_id, project_id",
  "chain_id, product_id",
  "chain_id, market_sector_id",
];

const SUMS = `sum(fees_usd) AS fees, sum(revenue_usd) AS revenue,
  sum(dex_trading_volume_usd) AS volume, sum(inflows_usd) AS inflows, sum(outflows_usd) AS outflows,
  sum(transaction_count) AS transactions, sum(gas_used) AS gas`;

/** How many of the users who came to a group in a month were there in each month after. */
function cohorts(name: string, id: string): string {
  return `CREATE TABLE data.${name} AS
    WITH months AS (
      SELECT DISTINCT ${id}, user_address, date_trunc('month', day) AS month FROM joined
    ), first AS (
      SELECT ${id}, user_address, min(month) AS cohort FROM months GROUP BY ALL
    )
    SELECT ${id}, cohort, datediff('month', cohort, month) AS age, count(*) AS users
    FROM months JOIN first USING (${id}, user_address) GROUP BY ALL`;
}

/** Makes the tables, one after the other, within the memory that a build takes. */
async function byHand(facts: string, out: string): Promise<void> {
  await Deno.remove(out).catch(() => {});
  const database = await openDuckdb({ built: out, temporaryFolder: `${out}.spill` });
  const file = (name: string) => `read_parquet(${quoteText(`${facts}/${name}.parquet`)})`;
  try {
    await database.run(`CREATE TABLE joined AS
      SELECT * FROM ${file("activity")}
      JOIN (SELECT chain_id, account_address, product_id FROM ${file("contracts")})
        USING (chain_id, account_address)
      JOIN (SELECT product_id, project_id FROM ${file("products")}) USING (product_id)
      JOIN (SELECT project_id, market_sector_id FROM ${file("projects")}) USING (project_id)`);
    await database.run(`CREATE TABLE data.cell_day AS
      SELECT day, chain_id, product_id, ${SUMS} FROM joined GROUP BY ALL ORDER BY day`);
    await database.run(`CREATE TABLE data.contract_day AS
      SELECT day, chain_id, account_address, ${SUMS}, count(DISTINCT user_address) AS users
      FROM joined GROUP BY ALL ORDER BY day`);
    for (const [index, ids] of GROUPINGS.entries()) {
      await database.run(`CREATE TABLE data.users_${index} AS
        SELECT day, ${ids}, count(DISTINCT user_address) AS users
        FROM joined GROUP BY ALL ORDER BY day`);
    }
    await database.run(cohorts("cohorts_of_projects", "project_id"));
    await database.run(cohorts("cohorts_of_sectors", "market_sector_id"));
    for (const name of ["product_daily", "project_daily", "chain_daily"]) {
      await database.run(`CREATE TABLE data.${name} AS SELECT * FROM ${file(name)} ORDER BY day`);
    }
  } finally {
    database.close();
    await Deno.remove(`${out}.spill`, { recursive: true }).catch(() => {});
  }
}

if (import.meta.main) {
  const [facts, out] = Deno.args;
  if (facts === undefined || out === undefined) {
    throw new Error("by_hand.ts: give it a folder of facts and a file to make");
  }
  await byHand(facts, out);
}
