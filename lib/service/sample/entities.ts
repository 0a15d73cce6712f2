import { CONTRACT_KEYS } from "../facts/fact_layout.ts";
import { USD } from "../facts/amounts.ts";
import type { Database } from "../engine/duckdb.ts";
import world from "./world.json" with { type: "json" };

/** First day of the sample data. */
export const SAMPLE_FIRST_DAY = "2024-01-01";

/** Number of calendar months in the sample. */
export const SAMPLE_MONTHS = 30;

/**
 * Defines the macros of the sample. `u01(x)` returns a pseudorandom number in [0, 1) that depends only on `x` and the
 * seed, and `normal(x)` one of a standard normal distribution. `month_no` counts months from the first month.
 */
function macros(seed: number): string {
  return `
CREATE OR REPLACE MACRO to_usd(x) AS CAST(CAST(x AS DECIMAL(18, 2)) AS ${USD});
CREATE OR REPLACE MACRO u01(x) AS (hash(hash(x, ${seed})) >> 11)::DOUBLE / 9007199254740992;
CREATE OR REPLACE MACRO normal(x) AS
  sqrt(-2 * ln(1 - u01(x))) * cos(2 * pi() * u01(concat(x, '/')));
CREATE OR REPLACE MACRO logit(p) AS ln(p / (1 - p));
CREATE OR REPLACE MACRO kept(level, k) AS 1 / (1 + exp(0.45 * ln(k) - level));
CREATE OR REPLACE MACRO month_start(month_no) AS
  (DATE '${SAMPLE_FIRST_DAY}' + to_months(month_no::INTEGER))::DATE;
CREATE OR REPLACE MACRO month_of(day) AS datediff('month', DATE '${SAMPLE_FIRST_DAY}', day);
`;
}

async function loadWorld(database: Database): Promise<void> {
  // Missing values become null.
  for (const [name, columns] of Object.entries(world.columns)) {
    const structure = JSON.stringify([columns]);
    await database.run(
      `CREATE TABLE sample.${name} AS
       SELECT unnest(from_json(CAST($rows AS JSON), '${structure}'), recursive := true),
         unnest(range(json_array_length(CAST($rows AS JSON))::BIGINT))::INTEGER AS number`,
      { rows: JSON.stringify(world[name as keyof typeof world.columns]) },
    );
  }
}

/** The effects that are planted in the sample. */
export const PLANTED = world.effects;

const { joiners: JOINERS, mix: MIX, move: MOVE } = PLANTED;

