import type { ErrorContext } from "./errors/chainframe_error.ts";

/** How a message names what was tried: the operation, and from the second time on which attempt it was. */
export function attemptName({ operation, attempts = 1 }: ErrorContext): string {
  return attempts > 1 ? `${operation}, attempt ${attempts}` : `${operation}`;
}
