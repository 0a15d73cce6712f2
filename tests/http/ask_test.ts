import assert from "node:assert/strict";
import { ask } from "./ask.ts";
import { connect } from "../../lib/http/connect.ts";
import type { Fetch } from "../../lib/http/settings.ts";
import { ResponseError } from "../../lib/http/errors.ts";
import type { ApiRequest } from "../../lib/http/request.ts";

const QUESTION: ApiRequest = {
  operation: "project_contracts",
  method: "GET",
  path: "/v2/datasets/project_contracts",
  params: { project_ids: ["a/b", "c"], limit: "2" },
  body: null,
};

const BREAKDOWN: ApiRequest = {
  operation: "metric_breakdown",
  method: "POST",
  path: "/v2/metric-breakdown",
  params: {},
  body: { metric_ids: ["fees"], interval: "30d", group_by: "chains" },
};

function connected(fetch: Fetch) {
  return connect({ baseUrl: "https://api.example.org/base", token: "s3cret-token", fetch });
}

Deno.test("ask sends a GET without and a POST with a JSON body, with the bearer token", async () => {
  const sent: unknown[] = [];
  const connection = connected(async (request) => {
    const { method, url, headers } = request;
    sent.push([method, url, Object.fromEntries(headers), await request.text()]);
    return Response.json({ data: [] });
  });
  await ask(QUESTION, connection);
  await ask(BREAKDOWN, connection);
  const headers = { accept: "application/json", authorization: "Bearer s3cret-token" };
  const base = "https://api.example.org/base/v2";
  assert.deepEqual(sent, [
    ["GET", `${base}/datasets/project_contracts?project_ids=a%2Fb,c&limit=2`, headers, ""],
    [
      "POST",
      `${base}/metric-breakdown`,
      { ...headers, "content-type": "application/json" },
      '{"metric_ids":["fees"],"interval":"30d","group_by":"chains"}',
    ],
  ]);
});

Deno.test("ask returns data, errors, text and their source", async () => {
  const body = '{"data":[{"chain_id":"alder"}],"errors":[{"code":"NOT_FOUND"}]}';
  const connection = connected(() => Promise.resolve(new Response(body)));
  const [answer] = await ask(QUESTION, connection);
  assert.ok(answer !== undefined && answer.retrieved_at instanceof Date);
  const { retrieved_at, checked_at, body: text, data, redact: _, ...rest } = answer;
  assert.equal(text(), body);
  assert.deepEqual(checked_at, retrieved_at);
  assert.deepEqual(data, [{ chain_id: "alder" }]);
  assert.deepEqual(rest, {
    errors: [{ code: "NOT_FOUND" }],
    url: "https://api.example.org/base/v2/datasets/project_contracts?project_ids=a%2Fb,c&limit=2",
    source: "service",
    attempts: 1,
    renamed: [],
    sha256: "1ce5bf1bd2e06f1c6454413b64cb419755fabb6bbaad36d6fc42f03368df0bef",
    data_through: null,
    data_since: null,
    notes: [],
    operation: "project_contracts",
    sample: false,
    status: 200,
    next_page: false,
    notFound: null,
  });
});

Deno.test("ask accepts only 200 as success", async () => {
  for (const status of [201, 206]) {
    const connection = connected(() => Promise.resolve(Response.json({ data: [] }, { status })));
    await assert.rejects(() => ask(QUESTION, connection), ResponseError);
  }
});
