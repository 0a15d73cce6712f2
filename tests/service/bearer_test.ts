import { deepStrictEqual as equal, match } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";

const TOKENS = ["short", "short-and-longer", "x".repeat(300)];
const service = await createService({
  tokens: TOKENS,
  rateLimit: { requests: 3 },
});
Deno.test.afterAll(() => service.close());

async function ask(authorization?: string): Promise<Response> {
  const headers = new Headers(
    authorization === undefined ? [] : [["authorization", authorization]],
  );
  return await service.fetch(new Request("http://x/v2/projects/tidewater", { headers }));
}

Deno.test("every token is accepted, and has its own rate limit", async () => {
  const left = async (token: string) => {
    const response = await ask(`Bearer ${token}`);
    await response.body?.cancel();
    return [response.status, response.headers.get("ratelimit-remaining")];
  };
  equal(await Promise.all(TOKENS.map(left)), Array(3).fill([200, "2"]));
  const other = await ask("bearer  short-and-longer  ");
  equal([other.status, other.headers.get("ratelimit-remaining")], [200, "1"]);
});

Deno.test("a prefix or an extension of a token is refused", async () => {
  const near = ["shor", "short-", "Short", "x".repeat(299), "x".repeat(301), "x".repeat(9_000)];
  for (const token of [...near, "short=", "tshor"]) {
    const response = await ask(`Bearer ${token}`);
    equal([token.slice(0, 20), response.status], [token.slice(0, 20), 403]);
    equal((await response.json()).errors[0].code, "UNKNOWN_TOKEN");
  }
});

Deno.test("a missing header and a malformed one give different messages", async () => {
  for (const header of [undefined, ""]) {
    const missing = await ask(header);
    equal([missing.status, missing.headers.get("www-authenticate")], [
      401,
      'Bearer realm="chainframe"',
    ]);
    match((await missing.json()).message, /is missing/);
  }
  for (const header of ["Bearer", "Bearer ", "Basic short", "short", "Bearer short short"]) {
    const malformed = await ask(header);
    equal([header, malformed.status], [header, 401]);
    match((await malformed.json()).message, /is not of the form/);
  }
});
