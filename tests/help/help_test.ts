import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { PANDAS } from "../../lib/table/track/member_names.ts";
import { categories } from "./make_entries.ts";

const { blockchainComparison, dictionary, help, plotRetention } = chainframe;

Deno.test("help finds every public name, given as a function or as text", async () => {
  for (const name of (await categories()).keys()) {
    match(String(await help(name)), new RegExp(`^${name}\\b[^]*\\n\\n.`), name);
  }
  for (const value of Object.values(chainframe)) {
    if (typeof value !== "function") continue;
    const page = String(await help(value as () => void));
    match(page, new RegExp(`^${value.name}\\b`));
  }
});

Deno.test("help prints purpose, options with defaults, and an example, in 80 columns", async () => {
  const page = String(await help(plotRetention));
  match(page, /^plotRetention\(frame, options\?\)\n\nDraws retention curves/);
  match(page, /\n {2}startMonth +number\s+The first month to draw[^]*Default: 1\.\n/);
  match(page, /\nExample\n {2}import \{/);
  const [text] = page.split("\nExample\n");
  deepStrictEqual(text!.split("\n").filter((line) => line.length > 80), []);
});

Deno.test("help finds a metric by another word, and shows how to read, join and reshape own data", async () => {
  strictEqual(String(await help("deposits")), String(await help("tvl")));
  strictEqual(String(await help("merge")), String(await help("join")));
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/vc.csv`, "chain_id,vc_usd\nalder,5000000\nfjord,2000000\n");
  const shown: string[] = [];
  const said = { log: (frame: unknown) => shown.push(String(frame)) };
  for (const subject of ["csv", "join", "pivot"]) {
    const code = /\nExample\n((?: .*\n|\n(?= ))*)/.exec(`${await help(subject)}\n`)?.[1];
    const body = code!.replace(/^ +import .*/m, "").replace("vc.csv", `${folder}/vc.csv`);
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    const run = new AsyncFunction("console", ...Object.keys(chainframe), body);
    await run(said, ...Object.values(chainframe));
  }
  await Deno.remove(folder, { recursive: true });
  const [csv, join, pivot] = shown;
  match(csv!, /24 rows × 98 columns[^]*VC database, export of 3 June 2026/);
  match(join!, /24 rows × 98 columns/);
  match(pivot!, /6 rows × 25 columns/);
});

Deno.test("help finds computed columns, methods of frames, and words of pandas", async () => {
  const pages = {
    fees_sum_growth:
      /^fees_sum_growth\n\nA computed column\.[^]*growthRates +[^]*`<column>_growth`/,
    fees_sum_index: /^fees_sum_index\n[^]*indexed +[^]*`<column>_index`/,
    fees_sum_mean: /^fees_sum_mean\n[^]*rollingMean +[^]*`<column>_mean`/,
    fees_usd_per_users: /^fees_usd_per_users\n[^]*ratio +the quotient/,
    resample: /^resample\(frame, options\)\n\nMakes days, weeks/,
    groupBy: /^groupBy\n\nA method[^]*`frame.groupBy`. It takes\ngroupBy\("chain_id"\)\.agg\(/,
    melt: /^melt\n\nA method of frames, from polars: `frame\.unpivot`/,
    pct_change: /^pct_change\n\nHere: `growthRates\(frame, \{ field \}\)`[^]*growthRates +Adds the/,
    value_counts: /`frame\.groupBy\(name\)\.agg\(pl\.count\(\)\)`/,
    read_csv: /Here: `pl\.readCSV\(path\)`/,
    pivot_table: /^pivot\n/,
  };
  for (const [word, page] of Object.entries(pages)) match(String(await help(word)), page);
  ok(PANDAS.size <= 30);
  const frame = chainframe.pl.DataFrame({ fees: [1, 2] });
  const known = new Set(Object.keys(chainframe));
  for (const meant of PANDAS.values()) {
    const [called] = meant.split("(") as [string];
    const isMethod = !called.startsWith("pl.") && !known.has(called);
    if (isMethod) strictEqual(typeof frame[called as "head"], "function", called);
    else ok(known.has(called) || called.slice(3) in chainframe.pl, called);
  }
});

Deno.test("help prints the values of an option, not the name of their type", async () => {
  const page = String(await help(chainframe.metricBreakdown)).replaceAll(/\s+/g, " ");
  match(
    page,
    / group_by "projects" \| "chains" \| "chain-project" \| [^.]*\| "product" \| string Required\./,
  );
  ok(!page.includes("GroupBy"));
});

Deno.test("help of an option prints its values, and the functions that take it", async () => {
  const page = String(await help("group_by")).replaceAll(/\s+/g, " ");
  strictEqual(String(await help("width")).split("same in plotEventStudy,").length, 2);
  match(page, /^group_by An option\. Taken by metricBreakdown "projects" \| "chains" \| /);
  match(page, / The same in timeline\.$/);
  ok(!page.includes("GROUP_BYS"));
  await rejects(async () => await help("grup_by"), { message: /did you mean group_by\?$/ });
});

Deno.test("help finds an operation by its name in the interface, and shows its columns by pattern", async () => {
  const page = String(await help("blockchain_comparison"));
  strictEqual(page, String(await help(blockchainComparison)));
  match(page, /\n {2}ecosystem_fees_W_sum +Float64 +usd\n/);
  ok(!page.includes("ecosystem_fees_30d_sum  "));
  const text = page.replace(/\s+/g, " ");
  match(
    text,
    / ecosystem_tvl_W_change Float64 change [^:]*: [^:]* null: no value on one of the two days/,
  );
  ok(!text.includes("null: never"));
});

Deno.test("help prints kind, unit, window and null of a column, and where it occurs", async () => {
  strictEqual(
    String(await help("ecosystem_tvl_30d_change")),
    `ecosystem_tvl_30d_change

Ecosystem TVL, change over 30 days. Deposited value: (last day - 30d before) /
abs(30d before).

Column
  kind    value
  dtype   Float64
  unit    change
  window  30d
  null    no value on one of the two days, or 0 30d before

Sent by
  blockchain_comparison`,
  );
  match(String(await help("active_users")), /Does not add\s+up/);
  match(String(await help("retention")), /\nReturned by\n[^]* {2}retentionCurves +Float64 /);
});

Deno.test("help finds the columns of metrics, analyses and patterns", async () => {
  for (
    const name of [
      ...["fees_sum", "fees_trend", "month_6", "30d", "month_11", "q", "tau2"],
      ...["chain_id", "value", "bounds", "net_activity", "fares_sum", "gap"],
    ]
  ) match(String(await help(name)), new RegExp(`^${name}\\n\\n[^]+\\n  (?:kind|dtype) +`), name);
});

Deno.test("help renders the tables of doc comments as columns in a terminal and as Markdown in a notebook", async () => {
  const { pooledRetention } = chainframe;
  const text = String(await help(pooledRetention));
  match(text, /\n {2}`month` {2}Int64\n {6}months since first use\n/);
  const asked = help(pooledRetention) as unknown as { display(): Promise<Record<string, string>> };
  match(
    (await asked.display())["text/markdown"]!,
    /\n\| `month` \| Int64 \| months since first use \|\n/,
  );
});

Deno.test("help of a frame explains its columns, including computed ones", async () => {
  const chains = await blockchainComparison({ limit: 1 });
  const frame = chains.select("chain_id", "ecosystem_tvl_latest").withColumn(
    chainframe.pl.lit("a").alias("who"),
  );
  const page = String(await help(frame));
  match(page, /\n {2}who +not a column of chainframe/);
  match(page, /\n {2}ecosystem_tvl_latest +usd/);
  const ranked = chainframe.rankBy(chains, { field: "ecosystem_tvl_latest" });
  match(String(await help(ranked)), /\n {2}share +fraction\s+the value as a fraction of the total/);
});

Deno.test("help displays itself in a cell without await, as Markdown and as text", async () => {
  const asked = help("OptionsOf") as unknown as Record<
    symbol,
    () => Promise<Record<string, string>>
  >;
  const bundle = await asked[Symbol.for("Jupyter.display")]!();
  deepStrictEqual(Object.keys(bundle), ["text/markdown", "text/plain"]);
  match(bundle["text/markdown"]!, /^### `OptionsOf[^]*The options of a function/);
  match(Deno.inspect(help("OptionsOf")), /await help/);
  match(Deno.inspect(await help("OptionsOf")), /^OptionsOf[^]*The options of a function/);
});

