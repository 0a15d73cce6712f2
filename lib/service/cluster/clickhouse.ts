// deno-lint-ignore-file no-import-prefix -- this file is imported by path from elsewhere, where no import map applies
import { setTimeout as pause } from "node:timers/promises";
import type * as clickhouse from "npm:@clickhouse/client-web@1.23.1";
import { loadPackage } from "../../platform/package.ts";
import { terminalText } from "../../platform/terminal.ts";

/** This file sends statements to shards with ClickHouse's client, and limits the duration of each statement. */

/** Thrown when a shard fails, or the file that lists the shards is invalid. The message names the shard or the file. */
export class ClusterError extends Error {
  /** The name of the class. */
  override readonly name = "ClusterError";
}

/** A ClickHouse server that stores a part of the facts. A statement returns a complete result or throws an error. */
export interface Shard {
  /** The HTTP address of the server, for messages. */
  readonly url: string;
  /** Runs a SELECT with a short result. 64-bit integers become text, and decimals become inexact numbers. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /**
   * Passes the result of a SELECT to a function, as a stream of bytes in the `FORMAT` of the SELECT. The stream begins
   * when the result is complete on the server.
   */
  read<T>(sql: string, use: (body: ReadableStream<Uint8Array>) => Promise<T>): Promise<T>;
  /** Runs a statement that changes data. The text of an INSERT includes its rows. */
  run(sql: string): Promise<void>;
  /**
   * Runs a cleanup statement for at most a few seconds, even after an abort. Returns whether the statement succeeded.
   *
   * Errors are ignored, because they would replace the error that ended the work.
   */
  cleanUp(sql: string): Promise<boolean>;
  /** Waits until no statement is running. */
  idle(): Promise<void>;
}

/** The address, the credentials and the timeout of a shard. */
interface ShardAccess {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Timeout of one statement, in milliseconds. */
  readonly timeout: number;
  /** A signal that aborts running statements. */
  readonly signal: AbortSignal;
}

// With these settings, missing shards and truncated results are errors, and the server sends the status of a response
// only after the result is complete.
const GUARDED: Readonly<Record<string, string>> = {
  wait_end_of_query: "1",
  skip_unavailable_shards: "0",
  join_use_nulls: "1",
  ...Object.fromEntries(
    "read group_by sort result timeout set join transfer distinct".split(" ")
      .map((kind) => [`${kind}_overflow_mode`, "throw"]),
  ),
};

const NOT_LET_IN = ["192", "193", "194", "516"];
const KILL_MS = 2_000;
const KILL_TRIES = 4;
const KILL_PAUSE_MS = 100;
const CLEAN_UP_MS = 3_000;
// `sendInTime` enforces the timeout, so the timer of the client must not fire.
const NEVER_MS = 2 ** 31 - 1;
// If the server has no memory limit, grouping and sorting store data beyond this number of bytes on disk.
const GROUP_BYTES = 4e9;

/** Returns the reason why a request failed, such as `Connection refused (os error 111)`. */
export function networkReason(error: unknown): string {
  let last = error;
  while (last instanceof Error && last.cause instanceof Error) last = last.cause;
  const [reason = ""] = /invalid peer certificate.*$|[^:]*$/.exec((last as Error).message) ?? [];
  return terminalText(reason.trim());
}

/** Creates the error for a failure of a shard. The message is one line, and does not contain the password. */
function shardError({ url, user, password }: ShardAccess, cause: unknown): ClusterError {
  const { message, code: given } = cause as { message?: string; code?: string };
  const [, number] = /^Code: (\d+)/.exec(message ?? "") ?? [];
  const code = given ?? number;
  if (code !== undefined && NOT_LET_IN.includes(code)) {
    return new ClusterError(
      `shard ${url}: refuses the user ${JSON.stringify(user)} or its password`,
    );
  }
  if (code === undefined) {
    return new ClusterError(
      `shard ${url}: cannot be reached, or closed the connection: ${networkReason(cause)}`,
    );
  }
  const text = message!
    .replace(/^Code: \d+\.?,? ?(e\.displayText\(\) = )?(DB::\w*Exception: )?/, "")
    .replace(/,? ?e\.what\(\) = DB::\w*Exception/, "")
    .replace(/\s+/g, " ").trim();
  const safe = terminalText(password === "" ? text : text.replaceAll(password, "(password)"));
  const short = safe.length > 300 ? `${safe.slice(0, 300)}…` : safe;
  return new ClusterError(`shard ${url}: ${short} (code ${code})`);
}

type Settings = Readonly<Record<string, string>>;
type Use<T> = (body: ReadableStream<Uint8Array>) => Promise<T>;
type Client = ReturnType<typeof clickhouse.createClient>;

