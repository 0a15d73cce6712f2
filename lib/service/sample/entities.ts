import { SAMPLE_CHAINS } from "./chains.ts";
import { CONTRACT_KEYS } from "../facts/fact_layout.ts";
import { SAMPLE_MARKET_SECTORS } from "./market_sectors.ts";
import { SAMPLE_PROJECTS, SAMPLE_RENAMES, type SampleProject } from "./projects.ts";
import type { Database } from "../engine/duckdb.ts";
import { USD } from "../facts/amounts.ts";

/** First day of the sample data. */
export const SAMPLE_FIRST_DAY = "2024-01-01";

/** Probability of activity after k months: floor + (1 - floor) (1 + k / scale)^-shape. */
const LOYALTIES = {
  devoted: { scale: 2, shape: 0.5, floor: 0.25, seen: 0.95 },
  steady: { scale: 0.6, shape: 0.7, floor: 0.08, seen: 0.9 },
  fading: { scale: 0.35, shape: 0.9, floor: 0.02, seen: 0.86 },
  fleeting: { scale: 0.12, shape: 1.1, floor: 0.003, seen: 0.82 },
  gone: { scale: 0.02, shape: 1.3, floor: 0, seen: 0.8 },
} as const;

function slug(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

function projectRow(project: SampleProject, index: number): Record<string, unknown> {
  const { products: _, loyalty, ...rest } = project;
  return { project_no: index, ...rest, ...LOYALTIES[loyalty] };
}

function productRows(): Record<string, unknown>[] {
  return SAMPLE_PROJECTS.flatMap(({ project_id, chains, products }, project_no) =>
    products.map((product_name, index) => ({
      product_id: slug(product_name),
      product_name,
      project_id,
      project_no,
      // The first product of a project is on all its chains, later ones only where the first did well.
      chains: chains.slice(0, Math.max(1, chains.length - index)),
    }))
  ).map((row, product_no) => ({ product_no, ...row }));
}

async function loadJson(
  database: Database,
  table: string,
  columns: string,
  rows: readonly object[],
): Promise<void> {
  const shape = JSON.stringify([
    Object.fromEntries(columns.split(", ").map((column) => column.split(" "))),
  ]);
  await database.run(
    `CREATE TABLE ${table} AS
     SELECT unnest(from_json($rows, '${shape}'), recursive := true)`,
    { rows: JSON.stringify(rows) },
  );
}

/** Writes the invented chains, sectors, projects and products into tables of the schema `sample`. */
export async function loadSampleEntities(database: Database): Promise<void> {
  await database.run("CREATE SCHEMA sample");
  const chains = SAMPLE_CHAINS.map((chain, chain_no) => ({ chain_no, ...chain }));
  await Promise.all([
    loadJson(
      database,
      "sample.chain",
      "chain_no INTEGER, chain_id VARCHAR, chain_name VARCHAR, market_cap DOUBLE, " +
        "circulating DOUBLE, fee DOUBLE, size DOUBLE, developers INTEGER, growth DOUBLE",
      chains,
    ),
    loadJson(
      database,
      "sample.market_sector",
      "market_sector_id VARCHAR, market_sector_name VARCHAR, gas DOUBLE, take DOUBLE, " +
        "trade DOUBLE, deposit DOUBLE, locked DOUBLE, lent DOUBLE, contracts VARCHAR[][]",
      SAMPLE_MARKET_SECTORS,
    ),
    loadJson(
      database,
      "sample.project",
      "project_no INTEGER, project_id VARCHAR, project_name VARCHAR, symbol VARCHAR, " +
        "market_sector_id VARCHAR, users DOUBLE, growth DOUBLE, born INTEGER, died INTEGER, " +
        "market_cap DOUBLE, developers INTEGER, scale DOUBLE, shape DOUBLE, floor DOUBLE, " +
        "seen DOUBLE, chains VARCHAR[]",
      SAMPLE_PROJECTS.map(projectRow),
    ),
    loadJson(
      database,
      "sample.product",
      "product_no INTEGER, product_id VARCHAR, product_name VARCHAR, project_id VARCHAR, " +
        "project_no INTEGER, chains VARCHAR[]",
      productRows(),
    ),
    loadJson(
      database,
      "sample.rename",
      "old_project_id VARCHAR, project_id VARCHAR",
      SAMPLE_RENAMES,
    ),
  ]);
}

/** Macros of the sample: `u01(seed)` is pseudorandom, uniform in [0, 1); `to_usd` rounds to whole cents. */
export const SAMPLE_MACROS = `
CREATE OR REPLACE MACRO to_usd(x) AS CAST(CAST(x AS DECIMAL(18, 2)) AS ${USD});
CREATE OR REPLACE MACRO u01(seed) AS (hash(seed) >> 11)::DOUBLE / 9007199254740992;
CREATE OR REPLACE MACRO u01_of(name, seed) AS (hash(name, seed) >> 11)::DOUBLE / 9007199254740992;
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
CREATE TABLE sample.contract AS
  SELECT product_no * 4 + slot AS contract_no,
    product.chains[1 + slot % len(product.chains)] AS chain_id,
    '0x' || md5(concat('contract', product_no, '/', slot)) || left(md5(concat(slot, product_no)), 8)
      AS account_address,
    product_name || ': ' || market_sector.contracts[1 + slot][1] AS account_title,
    product_id,
    -- Whatever is used in a month was there before it.
    month_start(born)
      - to_days(1 + floor(24 * u01(concat('created', product_no, '/', slot)))::INTEGER)
      + to_seconds(floor(86400 * u01(concat('hour', product_no, '/', slot))))
      AS account_creation_timestamp
  FROM sample.product
  JOIN sample.project USING (project_id)
  JOIN sample.market_sector USING (market_sector_id),
  range(4) AS slots(slot)
  ORDER BY contract_no;
INSERT INTO facts.contracts SELECT * EXCLUDE contract_no FROM sample.contract;
${CONTRACT_KEYS}`;
