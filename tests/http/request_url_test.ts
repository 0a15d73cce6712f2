import assert from "node:assert/strict";
import type { ApiRequest } from "../../lib/http/request.ts";
import { requestUrl } from "../../lib/http/request.ts";

function urlOf(params: ApiRequest["params"]): string {
  return requestUrl("https://api.example.org/base", {
    operation: "project_contracts",
    method: "GET",
    path: "/v2/datasets/project_contracts",
    params,
    body: null,
  });
}

Deno.test("requestUrl encodes each id and leaves the commas between them", () => {
  const start = "https://api.example.org/base/v2/datasets/project_contracts";
  const cases: [ApiRequest["params"], string][] = [
    [{}, ""],
    [{ project_ids: ["alder"] }, "?project_ids=alder"],
    [{ project_ids: ["alder", "birch"], limit: "5" }, "?project_ids=alder,birch&limit=5"],
    [
      { project_ids: ["a/b", "c d", "e&f=g", "ü", "100%", "a+b", "#1"] },
      "?project_ids=a%2Fb,c%20d,e%26f%3Dg,%C3%BC,100%25,a%2Bb,%231",
    ],
    [
      { order_by: "gas used", order_direction: "desc" },
      "?order_by=gas%20used&order_direction=desc",
    ],
  ];
  for (const [params, end] of cases) assert.equal(urlOf(params), start + end);
});

Deno.test("requestUrl survives the URL parser unchanged, so that the shown URL is the sent one", () => {
  const url = urlOf({ project_ids: ["a/b", "c d", "é'(x)!*", "..", "<>`{}|\\^"], limit: "1" });
  assert.equal(new URL(url).href.replaceAll("%27", "'"), url.replaceAll("%27", "'"));
  assert.deepEqual(
    new URL(url).searchParams.get("project_ids"),
    ["a/b", "c d", "é'(x)!*", "..", "<>`{}|\\^"].join(","),
  );
});
