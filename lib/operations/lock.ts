import { existsSync } from "node:fs";
import process from "node:process";
import { addressesIn } from "../http/cache_files.ts";
import { type Connection, connectionOf, settingsOf } from "../http/connect.ts";
import { CacheError, ChainframeError } from "../http/errors.ts";
import type { LockSettings } from "../http/options.ts";
import { boolean, checkOptions } from "../platform/check_options.ts";
import { jupyterOf } from "../platform/jupyter.ts";
import { notify, terminalText } from "../platform/terminal.ts";
import { dayOf, daysNamed, dayText } from "../schema/period.ts";
import { float64, utf8 } from "../table/build/columns.ts";
import { plainOf } from "../table/show/display.ts";
import { frameDigest } from "../table/track/frame_digest.ts";
import { type DataFrame, type Frame, pl } from "../table/build/polars.ts";
import { responseOf } from "../table/track/provenance.ts";
import { show } from "../table/show/show.ts";
import { changesBetween, changesFrame, keysOf, rowsBy } from "./changes.ts";
import { addEntry, canonical, entriesIn, type Entry, keyOf } from "./lock_file.ts";
import { type StoredQuery, storedVersions } from "./stored_versions.ts";

/** The connection of a call, and the plan of its requests. */
type Stored = Pick<StoredQuery, "connection" | "plan">;

type Status = "as locked" | "differs" | "moving" | "added" | "not locked";

/** The result of one question of this process. */
interface Result {
  readonly file: string;
  readonly entry: Entry;
  readonly status: Status;
  readonly before: Entry | undefined;
  /** The changed cells of a response that differs. Null if no cache has the locked response. */
  readonly changes: DataFrame | null;
}

/** The results of this process, by file and question. */
const results = new Map<string, Result>();
/** Files that this process made, to which it adds all questions. */
const made = new Set<string>();

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

/** Returns the locked response from the cache of a connection, or null if the cache does not have it. */
async function lockedFrame(
  { sha256 }: Entry,
  { connection, plan }: Stored,
): Promise<DataFrame | null> {
  const settings = settingsOf(connection);
  const dir = settings.cache?.dir;
  if (dir === undefined || !existsSync(dir)) return null;
  // The lock has no address, so the response of any service counts.
  for (const baseUrl of addressesIn(dir)) {
    const at = connectionOf({ ...settings, baseUrl });
    try {
      for await (const { frame } of storedVersions({ fn: "lock", connection: at, plan })) {
        if (frame !== null && responseOf(frame)!.sha256 === sha256) return frame;
      }
    } catch (error) {
      if (!(error instanceof CacheError)) throw error;
    }
  }
  return null;
}

/** Returns the changes since the locked response. Returns null if no cache has it, or no columns identify a row. */
async function changesSince(
  before: Entry,
  frame: DataFrame,
  stored: Stored,
): Promise<DataFrame | null> {
  try {
    const earlier = await lockedFrame(before, stored);
    if (earlier === null) return null;
    const keys = keysOf(frame);
    const [was, now] = [earlier, frame].map((each) => {
      const names = before.columns.filter((name) => each.columns.includes(name));
      return rowsBy(each.select(...names), keys);
    });
    return changesFrame(keys, [...changesBetween(was!, now!, responseOf(frame)!.retrieved_at)]);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
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
  for (const { entry, before, status, changes } of all.filter(isDifference)) {
    const rows = before === undefined ? "" : `: ${before.rows} rows before, ${entry.rows} now`;
    console.error(terminalText(`  ${status}: ${keyOf(entry)}${rows}`));
    if (changes !== null) console.error(plainOf(changes));
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
 * file if the file is new, or with `update`. `plan` plans the requests of the operation.
 *
 * @throws {ChainframeError} if the frame differs, or the file lacks the question, with `onChange: "throw"`.
 * @throws {ConfigurationError} for a file that is not a lock file.
 */
export async function compareWithLock<Given extends DataFrame>(
  frame: Given,
  connection: Connection,
  plan: Stored["plan"],
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
  if (isAdded) await addEntry(file, entry);
  const status: Status = isSame
    ? "as locked"
    : isAdded
    ? "added"
    : before === undefined
    ? "not locked"
    : before.moving
    ? "moving"
    : "differs";
  const changes = status === "differs"
    ? await changesSince(before!, frame, { connection, plan })
    : null;
  record({ file, entry, before, status, changes }, lock);
  return frame;
}

/** Returns the changed cells of the responses that differ, with the keys of all operations. */
function changedCells(all: readonly Result[]): DataFrame {
  const frames = all.flatMap(({ entry, changes }) => {
    if (changes === null) return [];
    const repeated = (name: string, text: string) =>
      utf8(name, Array.from({ length: changes.height }, () => text));
    const question = [
      repeated("operation", entry.operation),
      repeated("query", canonical(entry.query)),
    ];
    return [pl.DataFrame([...question, ...changes.getColumns()])];
  });
  const none = [utf8("operation", []), utf8("query", []), ...changesFrame([], []).getColumns()];
  return frames.length === 0 ? pl.DataFrame(none) : pl.concat(frames, { how: "diagonal" });
}

/**
 * Returns the comparison of this process with its lock files: one row per question, in the order of the calls.
 *
 * Columns: `operation`, `query` (JSON), `status`, `file` (String); `rows_locked` and `rows` (Float64); `data_through_locked`
 * and `data_through` (String). `status` is `as locked`, `differs`, `moving` (a response without a fixed end, which
 * differs with every day of data), `added` or `not locked`. Null means that the file had no entry, or that the service
 * did not state the day.
 *
 * With `cells`, returns one row per changed cell of the responses that differ. Columns: `operation`, `query` (JSON);
 * then those of `restatements`. This needs a cache that has the locked responses:
 * `connect({ lock, cache: { dir, keep: "all" } })`. The frame has no rows if no response differs, or if the cache does
 * not have the locked ones.
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
export function lockReport(options: {
  /**
   * Whether to return the changed cells, in place of the questions.
   *
   * @default {false}
   */
  readonly cells?: boolean;
} = {}): Frame {
  const { cells = false } = checkOptions(options, { cells: boolean }, "lockReport");
  const all = [...results.values()];
  if (cells) return show(changedCells(all));
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
