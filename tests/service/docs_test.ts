import { deepStrictEqual as equal } from "node:assert/strict";
import { FACT_LAYOUT } from "../../lib/service/facts/fact_layout.ts";
import { COMPARISON_FIELDS } from "../../lib/schema/comparison_fields.ts";
import { PROJECT_CONTRACTS_RECORD } from "../../lib/schema/records.ts";
import { METRICS } from "../../lib/service/datasets/metric.ts";
import { SERVE_OPTIONS } from "../../scripts/serving/options.ts";
import { summaryAggregations } from "../../lib/service/datasets/project_summary.ts";

function docs(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url));
}

function missing(text: string, words: readonly string[]): string[] {
  return words.filter((word) => !text.includes(`\`${word}\``));
}

Deno.test("definitions.md defines every field, metric and aggregation", async () => {
  const text = await docs("definitions.md");
  equal(COMPARISON_FIELDS.length, 95);
  equal(missing(text, COMPARISON_FIELDS.map(({ name }) => name)), []);
  equal(missing(text, PROJECT_CONTRACTS_RECORD.map(({ name }) => name)), []);
  equal(missing(text, METRICS.map(({ metric_id }) => metric_id)), []);
  equal(missing(text, METRICS.flatMap(summaryAggregations).map(({ name }) => name)), []);
});

Deno.test("facts.md describes every table and column of the layout", async () => {
  const text = await docs("facts.md");
  for (const { name, columns } of FACT_LAYOUT) {
    equal(missing(text, [name, ...columns.map((column) => column.name)]), []);
  }
});

Deno.test("operating.md names every option of serve.ts that bounds something, and no other", async () => {
  const text = await docs("operating.md");
  const known = SERVE_OPTIONS.flatMap(({ options }) => options.map(({ name }) => name));
  const told = new Set([...text.matchAll(/`?--([a-z][a-z-]+)/g)].map(([, name]) => name!));
  const ofOthers = ["facts", "out", "force", "help"];
  equal([...told].filter((name) => !known.includes(name) && !ofOthers.includes(name)), []);
  equal(known.filter((name) => /timeout|wrong|max|rate|header/.test(name) && !told.has(name)), []);
});
