import type { Operation } from "../../schema/operation.ts";

/** What an error knows about the request that failed. */
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

/** The base of every error that chainframe throws on purpose, but for a `RangeError` about a frame. */
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
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.operation = context.operation;
    this.status = context.status;
    this.url = context.url;
    this.attempts = context.attempts;
  }
}
