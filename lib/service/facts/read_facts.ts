import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { type Database, quoteText } from "../engine/duckdb.ts";
import { readPath } from "../engine/paths.ts";
import { FACT_LAYOUT, FactsError, type FactTable, SAMPLE_MARK } from "./fact_layout.ts";

/** A file of facts. `name` is used in messages. `types` has the type of each column in the file. */
export interface FactFile {
  readonly name: string;
  readonly types: ReadonlyMap<string, string>;
  readonly path: string;
  /** Size, modification time and inode of the file. They change if the file changes. */
  readonly state: string;
}

/** The files of facts, by the name of the table. */
export type FactFiles = ReadonlyMap<string, FactFile>;

const ENDINGS = ["parquet", "csv"] as const;

type Ending = typeof ENDINGS[number];

async function exists(path: string): Promise<boolean> {
  return await stat(path).then((found) => found.isFile(), () => false);
}

/** Returns whether a folder of facts is marked as sample data. */
export async function isSample(folder: string): Promise<boolean> {
  return await exists(`${folder}/${SAMPLE_MARK}`);
}

async function stateOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  return `${size} ${mtimeMs} ${ino}`;
}

/**
 * Checks that no file has changed since it was found, because files may be read more than once.
 *
 * @throws {FactsError} when a file has changed.
 */
export async function refuseChanged(files: FactFiles): Promise<void> {
  const problems: string[] = [];
  for (const { name, path, state } of files.values()) {
    const now = await stateOf(path).catch(() => null);
    if (now !== state) problems.push(`${name}: changed while it was read`);
  }
  if (problems.length > 0) throw new FactsError(problems);
}

/** Returns the sentence of a `FactsError` that states which file cannot be read, and why. */
export function unreadable(file: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `${file}: cannot be read: ${reason.split("\n")[0]}`;
}

async function headerOf(path: string): Promise<string> {
  for await (const line of createInterface(createReadStream(path, { end: 65_536 }))) return line;
  return "";
}

/** The columns of a file, with their types, and SQL that reads the file. */
interface Source {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The call of a function of DuckDB, without its last bracket. */
  readonly reader: string;
}

async function sourceOf(database: Database, path: string, ending: Ending): Promise<Source> {
  const file = quoteText(readPath(path));
  if (ending === "parquet") {
    const reader = `read_parquet(${file}, hive_partitioning = false`;
    const described = await database.rows(`DESCRIBE SELECT * FROM ${reader})`);
    const columns = described.map(({ column_name, column_type }) => (
      { name: String(column_name), type: String(column_type) }
    ));
    return { columns, reader: `${reader}, file_row_number = true` };
  }
  // Reads all columns as text, so that the check can report values of a wrong type. When DuckDB detects the columns by
  // itself, its messages do not state the row.
  const names = (await headerOf(path)).split(",")
    .map((name) => name.replace(/^\ufeff?"?|"$/g, ""));
  const types = names.map((name) => `${quoteText(name)}: 'VARCHAR'`);
  return {
    columns: names.map((name) => ({ name, type: "VARCHAR" })),
    reader: `read_csv(${file}, columns = {${types.join(", ")}}, auto_detect = false, header = true,
      delim = ',', quote = '"', escape = '"', nullstr = '', strict_mode = true,
      hive_partitioning = false`,
  };
}

/** Returns the sentence of a `FactsError` about a file that DuckDB cannot read, with the first wrong row of a CSV file. */
function readProblem(file: string, error: unknown): string {
  const { message } = error as Error;
  const [, line] = /CSV Error on Line: (\d+)\n/.exec(message) ?? [];
  const [, expected, found] = /\nExpected Number of Columns: (\d+) Found: (\d+)/.exec(message) ??
    [];
  const reason = found !== undefined
    // DuckDB stops to count at the first field that is too many.
    ? `expected ${expected} fields as in the header; got ${+found > +expected! ? "more" : found}`
    : message.includes("unterminated quote")
    ? "a quotation mark is not closed, or does not enclose the whole field"
    : undefined;
  return line === undefined || reason === undefined
    ? unreadable(file, error)
    : `${file}, row ${Number(line) - 1}: ${reason}`;
}

