import type { Cell, Database } from "../engine/duckdb.ts";
import {
  FACT_LAYOUT,
  type FactColumn,
  type FactReference,
  FactsError,
  type FactTable,
} from "./fact_layout.ts";
import type { FactFiles } from "./read_facts.ts";

/** The first and the last day that facts may have: what a ClickHouse Date can hold is wider. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2099-12-31";

// Cents have to fit 64 bits, sums of them included.
const MAX_USD = "1e15";
const MAX_COUNT = "1e17";

interface Rule {
  /** SQL that is true for a row that breaks the rule. */
  readonly broken: string;
  /** What is said of the column then. */
  readonly says: string;
}

function typeRules({ name, type }: FactColumn): Rule[] {
  const number = `TRY_CAST(${name} AS DOUBLE)`;
  const noNumber = `(${number} IS NULL OR NOT isfinite(${number}))`;
  const day = `TRY_CAST(${name} AS DATE)`;
  switch (type) {
    case "text":
      return [];
    case "day":
      return [
        {
          broken: `(${day} IS NULL OR TRY_CAST(${name} AS TIMESTAMP) <> ${day})`,
          says: "is no calendar day (YYYY-MM-DD)",
        },
        {
          broken: `NOT ${day} BETWEEN DATE '${FIRST_DAY}' AND DATE '${LAST_DAY}'`,
          says: `is out of range, which is ${FIRST_DAY} to ${LAST_DAY}`,
        },
      ];
    case "timestamp":
      return [{
        broken: `TRY_CAST(${name} AS TIMESTAMP) IS NULL`,
        says: "is no timestamp (YYYY-MM-DD HH:MM:SS)",
      }];
    case "count":
      return [
        { broken: `(${noNumber} OR ${number} <> floor(${number}))`, says: "is no whole number" },
        { broken: `${number} < 0`, says: "is negative" },
        { broken: `${number} > ${MAX_COUNT}`, says: `is larger than ${MAX_COUNT}` },
      ];
    case "amount":
    case "balance":
      return [
        { broken: noNumber, says: "is no number" },
        ...(type === "amount" ? [{ broken: `${number} < 0`, says: "is negative" }] : []),
        { broken: `abs(${number}) > ${MAX_USD}`, says: `is larger than ${MAX_USD}` },
      ];
  }
}

function and(count: Cell | undefined): string {
  const more = Number(count) - 1;
  if (more <= 0) return "";
  return ` (and so in ${more} more row${more === 1 ? "" : "s"})`;
}

/** The value of a row as text, whatever its type, and short. */
function shown(name: string): string {
  return `left(CAST(${name} AS VARCHAR), 80)`;
}

async function columnProblems(
  database: Database,
  table: FactTable,
  file: string,
  column: FactColumn,
): Promise<string[]> {
  const { name, optional } = column;
  const rules: Rule[] = typeRules(column).map(({ broken, says }) => ({
    broken: `${name} IS NOT NULL AND ${broken}`,
    says,
  }));
  if (!optional) rules.unshift({ broken: `${name} IS NULL`, says: "is missing" });
  const problems: string[] = [];
  for (const { broken, says } of rules) {
    const [row] = await database.rows(
      `SELECT min(rowid) + 1 AS first, count(*) AS broken, arg_min(${shown(name)}, rowid) AS value
       FROM raw.${table.name} WHERE ${broken}`,
    );
    if (row?.first === null || row === undefined) continue;
    const value = row.value === null ? "" : `: ${JSON.stringify(row.value)}`;
    problems.push(`${file}, row ${row.first}: ${name} ${says}${value}${and(row.broken)}`);
    // What is no number is not said to be negative as well.
    break;
  }
  return problems;
}