Deno.test("help refuses unknown names with the nearest one, and shows no control characters", async () => {
  await rejects(async () => await help("plotRetantion"), {
    name: "RangeError",
    message: "help: plotRetantion: did you mean plotRetention?",
  });
  await rejects(async () => await help("\x1b[31mx"), { message: /help: \ufffd\[31mx:/ });
});

Deno.test("dictionary returns every field and metric as a frame", async () => {
  const frame = await dictionary();
  deepStrictEqual(frame.columns, ["record", "name", "dtype", "unit", "window", "about", "null"]);
  const rows = frame.toRecords() as { record: string; name: string; window: string | null }[];
  strictEqual(rows.filter(({ record }) => record === "blockchain_comparison").length, 97);
  strictEqual(rows.filter(({ record }) => record === "metric").length, 14);
  deepStrictEqual(rows.find(({ name }) => name === "gas_used_1d_sum_trend")?.window, "1d");
});

Deno.test("help answers questions whose words are no names", async () => {
  const leads: Readonly<Record<string, RegExp>> = {
    "heat map": /\bplotRetentionHeatmap\b/,
    "own colors": /`colors`[^]*colors = \{ chain_id/,
    dark: /`theme`/,
    rename: /rename\(\{ chain_id: "network" \}\)/,
    "market share": /\n {2}shares /,
    German: /`locale`/,
    phone: /`width`/,
    "unfinished month": /\n {2}resample /,
    drawdown: /cumMax/,
    plotHeatmap: /\bplotRetentionHeatmap\b/,
    marketShares: /\n {2}shares /,
    index: /\n {2}indexed /,
    top: /\n {2}topN /,
    "net retention": /\n {2}retentionCurves /,
    goal: /`reference`/,
  };
  for (const [asked, lead] of Object.entries(leads)) match(String(await help(asked)), lead, asked);
});
