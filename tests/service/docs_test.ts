import { deepStrictEqual as equal } from "node:assert/strict";
import { buildData, createService } from "../../lib/service/mod.ts";
import { get, TOKEN } from "./call_service.ts";
import { FACT_LAYOUT } from "../../lib/service/facts/fact_layout.ts";
import { COMPARISON_FIELDS } from "../../lib/schema/comparison_fields.ts";
import { PROJECT_CONTRACTS_RECORD } from "../../lib/schema/records.ts";
import { METRICS } from "../../lib/service/datasets/metric.ts";
import { SERVE_OPTIONS } from "../../scripts/serving/serve_options.ts";
import { summaryAggregations } from "../../lib/service/datasets/project_summary.ts";

function docs(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url));
}

function missing(text: string, words: readonly string[]): string[] {
  return words.filter((word) => !text.includes(`\`${word}\``));
}

/** Writes out names of definitions.md in which W stands for the windows. */
function withWindows(text: string): string {
  const windows = ["1d", "7d", "30d", "90d", "180d", "365d"];
  return text.replace(
    /`\w+_W(?:_\w+)?`/g,
    (name) => windows.map((window) => name.replace("_W", `_${window}`)).join(" "),
  );
}

Deno.test("definitions.md defines every field, metric and aggregation", async () => {
  const text = withWindows(await docs("service/definitions.md"));
  equal(COMPARISON_FIELDS.length, 95);
  equal(missing(text, COMPARISON_FIELDS.map(({ name }) => name)), []);
  equal(missing(text, PROJECT_CONTRACTS_RECORD.map(({ name }) => name)), []);
  equal(missing(text, METRICS.map(({ metric_id }) => metric_id)), []);
  equal(missing(text, METRICS.flatMap(summaryAggregations).map(({ name }) => name)), []);
});

Deno.test("facts.md describes every table and column of the layout", async () => {
  const text = await docs("service/facts.md");
  for (const { name, columns } of FACT_LAYOUT) {
    equal(missing(text, [name, ...columns.map((column) => column.name)]), []);
  }
});

Deno.test("operating.md names every option of serve.ts that sets a limit, and no unknown option", async () => {
  const text = await docs("service/operating.md");
  const known = SERVE_OPTIONS.flatMap(({ options }) => options.map(({ name }) => name));
  const told = new Set([...text.matchAll(/`?--([a-z][a-z-]+)/g)].map(([, name]) => name!));
  const ofOthers = ["facts", "out", "force", "since", "keep", "help"];
  equal([...told].filter((name) => !known.includes(name) && !ofOthers.includes(name)), []);
  equal(known.filter((name) => /timeout|wrong|max|rate|header/.test(name) && !told.has(name)), []);
});

Deno.test("the example of facts.md has five rows a table, and can be built and served", async () => {
  const folder = new URL("../../docs/example_facts", import.meta.url).pathname;
  for (const { name } of FACT_LAYOUT) {
    const text = await Deno.readTextFile(`${folder}/${name}.csv`);
    equal([name, text.trimEnd().split("\n").length], [name, 6]);
  }
  const data = await Deno.makeTempFile({ suffix: ".duckdb" });
  try {
    const { first_day, last_day, rows } = await buildData({ facts: folder, out: data });
    equal([first_day, last_day, rows.blockchain_comparison], ["2026-05-30", "2026-05-31", 5]);
    const service = await createService({ tokens: [TOKEN], data });
    const { body } = await get(service, "/v2/projects/heron");
    equal([body.data.chains, body.data.links.length], [["birch", "elm"], 2]);
    const missing = await service.fetch(
      new Request("http://x/v2/projects/egret", { headers: { authorization: `Bearer ${TOKEN}` } }),
    );
    equal([missing.status, missing.headers.get("location")], [308, "./heron"]);
    await service.close();
  } finally {
    await Deno.remove(data);
  }
});
