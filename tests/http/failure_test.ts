import assert from "node:assert/strict";
import { ChainframeError, HttpError, NetworkError, NotFoundError } from "../../lib/http/errors.ts";
import { failureOf, messageIn } from "../../lib/http/response.ts";

const CONTEXT = {
  operation: "project",
  url: "https://a.example/v2/projects/x",
  attempts: 3,
} as const;

const NOTES = { asked: null, note: "", redact: (text: string) => text };

Deno.test("failureOf maps each status to its error class", () => {
  const statuses = "400 401 402 403 404 405 408 413 415 418 422 429 451 500 501 502 503 504 599";
  for (const status of statuses.split(" ").map(Number)) {
    const expected = status === 404 ? NotFoundError : HttpError;
    const error = failureOf(status, '{"message":"no such thing"}', CONTEXT, NOTES);
    assert.equal(error.constructor, expected);
    assert.ok(error instanceof ChainframeError);
    assert.equal(error.name, expected.name);
    assert.equal(
      error.message,
      `project, attempt 3: the service answered ${status}: no such thing`,
    );
    assert.deepEqual(
      [error.operation, error.status, error.url, error.attempts, error.cause],
      ["project", status, "https://a.example/v2/projects/x", 3, undefined],
    );
  }
});

Deno.test("failureOf has the retryAfter of a 429", () => {
  const wait = (retryAfter: number | null) =>
    (failureOf(429, "", CONTEXT, { ...NOTES, asked: retryAfter }) as HttpError).retryAfter;
  assert.equal(wait(90_000), 90_000);
  assert.equal(wait(0), 0);
  assert.equal(wait(null), null);
});

Deno.test("messageIn finds the message in every shape that services use", () => {
  const cases = [
    ['{"message":"one"}', "one"],
    ['{"error":"two"}', "two"],
    ['{"error":{"message":"three"}}', "three"],
    ['{"errors":["four"]}', "four"],
    ['{"errors":[{"message":"five","code":"X"},{"message":"six"}]}', "five"],
    ['{"message":"","error":"seven"}', "seven"],
    ['{"message":"eight","errors":[{"message":"nine"}]}', "eight"],
    ['"ten"', "ten"],
    ['{"status":"failed"}', '{"status":"failed"}'],
    ["  <html>gone</html>\n", "<html>gone</html>"],
    ["", "(no message)"],
    [" \n", "(no message)"],
    ["[]", "[]"],
    ["null", "null"],
    ["y".repeat(300), "y".repeat(200)],
  ] as const;
  for (const [body, expected] of cases) assert.equal(messageIn(body), expected);
});

Deno.test("failureOf cuts long messages, and keeps its own note", () => {
  for (const unit of ["x", " ", "\n", "\ud83d\ude00"]) {
    const body = JSON.stringify({ message: `a${unit.repeat(1e6)}b` });
    const { message } = failureOf(429, body, CONTEXT, { ...NOTES, note: "; wait" });
    assert.ok(message.length <= 2_000 && message.isWellFormed(), String(message.length));
    assert.match(message, /^project, attempt 3: the service answered 429: a.*…; wait$/u);
  }
  const deep = `${'{"message":'.repeat(1e5)}"x"${"}".repeat(1e5)}`;
  assert.match(failureOf(500, deep, CONTEXT, NOTES).message, /answered 500: \{"message":\{/);
  assert.equal(new NetworkError("y".repeat(1e6)).message.length, 2_000);
});

Deno.test("failureOf treats a 404 as a missing entity only if its body is JSON", () => {
  for (const body of ["", "<h1>Not Found</h1>", "404", '"not found"', "null", '{"message":']) {
    const error = failureOf(404, body, CONTEXT, NOTES);
    assert.equal(error.constructor, HttpError, body);
    assert.ok(
      error.message.startsWith(
        "project, attempt 3: the service has no such path (404): https://a.example/v2/projects/x; " +
          "check the address. Its message: ",
      ),
    );
  }
  for (const body of ["{}", '{"detail":"Not Found"}', "[]"]) {
    assert.equal(failureOf(404, body, CONTEXT, NOTES).constructor, NotFoundError, body);
  }
});
