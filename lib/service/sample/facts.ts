import type { Database } from "../engine/duckdb.ts";
import { SAMPLE_FIRST_DAY } from "./entities.ts";

// This day is in the middle of a month, so that the last month of the sample is incomplete.
const SAMPLE_LAST_DAY = "2026-06-17";

/**
 * An event with a known effect: a program that raises deposits on one chain by 40%, from its first day to the end of
 * the data. `tvl` and `active_loans` of every product on this chain are 1.4 times their values without the program.
 * The program changes no other values. Tests of `counterfactual` use this event.
 */
const PROGRAM = { chain_id: "fjord", day: "2026-01-05", lift: 0.4 } as const;

// Number of calendar months in the sample.
const SAMPLE_MONTHS = 30;

/** Creates the table of the raw activity, which has one row per user, contract and day. */
const ACTIVITY_TABLE = `
CREATE TABLE facts.numbered_activity (
  day DATE, user_no BIGINT, contract facts.contract_key, cell facts.cell_key,
  project_id facts.project_key, transaction_count BIGINT, gas_used BIGINT, fees DECIMAL(18, 6),
  revenue DECIMAL(18, 6), dex_trading_volume DECIMAL(18, 2), inflows DECIMAL(18, 2),
  outflows DECIMAL(18, 2)
);
`;

/** Creates a table of users with their project and month of first use. `$scale` multiplies the number of users. */
const USERS = `
CREATE TABLE sample.user AS
WITH joiners AS (
  SELECT project_no, month_no, died, scale, shape, floor, seen, take_every,
    greatest(1, round($scale * users * exp(growth * (month_no - 18))
      * (1 + 0.18 * sin(0.9 * month_no + project_no))
      * (0.88 + 0.24 * u01(concat('joiners', project_no, '/', month_no)))
      -- Users who came before the data began are counted in the first cohort.
      * CASE WHEN born < 0 AND month_no = 0 THEN 1.2 + 3 * floor + shape
             WHEN month_no = born THEN 1.7 ELSE 1 END
      * CASE WHEN died IS NULL THEN 1 ELSE greatest(0, (died + 1 - month_no) / 8.0) END
    ))::INTEGER AS joining
  FROM (SELECT *, 3 + project_no % 4 AS take_every FROM sample.project),
    range(${SAMPLE_MONTHS}) AS months(month_no)
  WHERE month_no >= born AND month_no <= coalesce(died, ${SAMPLE_MONTHS})
),
numbered AS (
  SELECT *, (sum(joining) OVER (PARTITION BY project_no ORDER BY month_no))::INTEGER AS through
  FROM joiners
)
SELECT project_no, month_no, died, scale, shape, floor, seen,
  hash(project_no * 1000003 + number) AS seed,
  -- Some addresses use several projects. Their numbers come from a range that all projects share.
  CASE WHEN number % take_every = 0
    THEN (number * 7919 + project_no * 104729) % (20011 * $scale)::BIGINT
    ELSE 1000000000 + project_no * 10000000 + number END::BIGINT AS user_id
FROM (SELECT *, unnest(range(through - joining + 1, through + 1)) AS number FROM numbered)
`;

/**
 * Inserts the activity in the months from `$first` to `$last`. The retention curve of a project determines how long its
 * users stay. A user is active on a few days of a month, and uses one or two contracts of the project on such a day.
 */
