import { Buffer } from "node:buffer";
import { setTimeout } from "node:timers/promises";
import { terminalText } from "../../platform/terminal.ts";

/** Thrown when a shard fails, or the file that lists the shards is invalid. The message names the shard or the file. */
export class ClusterError extends Error {
  /** The name of the class. */
  override readonly name = "ClusterError";
}

/** Addresses and credentials of the shards. */
export interface ShardList {
  /** HTTP address of each shard, in the order of the file. The order determines which shard stores a user's rows. */
  readonly urls: readonly string[];
  /** Name of the database with the facts. It is the same on every shard. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** A table that a SELECT can read, and that is sent with it. */
export interface SentTable {
  readonly name: string;
  /** The columns with their types in ClickHouse. */
  readonly structure: string;
  /** The rows in the format JSONEachRow. */
  readonly rows: Blob;
}

/** A ClickHouse server that stores a part of the activity. A SELECT returns a complete result or throws an error. */
export interface Shard {
  /** The HTTP address of the server, for messages. */
  readonly url: string;
  /** Returns the rows of a short result. 64-bit integers become text. */
  rows(sql: string, table?: SentTable): Promise<Record<string, unknown>[]>;
  /** Passes the result to a function, in the `FORMAT` of the SELECT. */
  read(
    sql: string,
    table: SentTable,
    use: (body: ReadableStream<Uint8Array>) => Promise<void>,
  ): Promise<void>;
}

// With these settings, nothing is written, truncated results are errors, and the status of a response is sent only
// after the result is complete.
const SETTINGS: Readonly<Record<string, string>> = {
  readonly: "2",
  wait_end_of_query: "1",
  enable_http_compression: "1",
  ...Object.fromEntries(
    "read group_by sort result timeout set join transfer distinct".split(" ")
      .map((kind) => [`${kind}_overflow_mode`, "throw"]),
  ),
};

const NOT_LET_IN = ["192", "193", "194", "516"];
const [PATIENCE_MS, PING_MS, KILL_MS] = [15_000, 2_000, 3_000];

/** Returns the reason why a request failed, such as `Connection refused (os error 111)`. */
function networkReason(error: unknown): string {
  let last = error;
  while (last instanceof Error && last.cause instanceof Error) last = last.cause;
  const [reason = ""] = /invalid peer certificate.*$|[^:]*$/.exec((last as Error).message) ?? [];
  return terminalText(reason.trim());
}

/** Returns what a server says about a failed statement, in one line without the password. */
function refusal(text: string, { user, password }: ShardList): string {
  const [, code = ""] = /^Code: (\d+)/.exec(text) ?? [];
  if (NOT_LET_IN.includes(code)) {
    return `refuses the user ${JSON.stringify(user)} or its password`;
  }
  const safe = password === "" ? text : text.replaceAll(password, "(password)");
  return terminalText(safe.replace(/\s+/g, " ").trim()).slice(0, 300);
}

type Request = RequestInit & { readonly parameters?: Record<string, string> };

function post(
  url: string,
  { user, password }: ShardList,
  { parameters = {}, ...init }: Request,
): Promise<Response> {
  const login = Buffer.from(`${user}:${password}`).toString("base64");
  const headers = { authorization: `Basic ${login}` };
  return fetch(`${url}/?${new URLSearchParams(parameters)}`, {
    method: "POST",
    headers,
    redirect: "error",
    ...init,
  });
}

/** Returns a shard. `id` begins the ids of its statements. */
function openShard(
  url: string,
  list: ShardList,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
): Shard {
  const send = async <T>(
    query: string,
    table: SentTable | undefined,
    use: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const parameters = {
      query,
      query_id: `${id}-${crypto.randomUUID()}`,
      ...SETTINGS,
      ...table && {
        [`${table.name}_structure`]: table.structure,
        [`${table.name}_format`]: "JSONEachRow",
      },
    };
    const body = table === undefined ? null : new FormData();
    body?.set(table!.name, table!.rows, table!.name);
    try {
      const response = await post(url, list, { signal, body, parameters });
      if (response.ok) return await use(response);
      throw new ClusterError(`shard ${url}: ${refusal(await response.text(), list)}`);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ClusterError) throw cause;
      throw new ClusterError(
        `shard ${url}: cannot be reached, or closed the connection: ${networkReason(cause)}`,
      );
    }
  };
  return {
    url,
    rows: (sql, table) =>
      send(`${sql} FORMAT JSON`, table, async (response) => (await response.json()).data),
    read: (sql, table, use) => send(sql, table, (response) => use(response.body!)),
  };
}

// Pings a shard until the work ends, because statements on a suspended server would never end: such a server accepts
// connections but does not respond.
async function watch(url: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const late = AbortSignal.timeout(PATIENCE_MS);
    const signal = AbortSignal.any([ended, late]);
    await fetch(`${url}/ping`, { signal, redirect: "error" })
      .then((response) => response.text(), () => {});
    if (late.aborted && !ended.aborted) {
      throw new ClusterError(
        `shard ${url}: does not answer: no response for ${PATIENCE_MS / 1_000} s`,
      );
    }
    await setTimeout(PING_MS, undefined, { signal: ended }).catch(() => {});
  }
}

/**
 * Runs a function on the shards. If the function fails, or a shard does not respond, ends the statements on all shards.
 *
 * @throws {ClusterError} when a shard does not respond, refuses the credentials or fails a statement.
 */
export async function withShards<T>(
  list: ShardList,
  work: (shards: readonly Shard[]) => Promise<T>,
  given?: AbortSignal,
): Promise<T> {
  const end = new AbortController();
  const signal = given === undefined ? end.signal : AbortSignal.any([end.signal, given]);
  signal.throwIfAborted();
  const id = `chainframe-${crypto.randomUUID()}`;
  const watched = Promise.all(list.urls.map((url) => watch(url, signal)))
    .catch((error) => end.abort(error));
  try {
    return await work(list.urls.map((url) => openShard(url, list, { id, signal })));
  } catch (error) {
    end.abort(error);
    // A server continues a statement after the client has disconnected.
    const body = `KILL QUERY WHERE query_id LIKE '${id}%' ASYNC`;
    const late = AbortSignal.timeout(KILL_MS);
    await Promise.all(
      list.urls.map((url) =>
        post(url, list, { body, signal: late }).then((response) => response.text()).catch(() => {})
      ),
    );
    throw error;
  } finally {
    end.abort();
    await watched;
  }
}