/** SQL of the chains, projects, products and contracts, with what is drawn for them. */
const ENTITIES = `
CREATE MACRO slug(name) AS trim(regexp_replace(lower(strip_accents(name)), '[^a-z0-9]+', '-', 'g'), '-');
CREATE TABLE sample.chain AS
  SELECT * EXCLUDE (fees, number), number AS chain_no, fees / sum(fees) OVER () AS fees,
    pow(fees, 0.65) AS visits, coalesce(token, true) AS has_token
  FROM sample.chains ORDER BY number;
CREATE TABLE sample.market_sector AS SELECT * EXCLUDE number FROM sample.sectors;
-- A project keeps users at the level of its sector, plus a random deviation. A dead project had no new users in its
-- last year, so that its end does not change its retention.
CREATE TABLE sample.project AS
  SELECT number AS project_no, coalesce(project_id, slug(project_name)) AS project_id,
    * EXCLUDE (number, project_id, born, market_sector_name, contracts),
    coalesce(born, -1) AS born, coalesce(died, ${SAMPLE_MONTHS}) AS last_month,
    coalesce(died - 11, ${SAMPLE_MONTHS}) AS last_joining,
    logit(retention) + tau * normal(concat('retention', number)) AS level,
    greatest(coalesce(least_size, 0), least(8, greatest(0.25, exp(normal(concat('size', number))) * pow(largest, 0.45)))) AS size,
    0.008 + 0.004 * normal(concat('growth', number)) AS growth
  FROM sample.projects JOIN sample.market_sector USING (market_sector_id)
  -- Projects on large chains are larger.
  JOIN (SELECT number, max(visits) / 3 AS largest FROM sample.chain
        JOIN (SELECT number, unnest(chains) AS chain_id FROM sample.projects) USING (chain_id)
        GROUP BY number) USING (number)
  ORDER BY number;
CREATE TABLE sample.product AS
  SELECT (row_number() OVER (ORDER BY project_no, place) - 1)::INTEGER AS product_no,
    slug(product_name) AS product_id, product_name, project_id, project_no, place,
    -- The first product of a project is on all chains of the project; each later product is on one chain fewer.
    chains[1:greatest(1, len(chains) - place)] AS chains
  FROM (
    SELECT project_no, project_id, chains, unnest(products) AS product_name,
      unnest(range(len(products))) AS place
    FROM sample.project
  )
  ORDER BY product_no;
CREATE TABLE sample.contract AS
  SELECT (row_number() OVER (ORDER BY product_no, slot) - 1)::INTEGER AS contract_no, slot,
    product.chains[1 + slot % len(product.chains)] AS chain_id, chain_no, project_no,
    '0x' || md5(concat('contract', product_no, '/', slot)) || left(md5(concat(slot, product_no)), 8)
      AS account_address,
    product_name || ': ' || market_sector.contracts[1 + slot % 4][1] AS account_title,
    product_id,
    -- A contract is created before the first month in which it is used.
    month_start(born)
      - to_days(1 + floor(24 * u01(concat('created', product_no, '/', slot)))::INTEGER)
      + to_seconds(floor(86400 * u01(concat('hour', product_no, '/', slot))))
      AS account_creation_timestamp,
    -- Users prefer the first products and contracts of a project, and the large chains.
    visits / ((1 + place) * (1 + slot // len(product.chains))) AS weight
  FROM (SELECT *, unnest(range(greatest(2, len(chains)))) AS slot FROM sample.product) AS product
  JOIN sample.project USING (project_id, project_no)
  JOIN sample.market_sector USING (market_sector_id)
  JOIN sample.chain ON chain_id = product.chains[1 + slot % len(product.chains)]
  ORDER BY contract_no;
`;

/** SQL of the contracts that the users of a project use in a month, as a list of 256 numbers of contracts. */
const WHEELS = `
CREATE TABLE sample.moving AS
  SELECT project_no, project_id IN ('${MIX.project_id}', '${MOVE.project_id}') AS moves
  FROM sample.project;
CREATE TABLE sample.phase AS
  SELECT project_no, month_no AS phase, project_id
  FROM sample.project JOIN sample.moving USING (project_no), range(${SAMPLE_MONTHS}) AS months(month_no)
  WHERE month_no = 0 OR moves;
CREATE TABLE sample.weight AS
  SELECT project_no, phase, contract_no, chain_id, chain_no,
    weight / sum(weight) OVER (PARTITION BY project_no, phase) AS weight
  FROM (
    SELECT project_no, phase, contract_no, chain_id, chain_no, CASE project_id
      WHEN '${MIX.project_id}' THEN
        weight / sum(weight) OVER (PARTITION BY project_no, phase, chain_id) *
        abs((chain_id <> '${MIX.chain_id}')::INTEGER - (${MIX.from} + ${
  MIX.to - MIX.from
} * phase / ${SAMPLE_MONTHS - 1}))
      WHEN '${MOVE.project_id}' THEN CASE WHEN chain_id =
        CASE WHEN month_start(phase) < DATE '${MOVE.month}-01' THEN '${MOVE.from}' ELSE '${MOVE.to}' END
        THEN weight ELSE 0 END
      ELSE weight END AS weight
    FROM sample.phase JOIN sample.contract USING (project_no)
  );
CREATE TABLE sample.wheel AS
  SELECT project_no, phase, list(contract_no ORDER BY slot) AS wheel
  FROM (
    SELECT *, sum(weight) OVER (PARTITION BY project_no, phase ORDER BY chain_no, contract_no) AS upto
    FROM sample.weight
  ),
  (SELECT (range + 0.5) / 256 AS slot FROM range(256))
  WHERE slot >= upto - weight AND slot < upto
  GROUP BY project_no, phase;
`;

