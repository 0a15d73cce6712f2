import type { Answer } from "./answer.ts";
import { attempt } from "./attempt.ts";
import { type Connection, settingsOf } from "./connection.ts";
import { envelopeOf } from "./envelope.ts";
import { failureOf } from "./failure.ts";
import type { Question } from "./question.ts";
import { questionUrl } from "./question_url.ts";
import type { Settings } from "./settings.ts";
import { sha256 } from "./sha256.ts";

function requestOf(url: string, { method, body }: Question, { token }: Settings): Request {
  const headers = new Headers({ accept: "application/json", authorization: `Bearer ${token()}` });
  if (body === null) return new Request(url, { method, headers, redirect: "manual" });
  headers.set("content-type", "application/json");
  return new Request(url, { method, headers, body: JSON.stringify(body), redirect: "manual" });
}

async function askOnce(question: Question, settings: Settings): Promise<Answer> {
  settings.signal?.throwIfAborted();
  const url = questionUrl(settings.baseUrl, question);
  const context = { operation: question.operation, url, attempts: 1 };
  const { status, bytes } = await attempt(requestOf(url, question, settings), settings, context);
  if (status !== 200) throw failureOf(status, new TextDecoder().decode(bytes), context, null);
  return {
    ...envelopeOf(bytes, { ...context, status }),
    url,
    source: settings.target,
    retrieved_at: new Date(),
    attempts: 1,
    renamed: [],
    sha256: await sha256(bytes),
  };
}

/**
 * Sends a question over a connection and brings its answers: one, or several where the question is
 * too long for one request and was split.
 *
 * @throws {ChainframeError} of the class that says what went wrong.
 */
export async function ask(question: Question, connection: Connection): Promise<Answer[]> {
  return [await askOnce(question, settingsOf(connection))];
}