/** The client of a shard, and the credentials and the timeout of the shard. */
interface Link {
  readonly client: Client;
  readonly access: ShardAccess;
}

/** How a statement is sent, and how its result is consumed. */
interface Sending<T> {
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly query_id: string;
  readonly use: Use<T>;
}

function freshId(): string {
  return `chainframe-${crypto.randomUUID()}`;
}

function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).text();
}

async function clientOf({ url, user: username, password }: ShardAccess): Promise<Client> {
  const { createClient, ClickHouseLogLevel } = await loadPackage<typeof clickhouse>(
    "npm:@clickhouse/client-web@1.23.1",
  );
  return createClient({
    url,
    username,
    password,
    application: "chainframe",
    request_timeout: NEVER_MS,
    log: { level: ClickHouseLogLevel.OFF },
    fetch: (input, init) => fetch(input, { ...init, redirect: "error" }),
  });
}

// Cancels a statement, because a server can run or even start a statement after the client has disconnected.
async function kill(client: Client, query_id: string): Promise<void> {
  const late = AbortSignal.timeout(KILL_MS);
  for (let tries = 0; tries < KILL_TRIES; tries++) {
    const killed = await client.exec({
      query: `KILL QUERY WHERE query_id = '${query_id}' ASYNC`,
      abort_signal: AbortSignal.any([late]),
    }).then(({ stream }) => textOf(stream), () => null);
    if (killed !== "") return;
    await pause(KILL_PAUSE_MS);
  }
}

async function send<T>(
  { client, access }: Link,
  sql: string,
  { settings, signal, query_id, use }: Sending<T>,
): Promise<T> {
  // The client adds a listener to the signal for each statement, so each statement gets its own signal.
  const abort_signal = AbortSignal.any([signal]);
  try {
    const { stream } = await client.exec({
      query: sql,
      query_id,
      clickhouse_settings: { ...GUARDED, ...settings } as clickhouse.ClickHouseSettings,
      abort_signal,
    });
    return await use(stream);
  } catch (cause) {
    if (abort_signal.aborted) throw abort_signal.reason;
    throw cause instanceof ClusterError ? cause : shardError(access, cause);
  }
}

/** Sends a statement. After an abort or a timeout, cancels the statement on the server. */
async function sendInTime<T>(
  link: Link,
  sql: string,
  { settings, use }: Pick<Sending<T>, "settings" | "use">,
): Promise<T> {
  const { url, timeout, signal: work } = link.access;
  work.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => {
    const message = `shard ${url}: a statement did not finish within ${timeout / 1_000} s`;
    late.abort(new ClusterError(message));
  }, timeout);
  const signal = AbortSignal.any([work, late.signal]);
  const query_id = freshId();
  try {
    return await send(link, sql, { settings, signal, use, query_id });
  } catch (error) {
    if (signal.aborted) await kill(link.client, query_id);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns settings for spilling to disk: grouping and sorting then use at most half of the memory limit. */
function boundsOf(limit: unknown): Settings {
  const half = String(Math.floor((Number(limit ?? 0) || 2 * GROUP_BYTES) / 2));
  return { max_bytes_before_external_group_by: half, max_bytes_before_external_sort: half };
}

/**
 * Connects to a shard, logs in, and reads the memory limit of the shard.
 *
 * @throws {ClusterError} when the shard does not respond, or refuses the credentials.
 */
export async function openShard(access: ShardAccess): Promise<Shard> {
  const link = { access, client: await clientOf(access) };
  const underWay = new Set<Promise<unknown>>();
  const sendHere = async <T>(sql: string, settings: Settings, use: Use<T>) => {
    const sent = sendInTime(link, sql, { settings, use });
    underWay.add(sent);
    try {
      return await sent;
    } finally {
      underWay.delete(sent);
    }
  };
  const rowsOf = async (sql: string, settings: Settings) => {
    const text = await sendHere(`${sql} FORMAT JSON`, settings, textOf);
    return (JSON.parse(text) as { data: Record<string, unknown>[] }).data;
  };
  const [limit] = await rowsOf(
    "SELECT value FROM system.settings WHERE name = 'max_memory_usage'",
    { readonly: "2" },
  );
  const bounded = boundsOf(limit?.value);
  const reading = { readonly: "2", ...bounded };
  return {
    url: access.url,
    rows: (sql) => rowsOf(sql, reading),
    read: (sql, use) => sendHere(sql, { ...reading, enable_http_compression: "1" }, use),
    run: async (sql) => void await sendHere(sql, bounded, textOf),
    cleanUp: (sql) =>
      send(link, sql, {
        settings: {},
        signal: AbortSignal.timeout(CLEAN_UP_MS),
        query_id: freshId(),
        use: textOf,
      })
        .then(() => true, () => false),
    idle: async () => void await Promise.allSettled(underWay),
  };
}
