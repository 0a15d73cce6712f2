import assert from "node:assert/strict";
import { type Envelope, envelopeOf, parsedBody } from "../../lib/http/response.ts";
import { ResponseError } from "../../lib/http/errors.ts";
import { redactor } from "../../lib/http/redact.ts";

const CONTEXT = {
  operation: "cohort_analysis",
  status: 200,
  url: "https://api.example.org/v2/datasets/cohort_analysis",
  attempts: 2,
} as const;

function read(body: string | Uint8Array): Envelope {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const redact = redactor("s3cret");
  return envelopeOf(parsedBody(bytes, CONTEXT, redact), CONTEXT, redact);
}

function refusal(body: string | Uint8Array): ResponseError {
  try {
    read(body);
  } catch (error) {
    assert.ok(error instanceof ResponseError);
    return error;
  }
  throw new assert.AssertionError({ message: "was accepted" });
}

Deno.test("envelopeOf reads data and errors, and keeps the body as text", () => {
  const notFound = { code: "NOT_FOUND", field: "project_ids", value: "x" };
  const cases: [string, unknown, unknown[]][] = [
    ['{"data":[]}', [], []],
    ['{"data":[1],"errors":null}', [1], []],
    ['{"data":null}', null, []],
    [`{"data":{"a":0},"errors":[${JSON.stringify(notFound)}]}`, { a: 0 }, [notFound]],
    ['{"data":[],"errors":[],"page":1}', [], []],
    ['{"data":[],"errors":{}}', [], [{}]],
    ['{"data":[],"errors":"ghost"}', [], ["ghost"]],
    ['{"data":null,"errors":[["a"],null,false]}', null, [["a"], null, false]],
    ['\ufeff{"data":"ü"}', "ü", []],
  ];
  for (const [body, data, errors] of cases) {
    const envelope = read(body);
    assert.deepEqual([envelope.data, envelope.errors], [data, errors]);
    assert.equal(envelope.body(), body.replace("\ufeff", ""));
  }
});

Deno.test("envelopeOf refuses another shape, and shows the start of the body", () => {
  const cases: [string, string, string][] = [
    ["", "JSON", "(nothing)"],
    ['{"data":[{"a":1},', "JSON", '{"data":[{"a":1},'],
    ["<html><title>502</title></html>", "JSON", "<html><title>502</title></html>"],
    ["[]", "a JSON object with data", "[]"],
    ["null", "a JSON object with data", "null"],
    ['"data"', "a JSON object with data", '"data"'],
    ['{"message":"no"}', "a JSON object with data", '{"message":"no"}'],
  ];
  for (const [body, expected, start] of cases) {
    const error = refusal(body);
    assert.equal(
      error.message,
      `cohort_analysis: expected ${expected}; the response begins with: ${start}`,
    );
    assert.equal(error.expected, expected);
    assert.equal(error.body, body);
    const { operation, status, url, attempts } = error;
    assert.deepEqual({ operation, status, url, attempts }, CONTEXT);
  }
});

Deno.test("envelopeOf shows the first 200 characters of a long body, and keeps all of it", () => {
  const error = refusal("x".repeat(5_000));
  assert.ok(error.message.endsWith(`begins with: ${"x".repeat(200)}`));
  assert.equal(error.body.length, 5_000);
  assert.ok(!Deno.inspect(error).includes("x".repeat(201)));
});

Deno.test("envelopeOf refuses bytes that are not UTF-8 instead of guessing a letter", () => {
  const error = refusal(new Uint8Array([...new TextEncoder().encode('{"data":["'), 0xff, 0x22]));
  assert.equal(error.expected, "JSON");
  assert.equal(error.body, '{"data":["\ufffd"');
});

Deno.test("envelopeOf notes members other than data and errors, without the token", () => {
  const body =
    '{"pagination":{"next":"s3cret"},"data":[],"message":"ok","__proto__":1,"errors":null}';
  assert.deepEqual(read(body).notes, [
    'pagination: {"next":"[token]"}',
    'message: "ok"',
    "__proto__: 1",
  ]);
  assert.deepEqual(read('{"data":[]}').notes, []);
});
