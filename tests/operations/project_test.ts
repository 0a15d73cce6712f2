import { deepStrictEqual, rejects } from "node:assert/strict";
import { project } from "../../lib/operations/project.ts";
import { errorsOf } from "../../lib/table/provenance.ts";
import { provenanceOf } from "../../lib/table/provenance.ts";
import { answering, byPath } from "./answering.ts";
import { recordCases } from "./dataset_cases.ts";

recordCases({
  name: "project",
  ask: (connection) => project({ project_id: "quillswap" }, connection),
  single: true,
  columns: {
    name: "String",
    project_id: "String",
    symbol: "String",
    description: "String",
    market_sectors: "String",
    chains: "List(String)",
    links: "List(Struct(summary, url))",
    aggregate_by_options: "String",
    metric_availability: "String",
    metric_definitions: "List(Struct(metric_id, definition))",
    metric_sources: "List(Struct(metric_id, definition))",
  },
  full: {
    name: "Quillswap",
    project_id: "quillswap",
    symbol: "QLS",
    description: { what: "swaps" },
    market_sectors: ["dex"],
    chains: ["alder", "basalt"],
    links: [{ summary: "site", url: "https://quillswap.example" }],
    aggregate_by_options: { chain: true },
    metric_availability: "all",
    metric_definitions: [{ metric_id: "fees", definition: "paid" }],
    metric_sources: [],
  },
  becomes: {
    description: '{"what":"swaps"}',
    market_sectors: '["dex"]',
    aggregate_by_options: '{"chain":true}',
  },
  text: "name",
});

Deno.test("project sends GET with the id encoded in the path", async () => {
  const { connection, sent } = answering({ data: {} });
  await project({ project_id: "a/b ü?" }, connection);
  deepStrictEqual(sent, [{ method: "GET", path: "/v2/projects/a%2Fb%20%C3%BC%3F", body: null }]);
});

Deno.test("project stacks several in the order asked for, and a 404 is a row of errorsOf", async () => {
  const { connection, sent } = answering(byPath({
    "/v2/projects/b": { data: { project_id: "b" } },
    "/v2/projects/a": { data: { project_id: "a" } },
  }));
  const frame = await project({ project_id: ["b", "ghost", "a", "b", "spook"] }, connection);
  deepStrictEqual(frame.getColumn("project_id").toArray(), ["b", "a"]);
  deepStrictEqual(errorsOf(frame).toRecords(), [
    { code: "NOT_FOUND", field: "project_id", value: "ghost" },
    { code: "NOT_FOUND", field: "project_id", value: "spook" },
  ]);
  deepStrictEqual([provenanceOf(frame).requests, sent.length], [2, 4]);
});

Deno.test("project is a NotFoundError for a single id, and an empty frame for a list of unknown ones", async () => {
  const { connection } = answering(byPath({}));
  await rejects(project({ project_id: "ghost" }, connection), {
    name: "NotFoundError",
    status: 404,
    errors: null,
  });
  const frame = await project({ project_id: ["ghost"] }, connection);
  deepStrictEqual([frame.height, frame.width, errorsOf(frame).height], [0, 11, 1]);
  deepStrictEqual(provenanceOf(frame).url, "http://127.0.0.1:9/v2/projects/ghost");
});

Deno.test("project refuses an id that would leave its path, before anything is sent", async () => {
  const { connection, sent } = answering({ data: {} });
  for (const project_id of ["", ".", "..", "a,b", [], ["a", ".."]]) {
    await rejects(project({ project_id }, connection), { name: "QueryError" });
  }
  deepStrictEqual(sent, []);
});
