import { open, readFile, rm, stat } from "node:fs/promises";
import process from "node:process";
import { type Connection, settingsOf } from "../http/connect.ts";
import { ChainframeError, ConfigurationError } from "../http/errors.ts";
import type { LockSettings } from "../http/options.ts";
import { hasCode, writeWhole } from "../platform/file.ts";
import { jupyterOf } from "../platform/jupyter.ts";
import { notify, terminalText } from "../platform/terminal.ts";
import { dayOf, daysNamed, dayText } from "../schema/period.ts";
import type { Operation } from "../schema/vocabulary.ts";
import { float64, utf8 } from "../table/columns.ts";
import { frameDigest } from "../table/frame_digest.ts";
import { type DataFrame, type Frame, pl } from "../table/polars.ts";
import { responseOf } from "../table/provenance.ts";
import { show } from "../table/show.ts";

/** What a lock file records of a question. It has no values, no token and no address. */
interface Entry {
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

type Status = "as locked" | "differs" | "moving" | "added" | "not locked";

/** The result of one question of this process. */
interface Result {
  readonly file: string;
  readonly entry: Entry;
  readonly status: Status;
  readonly before: Entry | undefined;
}

/** The results of this process, by file and question. */
const results = new Map<string, Result>();
/** Files that this process made, to which it adds all questions. */
const made = new Set<string>();

/** Returns JSON with sorted members, so that the same question has the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, each) =>
      typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => a < b ? -1 : 1))
        : each,
  );
}

const keyOf = ({ operation, query }: Pick<Entry, "operation" | "query">) =>
  `${operation} ${canonical(query)}`;

/** Reads the entries of a lock file by question, or null if there is no file. */
async function entriesIn(file: string): Promise<Map<string, Entry> | null> {
  try {
    const { chainframe_lock, entries } = JSON.parse(await readFile(file, "utf8"));
    if (chainframe_lock !== 1 || !Array.isArray(entries)) throw new SyntaxError("no lock");
    return new Map(entries.map((entry: Entry) => [keyOf(entry), entry]));
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    if (!(cause instanceof SyntaxError || cause instanceof TypeError)) throw cause;
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
      const { mtimeMs } = await stat(guard).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > STALE_MS) await rm(guard, { force: true });
      await new Promise((done) => setTimeout(done, 10));
    }
  }
  try {
    await work();
  } finally {
    await rm(guard, { force: true });
  }
}

async function add(file: string, entry: Entry): Promise<void> {
  await guarded(file, async () => {
    const entries = await entriesIn(file) ?? new Map<string, Entry>();
    entries.set(keyOf(entry), entry);
    const sorted = [...entries].sort(([a], [b]) => a < b ? -1 : 1).map(([, each]) => each);
    const text = `${JSON.stringify({ chainframe_lock: 1, entries: sorted }, null, 2)}\n`;
    await writeWhole(file, new TextEncoder().encode(text), { force: true });
  });
}

/** Returns whether the data of a question can still change because days are added. */
function isMoving(frame: DataFrame, connection: Connection): boolean {
  if (settingsOf(connection).cache?.asOf) return false;
  const { operation, query, data_through, retrieved_at } = responseOf(frame)!;
  const { start, end, to } = query;
  const last = typeof to === "string" ? to : start === undefined ? undefined : end;
  const day = operation === "metric_breakdown" && typeof last === "string"
    ? daysNamed(last)?.end
    : undefined;
  return day === undefined || day > dayOf(data_through ?? retrieved_at) - (data_through ? 0 : 1);
}

function entryOf(frame: DataFrame, connection: Connection, columns: readonly string[]): Entry {
  const { operation, query, data_through, sha256 } = responseOf(frame)!;
  return {
    operation,
    query: JSON.parse(canonical(query)),
    columns: columns.toSorted(),
    moving: isMoving(frame, connection),
    data_through: data_through && dayText(dayOf(data_through)),
    rows: frame.height,
    sha256,
    frame_sha256: frameDigest(frame, columns),
  };
}

const isDifference = ({ status }: Result) => status === "differs" || status === "not locked";

