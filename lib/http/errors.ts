import { inspected, terminalLines, terminalText } from "../platform/terminal.ts";
import type { Fields } from "../schema/records.ts";

/** Maximum length of a message, in characters. A service can send megabytes as its message. */
const LONGEST = 2_000;

/** Returns at most `longest` characters of a text, of which the last is then `…`. */
export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text;
}

/**
 * The base class of the errors that chainframe throws. Only errors about a frame are not instances of this class: they
 * are a `RangeError` or a `TypeError`.
 *
 * @category Errors
 */
export class ChainframeError extends Error {
  /** The operation that was called, or `openFrame` for an address; otherwise undefined. */
  readonly operation: keyof Fields | "openFrame" | undefined;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** The URL of the request; undefined if no request was built. The URL does not contain the token. */
  readonly url: string | undefined;
  /** How many times the request was sent; undefined if the request was never sent. */
  readonly attempts: number | undefined;

  /** Creates an error from a message and the context of the request. */
  constructor(
    message: string,
    context:
      & Partial<Pick<ChainframeError, "operation" | "status" | "url" | "attempts">>
      & ErrorOptions = {},
  ) {
    // A message can contain text from the service. Control characters are escaped, because errors are printed in
    // terminals.
    super(
      terminalText(cut(message, LONGEST).replace(/\s*[\r\n\t]\s*/g, " ")),
      context.cause === undefined ? undefined : { cause: context.cause },
    );
    this.name = new.target.name;
    this.operation = context.operation;
    this.status = context.status;
    this.url = context.url;
    this.attempts = context.attempts;
  }
}

/**
 * Thrown when the options, the environment or Deno's permissions do not allow a connection. No request was sent.
 *
 * @category Errors
 */
export class ConfigurationError extends ChainframeError {}

/**
 * Thrown for an invalid argument. The message contains the name of the argument, the rule and the value. No request was
 * sent.
 *
 * @category Errors
 */
export class QueryError extends ChainframeError {}

/**
 * Thrown when entities do not exist: after a 404, or with `onMissing: "throw"`.
 *
 * @category Errors
 */
export class NotFoundError<Frame = unknown> extends ChainframeError {
  /** The entities that were not found, as `errorsOf` returns them; null after a 404. */
  readonly errors: Frame | null;

  /** Creates an error from a message and the context of the request. */
  constructor(
    message: string,
    context: ConstructorParameters<typeof ChainframeError>[1] & { readonly errors?: Frame } = {},
  ) {
    super(message, context);
    this.errors = context.errors ?? null;
  }
}

/**
 * Thrown when the connection failed or broke, or no complete response arrived in time.
 *
 * @category Errors
 */
export class NetworkError extends ChainframeError {}

/**
 * Thrown when the service refused the request or failed. The property `status` gives the reason. 401 and 403 mean that
 * the token is not accepted. 402 means that the plan of the token does not cover the request. 429 means too many
 * requests, and 5xx means that the service failed.
 *
 * @category Errors
 */
export class HttpError extends ChainframeError {
  /** The wait that the service requested, in milliseconds; null if the service requested no wait. */
  readonly retryAfter: number | null;

  /** Creates an error from a message and the context of the request. */
  constructor(
    message: string,
    context:
      & ConstructorParameters<typeof ChainframeError>[1]
      & Partial<Pick<HttpError, "retryAfter">> = {},
  ) {
    super(message, context);
    this.retryAfter = context.retryAfter ?? null;
  }
}

/**
 * Thrown when a response does not have the documented shape. The request is not retried, and no empty frame is
 * returned.
 *
 * @category Errors
 */
export class ResponseError extends ChainframeError {
  /** The index of the row; null for the whole response. */
  readonly row: number | null;
  /** The name of the field; null for the whole response. */
  readonly field: string | null;
  /** The documented type or shape. */
  readonly expected: string | null;
  /** The value that the service sent. */
  readonly got: unknown;
  /** The response body as text. It is not printed with the error. */
  declare readonly body: string;

  /** Creates an error from a message and the context of the request. */
  constructor(
    message: string,
    context:
      & ConstructorParameters<typeof ChainframeError>[1]
      & Partial<Pick<ResponseError, "row" | "field" | "expected" | "got" | "body">> = {},
  ) {
    super(message, context);
    this.row = context.row ?? null;
    this.field = context.field ?? null;
    this.expected = context.expected ?? null;
    this.got = context.got;
    for (const name of ["field", "got"] as const) {
      // A property with control characters is not enumerable, so that a printed error cannot change the terminal.
      const shown = inspected(this[name]);
      if (terminalLines(shown) !== shown) Object.defineProperty(this, name, { enumerable: false });
    }
    // The body is not enumerable, because a log line that inspects the error would print megabytes.
    Object.defineProperty(this, "body", { value: context.body ?? "", enumerable: false });
  }
}

/**
 * Thrown in offline mode when the response is not in the cache.
 *
 * @category Errors
 */
export class CacheError extends ChainframeError {}

/** Context of a failed request. */
export type ErrorContext = NonNullable<ConstructorParameters<typeof ChainframeError>[1]>;

/**
 * Returns the name of the operation for a message. From the second attempt on, the number of the attempt follows the
 * name.
 */
export function attemptName({ operation, attempts = 1 }: ErrorContext): string {
  return attempts > 1 ? `${operation}, attempt ${attempts}` : `${operation}`;
}
