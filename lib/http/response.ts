import type { CacheEntry } from "./cache_entry.ts";
import {
  attemptName,
  type ChainframeError,
  cut,
  type ErrorContext,
  HttpError,
  NotFoundError,
  ResponseError,
} from "./errors.ts";
import { type Redact, redactCause, redactValue } from "./redact.ts";
import type { Operation } from "../schema/vocabulary.ts";

/** The content of a successful response. */
export interface Envelope {
  readonly data: unknown;
  /** The entity errors; empty if there are none. */
  readonly errors: readonly unknown[];
  /** The members of the envelope other than `data` and `errors`, as texts. */
  readonly notes: readonly string[];
  /** Returns the body as text without the token. Errors contain this text. */
  readonly body: () => string;
}

/** A response of the service: its content and metadata. */
export interface ApiResponse
  extends Envelope, Omit<CacheEntry, "status" | "bytes" | "data_sample" | "etag" | "removed"> {
  /** 200, or 404 for a project that does not exist. */
  readonly status: 200 | 404;
  readonly operation: Operation | "openFrame";
  /** The URL of the request, without the token. */
  readonly url: string;
  readonly source: "service" | "cache" | "sample";
  /** How many times the request was sent; 0 for a cached response. */
  readonly attempts: number;
  /** Whether the data are sample data. */
  readonly sample: boolean;
  /** The error for a 404; null for status 200. */
  readonly notFound: NotFoundError | null;
  readonly redact: Redact;
}

/** A body that was parsed as JSON. */
export interface ParsedBody {
  readonly text: string;
  readonly value: unknown;
}

/** Returns the error for a body that is not as expected. */
function bodyError(
  text: string,
  { expected, got, cause }: {
    readonly expected: string;
    readonly got: unknown;
    readonly cause?: unknown;
  },
  { context, redact }: { readonly context: ErrorContext; readonly redact: Redact },
): ResponseError {
  const body = redact(text);
  const start = body.slice(0, 200) || "(nothing)";
  return new ResponseError(
    `${context.operation}: expected ${expected}; the response begins with: ${start}`,
    {
      ...context,
      cause: redactCause(cause, redact),
      expected,
      got: redactValue(got, redact),
      body,
    },
  );
}

/**
 * Parses a body as JSON.
 *
 * @throws {ResponseError} when the body is not JSON, or not UTF-8.
 */
export function parsedBody(bytes: Uint8Array, context: ErrorContext, redact: Redact): ParsedBody {
  const text = new TextDecoder().decode(bytes);
  try {
    // Throws an error for invalid UTF-8. Otherwise, invalid bytes in names would be replaced silently.
    if (text.includes("\ufffd")) new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (cause) {
    const got = redact(text).slice(0, 200);
    throw bodyError(text, { expected: "JSON", got, cause }, { context, redact });
  }
}

/**
 * Reads the envelope of a successful response.
 *
 * @throws {ResponseError} when the body is not an object, or has no `data`.
 */
export function envelopeOf(
  { text, value }: ParsedBody,
  context: ErrorContext,
  redact: Redact,
): Envelope {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "data")) {
    throw bodyError(text, { expected: "a JSON object with data", got: value }, { context, redact });
  }
  const { data, errors, ...rest } = value as { readonly data: unknown; readonly errors?: unknown };
  const notes = Object.entries(rest).map(([name, said]) =>
    redact(`${name}: ${JSON.stringify(said)}`)
  );
  return { data, errors: [errors ?? []].flat(), notes, body: () => redact(text) };
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Returns the context of an error about the content of a successful response. */
function aboutOf({ operation, url, attempts, body }: ApiResponse) {
  return { operation, status: 200, url, attempts, body: body() };
}

/** Returns the error for a value that does not have the documented shape. */
export function mismatchError(
  response: ApiResponse,
  mismatch: Pick<ResponseError, "row" | "got"> & {
    readonly field: string;
    readonly expected: string;
  },
): ResponseError {
  const { operation, redact } = response;
  const { row, field, expected } = mismatch;
  const place = row === null ? field : `row ${row}, ${field}`;
  const got = redactValue(mismatch.got, redact);
  const message = `${operation}: ${place}: expected ${expected}, got ${shown(got)}; ` +
    "run chainframe probe, and attach probe.md to an issue of the repository";
  return new ResponseError(message, { ...aboutOf(response), ...mismatch, got });
}

/** Returns the error for a response that has the documented shape, but that cannot be converted. */
export function unreadableError(response: ApiResponse, cause: unknown): ResponseError {
  const { operation, redact } = response;
  const reason = redact(cause instanceof Error ? cause.message : String(cause));
  return new ResponseError(`${operation}: the response cannot be read: ${reason}`, {
    ...aboutOf(response),
    cause: redactCause(cause, redact),
  });
}

/** Maximum length of the service's own message, and maximum number of objects around it. */
const [LONGEST, DEEPEST] = [1_500, 9];

function textIn(value: unknown, depth = 0): string | null {
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value !== "object" || value === null || depth === DEEPEST) return null;
  const { message, error, errors } = value as Record<string, unknown>;
  const [first] = Array.isArray(errors) ? errors : [];
  return [message, error, first].reduce<string | null>(
    (found, each) => found ?? textIn(each, depth + 1),
    null,
  );
}

/** Parses JSON. Returns undefined if the text is not JSON. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the message of a failed response: the member `message`, `error` or `errors[0]` of the body. Without such a
 * member, returns the first 200 characters of the body.
 */
export function messageIn(body: string): string {
  return textIn(valueIn(body)) ?? (body.trim().slice(0, 200) || "(no message)");
}

/** Returns the error for a failed response. */
export function failureOf(
  status: number,
  body: string,
  context: ErrorContext,
  { asked = null, note = "", redact }: {
    /** The wait that the service requested, in milliseconds; null if the service requested no wait. */
    readonly asked?: number | null;
    /** A text to add to the message. */
    readonly note?: string;
    readonly redact: Redact;
  },
): ChainframeError {
  const safe = redact(body);
  // Redacts again, because parsing has decoded the JSON escapes.
  const message = cut(redact(messageIn(safe)), LONGEST);
  const told = `${attemptName(context)}: the service answered ${status}: ${message}${note}`;
  const about = { ...context, status };
  if (status < 400) {
    return new ResponseError(told, { ...about, expected: "status 200", got: status, body: safe });
  }
  if (status === 404) {
    // A 404 without a JSON body comes from a gateway or another service.
    return typeof (valueIn(body) ?? "") === "object"
      ? new NotFoundError(told, about)
      : new HttpError(
        `${attemptName(context)}: the service has no such path (404): ${context.url}; ` +
          `check the address. Its message: ${message}`,
        about,
      );
  }
  return new HttpError(told, { ...about, retryAfter: status === 429 ? asked : null });
}
