import type { Answer } from "./answer.ts";
import type { Kept } from "./cache_entry.ts";
import { envelopeOf } from "./envelope.ts";
import type { ErrorContext } from "./errors/chainframe_error.ts";
import { CacheError } from "./errors/cache_error.ts";
import type { Line } from "./line.ts";
import type { Waiting } from "./pace.ts";
import { persist } from "./persist.ts";
import type { Question } from "./question.ts";
import { questionUrl } from "./question_url.ts";
import { sha256 } from "./sha256.ts";

function answerFrom(kept: Kept, { settings }: Line, context: ErrorContext): Answer {
  const { retrieved_at, renamed, sha256, bytes } = kept;
  const { data, errors, body } = envelopeOf(bytes, { ...context, status: 200 }, settings.redact);
  const { url = "", attempts = 0 } = context;
  return { data, errors, body, url, source: "cache", retrieved_at, attempts, renamed, sha256 };
}

function isFresh(kept: Kept, { settings: { cache, clock } }: Line): boolean {
  const age = clock.now() - kept.checked_at.getTime();
  const maxAge = cache?.maxAge ?? 0;
  // An answer from the future has no age that could be trusted.
  return maxAge === Infinity || (age >= 0 && age < maxAge);
}

/**
 * The answer of one question: from the cache where it may, else from the service.
 *
 * @throws {CacheError} in offline mode, when the cache does not hold it.
 */
export async function answerOf(
  question: Question,
  line: Line,
  stop: AbortSignal,
  waiting: Waiting,
): Promise<Answer> {
  const { settings, cache, warn } = line;
  const { redact, clock } = settings;
  const { operation } = question;
  const mode = settings.cache?.mode;
  const url = questionUrl(settings.baseUrl, question);
  const context = { operation, url: redact(url) };

  const kept = cache === null || mode === "refresh" ? null : await cache.read(question);
  settings.signal?.throwIfAborted();
  if (kept !== null && (mode === "offline" || isFresh(kept, line))) {
    return answerFrom(kept, line, { ...context, attempts: 0 });
  }
  if (mode === "offline") {
    throw new CacheError(
      `${operation}: offline, and the answer is not in the cache in ${settings.cache?.dir}: ${context.url}`,
      { ...context, attempts: 0 },
    );
  }

  const reply = await persist(question, url, kept?.etag ?? null, line, stop, waiting);
  const { attempts, renamed, bytes } = reply;
  for (const { from, to } of renamed) {
    warn(`chainframe: ${operation}: the service answers ${from} under ${to}`);
  }
  const now = new Date(clock.now());
  const etag = reply.headers.get("etag");
  if (reply.status === 304 && kept !== null) {
    await cache?.note(question, { ...kept, etag: etag ?? kept.etag, checked_at: now });
    return answerFrom(kept, line, { ...context, attempts });
  }
  const about = { ...context, attempts, status: 200 };
  const { data, errors, body, echoes } = envelopeOf(bytes, about, redact);
  const digest = await sha256(bytes);
  if (echoes) {
    if (cache !== null) {
      warn(`chainframe: ${operation}: not kept in the cache, since it holds the token`);
    }
  } else {
    await cache?.write(question, {
      bytes,
      sha256: digest,
      etag,
      renamed,
      retrieved_at: now,
      checked_at: now,
    });
  }
  return {
    data,
    errors,
    body,
    url: context.url,
    source: settings.target,
    retrieved_at: now,
    attempts,
    renamed,
    sha256: digest,
  };
}