async function findFiles(
  folder: string,
  skipped: string | null,
): Promise<Map<string, [string, Ending]>> {
  const found = new Map<string, [string, Ending]>();
  const problems: string[] = [];
  for (const { name, optional } of FACT_LAYOUT) {
    if (name === skipped) continue;
    const endings: Ending[] = [];
    for (const ending of ENDINGS) {
      if (await exists(`${folder}/${name}.${ending}`)) endings.push(ending);
    }
    if (endings.length > 1) problems.push(`${name}: both a .parquet and a .csv file exist`);
    if (endings.length === 0 && !optional) {
      problems.push(`${name}: neither ${name}.parquet nor ${name}.csv exists in ${folder}`);
    }
    if (endings[0] !== undefined) found.set(name, [`${name}.${endings[0]}`, endings[0]]);
  }
  if (problems.length > 0) throw new FactsError(problems);
  return found;
}

function compareColumns({ columns }: FactTable, file: string, names: readonly string[]): string[] {
  const missing = columns.filter(({ name, optional }) => !optional && !names.includes(name));
  const extra = names.filter((name) => !columns.some((column) => column.name === name));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...missing.map(({ name }) => `${file}: the column ${name} is missing`),
    ...extra.map((name) =>
      `${file}: the column ${JSON.stringify(name)} is not in the layout; columns: ` +
      columns.map((column) => column.name).join(", ")
    ),
    ...twice.map((name) => `${file}: the column ${JSON.stringify(name)} is there twice`),
  ];
}

/**
 * Reads the files of a folder of facts into the schema `raw`. Each file becomes a table or a view with the values of
 * the file.
 *
 * Optional columns that are missing in a file become columns of nulls. Optional files that are missing become empty
 * tables.
 *
 * @param skipped the name of a table whose file is not read
 * @throws {FactsError} when a required file or column is missing, a column is unknown or occurs twice, or a file cannot
 * be read.
 */
export async function readFacts(
  database: Database,
  folder: string,
  skipped: string | null = null,
): Promise<FactFiles> {
  const files = await findFiles(folder, skipped);
  const read = new Map<string, FactFile>();
  const problems: string[] = [];
  await database.run("CREATE SCHEMA raw");
  for (const table of FACT_LAYOUT) {
    const found = files.get(table.name);
    if (found === undefined) {
      const columns = table.columns.map(({ name }) => `${name} VARCHAR`).join(", ");
      await database.run(`CREATE TABLE raw.${table.name} (${columns})`);
      continue;
    }
    const [file, ending] = found;
    const path = `${folder}/${file}`;
    try {
      const { columns, reader } = await sourceOf(database, path, ending);
      const types = new Map(columns.map(({ name, type }) => [name, type]));
      read.set(table.name, { name: file, types, path, state: await stateOf(path) });
      const wrong = compareColumns(table, file, columns.map(({ name }) => name));
      problems.push(...wrong);
      if (wrong.length > 0) continue;
      const select = table.columns.map(({ name }) =>
        types.has(name) ? name : `CAST(NULL AS VARCHAR) AS ${name}`
      ).join(", ");
      // A Parquet file becomes a view, which reads the file at each use.
      await database.run(
        ending === "parquet"
          ? `CREATE VIEW raw.${table.name} AS SELECT ${select}, file_row_number AS rowid FROM ${reader})`
          : `CREATE TABLE raw.${table.name} AS SELECT ${select} FROM ${reader})`,
      );
    } catch (error) {
      problems.push(readProblem(file, error));
    }
  }
  if (problems.length > 0) throw new FactsError(problems);
  return read;
}
