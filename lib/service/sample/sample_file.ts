import { readdirSync, renameSync } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { exclusively } from "../../platform/exclusive.ts";
import { fileSha256, readable, sha256 } from "../../platform/machine.ts";
import { isGranted } from "../../platform/permission.ts";
import { notify } from "../../platform/terminal.ts";
import { fillStored } from "./stored_tables.ts";
import {
  type Binding,
  type Database,
  duckdbVersion,
  openDuckdb,
  type Row,
  type ServedDatabase,
} from "../engine/duckdb.ts";

/** A function that fills an empty database. */
type Fill = (database: Database) => Promise<void>;

// A row that every query returns while `statementsOf` records statements. All columns except the two days are "1".
const DAYS: Readonly<Record<string, string>> = { first_day: "2024-01-01", last_day: "2026-01-15" };
const ANY_ROW = new Proxy<Row>({}, { get: (_, column) => DAYS[String(column)] ?? "1" });

/** Returns the statements that `fill` would run, with their bindings. Does not run the statements. */
export async function statementsOf(fill: Fill): Promise<string[]> {
  const statements: string[] = [];
  const record = (sql: string, bindings: Record<string, Binding> = {}) => {
    statements.push(`${sql}\n${JSON.stringify(bindings)}`);
    return Promise.resolve([ANY_ROW]);
  };
  await fill({
    run: async (sql, bindings) => void await record(sql, bindings),
    rows: record,
    async *batches(sql, bindings) {
      yield await record(sql, bindings);
    },
    close: () => {},
  });
  return statements;
}

/** Returns the start of the name of the sample file: a digest of the statements and versions on which it depends. */
export async function sampleName(fill: Fill, layout: number): Promise<string> {
  const statements = await statementsOf(fill);
  return `sample-${sha256(JSON.stringify([layout, duckdbVersion(), statements])).slice(0, 32)}`;
}

function cacheFolder(): string {
  const stated = readable("XDG_CACHE_HOME");
  if (stated) return stated;
  if (process.platform === "win32") return readable("LOCALAPPDATA") ?? "";
  const home = readable("HOME");
  if (!home) return "";
  return join(home, process.platform === "darwin" ? "Library/Caches" : ".cache");
}

/**
 * Returns the folder for the sample file. Returns null if this folder is unknown, or if reading and writing it is not
 * permitted. Never prompts. Call this function before DuckDB opens the file: DuckDB ignores Deno's permissions.
 */
export function sampleFolder(): string | null {
  const folder = cacheFolder();
  // The specification of XDG_CACHE_HOME does not allow relative paths.
  if (!/^(\/|[A-Za-z]:|\\\\)/.test(folder)) return null;
  const path = join(folder, "chainframe");
  return isGranted({ name: "read", path }) && isGranted({ name: "write", path }) ? path : null;
}

const DAY = 86_400_000;
const NOTICE_AFTER_MS = 1_000;

/** Removes files of other versions and files of interrupted processes, if the files are more than a day old. */
async function removeOld(folder: string, name: string): Promise<void> {
  for (const other of await readdir(folder)) {
    if (!other.startsWith("sample-") || other.startsWith(name)) continue;
    const path = join(folder, other);
    if (Date.now() - (await stat(path)).mtimeMs > DAY) await rm(path);
  }
}

/** Fills a database with the sample: with the tables of this package, or by its statements, with a notice. */
async function fillSaid(
  database: Database,
  { name, fill, why }: { readonly name: string; readonly fill: Fill; readonly why: string },
): Promise<void> {
  if (await fillStored(database, name)) return;
  const said = setTimeout(
    () => notify(`chainframe: building sample data, about 5 s, ${why}`),
    NOTICE_AFTER_MS,
  );
  try {
    await fill(database);
  } finally {
    clearTimeout(said);
  }
}

// The name of a file contains the digest of its bytes, so that a damaged file can be detected.
function pathOf(folder: string, name: string, file: string): string {
  return join(folder, `${name}.${fileSha256(file)}.duckdb`);
}

async function build(folder: string, name: string, fill: Fill): Promise<string> {
  const fresh = join(folder, `sample-${crypto.randomUUID()}.new`);
  const database = await openDuckdb({ built: fresh });
  try {
    await fillSaid(database, { name, fill, why: "once" });
    await database.run("CHECKPOINT built; DETACH built");
    database.close();
    // Two first runs at once leave one file.
    return exclusively(join(folder, "sample.guard"), () => {
      const others = readdirSync(folder).filter((file) => file.startsWith(name));
      const other = others.map((file) => join(folder, file))
        .find((path) => path === pathOf(folder, name, path));
      if (other !== undefined) return other;
      const path = pathOf(folder, name, fresh);
      renameSync(fresh, path);
      return path;
    });
  } finally {
    database.close();
    for (const left of [fresh, `${fresh}.wal`]) await rm(left).catch(() => {});
  }
}

/** Returns the path of the sample file. Writes the file if it is missing or damaged. */
async function sampleFile(folder: string, name: string, fill: Fill): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(folder)) {
    if (!file.startsWith(name)) continue;
    const path = join(folder, file);
    if (path === pathOf(folder, name, path)) return path;
    notify(`chainframe: the sample data in ${path} are damaged: building them again`);
    await rm(path);
  }
  const path = await build(folder, name, fill);
  await removeOld(folder, name).catch(() => {});
  return path;
}

/**
 * Opens the sample file in the user's cache folder. If the file is missing or damaged, writes the file first. If the
 * folder is not writable, creates the sample in memory.
 */
export async function openSample(fill: Fill, layout: number): Promise<ServedDatabase> {
  const folder = sampleFolder();
  const name = await sampleName(fill, layout);
  if (folder !== null) {
    try {
      return await openDuckdb({ file: await sampleFile(folder, name, fill) });
    } catch {
      // If the disk is full or the folder is read-only, the sample is created in memory.
    }
  }
  const database = await openDuckdb();
  const why = `at each start, because ${folder ?? "the cache folder"} cannot be written`;
  await fillSaid(database, { name, fill, why });
  return database;
}
