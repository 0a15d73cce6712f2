import type { ErrorContext } from "./errors/chainframe_error.ts";
import { ResponseError } from "./errors/response_error.ts";

/** What an answer holds: `data`, and `errors` where some entities were not found. */
export interface Envelope {
  readonly data: unknown;
  /** Empty where the answer has none. */
  readonly errors: readonly unknown[];
  /** The answer, as text. */
  readonly body: string;
}

/**
 * Reads the envelope of a successful answer, once, from its bytes.
 *
 * @throws {ResponseError} when it is not JSON, no object, or has no `data`.
 */
export function envelopeOf(bytes: Uint8Array, context: ErrorContext): Envelope {
  let body = "";
  const refuse = (expected: string, got: unknown, cause?: unknown): never => {
    const start = body.slice(0, 200) || "(nothing)";
    throw new ResponseError(
      `${context.operation}: the answer must be ${expected}; it begins with: ${start}`,
      { ...context, cause, expected, got, body },
    );
  };
  let value: unknown;
  try {
    body = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(body);
  } catch (cause) {
    if (body === "") body = new TextDecoder().decode(bytes);
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
