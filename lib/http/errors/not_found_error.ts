import { ChainframeError, type ErrorContext } from "./chainframe_error.ts";

/**
 * What was asked for does not exist: a 404, or, with `onMissing: "throw"`, entities that the service
 * could not find.
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
