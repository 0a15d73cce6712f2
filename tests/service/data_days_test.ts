import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { buildData, createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { type Facts, writeFacts } from "./facts_model.ts";
import { serveLocally } from "./serve_locally.ts";
import { tinyFacts } from "./tiny_facts.ts";

const bearer = { authorization: `Bearer ${TOKEN}` };
const json = { ...bearer, "content-type": "application/json" };
const SAMPLE_DAYS = ["2024-01-01", "2026-06-17"];

function daysOf({ headers }: Response): (string | null)[] {
  return [headers.get("data-since"), headers.get("data-through")];
}

/** The tiny facts, a year later. */
function later(facts: Facts): Facts {
  return JSON.parse(JSON.stringify(facts).replaceAll('"2026-', '"2027-'));
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

Deno.test("the days belong to the data of the response, also after a swap", async () => {
  const folder = await Deno.makeTempDir();
  const out = `${folder}/data.duckdb`;
  try {
    await writeFacts(`${folder}/facts`, tinyFacts());
    await buildData({ facts: `${folder}/facts`, out });
    await using local = await serveLocally(await createService({ tokens: [TOKEN], data: out }));
    const ask = async () => {
      const response = await fetch(`${local.url}/v2/projects/p1`, { headers: bearer });
      await response.body?.cancel();
      return daysOf(response);
    };
    equal(await ask(), ["2026-01-30", "2026-01-31"]);
    await writeFacts(`${folder}/facts`, later(tinyFacts()));
    await buildData({ facts: `${folder}/facts`, out });
    const until = Date.now() + 30_000;
    let days = await ask();
    while (days[0] === "2026-01-30" && Date.now() < until) {
      equal(days[1], "2026-01-31");
      await new Promise((resolve) => setTimeout(resolve, 50));
      days = await ask();
    }
    equal(days, ["2027-01-30", "2027-01-31"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("pages of other origins may read the headers with the days of the data", async () => {
  const service = await createService({ tokens: [TOKEN], cors: ["https://page.example"] });
  await using local = await serveLocally(service);
  const response = await fetch(`${local.url}/v2/projects/tidewater`, {
    headers: { ...bearer, origin: "https://page.example" },
  });
  await response.body?.cancel();
  const exposed = response.headers.get("access-control-expose-headers")!;
  ok(exposed.includes("Data-Through") && exposed.includes("Data-Since"), exposed);
});
