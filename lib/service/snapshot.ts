import { statSync } from "node:fs";
import { buildDatasets, DATA_LAYOUT, describeData } from "./datasets/build_datasets.ts";
import type { Span } from "./datasets/window_value.ts";
import { type Database, openDuckdb, type ServedDatabase } from "./engine/duckdb.ts";
import { type KnownIds, readKnownIds } from "./query/entity_list.ts";
import { openPrepared, type PreparedResponse } from "./query/prepared_response.ts";
import { loadSampleFacts } from "./sample/sample.ts";
import { openSample } from "./sample/sample_file.ts";

/** Data that are open for reading. A snapshot does not change, even if the data file is replaced. */
export interface Snapshot {
  readonly database: ServedDatabase;
  readonly span: Span;
  /** Whether the data are the invented sample data. */
  readonly sample: boolean;
  readonly known: KnownIds;
  /** Digest of the rows. Data with equal digests produce equal responses. */
  readonly digest: string;
  /** The JSON response to a request for all aggregations; null for the sample data, because their response is short. */
  readonly aggregations: PreparedResponse | null;
}

async function snapshotOf(
  database: ServedDatabase,
  aggregations: PreparedResponse | null,
): Promise<Snapshot> {
  const [layout] = await database.rows("SELECT digest, sample FROM data.layout");
  const [span] = await database.rows("SELECT first_day, last_day FROM data.span");
  return {
    database,
    span: { first_day: String(span?.first_day), last_day: String(span?.last_day) },
    sample: layout?.sample === true,
    known: await readKnownIds(database),
    digest: String(layout?.digest),
    aggregations,
  };
}

/** Fills an empty database with the sample data and the digest of their rows. */
export async function fillSample(database: Database): Promise<void> {
  await loadSampleFacts(database);
  await buildDatasets(database);
  // Serving needs only the datasets.
  await database.run(
    "DROP SCHEMA facts CASCADE; DROP SCHEMA sample CASCADE; DROP SCHEMA work CASCADE",
  );
  await describeData(database, true);
}

/** Opens the sample data. If the user's cache folder is writable, reads the data from a file in this folder. */
export async function sampleSnapshot(): Promise<Snapshot> {
  return await snapshotOf(await openSample(fillSample, DATA_LAYOUT), null);
}

/**
 * Opens a data file for reading.
 *
 * @throws {Error} when the file is missing, or was built by another version.
 */
async function fileSnapshot(path: string): Promise<Snapshot> {
  const database = await openDuckdb({ file: path });
  try {
    const [row] = await database.rows("SELECT layout FROM data.layout").catch(() => []);
    if (row?.layout !== DATA_LAYOUT) {
      throw new Error(
        `Cannot serve ${path}: it is not a file of data of layout ${DATA_LAYOUT}, but ` +
          `${row === undefined ? "something else" : `of layout ${row.layout}`}; build it again`,
      );
    }
    return await snapshotOf(database, await openPrepared(database));
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Counts how many requests and services use a snapshot, at first 1. When the count is 0, closes the data. */
function shared(snapshot: Snapshot) {
  let leases = 1;
  const release = () => {
    leases--;
    if (leases === 0) snapshot.database.close();
  };
  const acquire = () => {
    leases++;
    return { snapshot, release };
  };
  return { acquire, release };
}

function identity(path: string): string | null {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino}/${mtimeMs}/${size}`;
  } catch {
    return null;
  }
}

const CHECK_EVERY_MS = 200;

/**
 * Opens the sample data, or a data file that can be replaced while it is served. `acquire` returns the current data,
 * which stay open until the caller releases them.
 *
 * If the file is replaced, the new file is opened in the background. Until the new file is open, requests read the
 * previous file. If the new file cannot be opened, the function calls `onError`.
 */
export async function openSnapshots(
  path: string | undefined,
  { now, onError }: { readonly now: () => number; readonly onError: (error: unknown) => void },
) {
  if (path === undefined) {
    const { acquire, release } = shared(await sampleSnapshot());
    return { acquire, close: release };
  }
  let seen = identity(path);
  let current = shared(await fileSnapshot(path));
  let checked = now();
  let opening = false;
  let closed = false;

  const replace = async (found: string) => {
    opening = true;
    try {
      const next = shared(await fileSnapshot(path));
      if (closed) return next.release();
      current.release();
      current = next;
    } catch (error) {
      onError(error);
    } finally {
      // If the file cannot be opened, it is opened again only after it has changed.
      seen = found;
      opening = false;
    }
  };

  return {
    acquire() {
      if (!opening && now() - checked >= CHECK_EVERY_MS) {
        checked = now();
        const found = identity(path);
        if (found !== null && found !== seen) void replace(found);
      }
      return current.acquire();
    },
    close() {
      closed = true;
      current.release();
    },
  };
}
