import { existsSync } from "node:fs";
import { addressesIn } from "../http/cached_service.ts";
import { type Connection, connectionOf, settingsOf } from "../http/connect.ts";
import { CacheError } from "../http/errors.ts";
import { checkedLock, type LockSettings } from "../http/options.ts";
import type { ApiResponse } from "../http/response.ts";
import { dayOf, daysNamed, dayText } from "../schema/period.ts";
import type { DataFrame } from "../table/build/polars.ts";
import { frameDigest } from "../table/track/frame_digest.ts";
import { type OwnData, watchOwnData } from "../table/track/own_data.ts";
import { responseOf } from "../table/track/provenance.ts";
import { changesBetween, changesFrame, keysOf, rowsBy } from "./changes.ts";
import { keyOf, OWN_DATA, type OwnEntry, type ResponseEntry } from "./lock_file.ts";
import { addEntries, lockOf, type Opened, record, resultFor, type Status } from "./lock_results.ts";
import { storedVersions } from "./stored_versions.ts";

/** The connection of a call, and the call on another connection. */
interface Stored {
  readonly connection: Connection;
  readonly call: (connection: Connection) => Promise<DataFrame>;
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

/** Returns the last day of the data, or null if a response does not state it, or if responses state several days. */
function statedDay(responses: readonly ApiResponse[]): string | null {
  const found = responses.filter(({ status }) => status === 200);
  const days = new Set(found.map(({ data_through }) => data_through && dayOf(data_through)));
  const [day = null] = days;
  return days.size === 1 && day !== null ? dayText(day) : null;
}

/** Returns the locked response from the cache of a connection, or null if the cache does not have it. */
async function lockedFrame(
  { sha256 }: ResponseEntry,
  { connection, call }: Stored,
): Promise<DataFrame | null> {
  const settings = settingsOf(connection);
  const dir = settings.cache?.dir;
  if (dir === undefined || !existsSync(dir)) return null;
  // The lock has no address, so the response of any service counts.
  for (const baseUrl of addressesIn(dir)) {
    const at = connectionOf({ ...settings, baseUrl });
    try {
      for await (const { frame } of storedVersions({ fn: "lock", connection: at, call })) {
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
  before: ResponseEntry,
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

type Compare = (frame: DataFrame, responses: readonly ApiResponse[]) => Promise<void>;

/** Compares a frame with the entry of its question. */
async function compare(
  lock: Opened,
  frame: DataFrame,
  stored: Stored & {
    readonly responses: readonly ApiResponse[];
  },
): Promise<void> {
  const { operation, query, sha256 } = responseOf(frame)!;
  const before = lock.entries.get(keyOf({ operation, query })) as ResponseEntry | undefined;
  // polars makes the list of names for each access.
  const { columns } = frame;
  const isSame = before !== undefined &&
    before.columns.every((name) => columns.includes(name)) &&
    (before.sha256 === sha256 || frameDigest(frame, before.columns) === before.frame_sha256);
  const question = { operation, query: JSON.parse(JSON.stringify(query)) };
  const data_through = statedDay(stored.responses);
  const now = { ...question, rows: frame.height, data_through };
  let status: Status;
  if (isSame) status = "as locked";
  else if (lock.update || (before === undefined && lock.isNew)) {
    const moving = isMoving(frame, stored.connection);
    const frame_sha256 = frameDigest(frame);
    const { rows } = now;
    status = addEntries(lock, [
      {
        ...question,
        columns: columns.toSorted(),
        moving,
        data_through,
        rows,
        sha256,
        frame_sha256,
      },
    ]);
  } else if (before === undefined) status = "not locked";
  // The data of one day changes only if it is restated.
  else if (before.moving && (data_through === null || before.data_through !== data_through)) {
    status = "moving";
  } else status = "differs";
  const changes = status === "differs" ? await changesSince(before!, frame, stored) : null;
  record(lock, { ...now, before, status, changes });
}

/**
 * Opens the lock file of a connection, before requests are sent. Returns a function that compares the frame of an
 * operation, and adds the question to the file if the file is new, or with `update`. `call` repeats the call on
 * another connection.
 *
 * @throws {ConfigurationError} for a file that is not a lock file, or that cannot be read or written. The function
 * throws a `ChainframeError` if the frame differs, or the file lacks the question, with `onChange: "throw"`.
 */
export function openLock(connection: Connection, call: Stored["call"]): Compare {
  const settings = settingsOf(connection).lock;
  if (settings === null) return () => Promise.resolve();
  const lock = lockOf(settings);
  return (frame, responses) => compare(lock, frame, { connection, call, responses });
}

/** Compares own data that enters an output with a lock file, by default that of the environment. */
function compareOwn(
  { query, sha256 }: OwnData,
  settings: LockSettings | null = checkedLock(null),
): void {
  if (settings === null) return;
  const lock = lockOf(settings);
  const entry = (sha256: readonly string[]): OwnEntry => ({ operation: OWN_DATA, query, sha256 });
  const before = lock.entries.get(keyOf(entry([]))) as OwnEntry | undefined;
  const earlier = resultFor(lock, entry([]));
  let status: Status;
  if (lock.update && earlier === undefined && before?.sha256.join() !== sha256) {
    status = addEntries(lock, [entry([]), entry([sha256])]);
  } else if (before?.sha256.includes(sha256)) status = earlier?.status ?? "as locked";
  else if (lock.isNew || lock.update) status = addEntries(lock, [entry([sha256])]);
  else status = before === undefined ? "not locked" : "differs";
  record(lock, {
    operation: OWN_DATA,
    query,
    rows: null,
    data_through: null,
    before,
    status,
    changes: null,
  });
}

watchOwnData(compareOwn as Parameters<typeof watchOwnData>[0]);
