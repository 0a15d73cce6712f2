import { deepStrictEqual as equal, throws } from "node:assert/strict";
import { bearerCheck } from "../../lib/service/web/access.ts";

const TOKENS = ["short", "short-and-longer", "x".repeat(300)];
const check = bearerCheck(TOKENS);

Deno.test("bearerCheck says which of the tokens was sent", () => {
  equal(TOKENS.map((token) => check(`Bearer ${token}`)), [0, 1, 2]);
  equal(check("bearer  short-and-longer  "), 1);
});

Deno.test("bearerCheck knows no token that only starts or goes on like one of them", () => {
  const near = ["shor", "short-", "Short", "x".repeat(299), "x".repeat(301), "x".repeat(9_000)];
  for (const token of [...near, "short=", "tshor"]) {
    throws(() => check(`Bearer ${token}`), { status: 403 }, token.slice(0, 20));
  }
});

Deno.test("bearerCheck tells a header that is missing from one that is malformed", () => {
  throws(() => check(null), { status: 401, message: /is missing/ });
  for (const header of ["", "Bearer", "Bearer ", "Basic short", "short", "Bearer short short"]) {
    throws(() => check(header), { status: 401, message: /is not of the form/ }, header);
  }
});
