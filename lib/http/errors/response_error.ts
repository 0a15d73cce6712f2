import { ChainframeError, type ErrorContext } from "./chainframe_error.ts";

/** Where an answer is not of the promised shape. */
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

/** The answer is not of the promised shape. It is never retried, and never becomes an empty frame. */
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
    // Not enumerable: a log line that inspects the error would print megabytes.
    Object.defineProperty(this, "body", { value: context.body ?? "", enumerable: false });
  }
}
