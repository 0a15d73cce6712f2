import type { ErrorContext } from "./errors/chainframe_error.ts";
import { ResponseError } from "./errors/response_error.ts";
import { type Redact, redactCause, redactValue } from "./redact.ts";

/** What an answer holds: `data`, and `errors` where some entities were not found. */
export interface Envelope {
  readonly data: unknown;
  /** Empty where the answer has none. */
  readonly errors: readonly unknown[];
  /** The answer, as text, for an error to keep: without the token, which `data` is never searched for. */
  readonly body: string;
}

/**
 * Reads the envelope of a successful answer, once, from its bytes.
 *
 * @throws {ResponseError} when it is not JSON, no object, or has no `data`.
 */
export function envelopeOf(bytes: Uint8Array, context: ErrorContext, redact: Redact): Envelope {
  const text = new TextDecoder().decode(bytes);
  const body = redact(text);
  const refuse = (expected: string, got: unknown, cause?: unknown): never => {
    const start = body.slice(0, 200) || "(nothing)";
    throw new ResponseError(
      `${context.operation}: the answer must be ${expected}; it begins with: ${start}`,
      {
        ...context,
        cause: redactCause(cause, redact),
        expected,
        got: redactValue(got, redact),
        body,
      },
    );
  };
  let value: unknown;
  try {
    // A replacement character where bytes are not UTF-8 would be a wrong name, in silence.
    if (text.includes("\ufffd")) new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (cause) {
    return refuse("JSON", body.slice(0, 200), cause);
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "data")) {
    return refuse("a JSON object with data", value);
  }
  const { data, errors } = value as { data: unknown; errors?: unknown };
  if (errors !== undefined && errors !== null && !Array.isArray(errors)) {
    return refuse("a JSON object whose errors are a list", errors);
  }
  return { data, errors: errors ?? [], body };
}