const MONTHS_OF_ACTIVITY = `
INSERT INTO facts.numbered_activity
WITH presence AS (
  SELECT project_no, user_id, seed + 1000 + k AS seed, month_start(month_no + k) AS month
  FROM (
    SELECT *, unnest(
      range(greatest(0, $first - month_no), least($last, coalesce(died, 99)) - month_no + 1)
    ) AS k
    FROM sample.user WHERE month_no <= $last
  )
  WHERE k = 0 OR (
    u01(seed) < (floor + (1 - floor) * pow(1 + k / scale, -shape))
      * (0.95 + 0.1 * u01(1000 * project_no + month_no + k))
    AND u01(seed + k) < seen
  )
),
days AS (
  SELECT project_no, user_id, seed + 10000 * visit AS seed,
    month + ((hash(seed + 7) % 28 + 7 * visit) % day(last_day(month)))::INTEGER AS day
  FROM (
    SELECT *, unnest(range((1 + floor(3.6 * pow(u01(seed + 3), 2)))::INTEGER)) AS visit
    FROM presence
  )
),
uses AS (
  SELECT day, user_id, hash(seed + use) AS seed,
    contracts[1 + (floor(len(contracts) * pow(u01(seed + 5), 1.9))::INTEGER + use) % len(contracts)]
      AS contract_no
  FROM (
    SELECT *, unnest(CASE WHEN u01(seed + 11) < 0.2 THEN [0, 1] ELSE [0] END) AS use
    FROM days WHERE day <= DATE '${SAMPLE_LAST_DAY}'
  )
  JOIN (
    SELECT project_no, list(contract_no ORDER BY contract_no % 4, contract_no) AS contracts
    FROM sample.contract JOIN sample.product USING (product_id) GROUP BY project_no
  ) USING (project_no)
),
amounts AS (
  SELECT day, user_id, contract, cell, project_id, gas, take, trade * size AS trade, deposit * size AS deposit,
    fee * gas / 150000 * (1 + 0.35 * sin((day - DATE '2025-01-01') / 41.0 + chain_no)) AS fee,
    least(600, floor(pow(1 - u01(seed + 1), -0.85))) AS transactions,
    exp(1.4 * (u01(seed + 2) + u01(seed + 3) - 1)) AS spread,
    u01(seed + 4) AS direction
  FROM uses
  JOIN (
    SELECT contract_no, contract, cell, project_id, chain_no, gas, take, trade, deposit, size, fee
    FROM sample.contract
    JOIN (SELECT * EXCLUDE project_id FROM facts.contract_keys) USING (chain_id, account_address)
    JOIN sample.chain USING (chain_id)
    JOIN sample.product USING (product_id)
    JOIN sample.project USING (project_id)
    JOIN sample.market_sector USING (market_sector_id)
  ) USING (contract_no)
)
SELECT day, user_id AS user_no, contract, cell, project_id,
  transactions::BIGINT AS transaction_count,
  round(transactions * gas * (0.6 + 0.4 * spread))::BIGINT AS gas_used,
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
  await database.run(ACTIVITY_TABLE);
  await database.run(USERS, { scale });
  const order = atOnce ? "" : "ORDER BY day, user_no, contract";
  const load = (part: number) =>
    database.run(MONTHS_OF_ACTIVITY + order, { first: from(part), last: from(part + 1) - 1 });
  if (atOnce) return void await Promise.all(Array.from({ length: parts }, (_, part) => load(part)));
  for (let part = 0; part < parts; part++) await load(part);
}

const DAYS = `
  (SELECT (DATE '${SAMPLE_FIRST_DAY}' + t::INTEGER) AS day, t
   FROM range(DATE '${SAMPLE_LAST_DAY}' - DATE '${SAMPLE_FIRST_DAY}' + 1) AS days(t))`;

// Defines a macro for the cycles and the noise of a series. Its random numbers depend on the name of the series.
const MARKET = `
CREATE OR REPLACE MACRO market(name, t) AS exp(
  0.22 * sin(t / 67.0 + 6.283 * u01(name)) + 0.11 * sin(t / 19.0 + 6.283 * u01(name || '/'))
  + 0.14 * sin(t / 83.0) + 0.05 * (u01_of(name, t) - 0.5)
);
`;

/** Inserts the daily values that do not depend on activity: market capitalization, developers, deposits and loans. */
export const SAMPLE_DAILY_VALUES = `
${MARKET}
INSERT INTO facts.chain_daily
  SELECT day, chain_id,
    to_usd(market_cap * exp(growth * t) * market(chain_id, t)),
    to_usd(market_cap * exp(growth * t) * market(chain_id, t)
      * least(1, circulating + 0.0002 * t)),
    round(developers * exp(growth * t / 3) * (1 + 0.05 * sin(t / 24.0 + chain_no)))::BIGINT
  FROM sample.chain, ${DAYS};
INSERT INTO facts.project_daily
  SELECT day, project_id,
    to_usd(market_cap * exp(growth * t / 45) * market(project_id, t)),
    to_usd(market_cap * exp(growth * t / 45) * market(project_id, t)
      * least(1, 0.3 + 0.5 * u01(project_id) + 0.0003 * t)),
    round(developers * exp(growth * t / 90) * (1 + 0.08 * sin(t / 31.0 + project_no)))::BIGINT
  FROM sample.project, ${DAYS}
  WHERE day >= month_start(greatest(born, 0)) AND (died IS NULL OR day < month_start(died + 1));
INSERT INTO facts.product_daily
  SELECT day, product_id, chain_id, to_usd(locked),
    to_usd(locked * lent * (0.9 + 0.2 * u01_of(product_id || chain_id, day)))
  FROM (
    SELECT day, product_id, chain_id, lent,
      locked * users * size / slot * exp(project.growth * t / 30) * market(product_id || chain_id, t)
        -- Deposits grow after a project begins, and shrink after it ends.
        * (1 - exp((month_start(born) - day - 6) / 50.0))
        * CASE WHEN died IS NULL THEN 1 ELSE 1 - exp((day - month_start(died + 1)) / 30.0) END
        * CASE WHEN chain_id = '${PROGRAM.chain_id}' AND day >= DATE '${PROGRAM.day}'
            THEN ${1 + PROGRAM.lift} ELSE 1 END
        AS locked
    FROM (SELECT *, unnest(chains) AS chain_id, unnest(range(1, len(chains) + 1)) AS slot
          FROM sample.product) AS product
    JOIN sample.project AS project USING (project_id)
    JOIN sample.market_sector USING (market_sector_id)
    JOIN sample.chain USING (chain_id),
    ${DAYS}
    WHERE market_sector.locked IS NOT NULL
      AND day >= month_start(greatest(born, 0)) AND (died IS NULL OR day < month_start(died + 1))
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
      unnest([contracts[1 + contract_no % 4][2:3],
        ['Approval', 'Approval(address,address,uint256)']]) AS event
    FROM sample.contract
    JOIN sample.product USING (product_id)
    JOIN sample.project USING (project_id)
    JOIN sample.market_sector USING (market_sector_id)
  ) USING (chain_id, account_address);
INSERT INTO facts.contract_transfers
  SELECT day, chain_id, account_address, asset, ceil(transactions * (0.2 + u01(concat(asset, contract_no, day))))
  FROM sample.last_week JOIN (
    SELECT contract_no, chain_id, account_address, unnest(list_distinct(['PLMB', 'EVK', coalesce(symbol, upper(chain_id))])) AS asset
    FROM sample.contract
    JOIN sample.product USING (product_id)
    JOIN sample.project USING (project_id)
  ) USING (chain_id, account_address);
`;