/** Prints the summary when the process ends. A notebook does not end with its cells. */
function summarize(): void {
  const all = [...results.values()];
  const fixed = all.filter(({ status }) => status === "as locked" || status === "differs");
  const of = (status: Status) => all.filter((each) => each.status === status).length;
  const parts = [
    `${of("as locked")} of ${fixed.length} responses as locked; ${of("differs")} differ`,
    ...(["moving", "added", "not locked"] as const).filter((status) => of(status) > 0)
      .map((status) => `${of(status)} ${status}`),
  ];
  console.error(`chainframe: lock: ${parts.join("; ")}`);
  for (const { entry, before, status } of all.filter(isDifference)) {
    const rows = before === undefined ? "" : `: ${before.rows} rows before, ${entry.rows} now`;
    console.error(terminalText(`  ${status}: ${keyOf(entry)}${rows}`));
  }
}

function record(result: Result, { onChange }: LockSettings): void {
  const { file, entry, status } = result;
  if (results.size === 0 && jupyterOf() === null) process.on("exit", summarize);
  results.set(`${file} ${keyOf(entry)}`, result);
  if (!isDifference(result)) return;
  const what = status === "differs" ? "the response differs from" : "no entry in";
  const message = `lock: ${what} ${file}: ${keyOf(entry)}`;
  if (onChange === "throw") {
    throw new ChainframeError(message, { operation: entry.operation });
  }
  if (status === "not locked") notify(terminalText(`chainframe: ${message}`));
  if (jupyterOf() === null) process.exitCode = 3;
}

/**
 * Compares the frame of an operation with the lock file of the connection, if there is one. Adds the question to the
 * file if the file is new, or with `update`.
 *
 * @throws {ChainframeError} if the frame differs, or the file lacks the question, with `onChange: "throw"`.
 * @throws {ConfigurationError} for a file that is not a lock file.
 */
export async function compareWithLock<Given extends DataFrame>(
  frame: Given,
  connection: Connection,
): Promise<Given> {
  const { lock } = settingsOf(connection);
  if (lock === null) return frame;
  const { file, update } = lock;
  const entries = await entriesIn(file);
  if (entries === null && !made.has(file)) {
    made.add(file);
    notify(terminalText(`chainframe: lock: made ${file}`));
  }
  const { operation, query } = responseOf(frame)!;
  const before = entries?.get(keyOf({ operation, query }));
  const entry = entryOf(frame, connection, frame.columns);
  const isSame = before !== undefined &&
    before.columns.every((name) => frame.columns.includes(name)) &&
    (before.sha256 === entry.sha256 || frameDigest(frame, before.columns) === before.frame_sha256);
  const isAdded = !isSame && (update || (before === undefined && made.has(file)));
  if (isAdded) await add(file, entry);
  const status: Status = isSame
    ? "as locked"
    : isAdded
    ? "added"
    : before === undefined
    ? "not locked"
    : before.moving
    ? "moving"
    : "differs";
  record({ file, entry, before, status }, lock);
  return frame;
}

/**
 * Returns the comparison of this process with its lock files: one row per question, in the order of the calls.
 *
 * Columns: `operation`, `query` (JSON), `status`, `file` (String); `rows_locked` and `rows` (Float64); `data_through_locked`
 * and `data_through` (String). `status` is `as locked`, `differs`, `moving` (a response without a fixed end, which
 * differs with every day of data), `added` or `not locked`. Null means that the file had no entry, or that the service
 * did not state the day.
 *
 * @example
 * ```ts
 * import { blockchainComparison, connect, lockReport } from "@chainframe/chainframe";
 *
 * const file = `${await Deno.makeTempDir()}/data.lock`;
 * await blockchainComparison({}, connect({ lock: file }));
 * console.log(lockReport());
 * ```
 *
 * @category Operations
 */
export function lockReport(): Frame {
  const all = [...results.values()];
  const text = (name: string, of: (result: Result) => string | null | undefined) =>
    utf8(name, all.map((each) => of(each) ?? null));
  const number = (name: string, of: (result: Result) => number | undefined) =>
    float64(name, all.map((each) => of(each) ?? null));
  return show(pl.DataFrame([
    text("operation", ({ entry }) => entry.operation),
    text("query", ({ entry }) => canonical(entry.query)),
    text("status", ({ status }) => status),
    number("rows_locked", ({ before }) => before?.rows),
    number("rows", ({ entry }) => entry.rows),
    text("data_through_locked", ({ before }) => before?.data_through),
    text("data_through", ({ entry }) => entry.data_through),
    text("file", ({ file }) => file),
  ]));
}
