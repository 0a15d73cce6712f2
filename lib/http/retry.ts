import { type ChainframeError, NetworkError } from "./errors.ts";
import { failureOf, type Redirection } from "./response.ts";
import { type RawResponse, send, type Sending } from "./send.ts";
import { createTimer } from "./clock.ts";
import type { Pace } from "./pace.ts";
import type { Settings } from "./options.ts";

const FIRST = 500;
const LONGEST = 8_000;

/**
 * Returns how long to wait after a number of failed attempts, in milliseconds: a random time up to a bound that
 * doubles from 500 ms to 8 s. Clients that failed together then retry at different times.
 */
export function backoff(attempts: number, random: number): number {
  return random * Math.min(LONGEST, FIRST * 2 ** (attempts - 1));
}

// The three date formats of HTTP, newest first. The last format has no zone, and means GMT.
const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
] as const;

function dateOf(text: string): number | null {
  // Date.parse accepts almost any text as a date.
  if (!DATES.some((pattern) => pattern.test(text))) return null;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}

/**
 * Returns the wait that a response requests, in milliseconds, from `Retry-After` in seconds or as a date; null if the
 * header is missing or invalid. A date is compared with the response's own `Date` header, so that a wrong clock of
 * this machine makes no difference.
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const until = dateOf(text);
  if (until === null) return null;
  const from = dateOf(headers.get("date")?.trim() ?? "") ?? now;
  return Math.max(0, until - from);
}

/** A successful response, and the number of attempts. */
export interface SentResponse extends RawResponse {
  readonly renamed: readonly Redirection[];
  readonly attempts: number;
}

/** A failed attempt. */
interface Failure {
  readonly error: ChainframeError;
  /** The wait that the service requested, in milliseconds; null if it requested none. */
  readonly asked: number | null;
}

const RETRIED: readonly number[] = [429, 500, 502, 503, 504];

function isTransient({ error }: Failure): boolean {
  return error instanceof NetworkError || RETRIED.includes(error.status ?? 0);
}

/** Returns a note for the message if the service requests a longer wait than the connection allows. */
function tooLong(asked: number | null, maxRetryAfter: number): string {
  if (asked === null || asked <= maxRetryAfter) return "";
  return `; Retry-After is ${asked} ms, above maxRetryAfter of ${maxRetryAfter} ms`;
}

/**
 * Sends a request until it succeeds or a limit of the connection is reached. The deadline starts when the request is
 * first sent, not when it is queued.
 *
 * @throws {ChainframeError} the last failure, with the number of attempts; {@linkcode NetworkError} when the
 * deadline passes, or would pass before the next attempt.
 */
export async function retry(
  sending: Sending,
  settings: Settings,
  pace: Pace,
): Promise<SentResponse> {
  const { request: { operation }, waiting } = sending;
  const { clock, deadline, redact, retries, maxRetryAfter } = settings;
  const sends = createTimer(clock, [sending.sends]);
  const waits = AbortSignal.any([sends.signal, sending.waits]);
  let started: number | null = null;
  let last: Failure | null = null;

  const late = (attempts: number) =>
    new NetworkError(
      `${operation}: no successful response before the deadline of ${deadline} ms${
        last === null ? "" : `; the last attempt: ${last.error.message}`
      }`,
      { ...sending.about, attempts, cause: last?.error, status: last?.error.status },
    );

  /** Sends the request once; returns its successful response, or the failure. */
  const once = async (attempts: number) => {
    await pace.enter(waits, waiting);
    started ??= clock.elapsed();
    sends.start(deadline);
    const about = { ...sending.about, attempts };
    try {
      const response = await send(
        { ...sending, sends: sends.signal, waits, about },
        settings,
        pace,
      );
      const { status, headers, bytes } = response;
      const isConfirmed = status === 304 && sending.etag !== null;
      if (sending.good.includes(status) || isConfirmed) return response;
      const asked = retryAfterOf(headers, clock.now());
      const body = new TextDecoder().decode(bytes);
      const note = tooLong(asked, maxRetryAfter);
      return { error: failureOf(status, body, about, { asked, note, redact }), asked };
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      return { error, asked: null };
    } finally {
      pace.leave();
    }
  };

  let attempts = 1;
  try {
    for (;; attempts++) {
      const outcome = await once(attempts);
      if ("bytes" in outcome) return { ...outcome, attempts };
      last = outcome;
      if (!isTransient(last) || attempts > retries) throw last.error;
      if (last.asked !== null && last.asked > maxRetryAfter) throw last.error;
      const wait = last.asked || backoff(attempts, clock.random());
      if (started !== null && clock.elapsed() + wait >= started + deadline) throw late(attempts);
      if (last.error.status === 429) pace.hold(wait);
      waiting(wait);
      await clock.sleep(wait, waits);
      waiting(0);
    }
  } catch (error) {
    sending.sends?.throwIfAborted();
    throw sends.expired() ? late(attempts) : error;
  } finally {
    sends.end();
  }
}
