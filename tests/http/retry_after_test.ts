import assert from "node:assert/strict";
import { retryAfterOf } from "../../lib/http/retry.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

function wait(retryAfter: string | null, date?: string): number | null {
  const headers = new Headers();
  if (retryAfter !== null) headers.set("retry-after", retryAfter);
  if (date !== undefined) headers.set("date", date);
  return retryAfterOf(headers, NOW);
}

Deno.test("retryAfterOf reads seconds", () => {
  const cases = [["0", 0], ["5", 5_000], ["120", 120_000], ["1.5", 1_500], [" 7 ", 7_000]] as const;
  for (const [text, expected] of cases) assert.equal(wait(text), expected);
});

Deno.test("retryAfterOf reads a date", () => {
  assert.equal(wait("Thu, 01 Jan 2026 00:01:00 GMT"), 60_000);
  assert.equal(wait("Wed, 31 Dec 2025 23:00:00 GMT"), 0);
  assert.equal(wait("Thursday, 01-Jan-26 00:01:00 GMT"), 60_000);
  assert.equal(wait("Thu Jan  1 00:01:00 2026"), 60_000);
});

Deno.test("retryAfterOf measures a date by the response's Date header", () => {
  const until = "Thu, 01 Jan 2026 09:00:30 GMT";
  assert.equal(wait(until, "Thu, 01 Jan 2026 09:00:00 GMT"), 30_000);
  assert.equal(wait(until, "yesterday"), 32_430_000);
});

Deno.test("retryAfterOf is null for an unreadable header", () => {
  for (
    const text of [
      null,
      "",
      "soon",
      "soon, 5",
      "-5",
      "5s",
      "1e3",
      "2026-01-01",
      "Thu, 99 Foo 2026 00:00:00 GMT",
    ]
  ) {
    assert.equal(wait(text), null, String(text));
  }
});
