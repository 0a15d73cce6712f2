import { type ChainframeError, NetworkError, TimeoutError } from "./errors.ts";
import { failureOf } from "./envelope.ts";
import type { Errand } from "./exchange.ts";
import { redirect, type RedirectedReply } from "./redirect.ts";
import type { Session } from "./session.ts";
import { createTimer } from "./clock.ts";

const FIRST = 500;
const LONGEST = 8_000;

/**
 * How long to wait after a number of failed attempts, in milliseconds: somewhere between nothing and a
 * bound that doubles from 500 ms to 8 s, so that clients which failed together do not come back together.
 */
export function backoff(attempts: number, random: number): number {
  return random * Math.min(LONGEST, FIRST * 2 ** (attempts - 1));
}

// The three spellings of a date in HTTP, the newest first; the last one has no zone and means GMT.
const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
] as const;

function dateOf(text: string): number | null {
  // Date.parse alone reads a date into almost anything.
  if (!DATES.some((pattern) => pattern.test(text))) return null;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}

/**
 * How long an answer asks to wait, in milliseconds: `Retry-After` in seconds or as a date; null where it
 * says nothing that can be read. A date is measured from the answer's own `Date`, so that a machine whose
 * clock is wrong waits no longer.
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const until = dateOf(text);
  if (until === null) return null;
  const from = dateOf(headers.get("date")?.trim() ?? "") ?? now;
  return Math.max(0, until - from);
}

/** A good reply, and how many times it took. */
export interface RetriedReply extends RedirectedReply {
  readonly attempts: number;
}

/** What an attempt that brought no good reply left behind. */
interface Setback {
  readonly error: ChainframeError;
  /** How long the service asked to wait; null where it did not say. */
  readonly asked: number | null;
}

const RETRIED: readonly number[] = [429, 500, 502, 503, 504];

function mayPass({ error }: Setback): boolean {
  return error instanceof NetworkError || error instanceof TimeoutError ||
    RETRIED.includes(error.status ?? 0);
}

/** What to add to a message when the service asks for a longer wait than the connection grants. */
function tooLong(asked: number | null, maxRetryAfter: number): string {
  if (asked === null || asked <= maxRetryAfter) return "";
  return `; it asks to wait ${asked} ms, and maxRetryAfter is ${maxRetryAfter} ms`;
}

/** Sends an errand's question once: a good reply, or what it left behind. */
async function sendOnce(errand: Errand, session: Session): Promise<RedirectedReply | Setback> {
  const { clock, redact, maxRetryAfter } = session.settings;
  try {
    const reply = await redirect(errand, session);
    const { status, headers, bytes } = reply;
    if (errand.good.includes(status) || (status === 304 && errand.etag !== null)) return reply;
    const asked = retryAfterOf(headers, clock.now());
    const body = new TextDecoder().decode(bytes);
    const note = tooLong(asked, maxRetryAfter);
    return { error: failureOf(status, body, errand.about, { asked, note, redact }), asked };
  } catch (error) {
    if (!(error instanceof NetworkError || error instanceof TimeoutError)) throw error;
    return { error, asked: null };
  }
}

/**
 * Sends an errand's question until a good reply comes, as often and as long as the connection says.
 *
 * The deadline counts from the moment the question is first sent: a long queue is no reason to fail.
 *
 * @throws {ChainframeError} the last failure, with the number of attempts; {@linkcode TimeoutError} when
 * the deadline passes, or would pass before the next attempt.
 */
export async function retry(errand: Errand, session: Session): Promise<RetriedReply> {
  const { settings, pace } = session;
  const { question: { operation }, waiting } = errand;
  const { clock, deadline, retries, maxRetryAfter } = settings;
  const sends = createTimer(clock, [errand.signals.sends]);
  const waits = createTimer(clock, [sends.signal, errand.signals.waits]);
  const signals = { sends: sends.signal, waits: waits.signal };
  let started: number | null = null;
  let last: Setback | null = null;

  const late = (attempts: number) =>
    new TimeoutError(
      `${operation}: no good answer before the deadline of ${deadline} ms${
        last === null ? "" : `; the last attempt: ${last.error.message}`
      }`,
      { ...errand.about, attempts, cause: last?.error, status: last?.error.status },
    );

  const once = async (attempts: number): Promise<RedirectedReply | Setback> => {
    await pace.enter(waits.signal, waiting);
    started ??= clock.elapsed();
    sends.start(deadline);
    try {
      return await sendOnce({ ...errand, signals, about: { ...errand.about, attempts } }, session);
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
      if (!mayPass(last) || attempts > retries) throw last.error;
      if (last.asked !== null && last.asked > maxRetryAfter) throw last.error;
      const wait = last.asked || backoff(attempts, clock.random());
      if (started !== null && clock.elapsed() + wait >= started + deadline) throw late(attempts);
      if (last.error.status === 429) pace.hold(wait);
      waiting(wait);
      await clock.sleep(wait, waits.signal);
      waiting(0);
    }
  } catch (error) {
    errand.signals.sends?.throwIfAborted();
    throw sends.expired() ? late(attempts) : error;
  } finally {
    sends.end();
    waits.end();
  }
}
