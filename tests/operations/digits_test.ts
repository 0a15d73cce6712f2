import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { project } from "../../lib/operations/project.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { answering } from "./answering.ts";

/** A connection whose service sends this text. */
function sending(text: string) {
  return answering(() => new Response(text)).connection;
}

const BREAKDOWN = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;

Deno.test("numbers in text columns keep their digits, also inside JSON texts", async () => {
  const chosen = '{"n":9007199254740993,"big":1e999,"list":[1.50,{"x":-0.0}],"t":"1 :2"}';
  const details = await project(
    { project_id: "a" },
    sending(`{"data":{"project_id":9007199254740993,"name":1.50,"description":${chosen},
      "chains":[18446744073709551615],"links":[{"summary":1e400,"url":"u","at":0.10}],
      "metric_availability":{"fees":true}}}`),
  );
  const [row] = details.toRecords();
  deepStrictEqual(
    [row!.project_id, row!.name, row!.description, row!.chains, row!.links],
    ["9007199254740993", "1.50", chosen, ["18446744073709551615"], [{
      summary: "1e400",
      url: "u",
    }]],
  );
  deepStrictEqual(
    details.select("links_extra", "metric_availability").row(0),
    ['[{"at":0.10}]', '{"fees":true}'],
  );
  const values = await metricAggregations(
    {},
    sending('{"data":[{"project_id":"a","value":12.50},{"project_id":"b","value":1e999}]}'),
  );
  deepStrictEqual(values.select("value", "value_number").rows(), [["12.50", 12.5], [
    "1e999",
    null,
  ]]);
  deepStrictEqual(provenanceOf(values).notes, []);
});

Deno.test("numbers that Float64 cannot store are counted in one note", async () => {
  const frame = await metricBreakdown(
    BREAKDOWN,
    sending(`{"data":[
      {"data_id":"a","rank":1,"mixed":9007199254740993,"metrics":{"fees":{"sum":9007199254740993,"avg":1e999}}},
      {"data_id":"b","rank":1e999,"mixed":"x","metrics":{"fees":{"sum":-36893488147419103233,"avg":2}}},
      {"data_id":"c","rank":9007199254740992,"mixed":null,"metrics":{"fees":{"sum":1,"avg":1e22}}}]}`),
  );
  deepStrictEqual(frame.select("fees_sum", "fees_avg", "rank", "mixed").rows(), [
    [9007199254740992, null, 1, "9007199254740993"],
    [-36893488147419103000, 2, null, '"x"'],
    [1, 1e22, 9007199254740992, null],
  ]);
  deepStrictEqual(provenanceOf(frame).notes, [
    "numbers: 2 beyond 2^53 rounded (metrics.fees.sum), " +
    "2 beyond the range of Float64 read as null (rank, metrics.fees.avg)",
  ]);
});

Deno.test("requests in several parts are sorted and merged with all digits", async () => {
  const connection = answering((path: string) => {
    const [, id] = /project_ids=(a|b)/.exec(path)!;
    return new Response(
      `{"data":[{"project_id":"${id}","account_address":9007199254740993,"gas_used_1d_sum":1e999}]}`,
    );
  }, { maxUrlLength: 130 }).connection;
  const project_ids = ["a", "b"].map((id) => id + "x".repeat(40));
  const contracts = await projectContracts(
    { project_ids, order_by: "gas_used_1d_sum" },
    connection,
  );
  deepStrictEqual(contracts.select("project_id", "account_address", "gas_used_1d_sum").rows(), [
    ["a", "9007199254740993", null],
    ["b", "9007199254740993", null],
  ]);
});

Deno.test("wrong values beside numbers with digits are still refused, and shown as sent", async () => {
  const told = (text: string) => project({ project_id: "a" }, sending(text));
  await rejects(told('{"data":{"name":5,"chains":[{"n":7},true]}}'), {
    name: "ResponseError",
    message:
      /^project: row 0, chains: expected a list of texts, got \[\{"n":7\},true\]; run chainframe probe/,
  });
  await rejects(told('{"data":{"name":5,"links":[{"summary":1},5]}}'), {
    message: /links: expected a list of .*, got \[\{"summary":1\},5\]; run chainframe probe/,
  });
  await rejects(
    metricBreakdown(BREAKDOWN, sending('{"data":[{"data_id":5,"metrics":{}},{"data_id":true}]}')),
    { message: /row 1, data_id: expected a text, got true; run chainframe probe/ },
  );
});

Deno.test("a body that is too deep to be parsed with digits is a ResponseError", async () => {
  const deep = `${"[".repeat(200_000)}1${"]".repeat(200_000)}`;
  for (const data of [`{"name":5,"description":${deep}}`, `{"name":"x","extra":${deep}}`]) {
    await rejects(project({ project_id: "a" }, sending(`{"data":${data}}`)), (error: Error) => {
      strictEqual(error.name, "ResponseError");
      match(error.message, /^project: the response cannot be read: Maximum call stack/);
      return true;
    });
  }
});
