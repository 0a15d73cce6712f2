import type { Cell, Database } from "../engine/duckdb.ts";
import {
  FACT_LAYOUT,
  type FactColumn,
  type FactReference,
  FactsError,
  type FactTable,
} from "./fact_layout.ts";
import { type FactRule, factRules, numberOf } from "./fact_rules.ts";
import { type FactFile, type FactFiles, unreadable } from "./read_facts.ts";

/** A table whose file exists. */
interface PresentTable {
  readonly table: FactTable;
  readonly file: FactFile;
}

// Slightly less than 64 bits hold, so that any sum of counts fits. ClickHouse overflows silently.
const MAX_SUM = "9e18";

function and(count: Cell | undefined): string {
  const more = Number(count) - 1;
  if (more <= 0) return "";
  return ` (and so in ${more} more row${more === 1 ? "" : "s"})`;
}

/** Returns SQL of the value of a column as short text. */
function shown(name: string): string {
  return `left(CAST(${name} AS VARCHAR), 80)`;
}

async function brokenRule(
  database: Database,
  { table, file }: PresentTable,
  { name }: FactColumn,
  { broken, says }: FactRule,
): Promise<string> {
  const [row] = await database.rows(
    `SELECT min(rowid) + 1 AS first, count(*) AS broken, arg_min(${shown(name)}, rowid) AS value
     FROM raw.${table.name} WHERE ${broken}`,
  );
  const value = row?.value === null ? "" : `: ${JSON.stringify(row?.value)}`;
  return `${file.name}, row ${row?.first}: ${name} ${says}${value}${and(row?.broken)}`;
}

// One pass counts violations of all rules; details are queried only for broken rules.
async function columnProblems(database: Database, present: PresentTable): Promise<string[]> {
  const { table, file } = present;
  const columns = table.columns.map((column) => {
    const stored = file.types.get(column.name) ?? "VARCHAR";
    return { column, stored, rules: factRules(column, stored) };
  });
  const counts = columns.flatMap(({ rules }, c) =>
    rules.map(({ broken }, r) => `count(*) FILTER (WHERE ${broken}) AS broken_${c}_${r}`)
  );
  const sums = columns.flatMap(({ column: { name, type }, stored }, c) =>
    type === "count"
      ? [`sum(CAST(${numberOf(name, stored)} AS DOUBLE)) > ${MAX_SUM} AS over_${c}`]
      : []
  );
  const [row] = await database.rows(
    `SELECT ${[...counts, ...sums].join(",\n")} FROM raw.${table.name}`,
  );
  const problems: string[] = [];
  for (const [c, { column, rules }] of columns.entries()) {
    // A value that is not a number is not also reported as negative.
    const broken = rules.find((_, r) => Number(row?.[`broken_${c}_${r}`]) > 0);
    if (broken !== undefined) problems.push(await brokenRule(database, present, column, broken));
    else if (row?.[`over_${c}`] === true) {
      problems.push(`${file.name}: ${column.name} adds up to more than ${MAX_SUM}`);
    }
  }
  return problems;
}

async function keyProblems(
  database: Database,
  { table: { name, key }, file }: PresentTable,
): Promise<string[]> {
  const keys = key.join(", ");
  const twice = (by: string) => `FROM raw.${name} GROUP BY ${by} HAVING count(*) > 1`;
  // Counts duplicates by hashes first. Locating the rows needs much more memory.
  if ((await database.rows(`SELECT 1 ${twice(`hash(${keys})`)} LIMIT 1`)).length === 0) return [];
  const [row] = await database.rows(
    `SELECT min(again) + 1 AS again, arg_min(first, again) + 1 AS first, count(*) AS broken,
       arg_min(value, again) AS value
     FROM (
       SELECT min(rowid) AS first, arg_min(rowid, rowid, 2)[2] AS again,
         concat_ws(', ', ${key.map(shown).join(", ")}) AS value
       ${twice(keys)}
     )`,
  );
  if (row === undefined || row.again === null) return [];
  return [
    `${file.name}, row ${row.again}: the key (${keys}) is there already, in row ${row.first}: ` +
    `${row.value}${and(row.broken)}`,
  ];
}

async function referenceProblems(
  database: Database,
  { table: { name }, file }: PresentTable,
  { columns, table, without }: FactReference,
): Promise<string[]> {
  const text = (from: string) => (column: string) => `CAST(${from}.${column} AS VARCHAR)`;
  const same = columns.map((column) => `${text("one")(column)} = ${text("known")(column)}`);
  const [row] = await database.rows(
    `SELECT min(one.rowid) + 1 AS first, count(*) AS broken,
       arg_min(concat_ws(', ', ${
      columns.map((column) => shown(`one.${column}`)).join(", ")
    }), one.rowid) AS value
     FROM raw.${name} AS one ANTI JOIN raw.${table} AS known ON ${same.join(" AND ")}
     WHERE ${columns.map((column) => `one.${column} IS NOT NULL`).join(" AND ")}`,
  );
  if (row === undefined || row.first === null) return [];
  return [
    `${file.name}, row ${row.first}: ${without}: ${columns.join(", ")} ${row.value} is not in ` +
    `${table}${and(row.broken)}`,
  ];
}

async function dayProblems(
  database: Database,
  files: FactFiles,
  lastDay: string | null,
): Promise<string[]> {
  const [last] = await database.rows(
    "SELECT greatest(max(CAST(day AS DATE)), $lastDay::DATE) AS day FROM raw.activity",
    { lastDay },
  );
  if (last === undefined || last.day === null) {
    return [
      `${files.get("activity")?.name}: there is no row: without activity there is nothing to build`,
    ];
  }
  const problems: string[] = [];
  for (const { name, columns } of FACT_LAYOUT) {
    const file = files.get(name)?.name;
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
      files.get("project_renames")?.name
    }, row ${row.first}: old_project_id ${row.value} is the id of a ` +
    `project there is${and(row.broken)}`,
  ];
}

/**
 * Checks the facts in the schema `raw`: types, required columns, keys, references, days.
 *
 * @param lastDay the last day of the activity that is not in `raw`; null without one
 * @throws {FactsError} when a rule is broken: lists every problem with file, first row and column.
 */
export async function checkFacts(
  database: Database,
  files: FactFiles,
  lastDay: string | null = null,
): Promise<void> {
  const problems: string[] = [];
  for (const table of FACT_LAYOUT) {
    const file = files.get(table.name);
    if (file === undefined) continue;
    try {
      problems.push(...await columnProblems(database, { table, file }));
    } catch (error) {
      problems.push(unreadable(file.name, error));
      continue;
    }
    problems.push(...await keyProblems(database, { table, file }));
    for (const reference of table.references) {
      problems.push(...await referenceProblems(database, { table, file }, reference));
    }
  }
  // Days can be compared only if all are valid.
  if (problems.length === 0) {
    problems.push(
      ...await dayProblems(database, files, lastDay),
      ...await renameProblems(database, files),
    );
  }
  if (problems.length > 0) throw new FactsError(problems);
}
