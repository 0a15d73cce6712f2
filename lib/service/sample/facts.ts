import type { Database } from "../engine/duckdb.ts";
import { PLANTED, SAMPLE_FIRST_DAY, SAMPLE_MONTHS } from "./entities.ts";

// This day is in the middle of a month, so that the last month of the sample is incomplete.
const SAMPLE_LAST_DAY = "2026-06-17";

const DAYS = `
  (SELECT (DATE '${SAMPLE_FIRST_DAY}' + t::INTEGER) AS day, t
   FROM range(DATE '${SAMPLE_LAST_DAY}' - DATE '${SAMPLE_FIRST_DAY}' + 1) AS days(t))`;

/**
 * SQL of random series: for each `id` of `ids`, the logarithm of a factor on each day. A series loses all of a
 * movement but the share `kept` within a week. All shocks of a day share a factor that makes them t(4) distributed.
 */
const walks = (ids: string, { kept, daily }: { readonly kept: number; readonly daily: number }) => `
  SELECT id, day, t, sum(${daily} * turmoil * normal(concat(id, '/', t)) / pow(${kept}, t / 7))
    OVER (PARTITION BY id ORDER BY t) * pow(${kept}, t / 7) AS log_factor
  FROM (${ids}) CROSS JOIN sample.turmoil`;

/**
 * Creates the movements of the market, which all values in US dollars follow: a boom with a bust, a smaller boom at
 * the end, and random movements. Fees also follow the demand for transactions, which all chains share.
 */
export const SAMPLE_MARKET = `
CREATE TABLE sample.turmoil AS
  SELECT day, t, 1 / sqrt(-ln((1 - u01(concat('calm', t))) * (1 - u01(concat('calm/', t))))) AS turmoil FROM ${DAYS};
CREATE TABLE sample.market AS
  SELECT day, t, exp(1.2 * market + log_factor) AS fee_level, market
  FROM (${walks("SELECT 'demand' AS id", { kept: 0.8, daily: 0.055 })})
  JOIN (
    SELECT day, log_factor
      + 0.8 * exp(-pow((t - 330) / 110.0, 2)) + 0.35 * exp(-pow((t - 830) / 150.0, 2)) AS market
    FROM (${walks("SELECT 'market' AS id", { kept: 0.9, daily: 0.03 })})
  ) USING (day);
`;

/** Creates the table of the raw activity, which has one row per user, contract and day. */
const ACTIVITY_TABLE = `
CREATE TABLE facts.numbered_activity (
  day DATE, user_no BIGINT, contract facts.contract_key, cell facts.cell_key,
  project_id facts.project_key, transaction_count BIGINT, gas_used BIGINT, fees DECIMAL(18, 6),
  revenue DECIMAL(18, 6), dex_trading_volume DECIMAL(18, 2), inflows DECIMAL(18, 2),
  outflows DECIMAL(18, 2)
);
`;

/**
 * Creates a table of users with their project and month of first use. Some addresses use several projects. `wealth` is
 * a log-normal factor of what an address pays: 1% of the addresses pay over a quarter of all fees.
 */
export const sampleUsers = (scale: number) => `
CREATE TABLE sample.user AS
  SELECT *, exp(1.5 * normal(concat('wealth', user_id)) - 1.125) AS wealth
  FROM (
    SELECT project_no, month_no, level, quiet, moves, last_month, hash(u01(concat(project_no, ',', number))) AS home,
      -- These numbers come from a range that all projects share.
      CASE WHEN number % (3 + project_no % 4) = 0
        THEN (number * 7919 + project_no * 104729) % greatest(1009, floor(20011 * ${scale}))::BIGINT
        ELSE 1000000000 + project_no::BIGINT * 100000000 + number END AS user_id
    FROM (
      SELECT project_no, month_no, level, unnest(range(upto - joining + 1, upto + 1)) AS number
      FROM (SELECT *, (sum(joining) OVER (PARTITION BY project_no ORDER BY month_no))::BIGINT AS upto
            FROM sample.joining)
    )
    JOIN (
      SELECT project_no, quiet, last_month, moves
      FROM sample.project JOIN sample.moving USING (project_no)
    ) USING (project_no)
  );
`;

