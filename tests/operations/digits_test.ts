import { deepStrictEqual, match, rejects } from "node:assert/strict";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { answering } from "./answering.ts";

/** A connection whose service sends this text. */
function sending(text: string) {
  return answering(() => new Response(text)).connection;
}

const BREAKDOWN = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;

Deno.test("numbers in text columns are their texts; those above 2^53 are rounded, with a note", async () => {
  const details = await project(
    { project_id: "a" },
    sending(`{"data":{"project_id":7,"name":1.50,"description":{"n":9007199254740993,"big":1e999},
      "chains":[5],"links":[{"summary":0.1,"url":"u","at":0.10}],
      "metric_availability":{"fees":true}}}`),
  );
  const [row] = details.toRecords();
  deepStrictEqual(
    [row!.project_id, row!.name, row!.description, row!.chains, row!.links],
    ["7", "1.5", '{"n":9007199254740992,"big":null}', ["5"], [{ summary: "0.1", url: "u" }]],
  );
  deepStrictEqual(provenanceOf(details).notes, [
    "description: whole numbers above 2^53 are rounded",
    "links: left out the members at",
  ]);
  const values = await metricAggregations(
    {},
    sending('{"data":[{"project_id":"a","value":12.5},{"project_id":"b","value":1e20}]}'),
  );
  deepStrictEqual(values.select("value", "value_number").rows(), [
    ["12.5", 12.5],
    ["100000000000000000000", 1e20],
  ]);
  const infinite = await metricAggregations(
    {},
    sending('{"data":[{"project_id":"a","value":1e999}]}'),
  );
  deepStrictEqual(infinite.select("value", "value_number").rows(), [["Infinity", null]]);
  match(provenanceOf(infinite).notes!.join(), /^value: whole numbers above 2\^53 are rounded/);
});

Deno.test("numbers that Float64 cannot store are noted", async () => {
  const frame = await metricBreakdown(
    BREAKDOWN,
    sending(`{"data":[
      {"data_id":"a","rank":1,"metrics":{"fees":{"sum":9007199254740993,"avg":1e999}}},
      {"data_id":"b","rank":1e999,"metrics":{"fees":{"sum":-36893488147419103233,"avg":2}}},
      {"data_id":"c","rank":9007199254740991,"metrics":{"fees":{"sum":1,"avg":-1e999}}}]}`),
  );
  deepStrictEqual(frame.select("fees_sum", "fees_avg", "rank").rows(), [
    [9007199254740992, null, 1],
    [-36893488147419103000, 2, null],
    [1, null, 9007199254740991],
  ]);
  deepStrictEqual(provenanceOf(frame).notes, [
    "metrics.fees.sum: whole numbers above 2^53 are rounded",
    'rank: 1 read as null: "Infinity"',
    'metrics.fees.avg: 2 read as null: "Infinity", "-Infinity"',
  ]);
});

Deno.test("wrong values beside numbers are refused, and shown as sent", async () => {
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

Deno.test("ids that are too large to be exact are refused", async () => {
  await rejects(
    metricBreakdown(
      BREAKDOWN,
      sending('{"data":[{"data_id":9007199254740993,"metrics":{"fees":1}}]}'),
    ),
    {
      name: "ResponseError",
      message: /row 0, data_id: expected a text, or a number below 2\^53, got/,
    },
  );
});
