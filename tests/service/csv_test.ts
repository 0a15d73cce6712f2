import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { buildData, createService } from "../../lib/service/mod.ts";
import { csvHeader, csvLines } from "../../lib/service/web/csv.ts";
import { TOKEN } from "./call_service.ts";
import { writeFacts } from "./facts_model.ts";
import { serveLocally } from "./serve_locally.ts";
import { tinyFacts } from "./tiny_facts.ts";

const local = await serveLocally(await createService({ tokens: [TOKEN] }));
Deno.test.afterAll(async () => await local[Symbol.asyncDispose]());

const CSV = "text/csv; charset=utf-8; header=present";
const DATASETS = ["blockchain_comparison", "project_contracts", "cohort_analysis"];
const COMPARISON = "/v2/datasets/blockchain_comparison";

function ask(path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(local.url + path, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
}

/** Reads CSV, letter by letter: null is an empty field, and "" an empty text. */
function read(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [[]];
  let at = 0;
  while (at < text.length) {
    let field: string | null = null;
    if (text[at] === '"') {
      field = "";
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        field += text[at];
      }
      at++;
    } else {
      const end = text.slice(at).search(/[,\r]/);
      field = text.slice(at, at + end) || null;
      at += end;
    }
    rows.at(-1)!.push(field);
    if (text[at] === ",") at++;
    else {
      equal(text.slice(at, at + 2), "\r\n");
      at += 2;
      rows.push([]);
    }
  }
  equal(rows.pop(), []);
  return rows;
}

Deno.test("the datasets and the aggregations are the same as CSV and as JSON", async () => {
  for (
    const path of [...DATASETS.map((name) => `/v2/datasets/${name}`), "/v2/metric-aggregations"]
  ) {
    const { data } = await (await ask(path, {})).json();
    const response = await ask(path, { accept: "text/csv" });
    equal([response.status, response.headers.get("content-type")], [200, CSV]);
    const [columns, ...rows] = read(await response.text());
    equal(columns, Object.keys(data[0]));
    equal(rows.length, data.length);
    type Row = Record<string, string | number | null>;
    equal(rows, data.map((row: Row) => Object.values(row).map((v) => v === null ? null : `${v}`)));
  }
});

Deno.test("CSV has the rows of JSON in the same order", async () => {
  const path = `${COMPARISON}?chain_ids=kelp,alder&order_by=chain_id&order_direction=desc`;
  const [, ...rows] = read(await (await ask(path, { accept: "text/csv" })).text());
  equal(rows.map(([chain_id]) => chain_id), ["kelp", "alder"]);
  const none = await ask(`${COMPARISON}?chain_ids=nowhere`, { accept: "text/csv" });
  equal(read(await none.text()).length, 1);
});

Deno.test("csvLines quotes ambiguous text, and distinguishes null from empty text", () => {
  const rows = [
    { a: null, b: "", c: 'say "x", y' },
    { a: "one\ntwo", b: " blank ", c: 1e21 },
    { a: "null", b: 0.1, c: true },
  ];
  const text = 'a,b,c\r\n,"","say ""x"", y"\r\n"one\ntwo"," blank ",1e+21\r\nnull,0.1,true\r\n';
  const columns = ["a", "b", "c"];
  equal(csvHeader(columns) + csvLines(columns, rows), text);
});

Deno.test("Accept selects the format: JSON by default, 406 without a common one", async () => {
  const cases: [string | null, string | null][] = [
    [null, "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["application/*", "application/json"],
    ["text/html, application/xhtml+xml, */*;q=0.8", "application/json"],
    ["text/csv, application/json;q=0.9", CSV],
    ["text/csv;q=0.5, application/json", "application/json"],
    ["text/csv;q=0.5, */*;q=0.1", CSV],
    ["TEXT/CSV", CSV],
    ["text/*", CSV],
    ["text/csv;header=present", CSV],
    ["application/json;q=0, */*", CSV],
    ["text/csv;q=0", null],
    ["application/xml", null],
    ["text/html", null],
    ["application/json;q=0", null],
  ];
  for (const [accept, type] of cases) {
    const response = await ask(`${COMPARISON}?limit=1`, accept === null ? {} : { accept });
    const body = await response.text();
    if (type === null) {
      equal([accept, response.status, JSON.parse(body).errors[0].code], [
        accept,
        406,
        "NOT_ACCEPTABLE",
      ]);
    } else equal([accept, response.headers.get("content-type")], [accept, type]);
  }
  for (const accept of ["text/csv", "text/html"]) {
    const project = await ask("/v2/projects/tidewater", { accept });
    equal([project.status, (await project.json()).errors[0].field], [406, "Accept"]);
    const breakdown = await fetch(`${local.url}/v2/metric-breakdown`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", accept },
      body: '{"metric_ids":["fees"],"interval":"7d","group_by":"chains"}',
    });
    await breakdown.body?.cancel();
    equal(breakdown.status, 406);
  }
});

