import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { breakdown, get, TOKEN } from "./call_service.ts";

const service = await createService({ tokens: [TOKEN] });
Deno.test.afterAll(() => service.close());

const COMPARISON = "/v2/datasets/blockchain_comparison";

Deno.test("a wrong name suggests names that contain it or are within two edits", async () => {
  const messageOf = async (path: string) => (await get(service, path)).body.message;
  const fees = await messageOf(`${COMPARISON}?order_by=fees`);
  ok(fees.startsWith("order_by: must be one of chain_id, chain_name, "), fees);
  const similar = /; got "fees" \(did you mean (.*)\?\)\.$/.exec(fees)![1]!.split(", ");
  equal(similar.length, 13);
  ok(similar.every((name) => name.includes("fees")));
  const none = await messageOf(`${COMPARISON}?order_by=quarter`);
  ok(none.endsWith(' and 77 more; got "quarter".'), none);
  equal(
    await messageOf(`${COMPARISON}?order_by=chain_id&order_direction=descending`),
    'order_direction: must be one of asc, desc; got "descending" (did you mean desc?).',
  );
  const { body } = await breakdown(service, {
    metric_ids: ["fees"],
    interval: "31d",
    group_by: "chain",
  });
  ok(body.message.includes('got "31d" (did you mean 30d?)'), body.message);
  ok(body.message.includes("(did you mean chains?)"));
});

Deno.test("limit accepts a whole number in any notation of JavaScript, and nothing else", async () => {
  const rows = async (limit: string) => {
    const { status, body } = await get(service, `${COMPARISON}?limit=${limit}`);
    return status === 200 ? body.data.length : body.message;
  };
  for (const limit of ["5", "5.0", "+5", "%2B5", "05", "5e0", "0.5e1"]) {
    equal([limit, await rows(limit)], [limit, 5]);
  }
  for (const limit of ["0", "-1", "1e9", ""]) {
    const told = /^limit: must be a whole number from 1 to 999999999; got ".*"\.$/;
    ok(told.test(await rows(limit)), limit);
  }
  for (const limit of ["1.5", "five"]) {
    const type = limit === "five" ? "number" : "int";
    equal(await rows(limit), `limit: must be of the type ${type}; got "${limit}".`);
  }
});

Deno.test("metric aggregations have the documented order for any order of the ids", async () => {
  const page = await Deno.readTextFile(
    new URL("../../docs/service/definitions.md", import.meta.url),
  );
  const section = page.slice(page.indexOf("## Metric aggregations"));
  const wordsOf = (text: string) => [...text.matchAll(/`([a-z_0-9]+)`/g)].map(([, word]) => word!);
  const metrics = wordsOf(section.slice(section.indexOf("`fees`"), section.indexOf("then by agg")));
  const rowOf = (kind: string) => wordsOf(new RegExp(`\\| ${kind} +\\|(.*)`).exec(section)![1]!);
  equal(metrics.length, 14);
  const path = "/v2/metric-aggregations?project_ids=tidewater,hearthlend";
  type Item = Record<"project_id" | "metric_id" | "metric_aggregation_name", string>;
  const items: Item[] = (await get(service, path)).body.data;
  equal([...new Set(items.map(({ project_id }) => project_id))], ["hearthlend", "tidewater"]);
  equal([...new Set(items.map(({ metric_id }) => metric_id))], metrics);
  const namesOf = (metric: string) =>
    items.filter((item) => item.project_id === "tidewater" && item.metric_id === metric)
      .map((item) => item.metric_aggregation_name);
  equal(namesOf("fees"), rowOf("flow"));
  equal(namesOf("active_users"), rowOf("users, level"));
  const some: Item[] = (await get(service, `${path}&metric_ids=tvl,fees`)).body.data;
  equal([...new Set(some.map(({ metric_id }) => metric_id))], ["fees", "tvl"]);
});

Deno.test("responses of sample data have the header Data-Sample", async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (const path of [COMPARISON, "/v2/projects/tidewater", "/v2/nothing", "/healthz"]) {
    for (let turn = 0; turn < 2; turn++) {
      const response = await service.fetch(new Request(`http://x${path}`, { headers }));
      await response.body?.cancel();
      equal([path, response.headers.get("data-sample")], [path, "true"]);
    }
  }
});