/**
 * SQL of the months in which users are active, from the month `$first` to `$last`: one row per user, project and month,
 * with the number `k` of months since the first use.
 */
export const PRESENCE = `
  SELECT project_no, user_id, home, wealth, moves, hash(home, k) AS seed, month_no AS joined, k,
    month_no + k AS month_no
  FROM (
    SELECT *, unnest(
      range(greatest(0, $first - month_no), least($last, last_month) - month_no + 1)
    ) AS k
    FROM sample.user WHERE month_no <= $last
  )
  WHERE k = 0 OR (u01(hash(home, k)) < kept(level, k) AND month_no + k IS DISTINCT FROM quiet)`;

/**
 * Inserts the activity in the months from `$first` to `$last`. A user is active on a few days of a month, and uses
 * one or two contracts of the project on such a day. A wealthy user is active more often. A sixth of the users whose
 * first day is at a weekend come from Monday to Friday instead.
 */
const MONTHS_OF_ACTIVITY = `
INSERT INTO facts.numbered_activity
WITH presence AS (${PRESENCE}),
visits AS (
  SELECT project_no, user_id, home, month_no, moves, wealth / often AS wealth, seed, start, days,
    CASE WHEN often > 1 THEN 11 ELSE 7 END AS step,
    CASE WHEN isodow(start + first) > 5 AND u01(hash(seed, 8)) < 0.17
      THEN greatest(first - isodow(start + first) + 1, 0) + floor(5 * u01(hash(seed, 9))) ELSE first END AS first,
    unnest(range((often * (1 + floor(2.4 * pow(u01(hash(seed, 3)), 2))))::INTEGER)) AS visit
  FROM (
    SELECT *, (hash(seed, 7) % days)::INTEGER AS first, greatest(1, least(9, floor(wealth / 2))) AS often
    FROM (SELECT *, month_start(month_no) AS start, day(last_day(month_start(month_no))) AS days FROM presence)
  )
),
daily AS (
  SELECT project_no, user_id, home, wealth, month_no, moves, hash(seed, visit) AS seed,
    start + ((first + step * visit) % days)::INTEGER AS day
  FROM visits
),
uses AS (
  SELECT day, user_id, wealth, hash(seed, use) AS seed, contracts[use] AS contract_no
  FROM (
    SELECT *, unnest(range(1, len(contracts) + 1)) AS use
    FROM (
      SELECT day, user_id, wealth, seed, list_distinct(CASE WHEN NOT moves AND u01(hash(seed, 11)) < 0.12
        THEN [wheel[1 + floor(256 * place)::INTEGER], wheel[1 + floor(256 * ((place + 0.5) % 1))::INTEGER]]
        ELSE [wheel[1 + floor(256 * place)::INTEGER]] END) AS contracts
      FROM (
        -- Most users stay with one contract.
        SELECT *, (u01(home) + 0.2 * u01(hash(seed, 5))) % 1 AS place,
          CASE WHEN moves THEN month_no ELSE 0 END AS phase
        FROM daily WHERE day <= DATE '${SAMPLE_LAST_DAY}'
      )
      JOIN sample.wheel USING (project_no, phase)
    )
  )
),
amounts AS (
  SELECT day, user_id, contract, cell, project_id, gas, take, trade, deposit,
    CASE WHEN is_fixed THEN 3 ELSE 1 + floor(2 * exp(0.6 * radius * cos(angle))) END AS transactions,
    CASE WHEN is_fixed THEN 1 ELSE exp(0.6 * radius * sin(angle) - 0.18) END AS effort,
    CASE WHEN is_fixed THEN 1 ELSE wealth * effort END AS spread,
    charge * fee / 4.5
      * CASE WHEN is_dearer THEN ${PLANTED.mix.dearer} ELSE 1 END
      * CASE WHEN is_fixed THEN 1 ELSE fee_level END
      * CASE WHEN day >= program THEN ${PLANTED.program.factor} ELSE 1 END AS fee,
    u01(hash(seed, 4)) AS direction
  FROM (
    SELECT *, sqrt(-2 * ln(1 - u01(hash(seed, 1)))) AS radius, 2 * pi() * u01(hash(seed, 2)) AS angle
    FROM uses
  )
  JOIN (
    SELECT contract_no, contract, cell, keys.project_id, gas, take, trade, deposit, fee, charge,
      program, keys.project_id = '${PLANTED.mix.project_id}' AS is_fixed,
      is_fixed AND chain_id = '${PLANTED.mix.chain_id}' AS is_dearer
    FROM sample.contract
    JOIN facts.contract_keys AS keys USING (chain_id, account_address)
    JOIN sample.charge USING (chain_id)
    JOIN sample.project USING (project_no)
  ) USING (contract_no)
  JOIN sample.market USING (day)
)
SELECT day, user_id AS user_no, contract, cell, project_id,
  transactions::BIGINT AS transaction_count,
  round(transactions * gas * (0.6 + 0.4 * effort))::BIGINT AS gas_used,
  CAST(transactions * fee * spread AS DECIMAL(18, 6)) AS fees,
  CAST(transactions * fee * spread * take AS DECIMAL(18, 6)) AS revenue,
  CAST(transactions * trade * spread AS DECIMAL(18, 2)) AS dex_trading_volume,
  CAST(transactions * deposit * spread * direction AS DECIMAL(18, 2)) AS inflows,
  CAST(transactions * deposit * spread * (1 - direction) * 0.97 AS DECIMAL(18, 2)) AS outflows
FROM amounts
`;