Deno.test("CSV has its own ETag, the days of the data, and Vary", async () => {
  const json = await ask(COMPARISON, {});
  const csv = await ask(COMPARISON, { accept: "text/csv" });
  await Promise.all([json.body?.cancel(), csv.body?.cancel()]);
  const etag = csv.headers.get("etag")!;
  ok(etag !== json.headers.get("etag"));
  for (const { headers } of [json, csv]) {
    ok(headers.get("vary")!.includes("Accept,"), headers.get("vary")!);
    equal(headers.get("data-through"), "2026-06-17");
  }
  const again = await ask(COMPARISON, { accept: "text/csv", "if-none-match": etag });
  equal([again.status, await again.text(), again.headers.get("data-since")], [
    304,
    "",
    "2024-01-01",
  ]);
  const other = await ask(COMPARISON, { "if-none-match": etag });
  await other.body?.cancel();
  equal(other.status, 200);
});

Deno.test("the header Entity-Errors of a CSV holds the first 20 errors, in ASCII", async () => {
  const unknown = ["sörvice", 'a"b', ...Array.from({ length: 30 }, (_, index) => `x${index}`)];
  const query = `project_ids=tidewater,${unknown.map(encodeURIComponent).join(",")}`;
  for (const _time of ["new", "remembered"]) {
    const response = await ask(`/v2/metric-aggregations?${query}`, { accept: "text/csv" });
    const [, ...rows] = read(await response.text());
    ok(rows.length > 0 && rows.every((row) => row[1] === "tidewater"));
    const header = response.headers.get("entity-errors")!;
    ok(/^[\x20-\x7e]+$/.test(header), header);
    const errors = JSON.parse(header);
    equal([errors.length, response.headers.get("entity-errors-count")], [20, "32"]);
    equal(errors.slice(0, 2), [
      { code: "NOT_FOUND", field: "project_ids", value: "sörvice" },
      { code: "NOT_FOUND", field: "project_ids", value: 'a"b' },
    ]);
  }
  const found = await ask("/v2/metric-aggregations?project_ids=tidewater", { accept: "text/csv" });
  await found.body?.cancel();
  equal(found.headers.get("entity-errors"), null);
});

async function hasPandas(python: string): Promise<boolean> {
  const { success } = await new Deno.Command(python, {
    args: ["-c", "import pandas"],
    stderr: "null",
  })
    .output().catch(() => ({ success: false }));
  return success;
}

// The one of the system has it where another comes first on the path.
let python: string | undefined;
for (const name of ["/usr/bin/python3", "python3"]) if (await hasPandas(name)) python ??= name;

Deno.test({
  name: "pandas.read_csv reads names with commas, quotes and line breaks, and null as missing",
  ignore: python === undefined,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const facts = tinyFacts();
      facts.chains[0]!.chain_name = 'Chain, the "first"\nof one';
      await writeFacts(`${folder}/facts`, facts);
      await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
      const service = await createService({ tokens: [TOKEN], data: `${folder}/data.duckdb` });
      await using own = await serveLocally(service);
      const program = `
import io, json, urllib.request, pandas
request = urllib.request.Request("${own.url}${COMPARISON}",
  headers={"Authorization": "Bearer ${TOKEN}", "Accept": "text/csv"})
frame = pandas.read_csv(io.BytesIO(urllib.request.urlopen(request).read()))
print(json.dumps([list(frame.shape), frame["chain_name"][0], int(frame["market_cap_fd_latest"].isna().sum())]))
`;
      const { stdout, stderr } = await new Deno.Command(python!, {
        args: ["-c", program],
        env: { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" },
      }).output();
      const told = new TextDecoder().decode(stdout);
      ok(told !== "", new TextDecoder().decode(stderr));
      equal(JSON.parse(told), [[1, 97], 'Chain, the "first"\nof one', 1]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
