import { lstat, open, rm } from "node:fs/promises";
import { ConfigurationError } from "../http/errors.ts";
import { isObject } from "../platform/check_options.ts";
import { hasCode, readFile, writeWhole } from "../platform/file.ts";
import type { Operation } from "../schema/vocabulary.ts";

/** What a lock file records of a question. It has no values, no token and no address. */
export interface Entry {
  readonly operation: Operation;
  readonly query: Readonly<Record<string, unknown>>;
  /** The columns whose values count. New columns do not. */
  readonly columns: readonly string[];
  /** Whether the response differs with every day of data. */
  readonly moving: boolean;
  readonly data_through: string | null;
  readonly rows: number;
  /** SHA-256 of the bytes of the response. */
  readonly sha256: string;
  readonly frame_sha256: string;
}

/** Returns JSON with sorted members, so that the same question has the same text. */
export function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, each) =>
      isObject(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => a < b ? -1 : 1))
        : each,
  );
}

/** Returns a text that identifies a question. */
export const keyOf = ({ operation, query }: Pick<Entry, "operation" | "query">) =>
  `${operation} ${canonical(query)}`;

/** Reads the entries of a lock file by question, or null if there is no file. */
export async function entriesIn(file: string): Promise<Map<string, Entry> | null> {
  const bytes = await readFile(file);
  if (bytes === null) return null;
  try {
    const { chainframe_lock, entries } = JSON.parse(new TextDecoder().decode(bytes));
    if (chainframe_lock !== 1) throw new SyntaxError("no lock");
    return new Map(entries.map((entry: Entry) => {
      if (new Set(entry.columns).size !== entry.columns.length) throw new SyntaxError("no columns");
      return [keyOf(entry), entry];
    }));
  } catch (cause) {
    throw new ConfigurationError(`lock: must be a lock file of chainframe; got ${file}`, { cause });
  }
}

/** After this time, the guard of a process that was killed is removed. */
const STALE_MS = 10_000;

/** Runs work while no other process writes the file. */
async function guarded(file: string, work: () => Promise<void>): Promise<void> {
  const guard = `${file}.guard`;
  for (;;) {
    try {
      await (await open(guard, "wx")).close();
      break;
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
      const { mtimeMs } = await lstat(guard).catch(() => ({ mtimeMs: Date.now() }));
      // A file of a foreign folder can have a time in the future.
      if (Math.abs(Date.now() - mtimeMs) > STALE_MS) await rm(guard, { force: true });
      await new Promise((done) => setTimeout(done, 10));
    }
  }
  try {
    await work();
  } finally {
    await rm(guard, { force: true });
  }
}

/** Adds an entry to a lock file, or replaces it. */
export async function addEntry(file: string, entry: Entry): Promise<void> {
  await guarded(file, async () => {
    const entries = await entriesIn(file) ?? new Map<string, Entry>();
    entries.set(keyOf(entry), entry);
    const sorted = [...entries].sort(([a], [b]) => a < b ? -1 : 1).map(([, each]) => each);
    const text = `${JSON.stringify({ chainframe_lock: 1, entries: sorted }, null, 2)}\n`;
    await writeWhole(file, new TextEncoder().encode(text), { force: true });
  });
}
