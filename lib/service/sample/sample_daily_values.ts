import { SAMPLE_FIRST_DAY, SAMPLE_LAST_DAY } from "./sample_span.ts";

const DAYS = `
  (SELECT (DATE '${SAMPLE_FIRST_DAY}' + t::INTEGER) AS day, t
   FROM range(DATE '${SAMPLE_LAST_DAY}' - DATE '${SAMPLE_FIRST_DAY}' + 1) AS days(t))`;

// A market that has seasons, moods and noise, from the names of what moves.
const MARKET = `
CREATE OR REPLACE MACRO market(name, t) AS exp(
  0.22 * sin(t / 67.0 + 6.283 * u01(name)) + 0.11 * sin(t / 19.0 + 6.283 * u01(name || '/'))
  + 0.14 * sin(t / 83.0) + 0.05 * (u01(concat(name, t)) - 0.5)
);
`;

/** What activity cannot tell, one value a day: market capitalisation, developers, deposits, loans. */
export const SAMPLE_DAILY_VALUES = `
${MARKET}
INSERT INTO facts.chain_daily
  SELECT day, chain_id,
    round(100 * market_cap * exp(growth * t) * market(chain_id, t))::BIGINT,
    round(100 * market_cap * exp(growth * t) * market(chain_id, t)
      * least(1, circulating + 0.0002 * t))::BIGINT,
    round(developers * exp(growth * t / 3) * (1 + 0.05 * sin(t / 24.0 + chain_no)))::BIGINT
  FROM sample.chain, ${DAYS}
  ORDER BY day, chain_id;
INSERT INTO facts.project_daily
  SELECT day, project_id,
    round(100 * market_cap * exp(growth * t / 45) * market(project_id, t))::BIGINT,
    round(100 * market_cap * exp(growth * t / 45) * market(project_id, t)
      * least(1, 0.3 + 0.5 * u01(project_id) + 0.0003 * t))::BIGINT,
    round(developers * exp(growth * t / 90) * (1 + 0.08 * sin(t / 31.0 + project_no)))::BIGINT
  FROM sample.project, ${DAYS}
  WHERE day >= month_start(greatest(born, 0)) AND (died IS NULL OR day < month_start(died + 1))
  ORDER BY day, project_id;
INSERT INTO facts.product_daily
  SELECT day, product_id, chain_id, round(100 * locked)::BIGINT,
    round(100 * locked * lent * (0.9 + 0.2 * u01(concat(product_id, chain_id, day))))::BIGINT
  FROM (
    SELECT day, product_id, chain_id, lent,
      locked * users * size / slot * exp(project.growth * t / 30) * market(product_id || chain_id, t)
        -- A young project fills up, an empty one drains.
        * (1 - exp((month_start(born) - day - 6) / 50.0))
        * CASE WHEN died IS NULL THEN 1 ELSE 1 - exp((day - month_start(died + 1)) / 30.0) END
        AS locked
    FROM (SELECT *, unnest(chains) AS chain_id, unnest(range(1, len(chains) + 1)) AS slot
          FROM sample.product) AS product
    JOIN sample.project AS project USING (project_id)
    JOIN sample.market_sector USING (market_sector_id)
    JOIN sample.chain USING (chain_id),
    ${DAYS}
    WHERE market_sector.locked IS NOT NULL
      AND day >= month_start(greatest(born, 0)) AND (died IS NULL OR day < month_start(died + 1))
  )
  ORDER BY day, product_id, chain_id;
`;

/** What the contracts emitted and moved, for the last days of the data. */
export const SAMPLE_EVENTS = `
INSERT INTO facts.contract_events
  SELECT day, contract_no, event[1], event[2],
    ceil(transactions * (1.4 - 0.5 * place) * (0.8 + 0.4 * u01(concat(contract_no, day, place))))
  FROM (
    SELECT day, contract_no, sum(transaction_count) AS transactions
    FROM facts.activity WHERE day > DATE '${SAMPLE_LAST_DAY}' - 7 GROUP BY day, contract_no
  )
  JOIN (
    SELECT contract_no, unnest(range(2)) AS place,
      unnest([contracts[1 + contract_no % 4][2:3],
        ['Approval', 'Approval(address,address,uint256)']]) AS event
    FROM facts.contracts
    JOIN sample.product USING (product_id)
    JOIN sample.project USING (project_id)
    JOIN sample.market_sector USING (market_sector_id)
  ) USING (contract_no)
  ORDER BY day, contract_no, place;
INSERT INTO facts.contract_transfers
  SELECT day, contract_no, asset, ceil(transactions * (0.2 + u01(concat(asset, contract_no, day))))
  FROM (
    SELECT day, contract_no, sum(transaction_count) AS transactions
    FROM facts.activity WHERE day > DATE '${SAMPLE_LAST_DAY}' - 7 GROUP BY day, contract_no
  )
  JOIN (
    SELECT contract_no, unnest(list_distinct(['PLMB', 'EVK', coalesce(symbol, upper(chain_id))])) AS asset
    FROM facts.contracts
    JOIN sample.product USING (product_id)
    JOIN sample.project USING (project_id)
  ) USING (contract_no)
  ORDER BY day, contract_no, asset;
`;
