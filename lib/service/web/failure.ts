import type { z } from "./hono.ts";

/** One thing that is wrong with a request. */
export interface FailureItem {
  readonly code: string;
  /** The parameter, body field or header that it is about; empty for the request as a whole. */
  readonly field: string;
  /** What was sent there; empty when it is a secret or nothing was sent. */
  readonly value: string;
}

/** The body of the response to a failed request. */
export interface FailureBody {
  readonly message: string;
  readonly errors: readonly FailureItem[];
}

/** A request that cannot be answered: becomes a JSON response of that status. */
export class Failure extends Error {
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

/** A failure that is about one thing. */
export function failure(
  status: number,
  code: string,
  message: string,
  about: { field?: string; value?: string; headers?: Readonly<Record<string, string>> } = {},
): Failure {
  const { field = "", value = "", headers = {} } = about;
  return new Failure(status, message, [{ code, field, value }], headers);
}

const MAX_VALUE_LENGTH = 200;

function clipped({ code, field, value }: FailureItem): FailureItem {
  return { code, field, value: value.slice(0, MAX_VALUE_LENGTH) };
}

/** The response to a failed request; what went wrong inside the service stays inside. */
export function failureResponse(error: unknown): Response {
  const known = error instanceof Failure ? error : new Failure(500, "The service failed.", [
    { code: "INTERNAL", field: "", value: "" },
  ]);
  const body: FailureBody = { message: known.message, errors: known.errors.map(clipped) };
  return Response.json(body, { status: known.status, headers: known.headers });
}

type Issue = z.core.$ZodIssue;

const MAX_SHOWN = 200;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    // A list in a query is one text until it is split.
    if (typeof value !== "object" || value === null) break;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function text(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function explain(issue: Issue, value: unknown): string {
  const got = `got ${JSON.stringify(value)?.slice(0, MAX_SHOWN)}`;
  if (value === undefined) {
    return issue.code === "invalid_value"
      ? `is required, one of ${issue.values.join(", ")}`
      : "is required";
  }
  if (issue.code === "invalid_value") return `must be one of ${issue.values.join(", ")}; ${got}`;
  if (issue.code !== "invalid_type") return `${issue.message}; ${got}`;
  if (issue.expected === "string" && Array.isArray(value)) return `must be given once; ${got}`;
  return `must be of the type ${issue.expected}; ${got}`;
}

/** The failure for input that does not fit its schema: it names each field and what is allowed. */
export function validationFailure(issues: readonly Issue[], input: unknown): Failure {
  const messages: string[] = [];
  const errors: FailureItem[] = [];
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        messages.push(`${key}: ${issue.message}`);
        errors.push({ code: "UNKNOWN_PARAMETER", field: key, value: text(valueAt(input, [key])) });
      }
      continue;
    }
    const field = String(issue.path[0] ?? "body");
    const value = valueAt(input, issue.path);
    messages.push(`${field}: ${explain(issue, value)}`);
    errors.push({ code: "INVALID_PARAMETER", field, value: text(value) });
  }
  return new Failure(400, `${messages.join(". ")}.`, errors);
}
