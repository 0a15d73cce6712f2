import { deepStrictEqual } from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);

/** Names of functions, options, models, columns, files and packages that no version has any more. */
const NAMES = [
  ...["rankStability", "deflate", "plotSlope", "plotShares", "comparisonOver", "lockChanges"],
  ...["vegaRetention", "vegaRetentionHeatmap", "vegaComparison", "vegaTimeline"],
  ...["logRank", "log_rank", "log_rank_p_value"],
  ...["half_life", "half_life_lower", "half_life_upper", "net_churn"],
  ...["plot_slope", "plot_shares", "bdw", "beta-discrete-Weibull"],
  ...["retentionValue", "spansOn", "fitThrough", "excelSafe", "loadShards"],
  ...["spans-on", "fit-through", "excel-safe", "task load", "chainframe load", "load\\.ts"],
  ...["atLeast", "atMost", "slope_mix", "password_file", "clickhouse/client-web"],
];

/** Uses of words that have another meaning elsewhere. */
const USES = [
  /model: "(?:geometric|best)"|docs\/columns\.md|\(columns\.md/,
  /(?<![\w.])(?:named|long)\(/,
  /\bspans: |\{ (?:above|below): |\bgaps: "|\bper: "day"|times of wave/,
  /\bcache: \{[^}]*\bkeep: |\bshow\(\w+, \{[^}]*\bsource\b|\brestatements\([^)]*\bkeys: /,
  /\b(?:topN|rankBy)\([^)]*\bby: |\bforecastRetention\([^)]*\bestimate: /,
].map(({ source }) => source);

const REMOVED = new RegExp([...NAMES.map((name) => `\\b${name}(?![\\w-])`), ...USES].join("|"));

/** The hand-written and generated texts that readers get. Of a notebook, the cells without their outputs. */
async function* texts(): AsyncGenerator<[name: string, text: string]> {
  const read = (name: string) => Deno.readTextFile(new URL(name, ROOT));
  const alone = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "llms.txt",
    "lib/help/entries.json",
  ];
  for (const name of alone) yield [name, await read(name)];
  for await (const { name } of Deno.readDir(new URL("docs/", ROOT))) {
    if (name.endsWith(".md")) yield [`docs/${name}`, await read(`docs/${name}`)];
  }
  for await (const { name } of Deno.readDir(new URL("notebooks/", ROOT))) {
    if (!name.endsWith(".ipynb")) continue;
    const { cells } = JSON.parse(await read(`notebooks/${name}`)) as {
      cells: { source: string[] }[];
    };
    yield [`notebooks/${name}`, cells.map(({ source }) => source.join("")).join("\n")];
  }
}

Deno.test("pages, notebooks and help name nothing that was removed", async () => {
  const found: string[] = [];
  for await (const [name, text] of texts()) {
    for (const line of text.split("\n")) {
      const match = REMOVED.exec(line);
      if (match !== null) found.push(`${name}: ${match[0]}`);
    }
  }
  deepStrictEqual(found, []);
});
