import { ChainframeError, type ErrorContext } from "./chainframe_error.ts";

/** The service asked to slow down (429), for longer or more often than the connection waits. */
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
