// deno-lint-ignore-file no-import-prefix -- this file is imported by path from elsewhere, where no import map applies
import type * as clickhouse from "npm:@clickhouse/client-web@1.23.1";
import { terminalText } from "../../platform/terminal.ts";

/** The one door to ClickHouse's client, and what every request to a shard is guarded by. */

// Deno downloads what a literal names even when it is never reached.
const CLIENT: string = "npm:@clickhouse/client-web@1.23.1";

/** A shard, or the file that lists them, is not as it must be: the message names the shard. */
export class ClusterError extends Error {
  /** The name of the class. */
  override readonly name = "ClusterError";
}

/** A ClickHouse server that holds a part of the facts. A statement ends with its whole answer, or throws. */
export interface Shard {
  /** The HTTP address, by which messages name it. */
  readonly url: string;
  /** Reads a few rows: 64-bit integers as text, and decimals as numbers, which are not exact. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /**
   * Has the answer of a statement that reads, with its `FORMAT`, consumed as a stream of bytes. It
   * begins when the answer is complete on the server.
   */
  read<T>(sql: string, use: (body: ReadableStream<Uint8Array>) => Promise<T>): Promise<T>;
  /** Runs a statement that changes something; the rows of an INSERT stand behind it. */
  run(sql: string): Promise<void>;
  /**
   * Runs a statement that cleans up, also when the work has been aborted, and for a few seconds only.
   * What goes wrong is passed over: it must not hide why the work ended. Returns whether it was done.
   */
  cleanUp(sql: string): Promise<boolean>;
  /** Resolves once no statement is under way. */
  idle(): Promise<void>;
}

/** Whom a shard lets in, and how long it is waited for. */
interface ShardAccess {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** How long one statement may take, in milliseconds. */
  readonly timeout: number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

// A dead shard is no empty one, what was cut off is no answer, and no status is sent before the end.
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
// Statements are timed here: the client's own timer is never to be the first.
const NEVER_MS = 2 ** 31 - 1;
// Where the server has no limit of memory, what is grouped goes to its disk from here on.
const GROUP_BYTES = 4e9;

/** Why a request had no answer, in a few words: `Connection refused (os error 111)`. */
export function networkReason(error: unknown): string {
  let last = error;
  while (last instanceof Error && last.cause instanceof Error) last = last.cause;
  const [reason = ""] = /invalid peer certificate.*$|[^:]*$/.exec((last as Error).message) ?? [];
  return terminalText(reason.trim());
}

/** What went wrong on a shard, in a line, without the password. */
function shardError({ url, user, password }: ShardAccess, cause: unknown): ClusterError {
  const { message, code: given } = cause as { message?: string; code?: string };
  const [, number] = /^Code: (\d+)/.exec(message ?? "") ?? [];
  const code = given ?? number;
  if (code !== undefined && NOT_LET_IN.includes(code)) {
    return new ClusterError(
      `shard ${url}: refuses the user ${JSON.stringify(user)}, or the password that it was given`,
    );
  }
  if (code === undefined) {
    return new ClusterError(
      `shard ${url}: cannot be reached, or broke off: ${networkReason(cause)}`,
    );
  }
  const said = message!
    .replace(/^Code: \d+\.?,? ?(e\.displayText\(\) = )?(DB::\w*Exception: )?/, "")
    .replace(/,? ?e\.what\(\) = DB::\w*Exception/, "")
    .replace(/\s+/g, " ").trim();
  const safe = terminalText(password === "" ? said : said.replaceAll(password, "(password)"));
  const short = safe.length > 300 ? `${safe.slice(0, 300)}…` : safe;
  return new ClusterError(`shard ${url}: ${short} (code ${code})`);
}

type Settings = Readonly<Record<string, string>>;
type Use<T> = (body: ReadableStream<Uint8Array>) => Promise<T>;
type Client = ReturnType<typeof clickhouse.createClient>;

/** What a statement is sent by: the client of a shard, and whom it asks there. */
interface Link {
  readonly client: Client;
  readonly access: ShardAccess;
}

/** How one statement is sent, and what is done with what comes back. */
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
  const { createClient, ClickHouseLogLevel }: typeof clickhouse = await import(CLIENT);
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

// A server goes on with a statement whose client went away, and may have yet to begin with it.
async function kill(client: Client, query_id: string): Promise<void> {
  const late = AbortSignal.timeout(KILL_MS);
  for (let tries = 0; tries < KILL_TRIES; tries++) {
    const killed = await client.exec({
      query: `KILL QUERY WHERE query_id = '${query_id}' ASYNC`,
      abort_signal: AbortSignal.any([late]),
    }).then(({ stream }) => textOf(stream), () => null);
    if (killed !== "") return;
    await new Promise((resolve) => setTimeout(resolve, KILL_PAUSE_MS));
  }
}

async function send<T>(
  { client, access }: Link,
  sql: string,
  { settings, signal, query_id, use }: Sending<T>,
): Promise<T> {
  // The client writes its handler to the signal that it is given: each statement has one.
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

/** Sends a statement that the work may end, and its own time; the server is told so. */
async function sendInTime<T>(
  link: Link,
  sql: string,
  { settings, use }: Pick<Sending<T>, "settings" | "use">,
): Promise<T> {
  const { url, timeout, signal: work } = link.access;
  work.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => {
    const message = `shard ${url}: a statement was not done within ${timeout / 1_000} s`;
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

/** Half of the memory that one statement may take: what is grouped or sorted goes to the disk from there on. */
function boundsOf(limit: unknown): Settings {
  const half = String(Math.floor((Number(limit ?? 0) || 2 * GROUP_BYTES) / 2));
  return { max_bytes_before_external_group_by: half, max_bytes_before_external_sort: half };
}

/**
 * Opens a shard: says who asks, and learns how much memory one statement may take there.
 *
 * @throws {ClusterError} when it does not answer, or does not let us in.
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
