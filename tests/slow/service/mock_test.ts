import { deepStrictEqual as equal, ok } from "node:assert/strict";
import {
  blockchainComparison,
  cohortAnalysis,
  connect,
  metricAggregations,
  metricBreakdown,
  project,
  projectContracts,
} from "../../../mod.ts";
import { METRICS } from "../../../lib/service/datasets/metric.ts";
import { document } from "../../service/openapi_test.ts";
import { PROXY_AVAILABLE, spawnPrism } from "./validating_proxy.ts";

async function withMock(use: (url: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/openapi.json`, JSON.stringify(document));
    const mock = await spawnPrism("mock", `${folder}/openapi.json`, "--dynamic");
    try {
      await use(mock.url);
    } finally {
      await mock.stop();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const IDS = METRICS.map(({ metric_id }) => metric_id);

Deno.test({
  name: "a mock made from openapi.json answers only what the service could",
  ignore: !PROXY_AVAILABLE,
  fn: () =>
    withMock(async (url) => {
      const headers = { authorization: "Bearer t", "content-type": "application/json" };
      const read = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(url + path, { headers, ...init });
        equal([path, response.status], [path, 200]);
        return await response.json();
      };
      const body = '{"metric_ids":["fees"],"interval":"7d","group_by":"chains"}';
      for (let round = 0; round < 20; round++) {
        const { data, errors } = await read("/v2/metric-breakdown", { method: "POST", body });
        for (const { data_id, metrics } of data) {
          ok(data_id.length > 0);
          ok(Object.keys(metrics).length > 0);
          ok(Object.keys(metrics).every((id) => IDS.includes(id)), JSON.stringify(metrics));
        }
        ok(errors === undefined || errors.length > 0);
        for (const { code, field } of errors ?? []) {
          ok(code === "NOT_FOUND" && field.endsWith("_ids"), `${code} ${field}`);
        }
        for (const item of (await read("/v2/metric-aggregations")).data) {
          ok(IDS.includes(item.metric_id));
          ok(/^(NaN|-|-?[\d.]+(e[+-]\d+)?)$/.test(item.value), item.value);
        }
        for (const row of (await read("/v2/datasets/cohort_analysis")).data) {
          ok(/^\d{4}-\d{2}$/.test(row.cohort), row.cohort);
          ok(row.month_3 === null || (row.month_3 >= 0 && row.month_3 <= 1), `${row.month_3}`);
        }
        const record = (await read("/v2/projects/x")).data;
        equal(Object.keys(record.metric_availability).sort(), [...IDS].sort());
      }
    }),
});

Deno.test({
  name: "the client reads what a mock made from openapi.json answers",
  ignore: !PROXY_AVAILABLE,
  fn: () =>
    withMock(async (url) => {
      const connection = connect({
        baseUrl: url,
        token: "t",
        requestsPerMinute: Infinity,
        onMissing: "ignore",
      });
      for (let round = 0; round < 5; round++) {
        const query = { metric_ids: ["fees"], interval: "7d", group_by: "chains" } as const;
        await metricBreakdown(query, connection);
        await metricAggregations({}, connection);
        await blockchainComparison({}, connection);
        await projectContracts({}, connection);
        await cohortAnalysis({}, connection);
        equal((await project({ project_id: "x" }, connection)).height, 1);
      }
    }),
});
