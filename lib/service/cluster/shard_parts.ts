import { rm, writeFile } from "node:fs/promises";
import {
  cohortCountsPart,
  cohortCountsSum,
  contractDaysPart,
  contractDaysSum,
  userSetsPart,
  userSetsSum,
} from "../datasets/activity_parts.ts";
import { USD } from "../facts/amounts.ts";
import { type Database, quoteText } from "../engine/duckdb.ts";
import { readPath } from "../engine/paths.ts";
import { ClusterError, type Shard } from "./clickhouse.ts";
import { ACTIVITY_COLUMNS } from "./shard_tables.ts";

/** A table that is computed from activity. Each shard computes a part, and the build combines the parts. */
interface PartTable {
  readonly name: "contract_daily" | "user_set" | "cohort_count";
  /** Columns of the activity that are read in addition to `contract`. */
  readonly columns: readonly string[];
  /** Returns ClickHouse SQL that computes the part of a shard. In `activity`, contracts and projects are numbers. */
  readonly part: (activity: string) => string;
  /** Returns DuckDB SQL that computes the table from the rows of all parts, and replaces the numbers by names. */
  readonly sum: (parts: string) => string;
}

const DAYS_OF_USERS = ["day", "user_address"];
const AMOUNTS = Object.keys(ACTIVITY_COLUMNS).filter((name) =>
  name !== "contract" && name !== "user_address"
);

/** The tables, in the order in which they are built. */
export const PART_TABLES: readonly PartTable[] = [
  {
    name: "contract_daily",
    columns: AMOUNTS,
    part: contractDaysPart,
    sum: (parts) =>
      `SELECT numbers.contract, sums.* EXCLUDE (contract) FROM (${contractDaysSum(parts)}) AS sums
       JOIN work.contract_number AS numbers ON contract_no = sums.contract`,
  },
  {
    name: "user_set",
    columns: DAYS_OF_USERS,
    part: (activity) =>
      `SELECT day, arrayStringConcat(arrayMap(n -> toString(n), cells), ' ') AS cell_list, users
       FROM (${userSetsPart(activity)}) AS sets`,
    sum: (parts) => {
      const sums = userSetsSum(`(SELECT day, cell_list AS cells, users FROM ${parts}) AS parts`);
      return `SELECT day, list_transform(string_split(sums.cells, ' '),
         lambda number: names.cells[CAST(number AS INTEGER)]) AS cells, users
       FROM (${sums}) AS sums, (SELECT list(cell ORDER BY cell_no) AS cells
         FROM (SELECT DISTINCT cell_no, cell FROM work.contract_number)) AS names`;
    },
  },
  {
    name: "cohort_count",
    columns: DAYS_OF_USERS,
    part: cohortCountsPart,
    sum: (parts) =>
      `SELECT numbers.project_id, sums.* EXCLUDE (project_id)
       FROM (${cohortCountsSum(parts)}) AS sums
       JOIN (SELECT DISTINCT project_no, project_id FROM work.contract_number) AS numbers
         ON project_no = sums.project_id`,
  },
];

// Shards return numbers instead of names, so that no text of the facts needs quoting. The build adds the names.
const NUMBERS = `
CREATE TABLE work.contract_number AS
  SELECT contract, cell, project_id, row_number() OVER (ORDER BY contract)::INTEGER AS contract_no,
    dense_rank() OVER (ORDER BY cell)::INTEGER AS cell_no,
    dense_rank() OVER (ORDER BY project_id)::INTEGER AS project_no
  FROM facts.contract_keys;
`;

const MOST_NAMES = 50_000;

/** Numbers the contracts, cells (products on a chain) and projects. Returns the numbers as rows for ClickHouse. */
export async function numberContracts(database: Database): Promise<string[]> {
  await database.run(NUMBERS);
  const rows = await database.rows(
    `SELECT CAST(contract AS VARCHAR) AS contract, project_id, contract_no, cell_no, project_no
     FROM work.contract_number ORDER BY contract_no`,
  );
  const blocks: string[] = [];
  for (let from = 0; from < rows.length; from += MOST_NAMES) {
    blocks.push(rows.slice(from, from + MOST_NAMES).map((row) => JSON.stringify(row)).join("\n"));
  }
  return blocks;
}

