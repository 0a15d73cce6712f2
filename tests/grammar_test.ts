import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import * as chainframe from "../mod.ts";
import { loadEntries } from "../lib/help/entries.ts";
import { OPTION_WORDS } from "../lib/platform/option_words.ts";
import { ENDPOINTS } from "../lib/schema/endpoints.ts";

const { names } = await loadEntries();
const functions = names.filter(({ kind }) => kind === "function");
const QUERY_WORDS = new Set([
  ...Object.values(ENDPOINTS).flatMap(({ parameters }) => Object.keys(parameters)),
  ...["project_id", "every", "from", "to", "settle", "vintage"],
]);
/** Functions that send requests. Their options are the fields of the API. */
const isRequest = (signature: string) => signature.includes("connection?");

Deno.test("a public function takes a frame and one object of options, or a query and a connection", () => {
  const ALLOWED =
    /^\w+\((\w+(, (options|connection|conditions|frames)\??)?|(query|request|options|connection|subject)\??(, connection\?)?)?\)$/;
  const others = functions.map(({ signature }) => signature).filter((text) => !ALLOWED.test(text));
  deepStrictEqual(others, [
    ...["save(thing, path, options?)", "md(texts, ...values)", "cell(frame, field, options?)"],
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
type Call = (...args: readonly unknown[]) => Promise<unknown>;
const { concentration, figure, help, plotTimeline, rankBy, ratio, sql, topN, where } =
  chainframe as unknown as Record<
    | "concentration"
    | "figure"
    | "help"
    | "plotTimeline"
    | "rankBy"
    | "ratio"
    | "sql"
    | "topN"
    | "where",
    Call
  >;

Deno.test("a call in an old or foreign way, or with a mistyped column, says what to write", async () => {
  const field = "ecosystem_tvl_latest";
  const NEAR =
    /column ecosystem_tvl_lates: not found; got (\w+, ){10}… \(97 columns\); nearest to \w+: ecosystem_tvl_latest$/;
  for (
    const [call, message] of [
      [
        () => rankBy(chains, field),
        /^rankBy: options: must be an object, such as { field: "…" }; got string$/,
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
      [
        () => where(chains, { gt: 5 }),
        /^where: gt: did you mean a bound of a column, such as { \w+: { above: … } }\?/,
      ],
      [
        () => where(chains, { [field]: { gt: 5 } }),
        /^where: ecosystem_tvl_latest: gt: did you mean above\?/,
      ],
      [() => plotTimeline(series, { y: "fees_sum" }), /^plotTimeline: y: did you mean field\?/],
      [
        () => sql("select 1"),
        /^sql: frames: must be an object of frames, such as { chains }; got nothing$/,
      ],
      [() => figure({}), /^figure: charts: must be a list of charts; got {}$/],
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

Deno.test("help explains the codes of errorsOf", async () => {
  match(String(await help("NOT_IN_ANSWER")), /^NOT_IN_ANSWER\n\nA code of errorsOf\(frame\)/);
});
