import { similarNames } from "../../platform/similar_names.ts";
import type { z } from "./hono.ts";

/** One problem of a request. */
interface FailureItem {
  readonly code: string;
  /** The parameter, body field or header with the problem; empty for the whole request. */
  readonly field: string;
  /** The invalid value; empty if it is a secret or missing. */
  readonly value: string;
}

/** The body of the response to a failed request. */
interface FailureBody {
  readonly message: string;
  readonly errors: readonly FailureItem[];
}

/** An invalid request. It becomes a JSON response with this status. */
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

/** A failure with one problem. */
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

function clip(text: string): string {
  return text.slice(0, MAX_VALUE_LENGTH);
}

function clipped({ code, field, value }: FailureItem): FailureItem {
  return { code, field: clip(field), value: clip(value) };
}

/** Returns the response to a failed request. Details of internal errors are not included. */
export function failureResponse(error: unknown): Response {
  const known = error instanceof Failure ? error : new Failure(500, "The service failed.", [
    { code: "INTERNAL", field: "", value: "" },
  ]);
  const body: FailureBody = { message: known.message, errors: known.errors.map(clipped) };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return new Response(bytes, {
    status: known.status,
    headers: {
      "content-type": "application/json",
      "content-length": String(bytes.length),
      ...known.headers,
    },
  });
}

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
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function got(value: unknown): string {
  return `got ${JSON.stringify(value)?.slice(0, MAX_VALUE_LENGTH)}`;
}

/** From this number of allowed values on, only similar ones are listed, if there are any. */
const MANY_VALUES = 20;

function oneOf(values: readonly unknown[], value: unknown): string {
  const names = values.map(String);
  const similar = typeof value === "string" ? similarNames(value, names) : [];
  const hint = similar.length === 0 ? "" : ` (did you mean ${similar.join(", ")}?)`;
  return hint !== "" && names.length > MANY_VALUES
    ? `must be one of ${names.length} names; ${got(value)}${hint}`
    : `must be one of ${names.join(", ")}; ${got(value)}${hint}`;
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

/** The maximum number of problems listed for a request. */
const MAX_PROBLEMS = 20;

/**
 * The failure for input that does not match its schema. It lists at most 20 fields with their rules, and the number of
 * the others.
 */
export function validationFailure(
  issues: readonly Issue[],
  input: unknown,
  target: string,
): Failure {
  const messages: string[] = [];
  const errors: FailureItem[] = [];
  let count = 0;
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") {
      count += issue.keys.length;
      for (const key of issue.keys.slice(0, MAX_PROBLEMS - errors.length)) {
        messages.push(`${clip(key)}: ${issue.message}`);
        errors.push({ code: "UNKNOWN_PARAMETER", field: key, value: text(valueAt(input, [key])) });
      }
      continue;
    }
    count++;
    if (errors.length >= MAX_PROBLEMS) continue;
    const field = String(issue.path[0] ?? "body");
    // A list in a query was split before validation, so the message shows the original text.
    const path = target === "query" ? issue.path.slice(0, 1) : issue.path;
    const value = valueAt(input, path);
    const twice = target === "query" && Array.isArray(value) && issue.code === "invalid_type";
    const told = twice ? `must be given once; ${got(value)}` : explain(issue, value);
    messages.push(`${field}: ${told}`);
    errors.push({ code: "INVALID_PARAMETER", field, value: text(value) });
  }
  if (count > errors.length) {
    const more = count - errors.length;
    messages.push(`There ${more === 1 ? "is 1 more problem" : `are ${more} more problems`}`);
  }
  return new Failure(400, `${messages.join(". ")}.`, errors);
}
