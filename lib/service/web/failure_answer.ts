import { Failure, type FailureBody, type FailureItem } from "./failure.ts";

const MAX_VALUE_LENGTH = 200;

function clipped({ code, field, value }: FailureItem): FailureItem {
  return { code, field, value: value.slice(0, MAX_VALUE_LENGTH) };
}

/** The answer to a failed request; what went wrong inside the service stays inside. */
export function failureAnswer(error: unknown): Response {
  const known = error instanceof Failure ? error : new Failure(500, "The service failed.", [
    { code: "INTERNAL", field: "", value: "" },
  ]);
  const body: FailureBody = { message: known.message, errors: known.errors.map(clipped) };
  return Response.json(body, { status: known.status, headers: known.headers });
}
