import { similarNames } from "../../platform/check_options.ts";
import { listed } from "../../platform/terminal.ts";
import type { z } from "./hono.ts";

/** One problem of a request. */
interface FailureItem {
  readonly code: FailureCode;
  /** The parameter, body field or header with the problem; empty if the problem concerns the whole request. */
  readonly field: string;
  /** The invalid value; empty if the value is secret or missing. */
  readonly value: string;
}

/** The failure of a request. The service sends it as a JSON response with the status `status`. */
class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    readonly status: number,
    message: string,
    readonly errors: readonly FailureItem[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The HTTP status of each error code. */
const STATUS = {
  INVALID_PARAMETER: 400,
  UNKNOWN_PARAMETER: 400,
  INVALID_ENCODING: 400,
  INVALID_REQUEST: 400,
  INVALID_JSON: 400,
  BODY_INTERRUPTED: 400,
  MISSING_TOKEN: 401,
  MALFORMED_TOKEN: 401,
  UNKNOWN_TOKEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
} as const;

type FailureCode = keyof typeof STATUS;

/** Creates a failure with one problem. */
export function failure(
  code: FailureCode,
  message: string,
  { field = "", value = "", headers = {} }: {
    field?: string;
    value?: string;
    headers?: Readonly<Record<string, string>>;
  } = {},
): Failure {
  return new Failure(STATUS[code], message, [{ code, field, value }], headers);
}

const MAX_VALUE_LENGTH = 200;

function clip(text: string): string {
  return text.slice(0, MAX_VALUE_LENGTH);
}

/** Returns the response to a failed request. Details of internal errors are not included. */
export function failureResponse(error: unknown): Response {
  const known = error instanceof Failure ? error : failure("INTERNAL", "The service failed.");
  const errors = known.errors.map(({ code, field, value }) => (
    { code, field: clip(field), value: clip(value) }
  ));
  const bytes = new TextEncoder().encode(JSON.stringify({ message: known.message, errors }));
  return new Response(bytes, {
    status: known.status,
    headers: {
      "content-type": "application/json",
      "content-length": String(bytes.length),
      ...known.headers,
    },
  });
}

/** The maximum number of problems, and of allowed values, that a message lists. */
const MAX_LISTED = 20;

type Issue = z.core.$ZodIssue;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null) break;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function text(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)) ?? "";
}

function got(value: unknown): string {
  return `got ${JSON.stringify(value)?.slice(0, MAX_VALUE_LENGTH)}`;
}

function oneOf(values: readonly unknown[], value: unknown): string {
  const names = values.map(String);
  const similar = typeof value === "string" ? similarNames(value, names) : [];
  const hint = similar.length === 0 ? "" : ` (did you mean ${similar.join(", ")}?)`;
  return `must be one of ${listed(names, MAX_LISTED)}; ${got(value)}${hint}`;
}

function explain(issue: Issue, value: unknown): string {
  if (value === undefined) {
    return issue.code === "invalid_value"
      ? `is required, one of ${issue.values.join(", ")}`
      : "is required";
  }
  if (issue.code === "invalid_value") return oneOf(issue.values, value);
  if (issue.code !== "invalid_type") return `${issue.message}; ${got(value)}`;
  return `must be of the type ${issue.expected}; ${got(value)}`;
}

/** A problem of the input: its sentence in `message`, and its item in `errors`. */
type Problem = readonly [string, FailureItem];

function problemsOf(issue: Issue, input: unknown, target: string): Problem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((field) => [
      `${clip(field)}: ${issue.message}`,
      { code: "UNKNOWN_PARAMETER", field, value: text(valueAt(input, [field])) },
    ]);
  }
  const field = String(issue.path[0] ?? "body");
  // The schema splits a list in a query at commas. The message shows the whole text of the list.
  const value = valueAt(input, target === "query" ? issue.path.slice(0, 1) : issue.path);
  const twice = target === "query" && Array.isArray(value) && issue.code === "invalid_type";
  return [[
    `${field}: ${twice ? `must be given once; ${got(value)}` : explain(issue, value)}`,
    { code: "INVALID_PARAMETER", field, value: text(value) },
  ]];
}

/**
 * Returns the failure for input that does not match its schema. The message lists at most 20 problems, and the number
 * of further problems.
 */
export function validationFailure(
  issues: readonly Issue[],
  input: unknown,
  target: string,
): Failure {
  const problems = issues.flatMap((issue) => problemsOf(issue, input, target));
  const first = problems.slice(0, MAX_LISTED);
  const messages = first.map(([message]) => message);
  const more = problems.length - first.length;
  if (more > 0) {
    messages.push(`There ${more === 1 ? "is 1 more problem" : `are ${more} more problems`}`);
  }
  return new Failure(400, `${messages.join(". ")}.`, first.map(([, item]) => item));
}