/**
 * Creates the raw activity. Divides the months into `parts` groups, and runs one statement for each group. `scale`
 * multiplies the number of users.
 *
 * The rows do not depend on `parts`. If `atOnce` is true, the statements run in parallel. Otherwise, they run one after
 * the other, and rows are sorted by day, user and contract.
 */
export async function loadSampleActivity(
  database: Database,
  { scale, parts, atOnce }: {
    readonly scale: number;
    readonly parts: number;
    readonly atOnce: boolean;
  },
): Promise<void> {
  const from = (part: number) => Math.floor((SAMPLE_MONTHS * part) / parts);
  await database.run(ACTIVITY_TABLE + sampleUsers(scale));
  const order = atOnce ? "" : "ORDER BY day, user_no, contract";
  const load = (part: number) =>
    database.run(MONTHS_OF_ACTIVITY + order, { first: from(part), last: from(part + 1) - 1 });
  if (atOnce) return void await Promise.all(Array.from({ length: parts }, (_, part) => load(part)));
  for (let part = 0; part < parts; part++) await load(part);
}

/** SQL of the deposits on each chain and day, in US dollars: the market, and movements of the chain that return. */
const DEPOSITS = `
CREATE TABLE sample.deposits AS
  SELECT chain_id, day, t, depositors * locked_per_user
    * exp((0.9 + 0.2 * u01(concat('loading', chain_id))) * (0.012 * t / 30 + 0.6 * market) + log_factor)
    * CASE WHEN chain_id = '${PLANTED.deposits.chain_id}' AND day >= DATE '${PLANTED.deposits.day}'
      THEN ${PLANTED.deposits.factor} ELSE 1 END AS deposits
  FROM (${
  walks("SELECT concat('deposits/', chain_id) AS id FROM sample.chain", { kept: 0.8, daily: 0.013 })
})
  JOIN sample.market USING (day, t) JOIN sample.charge ON id = concat('deposits/', chain_id);
`;

/** SQL of market values: the market by 0.8 to 1.4 times, and movements of their own. */
const capitalizations = (ids: string) => `
  SELECT id, day, t, exp((0.8 + 0.6 * u01(concat('loading', id))) * market + log_factor) AS factor
  FROM (${walks(ids, { kept: 0.95, daily: 0.03 })}) JOIN sample.market USING (day, t)`;

