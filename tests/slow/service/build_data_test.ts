import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { buildData, createService, writeSample } from "../../../lib/service/mod.ts";
import { breakdown, get, TOKEN } from "../../service/call_service.ts";
import { refuseWrong, WRONG } from "../../service/wrong_facts.ts";

Deno.test("buildData names each error in the facts, and keeps the existing file", () =>
  refuseWrong(WRONG));

Deno.test("buildData of the written sample equals the embedded sample", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const written = await writeSample({ out: `${folder}/facts` });
    equal(written.length, 14);
    await rejects(writeSample({ out: `${folder}/facts` }), /exists already/);
    await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
    const built = await createService({ tokens: [TOKEN], data: `${folder}/data.duckdb` });
    const embedded = await createService({ tokens: [TOKEN] });
    for (
      const path of [
        "datasets/blockchain_comparison",
        "datasets/project_contracts",
        "datasets/cohort_analysis",
        "metric-aggregations",
        "projects/tidewater",
      ]
    ) {
      equal((await get(built, `/v2/${path}`)).body, (await get(embedded, `/v2/${path}`)).body);
    }
    const body = { metric_ids: ["active_users"], interval: "max", group_by: "chain-product" };
    equal((await breakdown(built, body)).body, (await breakdown(embedded, body)).body);
    const sampleMark = async () => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const response = await built.fetch(new Request("http://localhost/healthz", { headers }));
      return [response.headers.get("data-sample"), (await response.json()).data.sample];
    };
    equal(await sampleMark(), ["true", true]);
    await built.close();
    await embedded.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
