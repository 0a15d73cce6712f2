import { ok } from "node:assert/strict";
import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { loadSampleFacts } from "../../../lib/service/sample/sample.ts";

const database = await openDuckdb();
await loadSampleFacts(database);
Deno.test.afterAll(() => database.close());

async function numbers(sql: string): Promise<number[]> {
  const rows = await database.rows(sql);
  return rows.flatMap((row) => Object.values(row).map(Number));
}

/** Checks that numbers are within bounds, both included. */
function within(values: readonly number[], [least, most]: readonly [number, number]): void {
  ok(values.length > 0);
  ok(values.every((value) => value >= least && value <= most), `${values}`);
}

/** SQL of the growth of values from one date to the next, in logarithms. */
const growth = (values: string) => `
  SELECT id, date, ln(value / lag(value) OVER (PARTITION BY id ORDER BY date)) AS growth
  FROM (${values})`;

/** The median correlation of the growth of two ids. */
const correlation = (values: string) =>
  numbers(`
  WITH growth AS (${growth(values)})
  SELECT median(r) FROM (
    SELECT corr(a.growth, b.growth) AS r FROM growth AS a JOIN growth AS b USING (date)
    WHERE a.id < b.id GROUP BY a.id, b.id
  )`);

const FEES = "facts.numbered_activity JOIN facts.contract_keys USING (contract)";

Deno.test("sample has as many users on each day from Monday to Friday, and fewer at weekends", async () => {
  const users = await numbers(`
    SELECT count(DISTINCT (day, user_no)) AS users FROM facts.numbered_activity
    WHERE day < DATE '2026-06-15' GROUP BY isodow(day) ORDER BY isodow(day)`);
  const mean = users.reduce((a, b) => a + b) / 7;
  within(users.slice(0, 5).map((each) => each / mean), [1.03, 1.07]);
  within(users.slice(5).map((each) => each / mean), [0.85, 0.9]);
});

Deno.test("sample has market values that move as prices do", async () => {
  const values = `SELECT chain_id AS id, day AS date, market_cap_fd AS value
    FROM facts.chain_daily WHERE market_cap_fd IS NOT NULL`;
  const [autocorrelation, tails] = await numbers(`
    SELECT median(a), median(k) FROM (
      SELECT corr(growth, before) AS a, kurtosis(growth) AS k FROM (
        SELECT *, lag(growth) OVER (PARTITION BY id ORDER BY date) AS before FROM (${
    growth(values)
  })
      ) GROUP BY id
    )`);
  within([autocorrelation!], [-0.1, 0.1]);
  within([tails!], [3, 12]);
  within(await correlation(values), [0.4, 0.7]);
});

Deno.test("sample has fees and deposits of chains that move together, and not only together", async () => {
  // Fees of small chains are those of a few users.
  within(
    await correlation(`
    SELECT chain_id AS id, date_trunc('week', day) AS date, sum(fees)::DOUBLE AS value FROM ${FEES}
    WHERE day < DATE '2026-06-15'
      AND chain_id IN (SELECT chain_id FROM ${FEES} GROUP BY chain_id ORDER BY sum(fees) DESC LIMIT 6)
    GROUP BY ALL`),
    [0.3, 0.7],
  );
  within(
    await correlation(`
    SELECT chain_id AS id, day AS date, sum(tvl)::DOUBLE AS value FROM facts.product_daily
    WHERE isodow(day) = 7 GROUP BY ALL`),
    [0.3, 0.7],
  );
});

Deno.test("sample has a boom and a bust: total fees fall by over 40 % within six months", async () => {
  const months = await numbers(`
    SELECT sum(fees)::DOUBLE FROM facts.numbered_activity WHERE day < DATE '2026-06-01'
    GROUP BY date_trunc('month', day) ORDER BY date_trunc('month', day)`);
  const falls = months.flatMap((value, at) =>
    months.slice(at + 1, at + 7).map((later) => later / value - 1)
  );
  within([Math.min(...falls)], [-0.75, -0.4]);
  const fallen = await numbers(`
    SELECT count(*) FROM (
      SELECT project_id FROM (
        SELECT project_id, date_trunc('month', day) AS month, sum(fees) AS fees
        FROM facts.numbered_activity WHERE day < DATE '2026-06-01' GROUP BY ALL
      ) GROUP BY project_id
      HAVING max(month) = DATE '2026-05-01' AND arg_max(fees, month) < 0.2 * max(fees)
    )`);
  within(fallen, [3, 30]);
});

Deno.test("sample has 1 % of users who pay 25 to 32 % of fees", async () => {
  within(
    await numbers(`
    SELECT sum(fees) FILTER (place <= users / 100) / sum(fees) FROM (
      SELECT sum(fees) AS fees, row_number() OVER (ORDER BY sum(fees) DESC) AS place, count(*) OVER () AS users
      FROM facts.numbered_activity GROUP BY user_no
    )`),
    [0.25, 0.32],
  );
});
