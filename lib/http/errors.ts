import { terminalLines, terminalText } from "../platform/terminal.ts";
import type { Operation } from "../schema/vocabulary.ts";

/**
 * What an error knows about the request that failed.
 *
 * @category Errors
 */
export interface ErrorContext {
  /** The operation that was asked. */
  readonly operation?: Operation | undefined;
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The URL that was asked. It holds no token. */
  readonly url?: string | undefined;
  /** How many times the request was sent. */
  readonly attempts?: number | undefined;
  /** The error underneath. */
  readonly cause?: unknown;
}

/**
 * The base of every error that chainframe throws on purpose, but for a `RangeError` about a frame.
 *
 * @category Errors
 */
export class ChainframeError extends Error {
  /** The operation that was asked; undefined where none was. */
  readonly operation: Operation | undefined;
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined;
  /** The URL that was asked; undefined where no request was built. It holds no token. */
  readonly url: string | undefined;
  /** How many times the request was sent; undefined where it never was. */
  readonly attempts: number | undefined;

  /** Makes the error, with what is known about the request. */
  constructor(message: string, context: ErrorContext = {}) {
    // It may quote what a service sent, and errors are printed in terminals.
    super(
      terminalText(message.replace(/\s*[\r\n\t]\s*/g, " ")),
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
 * A connection cannot be made of these options and this environment. Nothing was sent.
 *
 * @category Errors
 */
export class ConfigurationError extends ChainframeError {}

/**
 * A bad argument: the message names it, shows the value and says what is allowed. No request was sent.
 *
 * @category Errors
 */
export class QueryError extends ChainframeError {}

/**
 * The service does not know the token, or does not let it in (401, 403).
 *
 * @category Errors
 */
export class AuthenticationError extends ChainframeError {}

/**
 * The token's plan does not cover the request (402).
 *
 * @category Errors
 */
export class SubscriptionError extends ChainframeError {}

/**
 * The service refused the request (another 4xx); the message is the service's own.
 *
 * @category Errors
 */
export class RequestError extends ChainframeError {}

/**
 * What was asked for does not exist: a 404, or, with `onMissing: "throw"`, entities that the service
 * could not find.
 *
 * @category Errors
 */
export class NotFoundError<Frame = unknown> extends ChainframeError {
  /** The entities that were not found, as `errorsOf` gives them; null after a 404. */
  readonly errors: Frame | null;

  /** Makes the error, with what is known about the request. */
  constructor(message: string, context: ErrorContext & { readonly errors?: Frame } = {}) {
    super(message, context);
    this.errors = context.errors ?? null;
  }
}

/**
 * The service asked to slow down (429), for longer or more often than the connection waits.
 *
 * @category Errors
 */
export class RateLimitError extends ChainframeError {
  /** How long the service asked to wait, in milliseconds; null where it did not say. */
  readonly retryAfter: number | null;

  /** Makes the error, with what is known about the request. */
  constructor(
    message: string,
    context: ErrorContext & { readonly retryAfter?: number | null } = {},
  ) {
    super(message, context);
    this.retryAfter = context.retryAfter ?? null;
  }
}

/**
 * The service failed (5xx).
 *
 * @category Errors
 */
export class ServiceError extends ChainframeError {}

/**
 * The connection could not be made, or broke.
 *
 * @category Errors
 */
export class NetworkError extends ChainframeError {}

/**
 * An answer did not arrive in time.
 *
 * @category Errors
 */
export class TimeoutError extends ChainframeError {}

/**
 * Where an answer is not of the promised shape.
 *
 * @category Errors
 */
export interface ResponseContext extends ErrorContext {
  /** The index of the row. */
  readonly row?: number | null;
  /** The name of the field. */
  readonly field?: string;
  /** What was promised. */
  readonly expected?: string;
  /** What came. */
  readonly got?: unknown;
  /** The answer, as text. */
  readonly body?: string;
}

/**
 * The answer is not of the promised shape. It is never retried, and never becomes an empty frame.
 *
 * @category Errors
 */
export class ResponseError extends ChainframeError {
  /** The index of the row; null where the whole answer is meant. */
  readonly row: number | null;
  /** The name of the field; null where the whole answer is meant. */
  readonly field: string | null;
  /** What was promised there. */
  readonly expected: string | null;
  /** What stood there. */
  readonly got: unknown;
  /** The answer, as text. It is not printed with the error. */
  declare readonly body: string;

  /** Makes the error, with what is known about the request. */
  constructor(message: string, context: ResponseContext = {}) {
    super(message, context);
    this.row = context.row ?? null;
    this.field = context.field ?? null;
    this.expected = context.expected ?? null;
    this.got = context.got;
    for (const name of ["field", "got"] as const) {
      // What would steer a terminal is there to be read, and not printed with the error.
      const shown = Deno.inspect(this[name]);
      if (terminalLines(shown) !== shown) Object.defineProperty(this, name, { enumerable: false });
    }
    // Not enumerable: a log line that inspects the error would print megabytes.
    Object.defineProperty(this, "body", { value: context.body ?? "", enumerable: false });
  }
}

/**
 * The cache was to answer (offline mode), and does not hold the answer.
 *
 * @category Errors
 */
export class CacheError extends ChainframeError {}

/** How a message names what was tried: the operation, and from the second time on which attempt it was. */
export function attemptName({ operation, attempts = 1 }: ErrorContext): string {
  return attempts > 1 ? `${operation}, attempt ${attempts}` : `${operation}`;
}