/**
 * SQL of the number of new users of each project and month, and of the number of users that are expected. The numbers
 * of new users add up to 165 000 times `scale`.
 *
 * Users who came before the first month count as new in the first month, and stay longer. A new project has more new
 * users in its first months, so that it does not grow for years. A project with a boom has many new users around it.
 */
const joining = (scale: number) => `
CREATE TABLE sample.joining AS
  SELECT *, greatest(1, round(${scale} * 165000 * share / sum(share) OVER ()))::BIGINT AS joining
  FROM (
    SELECT project_no, month_no,
      level
        + CASE WHEN born < 0 AND month_no = 0 THEN 1 ELSE 0 END
        + CASE WHEN market_sector_id = '${JOINERS.market_sector_id}'
            AND month_start(month_no) >= DATE '${JOINERS.month}-01'
          THEN logit(${JOINERS.retention}) - logit(retention) ELSE 0 END AS level,
      size * exp(growth * month_no) * (1 + 0.06 * sin(0.9 * month_no + project_no))
        * (0.95 + 0.1 * u01(concat('joiners', project_no, '/', month_no)))
        * CASE WHEN born < 0 AND month_no = 0 THEN 2
            WHEN born >= 0 THEN 1 + 2 * exp((born - month_no) / 4)
            WHEN boom >= 0 THEN 1 + 14 * exp(-abs(month_no - boom) / 1.5) ELSE 1 END AS share
    FROM sample.project, range(${SAMPLE_MONTHS}) AS months(month_no)
    WHERE month_no BETWEEN born AND last_joining AND month_no IS DISTINCT FROM quiet
  );
`;

/** SQL of the users that are expected to be active, per project and month, if the sample has its usual size. */
const expected = (scale: number) => `
CREATE TABLE sample.expected AS
  SELECT project_no, month_no + k AS month_no, CASE WHEN moves THEN month_no + k ELSE 0 END AS phase,
    sum(joining / ${scale} * CASE WHEN k = 0 THEN 1 ELSE kept(level, k) END) AS users
  FROM sample.joining JOIN (
    SELECT project_no, last_month, quiet, moves
    FROM sample.project JOIN sample.moving USING (project_no)
  ) USING (project_no), range(${SAMPLE_MONTHS}) AS later(k)
  WHERE month_no + k <= least(last_month, ${
  SAMPLE_MONTHS - 1
}) AND month_no + k IS DISTINCT FROM quiet
  GROUP BY ALL;
CREATE TABLE sample.visited AS
  SELECT project_no, chain_id, contract_no, sum(users * weight) / ${SAMPLE_MONTHS} AS users
  FROM sample.expected JOIN sample.weight USING (project_no, phase)
  GROUP BY ALL;
-- A monthly user pays 15 dollars on average. The fee of a transaction follows from the share of the chain.
CREATE TABLE sample.charge AS
  SELECT chain_id, sum(sum(users)) OVER () * 15 * any_value(fees) / sum(users * fee) AS charge,
    sum(users * locked) / sum(users) FILTER (locked IS NOT NULL) AS locked_per_user,
    sum(users) FILTER (locked IS NOT NULL) AS depositors
  FROM sample.visited
  JOIN (SELECT project_no, fee, locked FROM sample.project) USING (project_no)
  JOIN sample.chain USING (chain_id)
  GROUP BY chain_id;
`;

/** Fills the tables of entities of the schema `facts`. */
const FACTS = `
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
INSERT INTO facts.project_renames SELECT old_project_id, project_id FROM sample.renames ORDER BY ALL;
INSERT INTO facts.products
  SELECT product_id, product_name, project_id FROM sample.product ORDER BY product_no;
INSERT INTO facts.contracts
  SELECT chain_id, account_address, account_title, product_id, account_creation_timestamp
  FROM sample.contract ORDER BY contract_no;
${CONTRACT_KEYS}`;

/** Fills the tables of entities of the schema `facts`, and the schema `sample` with the new users of each month. */
export async function loadSampleEntities(
  database: Database,
  { seed, scale }: { readonly seed: number; readonly scale: number },
): Promise<void> {
  await database.run(`CREATE SCHEMA sample;${macros(seed)}`);
  await loadWorld(database);
  await database.run(ENTITIES + WHEELS + joining(scale) + expected(scale) + FACTS);
}
