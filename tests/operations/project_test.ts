import { deepStrictEqual, match, rejects } from "node:assert/strict";
import { project } from "../../lib/operations/project.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import type { NotFoundError } from "../../lib/http/errors.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { hearing } from "../http/hearing.ts";
import { answering, byPath } from "./answering.ts";
import { recordCases } from "./dataset_cases.ts";
import { inFolder } from "../in_folder.ts";

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
  const { connection, sent } = answering({ data: { name: null } });
  await project({ project_id: "a/b ü?" }, connection);
  deepStrictEqual(sent, [{ method: "GET", path: "/v2/projects/a%2Fb%20%C3%BC%3F", body: null }]);
});

Deno.test("project stacks several ids in the requested order, and a 404 is a row of errorsOf", async () => {
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

Deno.test("project returns an empty frame for unknown ids, subject to onMissing", async () => {
  for (const project_id of ["ghost", ["ghost"]]) {
    const { connection } = answering(byPath({}));
    const frame = await project({ project_id }, connection);
    deepStrictEqual([frame.height, frame.width], [0, 11]);
    deepStrictEqual(errorsOf(frame).toRecords(), [
      { code: "NOT_FOUND", field: "project_id", value: "ghost" },
    ]);
    deepStrictEqual(provenanceOf(frame).url, "http://127.0.0.1:9/v2/projects/ghost");
    const throwing = answering(byPath({}), { onMissing: "throw" }).connection;
    await rejects(project({ project_id }, throwing), (error: NotFoundError<DataFrame>) => {
      deepStrictEqual([error.name, error.errors?.height, error.status, error.attempts], [
        "NotFoundError",
        1,
        404,
        1,
      ]);
      const { message } = error.cause as Error;
      deepStrictEqual(message, "project: the service answered 404: no /v2/projects/ghost");
      return true;
    });
  }
});

Deno.test("project treats a 404 without JSON as a wrong address, and does not store it", () =>
  inFolder(async (dir) => {
    const page = () => new Response("<h1>Not Found</h1>", { status: 404 });
    const { connection } = answering(page, { cache: { dir } });
    await rejects(project({ project_id: "a" }, connection), {
      name: "HttpError",
      status: 404,
      message: /no such path \(404\): http:\/\/127\.0\.0\.1:9\/v2\/projects\/a; /,
    });
    deepStrictEqual([...Deno.readDirSync(dir)], []);
  }));

Deno.test("project leaves out unnamed members of links, definitions and sources, with a notice", async () => {
  const links = [{ summary: "s", url: "u", icon: "i" }];
  const metric_sources = [{ metric_id: "fees", definition: 5, by: ["x"] }];
  const { connection } = answering({ data: { name: "A", links, metric_sources, rank: 1 } });
  const frame = await project({ project_id: "a" }, connection);
  deepStrictEqual(provenanceOf(frame).notes, [
    "links: left out the members icon",
    "metric_sources: left out the members by",
  ]);
  deepStrictEqual(frame.getColumn("metric_sources").toArray(), [
    [{ metric_id: "fees", definition: "5" }],
  ]);
});

Deno.test("project refuses an id that would leave its path, before anything is sent", async () => {
  const { connection, sent } = answering({ data: {} });
  for (const project_id of ["", ".", "..", "a,b", [], ["a", ".."]]) {
    await rejects(project({ project_id }, connection), { name: "QueryError" });
  }
  deepStrictEqual(sent, []);
});

Deno.test("project keeps objects of another shape in fields of prose as JSON text, with a notice", async () => {
  const answer = byPath({
    "/v2/projects/a": {
      data: {
        project_id: "a",
        name: "A",
        symbol: { ticker: "AAA" },
        chains: ["alder"],
        metric_definitions: [{ metric_id: "tvl", definition: "Deposits" }],
      },
    },
    "/v2/projects/b": {
      data: {
        project_id: "b",
        name: "B",
        chains: [{ chain_id: "alder" }, "basalt"],
        metric_definitions: { pe: "Price to earnings", ps: "Price to sales" },
        metric_sources: { pe: "The Graph" },
      },
    },
  });
  const told = await hearing(async () => {
    const { connection } = answering(answer);
    const frame = await project({ project_id: ["a", "b"] }, connection);
    deepStrictEqual(
      frame.select("symbol", "chains", "metric_definitions", "metric_sources").toRecords(),
      [
        {
          symbol: '{"ticker":"AAA"}',
          chains: ["alder"],
          metric_definitions: [{ metric_id: "tvl", definition: "Deposits" }],
          metric_sources: null,
        },
        {
          symbol: null,
          chains: ['{"chain_id":"alder"}', "basalt"],
          metric_definitions: [{
            metric_id: null,
            definition: '{"pe":"Price to earnings","ps":"Price to sales"}',
          }],
          metric_sources: [{ metric_id: null, definition: '{"pe":"The Graph"}' }],
        },
      ],
    );
  });
  match(told.join("\n"), /metric_definitions: values of another shape are kept as JSON text/);
  match(told.join("\n"), /chains: values of/);
  const wrong = byPath({ "/v2/projects/a": { data: { project_id: { id: "a" } } } });
  await rejects(project({ project_id: "a" }, answering(wrong).connection), {
    name: "ResponseError",
    message: /project_id: expected a text, got \{"id":"a"\}/,
  });
});
