import assert from "node:assert/strict";
import { ask } from "./ask.ts";
import type { ApiResponse } from "../../lib/http/response.ts";
import type { ApiRequest } from "../../lib/http/request.ts";
import { answer, type Fault, faultServer } from "./fault_server.ts";
import { hearing } from "./hearing.ts";
import { data, failed, playing } from "./playing.ts";
import { connect } from "../../lib/http/connect.ts";
import { BREAKDOWN, chains, QUESTION } from "./question.ts";

const PROJECT: ApiRequest = {
  operation: "project",
  method: "GET",
  path: "/v2/projects/old",
  params: {},
  body: null,
};

Deno.test("a redirect is followed, listed in renamed, and reported once", async () => {
  const { connection, clock } = playing((request) =>
    request.url.endsWith("/new")
      ? data({ name: "New" })
      : failed(308, { location: "/v2/projects/new" })
  );
  const answers: ApiResponse[] = [];
  const told = await hearing(async () => {
    answers.push(...await clock.finish(ask(PROJECT, connection)));
    answers.push(...await clock.finish(ask(PROJECT, connection)));
  });
  for (const answer of answers) {
    assert.deepEqual(answer.data, { name: "New" });
    assert.deepEqual(answer.renamed, [{ from: "/v2/projects/old", to: "/v2/projects/new" }]);
    assert.equal(answer.url, "http://127.0.0.1:9/v2/projects/old");
    assert.equal(answer.attempts, 1);
  }
  assert.deepEqual(told, [
    "chainframe: project: redirected from /v2/projects/old to /v2/projects/new",
  ]);
});

Deno.test("five redirects are followed and listed", async () => {
  const { connection, clock } = playing((_, count) =>
    count <= 5 ? failed(307, { location: `step${count}` }) : data([])
  );
  await hearing(async () => {
    const [first] = await clock.finish(ask(PROJECT, connection));
    assert.deepEqual(
      first?.renamed.map(({ to }) => to),
      [1, 2, 3, 4, 5].map((n) => `/v2/projects/step${n}`),
    );
  });
});

Deno.test("a redirect that changes the query is listed with both queries", async () => {
  const { connection, clock } = playing((request) =>
    request.url.endsWith("=new") ? data([]) : failed(308, { location: "?chain_ids=new" })
  );
  await hearing(async () => {
    const [first] = await clock.finish(ask(chains(["old"]), connection));
    const path = "/v2/datasets/blockchain_comparison";
    assert.deepEqual(first?.renamed, [{
      from: `${path}?chain_ids=old`,
      to: `${path}?chain_ids=new`,
    }]);
  });
});

Deno.test("a POST stays a POST with its body, except for 303", async () => {
  const cases = [
    [301, "POST"],
    [302, "POST"],
    [303, "GET"],
    [307, "POST"],
    [308, "POST"],
  ] as const;
  for (const [status, method] of cases) {
    const redirect: Fault = answer(status, "", { location: "/v2/other" });
    await using server = faultServer(redirect, answer(200, '{"data":[]}'));
    const connection = connect({ baseUrl: server.url, token: "s3cret-token" });
    await hearing(() => ask(BREAKDOWN, connection));
    const [, second = ""] = server.received;
    assert.ok(second.startsWith(`${method} /v2/other HTTP/1.1\r\n`), second);
    assert.match(second, /^authorization: Bearer s3cret-token\r$/m);
    assert.equal(
      second.split("\r\n\r\n")[1],
      method === "GET" ? "" : JSON.stringify(BREAKDOWN.body),
    );
  }
});

Deno.test("the token never leaves the origin", async () => {
  await using elsewhere = faultServer(answer(200, '{"data":[]}'));
  for (const status of [301, 302, 303, 307, 308]) {
    const { port } = new URL(elsewhere.url);
    for (const location of [elsewhere.url, `//127.0.0.1:${port}/`, `http://localhost:${port}/`]) {
      await using server = faultServer(answer(status, "", { location }));
      const connection = connect({ baseUrl: server.url, token: "s3cret-token" });
      await assert.rejects(ask(QUESTION, connection), { name: "ResponseError" });
    }
  }
  assert.equal(elsewhere.count(), 0);
});

Deno.test("a redirect within the origin drops credentials and fragments it brings", async () => {
  const { connection, clock, sent } = playing((_, count) =>
    count === 1 ? failed(302, { location: "http://ada:pw@127.0.0.1:9/v2/x#y" }) : data([])
  );
  await hearing(() => clock.finish(ask(QUESTION, connection)));
  assert.deepEqual(sent.map(([, what]) => what).slice(1), ["GET /v2/x"]);
});

Deno.test("an escaped token in a redirect appears in no renaming and no warning", async () => {
  const token = 's3"/&k>t';
  const spelled = [
    JSON.stringify(token).slice(1, -1),
    "s3&quot;/&amp;k&gt;t",
    "s3&#34;/&#38;k&#62;t",
    "s3\\u0022\\u002f\\u0026k\\u003et",
    token,
  ].flatMap((text) => [text.replaceAll("#", "%23"), encodeURIComponent(text)]);
  for (const text of spelled) {
    const { connection, clock } = playing(
      (request) =>
        request.url.includes("/to/") ? data([]) : failed(308, { location: `/to/${text}` }),
      { token },
    );
    const told = await hearing(async () => {
      const [answer] = await clock.finish(ask(PROJECT, connection));
      assert.match(answer!.renamed[0]!.to, /^\/to\/(\\|\/|%5C)*\[token\]$/);
    });
    assert.equal(told.length, 1);
    assert.match(told[0]!, / to \/to\/(\\|\/|%5C)*\[token\]$/);
  }
});
