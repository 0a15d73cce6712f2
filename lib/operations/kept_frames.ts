import type { Connection } from "../http/settings.ts";
import type { DataFrame } from "../table/polars.ts";
import type { NoNumbers } from "./entity_errors.ts";

/** What rows became: the frame, and the texts in them that say that there is no number. */
export interface Reading {
  readonly frame: DataFrame;
  readonly noNumbers: NoNumbers;
}

/** What a reading follows from, whenever it is made. */
interface Cause {
  readonly operation: string;
  readonly query: object;
  /** SHA-256 of the answer's bytes. */
  readonly sha256: string;
}

const MOST_FRAMES = 32;

/** Of more rows a frame would hold much memory, and is not kept. */
const MOST_ROWS = 1_000;

const readings = new WeakMap<Connection, Map<string, Reading>>();

/**
 * Makes a frame, or gives the one that was made before over this connection for the same operation and
 * query from the same bytes: for answers of the cache, which are asked for again and again. To make a small
 * frame takes longer than to read and check what it is made of. A copy shares its columns with the frame,
 * and polars changes no column that is shared.
 */
export function readOnce(connection: Connection, cause: Cause, read: () => Reading): Reading {
  const known = readings.get(connection) ?? new Map<string, Reading>();
  readings.set(connection, known);
  const key = JSON.stringify([cause.operation, cause.query, cause.sha256]);
  const before = known.get(key);
  const reading = before ?? read();
  if (before === undefined && reading.frame.height > MOST_ROWS) return reading;
  // Who was asked for longest ago goes first.
  known.delete(key);
  known.set(key, reading);
  if (known.size > MOST_FRAMES) known.delete(known.keys().next().value!);
  return { ...reading, frame: reading.frame.clone() };
}
