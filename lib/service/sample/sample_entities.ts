import { SAMPLE_CHAINS } from "./sample_chains.ts";
import { SAMPLE_MARKET_SECTORS } from "./sample_market_sectors.ts";
import { SAMPLE_PROJECTS, SAMPLE_RENAMES, type SampleProject } from "./sample_projects.ts";
import type { Database } from "../engine/duckdb.ts";

/** Survival after k months: floor + (1 - floor) (1 + k / scale)^-shape, seen with a chance. */
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
      // A project's first product is everywhere, the next ones only where the first did well.
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

/** Lays the invented chains, sectors, projects and products down as tables of the schema `sample`. */
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
