import { buildDatasets } from "./datasets/build_datasets.ts";
import type { Span } from "./datasets/span.ts";
import { type Database, openDuckdb } from "./engine/duckdb.ts";
import { type KnownIds, readKnownIds } from "./query/entity_list.ts";
import { loadSampleFacts } from "./sample/load_sample_facts.ts";
import { type AnswerCache, createAnswerCache } from "./web/answer_cache.ts";

/** The data as it was at one moment, open for reading, with the answers made from it. */
export interface Snapshot {
  readonly database: Database;
  readonly span: Span;
  readonly known: KnownIds;
  readonly answers: AnswerCache;
}

async function readSpan(database: Database): Promise<Span> {
  const [row] = await database.rows("SELECT first_day, last_day FROM data.span");
  return { first_day: String(row?.first_day), last_day: String(row?.last_day) };
}

async function snapshotOf(database: Database): Promise<Snapshot> {
  return {
    database,
    span: await readSpan(database),
    known: await readKnownIds(database),
    answers: createAnswerCache(),
  };
}

/** Makes the sample data in memory, without writing a file. */
export async function sampleSnapshot(): Promise<Snapshot> {
  const database = await openDuckdb();
  await loadSampleFacts(database);
  await buildDatasets(database);
  // Serving reads the datasets alone.
  await database.run(
    "DROP SCHEMA facts CASCADE; DROP SCHEMA sample CASCADE; DROP SCHEMA work CASCADE",
  );
  return await snapshotOf(database);
}
