import { Failure, type FailureItem } from "./failure.ts";
import type { z } from "./openapi_hono.ts";

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
