import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import * as chainframe from "../mod.ts";
import { loadEntries } from "../lib/help/entries.ts";
import { OPTION_WORDS } from "../lib/platform/option_words.ts";
import { ENDPOINTS } from "../lib/schema/endpoints.ts";

const { names } = await loadEntries();
const functions = names.filter(({ kind }) => kind === "function");
const QUERY_WORDS = new Set([
  ...Object.values(ENDPOINTS).flatMap(({ parameters }) => Object.keys(parameters)),
  ...["project_id", "every", "from", "to", "settle", "maxRequests", "vintage"],
]);
/** Functions that send requests. Their options are the fields of the API. */
const isRequest = (signature: string) => signature.includes("connection?");

Deno.test("a public function takes a frame and one object of options, or a query and a connection", () => {
  const ALLOWED =
    /^\w+\((\w+(, (options|connection|conditions|frames)\??)?|(query|request|options|connection|subject)\??(, connection\?)?)?\)$/;
  const others = functions.map(({ signature }) => signature).filter((text) => !ALLOWED.test(text));
  deepStrictEqual(others, [
    ...["save(thing, path, options?)", "md(texts, ...values)", "cell(frame, field, options?)"],
    "openFrame(path, options?, connection?)",
  ]);
});

Deno.test("the options of all public functions are words of the vocabulary, and every word is used", () => {
  const used = new Set<string>();
  const problems: string[] = [];
  for (const { name, signature, options } of functions) {
    if (name === "connect" || name === "setColors") continue;
    for (const option of options) {
      used.add(option.name);
      const known = Object.hasOwn(OPTION_WORDS, option.name) ||
        (isRequest(signature) && QUERY_WORDS.has(option.name));
      if (!known) problems.push(`${name}: ${option.name}`);
    }
  }
  deepStrictEqual(problems, []);
  deepStrictEqual(Object.keys(OPTION_WORDS).filter((word) => !used.has(word)), []);
  ok(used.size > 60);
});

const chains = await chainframe.blockchainComparison();
const series = await chainframe.timeline(
  {
    ...{ metric_ids: ["fees"], group_by: "chains", every: "month", from: "2025-01", to: "2025-03" },
  } as const,
);
const { col } = chainframe.pl;
const curves = chainframe.retentionCurves(await chainframe.cohortAnalysis());
const folder = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
const own = chainframe.pl.DataFrame({ chain_id: ["alder"], vc_usd: [5e6] });
const chart = chainframe.plotComparison(chains, { field: "ecosystem_tvl_latest" });
type Call = (...args: readonly unknown[]) => Promise<unknown>;
/** The public functions, called without types, as in a script. */
const untyped = chainframe as unknown as Record<Exclude<keyof typeof chainframe, "pl">, Call>;
const { concentration, figure, help, plotTimeline, rankBy, ratio, sql, topN, where } = untyped;
const {
  counterfactual,
  withSource,
  compareRetention,
  metricBreakdown,
  plotComparison,
  save,
  timeline,
} = untyped;

