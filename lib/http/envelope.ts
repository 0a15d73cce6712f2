import {
  attemptName,
  AuthenticationError,
  type ChainframeError,
  type ErrorContext,
  NotFoundError,
  RateLimitError,
  RequestError,
  ResponseError,
  ServiceError,
  SubscriptionError,
} from "./errors.ts";
import { type Redact, redactCause, redactValue } from "./redact.ts";

/** A path that a redirect led from, and the one that it led to. */
export interface Redirection {
  readonly from: string;
  readonly to: string;
}

/** What the reply to a question holds, read: `data`, and `errors` where some entities were not found. */
export interface Envelope {
  readonly data: () => unknown;
  /** The entity errors; empty where there are none. */
  readonly errors: readonly unknown[];
  /** What it says beside `data` and `errors`, a text for each thing. */
  readonly notes: readonly string[];
  /** The whole of it, as text, for an error to keep: without the token, which `data` is never searched for. */
  readonly body: () => string;
}

/** An envelope, and where it came from. */
export interface Answer extends Envelope {
  /** The URL that was asked. */
  readonly url: string;
  readonly source: "service" | "cache" | "sample";
  /** When the bytes came from the service, for a cached answer too. */
  readonly retrieved_at: Date;
  /** When the service last said that these are the bytes. */
  readonly checked_at: Date;
  /** How many times the request was sent; 0 where the cache answered and nobody was asked. */
  readonly attempts: number;
  readonly renamed: readonly Redirection[];
  /** SHA-256 of the answer's bytes, in hex. */
  readonly sha256: string;
  /** The last day of the service's data; null where it does not say. */
  readonly data_through: Date | null;
  /** The first day of the service's data; null where it does not say. */
  readonly data_since: Date | null;
}

/** What an envelope says beside `data`. */
function saidBeside(
  { data: _, errors, ...rest }: { readonly data: unknown; readonly errors?: unknown },
  redact: Redact,
): Pick<Envelope, "errors" | "notes"> {
  const list = Array.isArray(errors) ? errors : [errors ?? []].flat();
  const notes = Object.entries(rest).map(([name, said]) => `${name}: ${JSON.stringify(said)}`);
  return { errors: list, notes: notes.map(redact) };
}

/**
 * Reads the envelope of a successful answer, once, from its bytes. `errors` that are no list are one item.
 *
 * @throws {ResponseError} when it is not JSON, no object, or has no `data`.
 */
export function envelopeOf(bytes: Uint8Array, context: ErrorContext, redact: Redact): Envelope {
  const text = new TextDecoder().decode(bytes);
  // Only an error needs it, and it may be long.
  const body = () => redact(text);
  const refuse = (expected: string, got: unknown, cause?: unknown): never => {
    const start = body().slice(0, 200) || "(nothing)";
    throw new ResponseError(
      `${context.operation}: the answer must be ${expected}; it begins with: ${start}`,
      {
        ...context,
        cause: redactCause(cause, redact),
        expected,
        got: redactValue(got, redact),
        body: body(),
      },
    );
  };
  let value: unknown;
  try {
    // A replacement character where bytes are not UTF-8 would be a wrong name, in silence.
    if (text.includes("\ufffd")) new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (cause) {
    return refuse("JSON", body().slice(0, 200), cause);
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "data")) {
    return refuse("a JSON object with data", value);
  }
  const envelope = value as { readonly data: unknown };
  return { data: () => envelope.data, ...saidBeside(envelope, redact), body };
}

function textIn(value: unknown): string | null {
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value !== "object" || value === null) return null;
  const { message, error, errors } = value as Record<string, unknown>;
  return textIn(message) ?? textIn(error) ?? (Array.isArray(errors) ? textIn(errors[0]) : null);
}

/** What a failed answer says: `message`, `error` or `errors[0]`, else its first 200 characters. */
export function messageIn(body: string): string {
  try {
    const text = textIn(JSON.parse(body));
    if (text !== null) return text;
  } catch {
    // No JSON: the text itself is the message.
  }
  return body.trim().slice(0, 200) || "(no message)";
}

function isJsonObject(body: string): boolean {
  try {
    const value = JSON.parse(body);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** What else there is to say about a failed answer. */
interface FailureNotes {
  /** How long the service asked to wait, in milliseconds; null where it did not say. */
  readonly asked?: number | null;
  /** What to add to the message. */
  readonly note?: string;
  /** Takes the token out of what the service says. */
  readonly redact: Redact;
}

/** The error that a failed answer stands for. */
export function failureOf(
  status: number,
  body: string,
  context: ErrorContext,
  { asked = null, note = "", redact }: FailureNotes,
): ChainframeError {
  const safe = redact(body);
  // Twice: what JSON had escaped is plain only now.
  const message = redact(messageIn(safe));
  const told = `${attemptName(context)}: the service answered ${status}: ${message}${note}`;
  const about = { ...context, status };
  if (status < 400) {
    return new ResponseError(told, { ...about, expected: "status 200", got: status, body: safe });
  }
  if (status === 401 || status === 403) return new AuthenticationError(told, about);
  if (status === 402) return new SubscriptionError(told, about);
  if (status === 404) {
    // What answers in another way does not know the interface: a gateway, or another service.
    return isJsonObject(body) ? new NotFoundError(told, about) : new RequestError(
      `${attemptName(context)}: the service has no such path (404): ${context.url}; ` +
        `is the address right? It says: ${message}`,
      about,
    );
  }
  if (status === 429) return new RateLimitError(told, { ...about, retryAfter: asked });
  if (status >= 500) return new ServiceError(told, about);
  return new RequestError(told, about);
}
