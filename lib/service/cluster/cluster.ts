import { setTimeout } from "node:timers/promises";
import { ClusterError, networkReason, openShard, type Shard } from "./clickhouse.ts";
import type { ShardList } from "./shard_list.ts";

/** The open connections to all shards during one call of `loadShards` or `buildData`. */
export interface Cluster {
  /** The shards, in the order of the list. */
  readonly shards: readonly Shard[];
  /** The name of the database with the facts. It is the same on every shard. */
  readonly name: string;
  /** The same name, quoted for SQL. */
  readonly database: string;
  /** A signal that is aborted when the work must end. `signal.reason` is the reason. */
  readonly signal: AbortSignal;
}

/** Timeouts of the work on shards, and the signal that aborts the work. */
export interface ClusterOptions {
  /** A signal that aborts the work. */
  readonly signal?: AbortSignal;
  /**
   * Maximum time without a response from a shard, in milliseconds. After this time, the work fails.
   * @default 16 000
   */
  readonly patience?: number;
  /**
   * Timeout of one statement, in milliseconds.
   * @default six hours
   */
  readonly timeout?: number;
}

const PATIENCE_MS = 16_000;
const TIMEOUT_MS = 6 * 3_600_000;
const PINGS = 10;
const FAILED_PINGS = 3;

async function ping(url: string, signal: AbortSignal): Promise<string | null> {
  try {
    const response = await fetch(`${url}/ping`, { signal, redirect: "error" });
    const text = (await response.text()).trim();
    return response.ok && text === "Ok." ? null : `it answers ${response.status}`;
  } catch (error) {
    if (signal.aborted) return null;
    return networkReason(error);
  }
}

// Pings a shard until the work ends. Without pings, statements on a suspended server would never end, because such a
// server accepts connections but does not respond.
async function watch(url: string, patience: number, ended: AbortSignal): Promise<void> {
  for (let failed = 0; !ended.aborted;) {
    const late = AbortSignal.timeout(patience);
    const wrong = await ping(url, AbortSignal.any([ended, late]));
    if (ended.aborted) return;
    if (late.aborted) {
      throw new ClusterError(
        `shard ${url}: does not answer: no response for ${patience / 1_000} s`,
      );
    }
    failed = wrong === null ? 0 : failed + 1;
    if (failed === FAILED_PINGS) throw new ClusterError(`shard ${url}: is down: ${wrong}`);
    await setTimeout(patience / PINGS, undefined, { signal: ended }).catch(() => {});
  }
}

/**
 * Runs a function on the shards, and pings each shard until the function ends.
 *
 * If a shard is down or stalled, the work fails with an error that names the shard. When the work ends, statements that
 * are still running on the shards are killed.
 *
 * @throws {ClusterError} when a shard does not respond, refuses the credentials or fails a statement.
 */
export async function withCluster<T>(
  { urls, database: name, user, password }: ShardList,
  work: (cluster: Cluster) => Promise<T>,
  { signal: given, patience = PATIENCE_MS, timeout = TIMEOUT_MS }: ClusterOptions = {},
): Promise<T> {
  given?.throwIfAborted();
  const end = new AbortController();
  const signal = given === undefined ? end.signal : AbortSignal.any([end.signal, given]);
  const watched = Promise.all(urls.map((url) => watch(url, patience, signal)))
    .catch((error) => end.abort(error));
  const shards: Shard[] = [];
  try {
    const opened = urls.map((url) => openShard({ url, user, password, timeout, signal }));
    shards.push(...await Promise.all(opened));
    return await work({ shards, name, database: `\`${name}\``, signal });
  } finally {
    end.abort(new DOMException("The work with the shards has ended", "AbortError"));
    await Promise.all([watched, ...shards.map((shard) => shard.idle())]);
  }
}
