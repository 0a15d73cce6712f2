import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { readable, sha256 } from "../../platform/machine.ts";
import { isGranted } from "../../platform/permission.ts";
import { notify } from "../../platform/terminal.ts";
import {
  type Binding,
  type Database,
  duckdbVersion,
  openDuckdb,
  type Row,
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

/** The versions on which a sample file depends. The file also depends on the statements that fill it. */
interface SampleVersion {
  /** The layout of the tables. */
  readonly layout: number;
  /**
   * The version of the database library.
   * @default the version that is loaded
   */
  readonly duckdb?: string;
}

/** Returns the name of the sample file. It contains a digest of the statements and versions. */
export async function sampleFileName(
  fill: Fill,
  { layout, duckdb = duckdbVersion() }: SampleVersion,
): Promise<string> {
  const statements = await statementsOf(fill);
  return `sample-${sha256(JSON.stringify([layout, duckdb, statements])).slice(0, 32)}.duckdb`;
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

async function digestOf(path: string): Promise<string> {
  return sha256(await readFile(path));
}

/** The size and the time of change of a file. */
async function stateOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${size} ${mtimeMs}`;
}

/** Stores the digest of a file and its state, from which later processes know that the file is unchanged. */
async function seal(path: string, digest: string): Promise<void> {
  await writeFile(`${path}.sha256`, `${digest} ${await stateOf(path)}\n`);
}

/** Returns whether a file is as it was built. Computes its digest only if its size or time of change is new. */
async function isWhole(path: string): Promise<boolean> {
  try {
    const [digest = "", ...state] = (await readFile(`${path}.sha256`, "utf8")).trim().split(" ");
    if (state.join(" ") === await stateOf(path)) return true;
    if (digest !== await digestOf(path)) return false;
    await seal(path, digest);
    return true;
  } catch {
    return false;
  }
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

async function build(path: string, fill: Fill): Promise<void> {
  const fresh = `${path}.${crypto.randomUUID().slice(0, 8)}.new`;
  const database = await openDuckdb({ built: fresh });
  const told = setTimeout(
    () => notify("chainframe: building sample data, about 5 s, once"),
    NOTICE_AFTER_MS,
  );
  try {
    await fill(database);
    await database.run("CHECKPOINT built; DETACH built");
    database.close();
    await seal(fresh, await digestOf(fresh));
    // A process that reads the file between the two renames finds another state, and computes the digest.
    await rename(fresh, path);
    await rename(`${fresh}.sha256`, `${path}.sha256`);
  } finally {
    clearTimeout(told);
    database.close();
    for (const left of [fresh, `${fresh}.wal`, `${fresh}.sha256`]) {
      await rm(left).catch(() => {});
    }
  }
}

/** Builds a damaged file again. */
async function replaceDamaged(path: string, fill: Fill): Promise<void> {
  notify(`chainframe: the sample data in ${path} are damaged: building them again`);
  await rm(`${path}.sha256`, { force: true });
  await build(path, fill);
}

/** Opens the file. A file with the size and time of a whole one can still be damaged: then, builds it again, once. */
async function openWhole(path: string, fill: Fill): Promise<Database> {
  try {
    return await openDuckdb({ file: path });
  } catch {
    await replaceDamaged(path, fill);
    return await openDuckdb({ file: path });
  }
}

/** Opens the file. If DuckDB finds a block with a wrong checksum, builds the file again, once. */
async function openFile(path: string, fill: Fill): Promise<Database> {
  const opened = [await openWhole(path, fill)];
  let repaired: Promise<void> | undefined;
  const repair = (error: unknown) => {
    if (!/checksum/.test(String(error))) throw error;
    return repaired ??= replaceDamaged(path, fill)
      .then(() => openDuckdb({ file: path }))
      .then((database) => void opened.unshift(database));
  };
  return {
    run: (sql, bindings) => opened[0]!.run(sql, bindings),
    rows: (sql, bindings) =>
      opened[0]!.rows(sql, bindings).catch(async (error) => {
        await repair(error);
        return await opened[0]!.rows(sql, bindings);
      }),
    async *batches(sql, bindings) {
      let sent = false;
      try {
        for await (const rows of opened[0]!.batches(sql, bindings)) {
          sent = true;
          yield rows;
        }
      } catch (error) {
        await repair(error);
        if (sent) throw error;
        yield* opened[0]!.batches(sql, bindings);
      }
    },
    close: () => opened.forEach((database) => database.close()),
  };
}

/**
 * Opens the sample file in the user's cache folder. If the file is missing or damaged, writes the file first. If the
 * folder is not writable, creates the sample in memory.
 */
export async function openSample(fill: Fill, version: SampleVersion): Promise<Database> {
  const folder = sampleFolder();
  if (folder !== null) {
    const name = await sampleFileName(fill, version);
    const file = join(folder, name);
    try {
      await mkdir(folder, { recursive: true });
      if (!await isWhole(file)) {
        await build(file, fill);
        await removeOld(folder, name).catch(() => {});
      }
      return await openFile(file, fill);
    } catch {
      // If the disk is full or the folder is read-only, the sample is created in memory.
    }
  }
  const database = await openDuckdb();
  await fill(database);
  return database;
}
