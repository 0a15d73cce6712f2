import { type ChainframeError, NetworkError } from "./errors.ts";
import { failureOf, messageIn, type ParsedBody, parsedBody } from "./response.ts";
import { type RawResponse, send, type Sending } from "./send.ts";
import { createTimer } from "./clock.ts";
import type { Pace } from "./pace.ts";
import { SILENCE_MS } from "./progress.ts";
import type { ConnectionSettings } from "./settings.ts";

const FIRST = 500;
const LONGEST = 8_000;

/**
 * Returns how long to wait after a number of failed attempts, in milliseconds. The wait is a random time below a bound,
 * which doubles with each attempt from 500 ms to 8 s. The wait is random so that clients that failed at the same time
 * retry at different times.
 */
function backoff(attempts: number, random: number): number {
  return random * Math.min(LONGEST, FIRST * 2 ** (attempts - 1));
}

/** Returns the time of an HTTP date, in one of its three forms. Date.parse alone would accept almost any text. */
function dateOf(text: string): number | null {
  // Dates in the last form have no zone and are in GMT.
  const zoned = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/.test(text)
    ? `${text} GMT`
    : text;
  const time = /^[A-Z][a-z]+,? .* GMT$/.test(zoned) ? Date.parse(zoned) : NaN;
  return Number.isNaN(time) ? null : time;
}

/**
 * Returns the wait that a response requests in `Retry-After`, in milliseconds; null if the header is missing or
 * invalid. The header contains a number of seconds or a date. A date is compared with the `Date` header of the
 * response, so that a wrong clock of this machine does not matter.
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const until = dateOf(text);
  if (until === null) return null;
  const from = dateOf(headers.get("date")?.trim() ?? "") ?? now;
  return Math.max(0, until - from);
}

const RETRIED: readonly number[] = [429, 500, 502, 503, 504];

/**
 * Sends a request until it succeeds, with a body that is JSON, or reaches the maximum number of retries or the deadline. The deadline starts when
 * the request is first sent, not when it is queued.
 *
 * @throws {ChainframeError} when the last attempt fails. The error contains the number of attempts. When the deadline
 * passes, or would pass before the next attempt, the error is a {@linkcode NetworkError}.
 */
export async function retry(
  sending: Sending,
  settings: ConnectionSettings,
  pace: Pace,
): Promise<RawResponse & { readonly attempts: number; readonly parsed?: ParsedBody }> {
  const { request: { operation, file }, waiting, watch } = sending;
  const { clock, deadline, redact, retries, maxRetryAfter } = settings;
  const sends = createTimer(clock, [sending.sends]);
  const waits = AbortSignal.any([sends.signal, sending.waits]);
  let started: number | null = null;
  let attempts = 0;
  let last: ChainframeError | null = null;

  const late = () =>
    new NetworkError(
      `${operation}: no successful response before the deadline of ${deadline} ms${
        last === null ? "" : `; the last attempt: ${last.message}`
      }`,
      { ...sending.about, attempts, cause: last ?? undefined, status: last?.status },
    );

  try {
    for (;;) {
      const about = { ...sending.about, attempts: ++attempts };
      await pace.enter(waits, waiting);
      started ??= clock.elapsed();
      sends.start(deadline);
      watch.begin(attempts);
      let asked: number | null = null;
      let isBroken = false;
      try {
        const each = { ...sending, sends: sends.signal, waits, about };
        const response = await send(each, settings, pace);
        const { status, headers, bytes } = response;
        const isConfirmed = status === 304 && sending.etag !== null;
        if (status === 200 && file === undefined) {
          // A body that is cut, empty or a page of a proxy is as transient as a status of 500.
          isBroken = true;
          return { ...response, attempts, parsed: parsedBody(bytes, { ...about, status }, redact) };
        }
        if (sending.good.includes(status) || isConfirmed) return { ...response, attempts };
        asked = retryAfterOf(headers, clock.now());
        const body = new TextDecoder().decode(bytes);
        const refused = status === 403 && settings.token() !== "" &&
          /^invalid token\W*$/i.test(messageIn(body).trim());
        const note = refused
          ? `; the token comes from ${settings.tokenFrom}. The API needs a plan with API access: see docs/errors.md`
          : asked === null || asked <= maxRetryAfter
          ? ""
          : `; Retry-After is ${asked} ms, above maxRetryAfter of ${maxRetryAfter} ms`;
        last = failureOf(status, body, about, { asked, note, redact });
      } catch (error) {
        if (!(error instanceof NetworkError) && !isBroken) throw error;
        last = error as ChainframeError;
      } finally {
        pace.leave();
      }
      const isTransient = isBroken || last instanceof NetworkError ||
        RETRIED.includes(last.status ?? 0);
      const isTooLong = asked !== null && asked > maxRetryAfter;
      if (!isTransient || isTooLong || attempts > retries) throw last;
      const wait = asked || backoff(attempts, clock.random());
      if (clock.elapsed() + wait >= started + deadline) throw late();
      if (last.status === 429) pace.hold(wait);
      waiting(wait);
      if (wait > SILENCE_MS) watch.begin(attempts + 1);
      else watch.end();
      await clock.sleep(wait, waits);
      waiting(0);
    }
  } catch (error) {
    sending.sends?.throwIfAborted();
    throw sends.expired() ? late() : error;
  } finally {
    watch.end();
    sends.end();
  }
}
