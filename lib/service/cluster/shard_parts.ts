import { rm, writeFile } from "node:fs/promises";
import {
  cohortCountsPart,
  cohortCountsSum,
  contractDaysPart,
  contractDaysSum,
  userSetsPart,
  userSetsSum,
} from "../datasets/activity_parts.ts";
import { FACT_LAYOUT, storedColumn } from "../facts/fact_layout.ts";
import { type Database, quoteText } from "../engine/duckdb.ts";
import { readPath } from "../engine/paths.ts";
import type { SentTable, Shard } from "./clickhouse.ts";

/** The columns of the facts' table `activity`. The table of a shard has the same columns. */
export const ACTIVITY = FACT_LAYOUT.find(({ name }) => name === "activity")!;

/** A table that is computed from activity. Each shard computes a part, and the build combines the parts. */
interface PartTable {
  readonly name: "contract_daily" | "user_set" | "cohort_count";
  /** The columns of the activity that are read. */
  readonly columns: typeof ACTIVITY.columns;
  /** Returns SQL that computes the part of a shard. In `activity`, contracts, cells and projects are numbers. */
  readonly part: (activity: string) => string;
  /** Returns DuckDB SQL that computes the table from the rows of all parts, and replaces the numbers by names. */
  readonly sum: (parts: string) => string;
}

const DAYS_OF_USERS = ACTIVITY.columns.filter(({ name }) => /^(day|user_address)$/.test(name));

/** The tables, in the order in which they are built. */
export const PART_TABLES: readonly PartTable[] = [
  {
    name: "contract_daily",
    columns: ACTIVITY.columns.filter(({ name, type }) => name === "day" || type !== "text"),
    part: contractDaysPart,
    sum: (parts) =>
      `SELECT numbers.contract, sums.* EXCLUDE (contract) FROM (${contractDaysSum(parts)}) AS sums
       JOIN work.contract_number AS numbers ON contract_no = sums.contract`,
  },
  {
    name: "user_set",
    columns: DAYS_OF_USERS,
    part: userSetsPart,
    sum: (parts) =>
      `SELECT day, list_transform(sets.cells, lambda number: names.cells[number]) AS cells, users
       FROM (${userSetsSum(parts)}) AS sets, (SELECT list(cell ORDER BY cell_no) AS cells
         FROM (SELECT DISTINCT cell_no, cell FROM work.contract_number)) AS names`,
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
  SELECT chain_id, account_address, contract, cell, project_id,
    row_number() OVER (ORDER BY contract)::INTEGER AS contract_no,
    dense_rank() OVER (ORDER BY cell)::INTEGER AS cell_no,
    dense_rank() OVER (ORDER BY project_id)::INTEGER AS project_no
  FROM facts.contract_keys;
`;

/** Numbers the contracts, cells (products on a chain) and projects. Returns the numbers as a table for ClickHouse. */
export async function numberContracts(database: Database): Promise<SentTable> {
  await database.run(NUMBERS);
  const rows = await database.rows(
    "SELECT chain_id, account_address, contract_no, cell_no, project_no FROM work.contract_number",
  );
  return {
    name: "contract_number",
    structure: "chain_id String, account_address String, contract_no Int32, cell_no Int32, " +
      "project_no Int32",
    rows: new Blob(rows.map((row) => `${JSON.stringify(row)}\n`)),
  };
}

/** Creates the empty table `work.<name>_part`. */
export async function createPart(database: Database, { name, part }: PartTable): Promise<void> {
  const none = `(SELECT * REPLACE (0 AS contract, 0 AS cell, 0 AS project_id),
    '' AS user_address FROM facts.numbered_activity LIMIT 0) AS activity`;
  await database.run(`CREATE TABLE work.${name}_part AS ${part(none)}`);
}

/** The rows of a shard that a part is computed from, and a file for the downloaded result. */
interface Source {
  readonly activity: string;
  /** SQL condition that selects days. */
  readonly during: string;
  readonly contracts: SentTable;
  readonly path: string;
}

/** Computes a part on a shard, and appends it to `work.<name>_part`. A file limits the memory that this needs. */
export async function copyPart(
  database: Database,
  { shard, table: { name, columns, part } }: { shard: Shard; table: PartTable },
  { activity, during, contracts, path }: Source,
): Promise<void> {
  const list = columns.map((column) => `${column.name} AS ${storedColumn(column).name}`);
  const numbered = `(SELECT ${list.join(", ")}, contract_no AS contract, cell_no AS cell,
      project_no AS project_id
    FROM (SELECT ${columns.map(({ name }) => name).join(", ")}, chain_id, account_address
      FROM ${activity} WHERE ${during}) AS rows_of_days
    ALL INNER JOIN contract_number USING (chain_id, account_address)) AS activity`;
  try {
    await shard.read(`${part(numbered)} FORMAT TabSeparated`, contracts, async (body) => {
      await writeFile(path, body);
    });
    const into = await database.rows(`DESCRIBE work.${name}_part`);
    const names = into.map(({ column_name }) => String(column_name));
    // Casting text to 38 digits takes thirty times as long as this macro.
    const values = into.map(({ column_type }, index) =>
      String(column_type).startsWith("DECIMAL") ? `amount_of_plain(${names[index]})` : names[index]
    );
    await database.run(
      `INSERT INTO work.${name}_part SELECT ${values.join(", ")}
       FROM read_csv(${quoteText(readPath(path))}, auto_detect = false, header = false,
         columns = {${names.map((each) => `${each}: 'VARCHAR'`).join(", ")}},
         delim = '\\t', quote = '', escape = '', nullstr = '\\N')`,
    );
  } finally {
    await rm(path).catch(() => {});
  }
}