async function keyProblems(
  database: Database,
  { name, key }: FactTable,
  file: string,
): Promise<string[]> {
  const [row] = await database.rows(
    `SELECT min(again) + 1 AS again, arg_min(first, again) + 1 AS first, count(*) AS broken,
       arg_min(value, again) AS value
     FROM (
       SELECT min(rowid) AS first, arg_min(rowid, rowid, 2)[2] AS again,
         concat_ws(', ', ${key.map(shown).join(", ")}) AS value
       FROM raw.${name} GROUP BY ${key.join(", ")} HAVING count(*) > 1
     )`,
  );
  if (row === undefined || row.again === null) return [];
  return [
    `${file}, row ${row.again}: the key (${
      key.join(", ")
    }) is there already, in row ${row.first}: ` +
    `${row.value}${and(row.broken)}`,
  ];
}

async function referenceProblems(
  database: Database,
  { name }: FactTable,
  file: string,
  { columns, table, without }: FactReference,
): Promise<string[]> {
  const list = columns.join(", ");
  const [row] = await database.rows(
    `SELECT min(rowid) + 1 AS first, count(*) AS broken,
       arg_min(concat_ws(', ', ${columns.map(shown).join(", ")}), rowid) AS value
     FROM raw.${name} WHERE (${columns.map((column) => `CAST(${column} AS VARCHAR)`).join(", ")})
       NOT IN (SELECT (${columns.map((column) => `CAST(${column} AS VARCHAR)`).join(", ")})
               FROM raw.${table})`,
  );
  if (row === undefined || row.first === null) return [];
  return [
    `${file}, row ${row.first}: ${without}: ${list} ${row.value} is not in ${table}${
      and(row.broken)
    }`,
  ];
}

async function dayProblems(database: Database, files: FactFiles): Promise<string[]> {
  const [last] = await database.rows("SELECT max(CAST(day AS DATE)) AS day FROM raw.activity");
  if (last === undefined || last.day === null) {
    return [
      `${files.get("activity")}: there is no row: without activity there is nothing to build`,
    ];
  }
  const problems: string[] = [];
  for (const { name, columns } of FACT_LAYOUT) {
    const file = files.get(name);
    if (file === undefined || !columns.some(({ name }) => name === "day")) continue;
    const [row] = await database.rows(
      `SELECT min(rowid) + 1 AS first, count(*) AS broken, arg_min(CAST(day AS DATE), rowid) AS value
       FROM raw.${name} WHERE CAST(day AS DATE) > $last::DATE`,
      { last: String(last.day) },
    );
    if (row === undefined || row.first === null) continue;
    problems.push(
      `${file}, row ${row.first}: day is out of range: ${row.value} is after ${last.day}, ` +
        `the last day of activity${and(row.broken)}`,
    );
  }
  return problems;
}

async function renameProblems(database: Database, files: FactFiles): Promise<string[]> {
  const [row] = await database.rows(
    `SELECT min(rowid) + 1 AS first, count(*) AS broken, arg_min(old_project_id, rowid) AS value
     FROM raw.project_renames WHERE old_project_id IN (SELECT project_id FROM raw.projects)`,
  );
  if (row === undefined || row.first === null) return [];
  return [
    `${
      files.get("project_renames")
    }, row ${row.first}: old_project_id ${row.value} is the id of a ` +
    `project there is${and(row.broken)}`,
  ];
}

/**
 * Checks the facts in the schema `raw`: types, what is required, keys, references, days.
 *
 * @throws {FactsError} when something is wrong: every problem with its file, first row and column.
 */
export async function checkFacts(database: Database, files: FactFiles): Promise<void> {
  const problems: string[] = [];
  const present = FACT_LAYOUT.flatMap((table) => {
    const file = files.get(table.name);
    return file === undefined ? [] : [{ table, file }];
  });
  for (const { table, file } of present) {
    for (const column of table.columns) {
      problems.push(...await columnProblems(database, table, file, column));
    }
    problems.push(...await keyProblems(database, table, file));
    for (const reference of table.references) {
      problems.push(...await referenceProblems(database, table, file, reference));
    }
  }
  // Days can be compared once each of them is one.
  if (problems.length === 0) {
    problems.push(...await dayProblems(database, files), ...await renameProblems(database, files));
  }
  if (problems.length > 0) throw new FactsError(problems);
}