/** Inserts the numbers of contracts into the build's database on a shard. */
export async function sendNumbers(
  { run }: Shard,
  own: string,
  blocks: readonly string[],
): Promise<void> {
  await run(
    `CREATE TABLE ${own}.contract_number
     (contract String, project_id String, contract_no Int32, cell_no Int32, project_no Int32)
     ENGINE = MergeTree ORDER BY contract`,
  );
  for (const block of blocks) {
    await run(`INSERT INTO ${own}.contract_number FORMAT JSONEachRow\n${block}`);
  }
}

/**
 * Returns SQL that selects activity of a shard, with numbers in place of the ids of contracts, cells and projects.
 * `during` is an SQL condition that selects days.
 */
export function numberedActivity(
  activity: string,
  own: string,
  { columns, during }: { readonly columns: readonly string[]; readonly during: string },
): string {
  const list = columns.join(", ");
  // Uses two subqueries, because ClickHouse would otherwise use the new `contract` in the join condition.
  return `(SELECT ${list}, contract_no AS contract, cell_no AS cell, project_no AS project_id
  FROM (
    SELECT ${list}, contract_no, cell_no, project_no
    FROM (SELECT ${list}, contract FROM ${activity} WHERE ${during}) AS rows_of_days
    ALL INNER JOIN ${own}.contract_number USING (contract)
  ) AS numbered) AS activity`;
}

const TYPES: Readonly<Record<string, string>> = {
  Date: "DATE",
  String: "VARCHAR",
  Int32: "INTEGER",
  Int64: "BIGINT",
  "Decimal(38, 9)": USD,
};

/**
 * Returns SQL that converts a text column to its type. Amounts are cast to 18 digits if they fit, because casting text
 * to 38 digits takes thirty times as long.
 */
function columnOf(name: string, stored: string): string {
  const type = TYPES[stored.replace(/^Nullable\((.*)\)$/, "$1")];
  if (type === undefined) throw new ClusterError(`no column of a part has the type ${stored}`);
  if (type !== USD) return `CAST(${name} AS ${type}) AS ${name}`;
  return `coalesce(CAST(TRY_CAST(${name} AS DECIMAL(18, 9)) AS ${USD}), CAST(${name} AS ${USD})) AS ${name}`;
}

/** A table of a shard, and the folder for its downloaded rows. */
interface Copied {
  readonly own: string;
  readonly table: string;
  readonly folder: string;
  /** Number of the shard, for the column `shard`. */
  readonly shard: number;
}

/**
 * Appends the rows of a shard's table to `work.<table>_part`. The rows are downloaded to a file to limit memory.
 *
 * @throws {ClusterError} when rows are missing.
 */
export async function copyPart(
  database: Database,
  { url, rows, read }: Shard,
  { own, table, folder, shard }: Copied,
): Promise<void> {
  const path = `${folder}/${shard}_${table}.tsv`;
  const columns = await rows(
    `SELECT name, type FROM system.columns WHERE database = '${own}' AND table = '${table}'`,
  );
  const texts = columns.map(({ name }) => `${name}: 'VARCHAR'`).join(", ");
  const select = columns.map(({ name, type }) => columnOf(String(name), String(type))).join(", ");
  const [{ there = 0 } = {}] = await rows(`SELECT count(*) AS there FROM ${own}.${table}`);
  try {
    await read(`SELECT * FROM ${own}.${table} FORMAT TabSeparated`, async (body) => {
      await writeFile(path, body, { flag: "wx" });
    });
    const rows = `SELECT ${shard} AS shard, ${select}
      FROM read_csv(${quoteText(readPath(path))}, columns = {${texts}}, header = false,
        auto_detect = false, delim = '\\t', quote = '', escape = '', nullstr = '\\N')`;
    await database.run(
      `CREATE TABLE IF NOT EXISTS work.${table}_part AS ${rows} LIMIT 0;
       INSERT INTO work.${table}_part ${rows}`,
    );
  } finally {
    await rm(path).catch(() => {});
  }
  const [{ came = 0 } = {}] = await database.rows(
    `SELECT count(*) AS came FROM work.${table}_part WHERE shard = ${shard}`,
  );
  if (Number(came) === Number(there)) return;
  throw new ClusterError(`shard ${url}: ${came} of ${there} rows of ${table} came`);
}
