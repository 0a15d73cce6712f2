import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { addressesIn } from "../http/cached_service.ts";
import { type Connection, connectionOf, locksOfProcess, settingsOf } from "../http/connect.ts";
import { CacheError } from "../http/errors.ts";
import type { LockSettings } from "../http/settings.ts";
import type { ApiResponse } from "../http/response.ts";
import { dayOf, daysNamed, dayText } from "../schema/period.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { frameDigest } from "../table/track/frame_digest.ts";
import { type OwnData, watchOwnData } from "../table/track/own_data.ts";
import { responseOf } from "../table/track/provenance.ts";
import { changesBetween, changesFrame, keysOf, rowsBy } from "./changes.ts";
import { type Entry, keyOf, lockPath, OWN_DATA } from "./lock_file.ts";
import { addEntry, lockOf, type Opened, record, resultFor, type Status } from "./lock_results.ts";
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

/** Returns whether a frame has the columns of an entry, with the same values. */
function isAsLocked(frame: DataFrame, { columns, sha256 }: Entry): boolean {
  // polars makes the list of names for each access.
  const there = frame.columns;
  return columns.every((name) => there.includes(name)) &&
    sha256.includes(frameDigest(frame, columns));
}

/** Returns the locked response from the cache of a connection, or null if the cache does not have it. */
async function lockedFrame(
  before: Entry,
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
        if (frame !== null && isAsLocked(frame, before)) return frame;
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

type Compare = (frame: DataFrame, responses: readonly ApiResponse[]) => Promise<void>;

/** Compares a frame with the entry of its question. */
async function compare(
  lock: Opened,
  frame: DataFrame,
  stored: Stored & {
    readonly responses: readonly ApiResponse[];
  },
): Promise<void> {
  const { operation, query } = responseOf(frame)!;
  const now: Entry = {
    operation,
    query: JSON.parse(JSON.stringify(query)),
    columns: frame.columns.toSorted(),
    moving: isMoving(frame, stored.connection),
    data_through: statedDay(stored.responses),
    rows: frame.height,
    sha256: [],
  };
  const before = lock.entries.get(keyOf(now));
  let status: Status = "differs";
  if (before !== undefined && isAsLocked(frame, before)) status = "as locked";
  else if (lock.update || (before === undefined && lock.isNew)) {
    status = addEntry(lock, { ...now, sha256: [frameDigest(frame, now.columns)] });
  } else if (before === undefined) status = "not locked";
  // The data of one day changes only if it is restated.
  else if (
    before.moving && (now.data_through === null || before.data_through !== now.data_through)
  ) status = "moving";
  const changes = status === "differs" ? await changesSince(before!, frame, stored) : null;
  record(lock, { now, before, status, changes });
}

/**
 * Opens the lock file of a connection, before requests are sent. Returns a function that compares the frame of an
 * operation, and adds the question to the file if the file is new, or with `update`. `call` repeats the call on
 * another connection.
 *
 * @throws {ConfigurationError} for a file that is not a lock file, or that cannot be read or written.
 */
export function openLock(connection: Connection, call: Stored["call"]): Compare {
  const settings = settingsOf(connection).lock;
  if (settings === null) return () => Promise.resolve();
  const lock = lockOf(settings);
  return (frame, responses) => compare(lock, frame, { connection, call, responses });
}

/** Compares own data that enters an output with a lock file: by default, with all lock files of this process. */
function compareOwn(own: OwnData, settings?: LockSettings | null): void {
  const given = settings === undefined ? locksOfProcess() : settings === null ? [] : [settings];
  const files = new Map(given.map((each) => [lockPath(each.file), each]));
  for (const [path, each] of files) {
    // A folder that was removed meanwhile has nothing to compare.
    if (existsSync(dirname(path))) compareWith(lockOf(each), own);
  }
}

/** Compares own data with a lock file. */
function compareWith(lock: Opened, { query, sha256 }: OwnData): void {
  const own: Entry = {
    operation: OWN_DATA,
    query,
    columns: [],
    moving: false,
    data_through: null,
    rows: null,
    sha256: [sha256],
  };
  const before = lock.entries.get(keyOf(own));
  const earlier = resultFor(lock, own);
  // With `update`, the first data of a program replaces the digests, and further data of the same name is added.
  const kept = lock.update && earlier === undefined ? [] : before?.sha256 ?? [];
  let status: Status = before === undefined ? "not locked" : "differs";
  if (before?.sha256.includes(sha256) && (kept.length > 0 || before.sha256.length === 1)) {
    status = earlier?.status ?? "as locked";
  } else if (lock.isNew || lock.update) {
    status = addEntry(lock, { ...own, sha256: [...kept, sha256] });
  }
  record(lock, { now: own, before, status, changes: null });
}

watchOwnData(compareOwn as Parameters<typeof watchOwnData>[0]);
