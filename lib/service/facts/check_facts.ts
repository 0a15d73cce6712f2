import type { Cell, Database } from "../engine/duckdb.ts";
import { FACT_LAYOUT, FactsError, type FactTable } from "./fact_layout.ts";
import { factRules, MAX_SUM, numberOf } from "./fact_rules.ts";
import { type FactFile, type FactFiles, unreadable } from "./read_facts.ts";

function clipped(column: string): string {
  return `left(CAST(${column} AS VARCHAR), 80)`;
}

/** Returns SQL that joins columns to one text. Each value is cut after 80 characters. */
function shown(columns: readonly string[]): string {
  return `concat_ws(', ', ${columns.map(clipped).join(", ")})`;
}

/** A check of the rows of a file, and the message about the first row that fails the check. */
interface RowCheck {
  readonly file: string;
  /** SQL that selects the rows that fail the check: the part of a query after `FROM`. */
  readonly rows: string;
  /** SQL expression of the value in the message. */
  readonly value: string;
  /**
   * SQL expression of the row number, counted from 0.
   * @default "rowid"
   */
  readonly row?: string;
  readonly says: (value: Cell) => string;
}

async function rowProblem(
  database: Database,
  { file, rows, value, row = "rowid", says }: RowCheck,
): Promise<string[]> {
  const [found] = await database.rows(
    `SELECT min(${row}) + 1 AS first, count(*) AS broken, arg_min(${value}, ${row}) AS value
     FROM ${rows}`,
  );
  if (found === undefined || found.first === null) return [];
  const more = Number(found.broken) - 1;
  const others = more === 0 ? "" : ` (and so in ${more} more row${more === 1 ? "" : "s"})`;
  return [`${file}, row ${found.first}: ${says(found.value!)}${others}`];
}

// One query counts, for each rule, the rows that break it. For a broken rule, another query selects the first such row.
async function columnProblems(
  database: Database,
  table: FactTable,
  file: FactFile,
): Promise<string[]> {
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
  for (const [c, { column: { name }, rules }] of columns.entries()) {
    // Reports only the first broken rule of a column: if values are not numbers, negative values are not reported.
    const rule = rules.find((_, r) => Number(row?.[`broken_${c}_${r}`]) > 0);
    if (rule !== undefined) {
      const says = (value: Cell) =>
        `${name} ${rule.says}${value === null ? "" : `: ${JSON.stringify(value)}`}`;
      const rows = `raw.${table.name} WHERE ${rule.broken}`;
      const check = { file: file.name, rows, value: clipped(name), says };
      problems.push(...await rowProblem(database, check));
    } else if (row?.[`over_${c}`] === true) {
      problems.push(`${file.name}: ${name} adds up to more than ${MAX_SUM}`);
    }
  }
  return problems;
}

async function keyProblems(
  database: Database,
  { name, key }: FactTable,
  file: string,
): Promise<string[]> {
  const keys = key.join(", ");
  const twice = (by: string) => `FROM raw.${name} GROUP BY ${by} HAVING count(*) > 1`;
  // Looks for duplicate hashes first, because finding the duplicate rows needs much more memory.
  if ((await database.rows(`SELECT 1 ${twice(`hash(${keys})`)} LIMIT 1`)).length === 0) return [];
  return await rowProblem(database, {
    file,
    rows: `(SELECT arg_min(rowid, rowid, 2)[2] AS again,
      concat('of row ', min(rowid) + 1, ': ', ${shown(key)}) AS value ${twice(keys)})`,
    row: "again",
    value: "value",
    says: (value) => `the key (${keys}) repeats that ${value}`,
  });
}

function referenceChecks({ name, references }: FactTable, file: string): RowCheck[] {
  return references.map(({ columns, table, without }) => {
    const same = columns.map((column) =>
      `CAST(one.${column} AS VARCHAR) = CAST(known.${column} AS VARCHAR)`
    );
    const given = columns.map((column) => `one.${column} IS NOT NULL`);
    return {
      file,
      rows: `raw.${name} AS one ANTI JOIN raw.${table} AS known ON ${same.join(" AND ")}
        WHERE ${given.join(" AND ")}`,
      row: "one.rowid",
      value: shown(columns.map((column) => `one.${column}`)),
      says: (value) => `${without}: ${columns.join(", ")} ${value} is not in ${table}`,
    };
  });
}

function dayChecks(files: FactFiles, last: Cell): RowCheck[] {
  return FACT_LAYOUT.filter(({ columns }) => columns.some(({ name }) => name === "day"))
    .flatMap(({ name }) => {
      const file = files.get(name)?.name;
      return file === undefined ? [] : [{
        file,
        rows: `raw.${name} WHERE CAST(day AS DATE) > DATE '${last}'`,
        value: "CAST(day AS DATE)",
        says: (value: Cell) =>
          `day is out of range: ${value} is after ${last}, the last day of activity`,
      }];
    });
}

/**
 * Checks the facts in the schema `raw`: types, required columns, keys, references, days.
 *
 * @param lastDay the last day of activity that is stored elsewhere; null if no activity is stored elsewhere
 * @throws {FactsError} when a rule is broken. The message lists every problem with file, column and first row.
 */
export async function checkFacts(
  database: Database,
  files: FactFiles,
  lastDay: string | null = null,
): Promise<void> {
  const problems: string[] = [];
  const check = async (checks: readonly RowCheck[]) => {
    for (const each of checks) problems.push(...await rowProblem(database, each));
  };
  for (const table of FACT_LAYOUT) {
    const file = files.get(table.name);
    if (file === undefined) continue;
    try {
      problems.push(...await columnProblems(database, table, file));
    } catch (error) {
      problems.push(unreadable(file.name, error));
      continue;
    }
    problems.push(...await keyProblems(database, table, file.name));
    await check(referenceChecks(table, file.name));
  }
  // Days can be compared only if all days are valid.
  if (problems.length > 0) throw new FactsError(problems);
  const [last] = await database.rows(
    "SELECT greatest(max(CAST(day AS DATE)), $lastDay::DATE) AS day FROM raw.activity",
    { lastDay },
  );
  if (last?.day) await check(dayChecks(files, last.day));
  else problems.push(`${files.get("activity")?.name}: must have at least one row`);
  await check([{
    file: String(files.get("project_renames")?.name),
    rows: "raw.project_renames WHERE old_project_id IN (SELECT project_id FROM raw.projects)",
    value: "old_project_id",
    says: (value) => `old_project_id ${value} is the id of an existing project`,
  }]);
  if (problems.length > 0) throw new FactsError(problems);
}
