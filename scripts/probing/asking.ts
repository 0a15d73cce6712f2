import { ChainframeError, connect, type ConnectOptions, type DataFrame } from "../../mod.ts";
import type { Connection } from "../../mod.ts";
import type { Row } from "./points.ts";

/** The most requests that a probe sends. */
export const MOST_REQUESTS = 20;

/** A response that a probe saw. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  /** The header `Data-Through`; null if it is missing. */
  readonly through: string | null;
  /** The body as JSON; null if it is no JSON, or was not read to its end. */
  readonly body: unknown;
}

/** Returns the rows of a response; none of a missing one. */
export function rowsIn(answer: Answer | null): Row[] {
  const data = (answer?.body as { data?: unknown } | null | undefined)?.data;
  const rows: unknown[] = Array.isArray(data) ? data : [data];
  return rows.filter((row): row is Row => typeof row === "object" && row !== null);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns a response whose body is read once, by the client within its limits, and what the client has read of it. */
function observed(
  response: Response,
): { readonly response: Response; readonly text: () => string } {
  if (response.body === null) return { response, text: () => "" };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let isWhole = false;
  const observer = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      chunks.push(chunk);
      controller.enqueue(chunk);
    },
    flush: () => void (isWhole = true),
  });
  const { status, headers: given } = response;
  const headers = new Headers(given);
  // `fetch` has decoded the body.
  headers.delete("content-encoding");
  const text = () => {
    const decoder = new TextDecoder();
    const parts = isWhole ? chunks.map((chunk) => decoder.decode(chunk, { stream: true })) : [];
    chunks.length = 0;
    return parts.join("") + decoder.decode();
  };
  return { response: new Response(response.body.pipeThrough(observer), { status, headers }), text };
}

/** Records what a service answers, and ends after too many requests. */
function recorder(given: ConnectOptions["fetch"] = (request) => fetch(request)) {
  const answers: (Omit<Answer, "body"> & { readonly text: () => string })[] = [];
  let sent = 0;
  const record: typeof given = async (request) => {
    if (sent === MOST_REQUESTS) throw new Error(`more than ${MOST_REQUESTS} requests`);
    sent += 1;
    const { response, text } = observed(await given(request));
    answers.push({
      status: response.status,
      headers: [...response.headers.keys()],
      through: response.headers.get("data-through"),
      text,
    });
    return response;
  };
  return { answers, record, sent: () => sent };
}

/** Creates a connection that sends every request, also if the environment names a cache. */
function freshConnection(options: ConnectOptions): Connection {
  try {
    return connect({ ...options, cache: { mode: "refresh" } });
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("cache.dir:"))) throw error;
    return connect(options);
  }
}

/** Sends the requests of a probe. */
export type Asking = ReturnType<typeof askingOf>;

/** Creates the connection of a probe, and a function that calls an operation on it and returns its last answer. */
export function askingOf(options: ConnectOptions) {
  const { answers, record, sent } = recorder(options.fetch);
  // Without an own fetch, this refuses a proxy that would see the token.
  if (options.fetch === undefined) connect(options);
  const connection = freshConnection({
    ...options,
    fetch: record,
    retries: 1,
    onMissing: "ignore",
  });
  const headers = new Set<string>();
  let stopped: string | null = null;

  /** Calls an operation. Returns its last answer, and its frame if the answer could be read. */
  const ask = async (call: (connection: Connection) => Promise<DataFrame>) => {
    if (stopped !== null) return { answer: null, frame: null };
    let frame: DataFrame | null = null;
    try {
      frame = await call(connection);
    } catch (error) {
      const isSpent = sent() === MOST_REQUESTS;
      if (!(error instanceof ChainframeError) && !isSpent) throw error;
      if (isSpent) stopped = `${MOST_REQUESTS} requests were sent`;
    }
    const last = answers.at(-1);
    for (const name of answers.flatMap((each) => each.headers)) headers.add(name);
    answers.length = 0;
    if (last === undefined) stopped ??= "the service cannot be reached";
    else if (last.status === 401 || last.status === 403) {
      stopped = `the service answered ${last.status}: the token is missing or refused`;
    }
    const answer = last === undefined ? null : { ...last, body: parsed(last.text()) };
    return { answer, frame };
  };
  return { ask, connection, headers, sent, stopped: () => stopped };
}