Deno.test("a call in an old or foreign way, or with a mistyped column, says what to write", async () => {
  const field = "ecosystem_tvl_latest";
  const NEAR =
    /column ecosystem_tvl_lates: not found; got (\w+, ){9}\w+ and 87 more; nearest to \w+: ecosystem_tvl_latest$/;
  for (
    const [call, message] of [
      [
        () => rankBy(chains, field),
        /^rankBy: options: must be an object with field, descending; got string$/,
      ],
      [() => rankBy(chains, { field, sort: true }), /^rankBy: sort: did you mean descending\?/],
      [
        () => concentration(chains, {}),
        /^concentration: field: is required: the column to compute on/,
      ],
      [() => topN(chains, { n: 5 }), /^topN: n: did you mean limit\?/],
      [() => topN(chains, { field, unit: "chain_id" }), /^topN: unit: did you mean entity\?/],
      [() => ratio(chains, { numerator: field, as: "x" }), /^ratio: as: did you mean name\?/],
      [() => rankBy(chains, { field, washout: 3 }), /help\("washout"\) lists the functions/],
      [() => where(chains, { gt: 5 }), /^where: gt: is unknown/],
      [() => where(chains, { [field]: { gt: 5 } }), /, or { from, to, not }; .*; got { gt: 5 }$/],
      [() => plotTimeline(series, { y: "fees_sum" }), /^plotTimeline: y: did you mean field\?/],
      [
        () => sql("select 1"),
        /^sql: frames: must be an object of frames, such as { chains }; got nothing$/,
      ],
      [() => sql("select 1", chains), /^sql: frames: must be .*; got a DataFrame$/],
      [
        () => sql("select 1", { a: Promise.resolve(chains) }),
        /^sql: frames: a: expected a DataFrame; got a promise: await it$/,
      ],
      [() => figure([chains]), /^figure: charts\[0\]: must be a chart .*; got a DataFrame$/],
      [
        () => figure(chart, chart),
        /^figure: charts: must be a list of charts, as in figure\(\[one, other\]\); got a chart$/,
      ],
      [
        () => figure([chart], { width: 89 }),
        /^figure: width: must be a number of pixels from 320 to 4000; got 89$/,
      ],
      [
        () => save(chart, `${folder}/a.png`, { width: 400 }),
        /^save: width: belongs to .pdf files; got 400; pass width to the function that draws, or to figure$/,
      ],
      [
        () => ratio(chains, field, field),
        /^ratio: options: must be an object with numerator, denominator, name; got string$/,
      ],
      [
        () => topN(chains, 5),
        / must be an object with field, limit, entity; got number$/,
      ],
      [
        () => rankBy(series, {}),
        /^rankBy: field: is required: /,
      ],
      [
        () => rankBy(series, { field: "fees_sum" }),
        /^rankBy: the frame has rows of 3 dates; keep those of one date$/,
      ],
      [
        () => counterfactual(series, { starts: { fjord: "2025-03-01" } }),
        /^counterfactual: field: is required: /,
      ],
      [() => counterfactual(series, { unit: "fjord" }), /: unit: did you mean entity\?/],
      [() => counterfactual(series, { from: "2025-03-01" }), /: from: did you mean starts\?/],
      [() => withSource(own, { source: "x" }), /^withSource: source: did you mean citation\?/],
      [() => withSource(own, "My list"), / must be an object with citation, .*; got string$/],
      [
        () => withSource(own, { citation: "x", columns: { vc_usd: "usd" } }),
        /^withSource: columns.vc_usd: options: must be an object with unit, title, adds; got string$/,
      ],
      [() => sql("select 1", [own]), /^sql: frames: must be .*, such as { chains }; got \[/],
      [
        () => series.select("chain_name" as never),
        /^select: column chain_name: not found; got .*; catalog\(\) has the names of ids$/,
      ],
      [
        () => series.pivot({ index: "date", columns: "chain_id", values: "fees_sum" } as never),
        /^pivot: expected pivot\({ index: "date", on: "chain_id", values: .*; got { index: "date", columns: /,
      ],
      [() => series.pivot("fees_sum" as never), /^pivot: expected pivot\({ .*; got "fees_sum"$/],
      [
        () => chains.join(own, "chain_id" as never),
        /^join: expected join\(other, { on: "chain_id" }\), or leftOn and rightOn .*, "chain_id"$/,
      ],
      [
        () => chains.join(own, { left_on: "chain_id", right_on: "chain_id" } as never),
        /^join: expected .*; got a DataFrame, { left_on: "chain_id", right_on: "chain_id" }$/,
      ],
      [
        () => chains.filter({ chain_id: "alder" } as never),
        /^filter: expected a condition, .*; where\(frame, .* takes values; got { chain_id: "alder" }$/,
      ],
      [
        () => chains.filter(chainframe.pl.col("chain_id").eq("alder")),
        /^filter: column alder: not found; .*; to compare with a text, write pl.lit\("alder"\)$/,
      ],
      [
        () => chains.filter(chainframe.pl.col("chain_idd").eq(chainframe.pl.lit("alder"))),
        /^filter: column chain_idd: not found; .*; nearest to chain_idd: chain_id$/,
      ],
      [
        () => chains.sort("chain_id", { ascending: false } as never),
        /^sort: expected sort\({ by: .*, descending: true }\); got "chain_id", { ascending: false }$/,
      ],
      [
        () => chains.rename("chain_id" as never, "id" as never),
        /^rename: expected rename\({ fees_sum: "fees" }\); got "chain_id", "id"$/,
      ],
      [
        () => chains.withColumns({ r: chainframe.pl.col("chain_id") } as never),
        /^withColumns: expected withColumns\(pl.col.*; got { r: /,
      ],
      [() => Reflect.get(chainframe.pl, "read_csv"), /^pl.read_csv: did you mean pl.readCSV\?$/],
      [
        () => Reflect.get(chains, "with_columns"),
        /^frame.with_columns: did you mean withColumns\?$/,
      ],
      [() => Reflect.get(chains, "groupby"), /^frame.groupby: did you mean groupBy\?$/],
      [() => Reflect.get(chains, "to_pandas"), /^frame.to_pandas: did you mean rowsOf\(frame\)\?$/],
      [
        () => Reflect.get(chains.lazy(), "collect_sync"),
        /^frame.collect_sync: did you mean collectSync\?$/,
      ],
      [
        () => Reflect.get(chains.groupBy("chain_id"), "fill_null"),
        /^frame.fill_null: did you mean fillNull\?$/,
      ],
      [() => chains.select("data_name" as never), /; nearest to data_name: chain_name$/],
      [
        () => plotComparison(chains, { width: "89mm" }),
        /^plotComparison: width: must be a number of pixels from 320 to 4000; got "89mm"$/,
      ],
      [
        () => save(chains, `${folder}/a.pdf`, { width: "3.5 in" }),
        /^save: width: must be a number of pixels from 100 to 4000; got "3.5 in"$/,
      ],
      [
        () => compareRetention(curves, { groups: ["derivatives", "exchanges"] }),
        /^compareRetention: groups: derivatives: is unknown; expected values of project_id$/,
      ],
      [() => figure({}), /^figure: charts: must be a list of charts, .*; got {}$/],
      [() => help({}).then(), /^help: expected a name, a function or a frame; got {}$/],
      [
        () => rankBy(chains, { field: "ecosystem_tvl_lates" }),
        /; nearest to ecosystem_tvl_lates: ecosystem_tvl_latest$/,
      ],
      [() => chains.select("ecosystem_tvl_lates" as never), NEAR],
      [() => chains.filter(col("ecosystem_tvl_lates").gt(1)), NEAR],
      [() => chains.groupBy("ecosystem_tvl_lates").agg(col("chain_id").count()), NEAR],
      [() => chains.sort("ecosystem_tvl_lates"), NEAR],
      [() => chains.getColumn("ecosystem_tvl_lates" as never), NEAR],
      [() => chains.lazy().filter(col("ecosystem_tvl_lates").gt(1)).collect(), NEAR],
    ] as const
  ) {
    await rejects(async () => await call(), { name: "RangeError", message });
  }
});

Deno.test("a query with a word of another place names the word of this one", async () => {
  const query = { metric_ids: ["fees"], interval: "30d", group_by: "chains" };
  for (
    const [call, message] of [
      [() => timeline({ ...query, from: "2025-01" }), /^timeline: interval: did you mean every\?/],
      [() => metricBreakdown({ ...query, interval: "1y" }), / \(nearest: 365d\); got "1y"$/],
      [
        () => metricBreakdown({ ...query, group_by: "sectors" }),
        / \(nearest: market-sector\); got "sectors"$/,
      ],
      [
        () => timeline({ ...query, interval: undefined, every: "30d", from: "2025-01" }),
        /every: must be one of .* \(nearest: month\); got "30d"$/,
      ],
    ] as const
  ) {
    await rejects(async () => await call(), { name: "QueryError", message });
  }
});

Deno.test("notices say what to do next", async () => {
  const told: string[] = [];
  const { error } = console;
  console.error = (text: string) => told.push(text);
  try {
    await chainframe.blockchainComparison({ chain_ids: ["alder", "nowhere"] });
    await Deno.writeTextFile(`${folder}/own.csv`, "a\n1\n");
    await chainframe.openFrame(`${folder}/own.csv`);
  } finally {
    console.error = error;
  }
  const wanted = [
    /errorsOf\(frame\) lists them, catalog\(\) the known ids$/,
    /own\.csv has no side-car: .*; withSource states the source$/,
  ];
  strictEqual(told.length, wanted.length, told.join("\n"));
  for (const [at, pattern] of wanted.entries()) match(told[at]!, pattern);
  await rejects(async () => await save(chains, `${folder}/own.csv`), {
    message: /^path: exists; pass force to replace it; got /,
  });
});

Deno.test("help of a word of the field names the functions and columns", async () => {
  for (
    const [word, ...found] of [
      ["NOT_IN_ANSWER", "A code of errorsOf(frame)"],
      ["growth", "growthTable ", "indexed "],
      ["take rate", "ratio "],
      ["frame", "where ", "sql ", "openFrame "],
      ["csv", "save ", "openFrame "],
      ["fees", "fees_sum ", "ecosystem_fees_W_sum "],
      ["users", "userFlows ", "active_users_daily_W_change "],
      ["tvl", "tvl_latest ", "ecosystem_tvl_W_change "],
      ["event", "eventStudy "],
      ["interval", '"24h" | "7d" | "30d"'],
      ["project_contracts", "inflows_1d_sum "],
    ]
  ) {
    const page = String(await help(word));
    for (const text of found) ok(page.includes(text), `${word}: ${text}`);
  }
  ok(!String(await help("project_contracts")).includes("_W_"));
});
