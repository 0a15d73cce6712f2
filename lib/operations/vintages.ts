import { type Cache, createCache } from "../http/cache.ts";
import type { Entry } from "../http/cache_entry.ts";
import { openSession } from "../http/session.ts";
import { CacheError, ConfigurationError, ResponseError } from "../http/errors.ts";
import type { Question } from "../http/question.ts";
import {
  type CacheSettings,
  type Connection,
  connectionOf,
  type Settings,
  settingsOf,
} from "../http/settings.ts";
import type { DataFrame } from "../table/polars.ts";

/**
 * One of the six operations, or `timeline`: the function itself.
 *
 * @category Operations
 */
export type AskedOperation<Query> = (query: Query, connection: Connection) => Promise<DataFrame>;

/** What is asked of an archive, and by whom. */
interface ArchiveQuestion<Query> {
  /** The name of the function that asks. */
  readonly asker: string;
  readonly operation: AskedOperation<Query>;
  readonly query: Query;
  readonly connection: Connection;
  /** Only what was known then, and what came later; all where it is not given. */
  readonly since?: Date | undefined;
}

/** What an operation brought as of a moment. */
interface Vintage {
  /** When the last of its answers came. */
  readonly moment: Date;
  /** null where it is damaged, or not of the promised shape. */
  readonly frame: DataFrame | null;
}

interface Archive {
  readonly settings: Settings & { readonly cache: CacheSettings };
  readonly kept: Cache;
}

function archiveOf(asker: string, connection: Connection): Archive {
  const settings = settingsOf(connection);
  const { cache } = settings;
  if (cache === null) {
    const hint = settings.target === "sample" ? "; sample data is never kept" : "";
    throw new ConfigurationError(
      `${asker}: needs a connection with a cache: connect({ cache: { dir } })${hint}`,
    );
  }
  // A cache of its own: what came since the connection looked is to be found.
  return {
    settings: { ...settings, cache },
    kept: createCache(cache.dir, { ...settings, warn: () => {} }),
  };
}

/** A connection that answers from an archive in a way of its own, and tells nobody. */
function answeringBy(
  { settings, kept }: Archive,
  read: Cache["read"],
  asOf: Date | null,
): Connection {
  const cache = { ...settings.cache, mode: "offline", asOf } as const;
  const quiet = { onMissing: "ignore", onProgress: () => {}, warn: () => {} } as const;
  const connection = connectionOf({ ...settings, ...quiet, cache });
  openSession(connection, { ...kept, read });
  return connection;
}

/** What an operation asks: it is given answers without rows, and what it makes of them is nobody's. */
async function questionsOf<Query>(
  { operation, query }: ArchiveQuestion<Query>,
  archive: Archive,
): Promise<Question[]> {
  const questions: Question[] = [];
  const now = new Date(archive.settings.clock.now());
  const empty: Entry = {
    status: 200,
    bytes: new TextEncoder().encode('{"data":[]}'),
    sha256: "",
    etag: null,
    renamed: [],
    retrieved_at: now,
    checked_at: now,
    data_through: null,
    data_since: null,
  };
  const read = (question: Question) => {
    questions.push(question);
    return Promise.resolve(empty);
  };
  const asked = operation(query, answeringBy(archive, read, archive.settings.cache.asOf));
  await asked.catch((error) => {
    if (!(error instanceof ResponseError)) throw error;
  });
  return questions;
}

/** The operation as of a moment; undefined where not all of its answers had come by then. */
async function vintageAt<Query>(
  { operation, query }: ArchiveQuestion<Query>,
  archive: Archive,
  moment: Date,
): Promise<Vintage | undefined> {
  let early = false;
  const read = async (question: Question) => {
    const entry = await archive.kept.readAt(question, moment);
    const [first] = entry === null ? await archive.kept.times(question) : [];
    if (entry === null && (first === undefined || first > moment)) early = true;
    return entry;
  };
  try {
    return { moment, frame: await operation(query, answeringBy(archive, read, moment)) };
  } catch (error) {
    if (early) return undefined;
    if (error instanceof CacheError || error instanceof ResponseError) {
      return { moment, frame: null };
    }
    throw error;
  }
}

/**
 * What an operation brought, as of each moment at which one of its answers came, the oldest first.
 *
 * @throws {ConfigurationError} for a connection without a cache.
 * @throws {CacheError} where the archive keeps no answer.
 */
export async function* vintagesOf<Query>(asked: ArchiveQuestion<Query>): AsyncGenerator<Vintage> {
  const { asker, connection, since } = asked;
  const archive = archiveOf(asker, connection);
  const { dir, asOf } = archive.settings.cache;
  const questions = await questionsOf(asked, archive);
  const times = await Promise.all(questions.map((question) => archive.kept.times(question)));
  const moments = [...new Set(times.flat().map((time) => time.getTime()))].sort((a, b) => a - b)
    .filter((time) => asOf === null || time <= asOf.getTime());
  const last = moments.findLastIndex((time) => since !== undefined && time <= since.getTime());
  let found = false;
  for (const time of moments.slice(Math.max(0, last))) {
    const vintage = await vintageAt(asked, archive, new Date(time));
    if (vintage === undefined) continue;
    found = true;
    yield vintage;
  }
  if (!found) throw new CacheError(`${asker}: the cache in ${dir} keeps no answer of this query`);
}
