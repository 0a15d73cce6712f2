import { type Answer, envelopeOf, failureOf } from "./envelope.ts";
import type { Entry } from "./cache_entry.ts";
import { CacheError, NotFoundError } from "./errors.ts";
import { dateOfDay, dayOf } from "../schema/period.ts";
import type { Operation } from "../schema/vocabulary.ts";
import { rememberRemoval } from "./cache.ts";
import type { Session, Waiters } from "./session.ts";
import { type RetriedReply, retry } from "./retry.ts";
import { type Question, questionUrl } from "./question.ts";
import { sha256 } from "../platform/machine.ts";

/** Who asked, and what an answer or an error says about the question. */
interface Asked {
  readonly question: Question;
  readonly session: Session;
  readonly about: {
    readonly operation: Operation;
    readonly url: string;
    readonly attempts: number;
  };
}

function isFresh(entry: Entry, { settled }: Question, { settings }: Session): boolean {
  // What did not exist may exist by now.
  if (entry.status !== 200) return false;
  const age = settings.clock.now() - entry.checked_at.getTime();
  if (settled !== undefined && age >= 0 && entry.checked_at > settled) return true;
  const maxAge = settings.cache?.maxAge ?? (settled === undefined ? Infinity : 0);
  // An answer from the future has no age to be trusted.
  return maxAge === Infinity || (age >= 0 && age < maxAge);
}

function answerFrom(entry: Entry, source: Answer["source"], asked: Asked): Answer {
  const { session, about } = asked;
  const { bytes, status, etag: _, ...kept } = entry;
  const { redact } = session.settings;
  if (status !== 200) {
    throw failureOf(status, new TextDecoder().decode(bytes), about, { redact });
  }
  const envelope = envelopeOf(bytes, { ...about, status }, redact);
  for (const { from, to } of kept.renamed) {
    session.settings.warn(
      `chainframe: ${about.operation}: the service answers ${from} under ${to}`,
    );
  }
  const { url, attempts } = about;
  return { ...envelope, ...kept, source, url, attempts };
}

/** The day in a header of an answer; null where there is none, or no day that exists. */
function dayIn(headers: Headers, name: string): Date | null {
  const text = headers.get(name);
  const day = text === null ? NaN : dayOf(text.trim());
  return Number.isNaN(day) ? null : dateOfDay(day);
}

function entryOf(reply: RetriedReply, now: Date): Entry {
  const { status, bytes, renamed, headers } = reply;
  return {
    status,
    bytes,
    sha256: sha256(bytes),
    etag: status === 200 ? headers.get("etag") : null,
    renamed,
    retrieved_at: now,
    checked_at: now,
    data_through: dayIn(headers, "data-through"),
    data_since: dayIn(headers, "data-since"),
  };
}

/** The error of a question whose answer is not kept, or was not by then. */
async function notKept(
  question: Question,
  { settings, cache }: Session,
  about: Asked["about"],
): Promise<CacheError> {
  const { dir, asOf } = settings.cache!;
  const [first] = asOf === null ? [] : await cache!.times(question);
  const why = first === undefined
    ? `and the answer is not in the cache in ${dir}`
    : first > asOf!
    ? `and the first answer in the cache in ${dir} was retrieved ${first.toISOString()}`
    : `and the answer of then is damaged in the cache in ${dir}`;
  const when = asOf === null ? "" : ` as of ${asOf.toISOString()}`;
  return new CacheError(`${about.operation}: offline${when}, ${why}: ${about.url}`, about);
}

/** What is kept, after the service said that it still holds (304). */
function checkedAgain(entry: Entry, headers: Headers, now: Date): Entry {
  return {
    ...entry,
    etag: headers.get("etag") ?? entry.etag,
    checked_at: now,
    // The same bytes may by now be all there is up to a later day.
    data_through: dayIn(headers, "data-through") ?? entry.data_through,
    data_since: dayIn(headers, "data-since") ?? entry.data_since,
  };
}

/** An answer that is kept; it goes from the cache once it turns out to be malformed. */
async function keptAnswer(entry: Entry, asked: Asked): Promise<Answer> {
  const remove = async () => await asked.session.cache?.remove(asked.question);
  try {
    const answer = answerFrom(entry, "cache", asked);
    rememberRemoval(answer, remove);
    return answer;
  } catch (error) {
    if (!(error instanceof NotFoundError)) await remove();
    throw error;
  }
}

/** An answer that has come, and is kept from now on: so is a 404 that says what there is to know. */
async function newAnswer(entry: Entry, asked: Asked): Promise<Answer> {
  const { question, session: { cache, settings } } = asked;
  try {
    const answer = answerFrom(entry, settings.target, asked);
    await cache?.write(question, entry);
    if (cache !== null) rememberRemoval(answer, () => cache.remove(question));
    return answer;
  } catch (error) {
    if (error instanceof NotFoundError) await cache?.write(question, entry);
    throw error;
  }
}

/**
 * The answer of one question: from the cache where it may, else from the service.
 *
 * @throws {CacheError} in offline mode, when the cache does not hold it.
 */
export async function answerOf(
  question: Question,
  session: Session,
  { stop, waiting }: Waiters,
): Promise<Answer> {
  const { settings, cache } = session;
  const { operation } = question;
  const mode = settings.cache?.mode;
  const url = questionUrl(settings.baseUrl, question);
  const about = { operation, url: settings.redact(url), attempts: 0 };

  const before = mode === "refresh" ? null : await cache?.read(question) ?? null;
  settings.signal?.throwIfAborted();
  if (mode === "offline") {
    if (before === null) throw await notKept(question, session, about);
    // Here the folder is all there is: nothing goes from it.
    return answerFrom(before, "cache", { question, session, about });
  }
  if (before !== null && isFresh(before, question, session)) {
    return await keptAnswer(before, { question, session, about });
  }

  const etag = before?.etag ?? null;
  // A 404 of a project is what the service knows about it: offline it is as good as an answer.
  const good = cache !== null && operation === "project" ? [200, 404] : [200];
  const signals = { sends: settings.signal, waits: stop };
  const reply = await retry({ question, url, etag, good, signals, waiting, about }, session);
  const asked = { question, session, about: { ...about, attempts: reply.attempts } };
  const now = new Date(settings.clock.now());
  if (reply.status === 304 && before !== null) {
    const entry = checkedAgain(before, reply.headers, now);
    await cache?.renew(question, entry);
    return await keptAnswer(entry, asked);
  }
  return await newAnswer(entryOf(reply, now), asked);
}
