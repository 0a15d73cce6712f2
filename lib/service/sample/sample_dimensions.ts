import { SAMPLE_FIRST_DAY } from "./sample_span.ts";

/** Macros that give the sample its chance: `u01(seed)` is uniform in [0, 1), and always the same. */
export const SAMPLE_MACROS = `
CREATE OR REPLACE MACRO u01(seed) AS (hash(seed) >> 11)::DOUBLE / 9007199254740992;
CREATE OR REPLACE MACRO month_start(month_no) AS
  (DATE '${SAMPLE_FIRST_DAY}' + to_months(month_no::INTEGER))::DATE;
`;

/** Fills the tables of entities of the schema `facts` from those of the schema `sample`. */
export const SAMPLE_DIMENSIONS = `
INSERT INTO facts.chains SELECT chain_id, chain_name FROM sample.chain ORDER BY chain_no;
INSERT INTO facts.market_sectors
  SELECT market_sector_id, market_sector_name FROM sample.market_sector ORDER BY ALL;
INSERT INTO facts.projects
  SELECT project_id, project_name, market_sector_id, symbol,
    concat(project_name, ' is an invented project of the sector ', market_sector_name, '.'),
    concat('Its contracts run on ', array_to_string(chains, ', '), '; people use them every day.'),
    'Nobody: this is sample data, and says nothing about the world.'
  FROM sample.project JOIN sample.market_sector USING (market_sector_id)
  ORDER BY project_no;
INSERT INTO facts.project_links
  SELECT project_id, unnest(['Website', 'Documentation']),
    concat('https://', project_id, unnest(['.example/', '.example/docs']))
  FROM sample.project ORDER BY project_no;
INSERT INTO facts.project_renames SELECT old_project_id, project_id FROM sample.rename ORDER BY ALL;
INSERT INTO facts.products
  SELECT product_id, product_name, project_id FROM sample.product ORDER BY product_no;
INSERT INTO facts.contracts
  SELECT product_no * 4 + slot AS contract_no,
    product.chains[1 + slot % len(product.chains)],
    '0x' || md5(concat('contract', product_no, '/', slot)) || left(md5(concat(slot, product_no)), 8),
    product_name || ': ' || market_sector.contracts[1 + slot][1],
    product_id,
    -- Whatever is used in a month was there before it.
    month_start(born)
      - to_days(1 + floor(24 * u01(concat('created', product_no, '/', slot)))::INTEGER)
      + to_seconds(floor(86400 * u01(concat('hour', product_no, '/', slot))))
  FROM sample.product
  JOIN sample.project USING (project_id)
  JOIN sample.market_sector USING (market_sector_id),
  range(4) AS slots(slot)
  ORDER BY contract_no;
`;
