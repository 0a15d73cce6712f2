import { attemptName } from "./attempt_name.ts";
import { AuthenticationError } from "./errors/authentication_error.ts";
import type { ChainframeError, ErrorContext } from "./errors/chainframe_error.ts";
import { NotFoundError } from "./errors/not_found_error.ts";
import { RateLimitError } from "./errors/rate_limit_error.ts";
import { RequestError } from "./errors/request_error.ts";
import { ResponseError } from "./errors/response_error.ts";
import { ServiceError } from "./errors/service_error.ts";
import { SubscriptionError } from "./errors/subscription_error.ts";
import type { Redact } from "./redact.ts";

function textIn(value: unknown): string | null {
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value !== "object" || value === null) return null;
  const { message, error, errors } = value as Record<string, unknown>;
  return textIn(message) ?? textIn(error) ?? (Array.isArray(errors) ? textIn(errors[0]) : null);
}

/** What a failed answer says: `message`, `error` or `errors[0]`, else its first 200 characters. */
export function messageIn(body: string): string {
  try {
    const text = textIn(JSON.parse(body));
    if (text !== null) return text;
  } catch {
    // No JSON: the text itself is the message.
  }
  return body.trim().slice(0, 200) || "(no message)";
}

/** What else there is to say about a failed answer. */
export interface FailureNotes {
  /** How long the service asked to wait, in milliseconds; null where it did not say. */
  readonly asked?: number | null;
  /** What to add to the message. */
  readonly note?: string;
  /** Takes the token out of what the service says. */
  readonly redact: Redact;
}

/** The error that a failed answer stands for. */
export function failureOf(
  status: number,
  body: string,
  context: ErrorContext,
  { asked = null, note = "", redact }: FailureNotes,
): ChainframeError {
  const safe = redact(body);
  // Twice: what JSON had escaped is plain only now.
  const message = redact(messageIn(safe));
  const told = `${attemptName(context)}: the service answered ${status}: ${message}${note}`;
  const about = { ...context, status };
  if (status < 400) {
    return new ResponseError(told, { ...about, expected: "status 200", got: status, body: safe });
  }
  if (status === 401 || status === 403) return new AuthenticationError(told, about);
  if (status === 402) return new SubscriptionError(told, about);
  if (status === 404) return new NotFoundError(told, about);
  if (status === 429) return new RateLimitError(told, { ...about, retryAfter: asked });
  if (status >= 500) return new ServiceError(told, about);
  return new RequestError(told, about);
}
