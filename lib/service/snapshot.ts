import { createHash } from "node:crypto";
import { buildDatasets, DATA_LAYOUT } from "./datasets/build_datasets.ts";
import type { Span } from "./datasets/window_value.ts";
import { type Database, openDuckdb, quoteText } from "./engine/duckdb.ts";
import { type KnownIds, readKnownIds } from "./query/entity_list.ts";
import { openPrepared, type PreparedResponse } from "./query/prepared_response.ts";
import { loadSampleFacts } from "./sample/sample.ts";
import { openSample } from "./sample/sample_file.ts";

/** The data as it was at one moment, open for reading. */
export interface Snapshot {
  readonly database: Database;
  readonly span: Span;
  /** Whether it is the invented sample data. */
  readonly sample: boolean;
  readonly known: KnownIds;
  /** Digest of the rows: data with the same digest give the same responses. See `dataDigest`. */
  readonly digest: string;
  /** The response to a request for all aggregations as JSON; null for the sample, where it is short. */
  readonly aggregations: PreparedResponse | null;
  /** Releases the data. */
  close(): void;
}

/** Returns a digest of all served rows, independent of their order. */
export async function dataDigest(database: Database): Promise<string> {
  const tables = await database.rows(
    `SELECT table_name AS name FROM duckdb_tables()
     WHERE schema_name = 'data' AND table_name NOT IN ('layout', 'prepared_response')
     ORDER BY name`,
  );
  const hash = createHash("sha256").update(`layout ${DATA_LAYOUT}`);
  for (const { name } of tables) {
    const [row] = await database.rows(
      `SELECT count(*) AS rows, CAST(sum(hash(t)::HUGEINT) AS VARCHAR) AS sum FROM data.${name} AS t`,
    );
    hash.update(`\n${name} ${row?.rows} ${row?.sum}`);
  }
  return hash.digest("base64url");
}

async function readSpan(database: Database): Promise<Span> {
  const [row] = await database.rows("SELECT first_day, last_day FROM data.span");
  return { first_day: String(row?.first_day), last_day: String(row?.last_day) };
}

async function snapshotOf(
  database: Database,
  about: Omit<Snapshot, "database" | "span" | "known">,
): Promise<Snapshot> {
  const span = await readSpan(database);
  const known = await readKnownIds(database);
  return { ...about, database, span, known };
}

/** Fills an empty database with the sample, and with the digest of its rows. */
export async function fillSample(database: Database): Promise<void> {
  await loadSampleFacts(database);
  await buildDatasets(database);
  // Serving needs only the datasets.
  await database.run(
    "DROP SCHEMA facts CASCADE; DROP SCHEMA sample CASCADE; DROP SCHEMA work CASCADE",
  );
  const digest = await dataDigest(database);
  await database.run(`CREATE TABLE data.layout AS SELECT ${quoteText(digest)} AS digest`);
}

/** Opens the sample data, from the user's cache folder if it is writable. */
export async function sampleSnapshot(): Promise<Snapshot> {
  const database = await openSample(fillSample, { layout: DATA_LAYOUT });
  const [layout] = await database.rows("SELECT digest FROM data.layout");
  const digest = String(layout?.digest);
  const close = () => database.close();
  return await snapshotOf(database, { sample: true, digest, aggregations: null, close });
}

/**
 * Opens a data file for reading.
 *
 * @throws {Error} when the file is missing, or was built by another version.
 */
export async function fileSnapshot(path: string): Promise<Snapshot> {
  const database = await openDuckdb({ file: path });
  const close = () => database.close();
  try {
    const [row] = await database.rows("SELECT * FROM data.layout").catch(() => []);
    if (row?.layout !== DATA_LAYOUT) {
      throw new Error(
        `Cannot serve ${path}: it is not a file of data of layout ${DATA_LAYOUT}, but ` +
          `${row === undefined ? "something else" : `of layout ${row.layout}`}; build it again`,
      );
    }
    const aggregations = await openPrepared(database);
    const digest = String(row.digest);
    return await snapshotOf(database, { sample: row.sample === true, digest, aggregations, close });
  } catch (error) {
    close();
    throw error;
  }
}