/** Inserts the daily values that do not depend on activity: market capitalization, developers, deposits and loans. */
export const SAMPLE_DAILY_VALUES = `
${DEPOSITS}
INSERT INTO facts.chain_daily
  SELECT day, chain_id, to_usd(cap), to_usd(cap * least(1, 0.3 + 0.5 * u01(chain_id) + 0.0002 * t)),
    round(developers * exp((u01(concat('developers', chain_id)) - 0.4) * t / 1000)
      * (1 + 0.05 * sin(t / 24.0 + chain_no)))::BIGINT
  FROM (
    SELECT *, CASE WHEN has_token THEN depositors * locked_per_user * (1.5 + 5 * u01(concat('cap', chain_id)))
      * exp(0.0005 * t) * factor END AS cap
    FROM sample.chain JOIN sample.charge USING (chain_id)
    JOIN (${capitalizations("SELECT chain_id AS id FROM sample.chain")}) ON id = chain_id
  );
INSERT INTO facts.project_daily
  SELECT day, project_id, to_usd(cap), to_usd(cap * least(1, 0.3 + 0.5 * u01(project_id) + 0.0003 * t)),
    greatest(1, round((2 + 9 * sqrt(size)) * exp(growth * t / 90) * (1 + 0.08 * sin(t / 31.0 + project_no))))::BIGINT
  FROM (
    SELECT *, CASE WHEN symbol IS NOT NULL THEN 100 * size * (fee * 5000 + coalesce(locked, 0) * 4)
      * exp(growth * t / 45) * factor END AS cap
    FROM sample.project
    JOIN (${capitalizations("SELECT project_id AS id FROM sample.project")}) ON id = project_id
  )
  WHERE day >= month_start(greatest(born, 0)) AND day < month_start(last_month + 1);
-- The products of a chain share its deposits.
INSERT INTO facts.product_daily
  SELECT day, product_id, chain_id, to_usd(locked),
    to_usd(locked * lent * (0.9 + 0.2 * u01(hash(cell, t))))
  FROM (
    SELECT day, t, cell, product_id, chain_id, lent,
      deposits * weight / sum(weight) OVER (PARTITION BY chain_id, day) AS locked
    FROM (
      SELECT day, t, cell, product_id, chain_id, lent, deposits,
        base * exp(growth * t / 30 + 0.02 * u01(hash(cell, t)))
          -- Deposits grow after a project begins, and shrink after it ends.
          * (1 - exp((month_start(born) - day - 6) / 50.0))
          * CASE WHEN died IS NULL THEN 1 ELSE 1 - exp((day - month_start(died + 1)) / 30.0) END
          AS weight
      FROM (
        SELECT concat(product_id, chain_id) AS cell, product_id, chain_id, project_no,
          sum(users) AS users
        FROM sample.contract JOIN sample.visited USING (project_no, chain_id, contract_no)
        GROUP BY ALL
      )
      JOIN (SELECT *, locked AS base_of FROM sample.project WHERE locked IS NOT NULL) USING (project_no)
      JOIN sample.deposits USING (chain_id), LATERAL (SELECT users * base_of AS base)
      WHERE day >= month_start(greatest(born, 0)) AND day < month_start(last_month + 1)
    )
  );
`;

/** Inserts the events and transfers of contracts on the last seven days of the data. */
export const SAMPLE_EVENTS = `
CREATE TABLE sample.last_week AS
  SELECT day, chain_id, account_address, transactions
  FROM (
    SELECT day, contract, sum(transaction_count) AS transactions
    FROM facts.numbered_activity WHERE day > DATE '${SAMPLE_LAST_DAY}' - 7 GROUP BY day, contract
  )
  JOIN facts.contract_keys USING (contract);
INSERT INTO facts.contract_events
  SELECT day, chain_id, account_address, event[1], event[2],
    ceil(transactions * (1.4 - 0.5 * place) * (0.8 + 0.4 * u01(concat(contract_no, day, place))))
  FROM sample.last_week JOIN (
    SELECT contract_no, chain_id, account_address, unnest(range(2)) AS place,
      unnest([contracts[1 + slot % 4][2:3], ['Approval', 'Approval(address,address,uint256)']]) AS event
    FROM sample.contract
    JOIN sample.project USING (project_no)
    JOIN sample.market_sector USING (market_sector_id)
  ) USING (chain_id, account_address);
INSERT INTO facts.contract_transfers
  SELECT day, chain_id, account_address, asset, ceil(transactions * (0.2 + u01(concat(asset, contract_no, day))))
  FROM sample.last_week JOIN (
    SELECT contract_no, chain_id, account_address,
      unnest(list_distinct(['PLMB', 'EVK', coalesce(symbol, upper(chain_id))])) AS asset
    FROM sample.contract JOIN sample.project USING (project_no)
  ) USING (chain_id, account_address);
`;
