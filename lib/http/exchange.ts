import {
  attemptName,
  ChainframeError,
  ConfigurationError,
  type ErrorContext,
  NetworkError,
  ResponseError,
  ServiceError,
  TimeoutError,
} from "./errors.ts";
import { createTimer, orAborted } from "./clock.ts";
import { redactCause } from "./redact.ts";
import type { Waiting } from "./pace.ts";
import type { Question } from "./question.ts";
import type { Settings } from "./settings.ts";

/** An answer as far as it has been read. */
interface Reading {
  /** Has room for more than has been read. */
  buffer: ArrayBuffer;
  length: number;
}

const FIRST_ROOM = 65_536;

/** Makes room for an answer. */
export function newReading(): Reading {
  return { buffer: new ArrayBuffer(0), length: 0 };
}

/** The first characters of what has been read, for a message. */
export function beginningOf({ buffer, length }: Reading): string {
  return new TextDecoder().decode(new Uint8Array(buffer, 0, Math.min(length, 4_096)));
}

// What a stream hands out is kept no longer than it takes to copy it: each piece may hold on to a buffer
// many times its size.
function append(reading: Reading, piece: Uint8Array, room: number): void {
  const length = reading.length + piece.length;
  if (length > reading.buffer.byteLength) {
    reading.buffer = reading.buffer.transfer(Math.max(length, Math.min(2 * length, room)));
  }
  new Uint8Array(reading.buffer).set(piece, reading.length);
  reading.length = length;
}

/** Whether a piece is a body of this length, and nothing else stands in its buffer. */
function isWhole(piece: Uint8Array, declared: number): piece is Uint8Array<ArrayBuffer> {
  const { buffer, length } = piece;
  return length === declared && buffer.byteLength === length && buffer instanceof ArrayBuffer;
}

/**
 * Reads the body of a response to its last byte; null when it is longer than the limit, of which no more
 * than the limit is ever held. What was read until an error stays in `reading`.
 */
export async function readBody(
  response: Response,
  limit: number,
  reading: Reading,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const declared = Number(response.headers.get("content-length") ?? 0);
  let next = await reader.read();
  // A body that comes in one piece, as from a service in this process, is not copied.
  if (!next.done && declared <= limit && isWhole(next.value, declared)) {
    const whole = next.value;
    Object.assign(reading, { buffer: whole.buffer, length: declared });
    next = await reader.read();
    if (next.done) return whole;
    reading.buffer = reading.buffer.slice();
  } else {
    reading.buffer = reading.buffer.transfer(Math.min(Math.max(declared, FIRST_ROOM), limit));
  }
  while (!next.done) {
    const { value } = next;
    if (reading.length + value.length > limit) {
      append(reading, value.subarray(0, Math.max(0, 4_096 - reading.length)), 0);
      await reader.cancel();
      return null;
    }
    append(reading, value, limit);
    next = await reader.read();
  }
  return new Uint8Array(reading.buffer.transfer(reading.length));
}

/** What ends an errand. */
interface Signals {
  /** Ends what is being sent. */
  readonly sends: AbortSignal | null;
  /** Ends what waits to be sent. */
  readonly waits: AbortSignal;
}

/** One question on its way. */
export interface Errand {
  readonly question: Question;
  readonly url: string;
  /** Sent along, so that the service may say that nothing has changed (304); null for none. */
  readonly etag: string | null;
  /** The statuses of a good reply besides 304. */
  readonly good: readonly number[];
  readonly signals: Signals;
  /** Is told that the errand waits. */
  readonly waiting: Waiting;
  /** What its errors say about it. */
  readonly about: ErrorContext;
}

/** What one exchange brought. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The most bytes that an answer may have. */
const LARGEST_ANSWER = 256 * 1024 * 1024;

function beginsWith(reading: Reading, { redact }: Settings): string {
  return `it begins with: ${redact(beginningOf(reading)).slice(0, 200) || "(nothing)"}`;
}

const SENDING_CODES = /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_|NOTFOUND|ADDR)|UND_ERR_|ERR_(TLS|SSL))/;
const SENDING_WORDS =
  /error sending request|fetch failed|failed to fetch|network ?error|no route to host|socket hang up|connection (was )?(refused|reset|closed|aborted)|reading a body|terminated/i;

