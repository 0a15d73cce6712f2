import { deepStrictEqual as equal } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { serveLocally } from "./serve_locally.ts";

const bearer = { authorization: `Bearer ${TOKEN}` };
const json = { ...bearer, "content-type": "application/json" };
const SAMPLE_DAYS = ["2024-01-01", "2026-06-17"];

function daysOf({ headers }: Response): (string | null)[] {
  return [headers.get("data-since"), headers.get("data-through")];
}

Deno.test("every response has the first and the last day of the data", async () => {
  await using local = await serveLocally(await createService({ tokens: [TOKEN] }));
  const etag = (await fetch(`${local.url}/v2/datasets/cohort_analysis`, { headers: bearer }))
    .headers.get("etag")!;
  const body = '{"metric_ids":["fees"],"interval":"7d","group_by":"chains"}';
  const asked: [string, RequestInit, number][] = [
    ["/v2/datasets/cohort_analysis", { headers: bearer }, 200],
    ["/v2/datasets/cohort_analysis", { headers: bearer, method: "HEAD" }, 200],
    ["/v2/datasets/cohort_analysis", { headers: { ...bearer, "if-none-match": etag } }, 304],
    ["/v2/metric-aggregations", { headers: bearer }, 200],
    ["/v2/metric-breakdown", { headers: json, method: "POST", body }, 200],
    ["/v2/metric-breakdown", { headers: json, method: "POST", body: "{" }, 400],
    ["/v2/projects/tidewater", { headers: bearer }, 200],
    ["/v2/projects/tidepool", { headers: bearer, redirect: "manual" }, 308],
    ["/v2/projects/nowhere", { headers: bearer }, 404],
    ["/v2/datasets/cohort_analysis", {}, 401],
    ["/v2/datasets/cohort_analysis", { headers: bearer, method: "DELETE" }, 405],
    ["/healthz", {}, 200],
    ["/reference", {}, 200],
  ];
  for (const [path, init, status] of asked) {
    const response = await fetch(local.url + path, init);
    await response.body?.cancel();
    equal([path, response.status, daysOf(response)], [path, status, SAMPLE_DAYS]);
  }
});