/** Whether an error says, by its code or its words, that a request could not be sent or answered. */
function isFailureOfSending(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string" && SENDING_CODES.test(code)) return true;
  return SENDING_WORDS.test(error.message) || isFailureOfSending(error.cause);
}

/** How far an exchange has come. */
interface Stage {
  response: Response | null;
  readonly reading: Reading;
}

/** What broke an exchange, in the terms of who asked. */
function breakOf(
  cause: unknown,
  { response, reading }: Stage,
  { about, settings }: { readonly about: ErrorContext; readonly settings: Settings },
): ChainframeError {
  const { redact } = settings;
  const context = { ...about, cause: redactCause(cause, redact) };
  const reason = redact(cause instanceof Error ? cause.message : String(cause));
  if (cause instanceof Deno.errors.NotCapable) {
    return new ConfigurationError(`${about.operation}: Deno does not allow it: ${reason}`, context);
  }
  if (settings.target === "sample") {
    return new ServiceError(`${about.operation}: the embedded service failed: ${reason}`, context);
  }
  if (response === null) {
    const under = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : "";
    const why = under === "" ? reason : `${reason}: ${redact(under)}`;
    return new NetworkError(
      `${attemptName(about)}: no connection to ${new URL(settings.baseUrl).origin}: ${why}`,
      context,
    );
  }
  // Deno says this of a connection that broke, and something else of bytes that do not decompress.
  const encoding = response.headers.get("content-encoding");
  if (encoding !== null && !reason.includes("reading a body from connection")) {
    return new ResponseError(
      `${about.operation}: the answer must be ${redact(encoding)}, as it says: ${reason}; ${
        beginsWith(reading, settings)
      }`,
      { ...context, status: response.status, expected: redact(encoding), got: reason },
    );
  }
  return new NetworkError(
    `${
      attemptName(about)
    }: the connection broke after ${reading.length} bytes of the answer: ${reason}; ${
      beginsWith(reading, settings)
    }`,
    { ...context, status: response.status },
  );
}

/**
 * One exchange: sends a request once and reads its reply to the last byte, within the connection's
 * timeout.
 *
 * @throws {TimeoutError} when the answer is not whole in time.
 * @throws {NetworkError} when the connection could not be made, or broke.
 * @throws {ResponseError} when the answer is too large, or is not compressed as it says.
 * @throws what the user's own `fetch` throws, where that is no failure of sending.
 */
export async function exchange(
  requestFor: (signal: AbortSignal) => Request,
  { about, signals }: Errand,
  settings: Settings,
): Promise<Reply> {
  const timer = createTimer(settings.clock, [signals.sends]);
  const stage: Stage = { response: null, reading: newReading() };

  const sendAndRead = async () => {
    const response = await settings.fetch(requestFor(timer.signal));
    if (typeof response?.status !== "number") throw new TypeError("fetch: must give a Response");
    if (timer.signal.aborted) await response.body?.cancel();
    stage.response = response;
    const { status, headers } = response;
    const declared = Number(headers.get("content-length") ?? 0);
    const limit = declared > LARGEST_ANSWER ? 0 : LARGEST_ANSWER;
    const bytes = await readBody(response, limit, stage.reading);
    if (bytes !== null) return { status, headers, bytes };
    const expected = "256 MB at most";
    throw new ResponseError(
      `${about.operation}: the answer must be ${expected}; ${beginsWith(stage.reading, settings)}`,
      { ...about, status, expected },
    );
  };

  timer.start(settings.timeout);
  try {
    return await orAborted(sendAndRead(), timer.signal);
  } catch (cause) {
    if (cause instanceof ChainframeError) throw cause;
    signals.sends?.throwIfAborted();
    // What the user's own code throws for another reason is the user's to see, but for the token.
    if (settings.ownFetch && stage.response === null && !timer.expired()) {
      const notAllowed = cause instanceof Deno.errors.NotCapable;
      if (!notAllowed && !isFailureOfSending(cause)) throw redactCause(cause, settings.redact);
    }
    if (!timer.expired()) throw breakOf(cause, stage, { about, settings });
    const missing = stage.response === null ? "no answer" : "no whole answer";
    throw new TimeoutError(
      `${attemptName(about)}: ${missing} within ${settings.timeout} ms: ${about.url}`,
      { ...about, status: stage.response?.status },
    );
  } finally {
    timer.end();
  }
}
