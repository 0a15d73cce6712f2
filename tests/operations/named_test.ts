import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import {
  blockchainComparison,
  catalog,
  cell,
  connect,
  type Connection,
  contributions,
  figure,
  metricBreakdown,
  named,
  pl,
  plotComparison,
  plotContributions,
  plotTimeline,
  provenanceOf,
  rankBy,
  shares,
  sql,
  timeline,
  withSource,
} from "../../mod.ts";
import { frameBytes } from "../../lib/output/encode.ts";
import { bundleOf } from "../../lib/table/show/display.ts";
import { responseOf } from "../../lib/table/track/provenance.ts";
import { answering, byPath } from "./answering.ts";

const query = { metric_ids: ["fees"], interval: "30d" } as const;
const FEES = "ecosystem_fees_30d_sum";
const byChain = (connection?: Connection) =>
  metricBreakdown({ ...query, group_by: "chains" }, connection);

Deno.test("named adds the name of the breakdown's data_id, and keeps the rows", async () => {
  for (
    const [group_by, name] of [
      ["projects", "project_name"],
      ["market-sector", "market_sector_name"],
      ["chains", "chain_name"],
    ] as const
  ) {
    const fees = await metricBreakdown({ ...query, group_by });
    const frame = await named(fees);
    deepStrictEqual(frame.columns.slice(0, 3), ["data_id", name, "chain_id"], group_by);
    deepStrictEqual(frame.drop(name).toRecords(), fees.toRecords());
    deepStrictEqual(responseOf(frame)?.query, provenanceOf(fees).query);
    strictEqual(frame.getColumn(name).nullCount(), 0);
  }
});

Deno.test("named adds one name for each kind of id, and null for an id that is not in the catalog", async () => {
  const frame = pl.DataFrame({
    chain_id: ["alder", "nowhere", "alder"],
    project_id: ["x", "y", "z"],
  });
  const { columns, rows } = await named(frame).then((result) => ({
    columns: result.columns,
    rows: result.getColumn("chain_name").toArray(),
  }));
  deepStrictEqual(columns, ["chain_id", "chain_name", "project_id", "project_name"]);
  deepStrictEqual(rows, ["Alder", null, "Alder"]);
});

Deno.test("named keeps existing names", async () => {
  const chains = await blockchainComparison({ limit: 2 });
  deepStrictEqual((await named(chains)).columns, chains.columns);
});

Deno.test("named refuses a frame without ids, and a breakdown by groups without names", async () => {
  const message = /^named: the frame must have project_id, .*: a$/;
  await rejects(() => named(pl.DataFrame({ a: [1] })), { name: "RangeError", message });
  const products = (await metricBreakdown({ ...query, group_by: "product" })).drop("chain_id");
  await rejects(() => named(products), {
    name: "RangeError",
    message: /a breakdown by one of them/,
  });
});

const chains = [["c1", "Alder"], ["c2", "Twin"], ["c3", "Twin"], ["c4", " "]].map((
  [chain_id, chain_name],
) => ({ chain_id, chain_name }));
const sectors = [{
  ...{ project_id: "p", project_name: "P" },
  ...{ market_sector_id: "s", market_sector_name: "Exchanges (DEX)" },
}];
const ANSWERS = byPath({
  "/v2/datasets/blockchain_comparison": { data: chains },
  "/v2/datasets/cohort_analysis": { data: sectors },
});

Deno.test("named sends one request for each dataset that it needs, and none for names that it knows", async () => {
  const { connection, sent } = answering(ANSWERS);
  const frame = pl.DataFrame({
    chain_id: ["c1", "c9"],
    project_id: ["p", "p"],
    market_sector_id: ["s", "s"],
  });
  const result = await named(frame, connection);
  deepStrictEqual(provenanceOf(result).steps, ["named"]);
  deepStrictEqual([provenanceOf(result).kind, sent.length], ["unknown", 2]);
  deepStrictEqual(result.select("chain_name", "market_sector_name").rows(), [
    ["Alder", "Exchanges (DEX)"],
    [null, "Exchanges (DEX)"],
  ]);
  deepStrictEqual(result.toString().includes("c1"), true);
  // The names are known now.
  await named(frame.head(1), connection);
  strictEqual(sent.length, 2);
  const own = (await blockchainComparison({}, connection)).select("chain_id");
  strictEqual(sent.length, 3);
  strictEqual((await named(own.head(1), connection)).getColumn("chain_name").get(0), "Alder");
  strictEqual(sent.length, 3);
});

Deno.test("tables show the names that the origin of a frame has, and the ids that have no name of their own", async () => {
  const { connection } = answering(ANSWERS);
  const frame = (await blockchainComparison({}, connection)).select("chain_id", FEES);
  const ranked = rankBy(frame.fillNull("zero"), { field: FEES });
  const steps = [
    frame,
    frame.filter(pl.lit(true)),
    ranked,
    sql("select chain_id from frame", { frame }),
    frame.join(pl.DataFrame({ chain_id: ["c1", "c2", "c3", "c4"], own: [1, 2, 3, 4] }), {
      on: "chain_id",
    }),
    await frame.lazy().collect(),
  ];
  const texts = ["Alder", "Twin · c2", "Twin · c3", "c4"];
  for (const step of steps) {
    const lines = String(step).split("\n").map((line) => line.trim());
    const cells = lines.filter((line) => /^(Alder|Twin|c\d)/.test(line))
      .map((line) => line.split("  ")[0]!).sort();
    deepStrictEqual(cells, texts, String(step));
    strictEqual(lines.some((line) => line.includes("shown by name: chain_id")), true);
    deepStrictEqual([...step.getColumn("chain_id")], ["c1", "c2", "c3", "c4"]);
    strictEqual(String(bundleOf(step)["text/html"]).includes(">Alder</td>"), true);
    const markdown = new TextDecoder().decode(frameBytes(step, "markdown"));
    strictEqual(markdown.includes("| Twin · c2 |"), true);
  }
  strictEqual(cell(ranked, "chain_id", { row: { rank: 1, chain_id: "c1" } }).text, "c1");
  strictEqual(String(pl.DataFrame({ chain_id: ["c1"] })).includes("c1"), true);
  // A frame with the column of names shows both.
  strictEqual(/c1 +Alder/.test(String(await blockchainComparison({}, connection))), true);
});

Deno.test("tables and charts show ids until the connection has fetched the catalog, and then names", async () => {
  const connection = connect();
  const fees = await byChain(connection);
  const months = await timeline({
    metric_ids: ["fees"],
    group_by: "market-sector",
    every: "month",
    from: "2025-01",
    to: "2025-03",
  }, connection);
  const shows = async () => {
    const bars = (await plotComparison(fees, { field: "fees_sum" }).spec).label;
    const lines = (await plotTimeline(months, { by: "data_id", field: "fees_sum" }).spec).label;
    return [String(fees), bars, String(months), lines].map((text) =>
      /Alder|Exchanges \(DEX\)/.test(text) ? "names" : /alder|dex/.test(text) ? "ids" : text
    );
  };
  deepStrictEqual(await shows(), ["ids", "ids", "ids", "ids"]);
  await catalog(connection);
  deepStrictEqual(await shows(), ["names", "names", "names", "names"]);
  strictEqual(String(await byChain(connect())).includes("Alder"), false);
});

Deno.test("a figure shows names in all of its charts if one of them has the names", async () => {
  const fees = plotComparison(await byChain(connect()), { field: "fees_sum" });
  const own = plotComparison(pl.DataFrame({ chain_id: ["alder", "basalt"], n: [1, 2] }), {
    field: "n",
  });
  const { label: alone } = await figure([fees, own]).spec;
  strictEqual(/Alder|Basalt/.test(alone), false);
  const comparison = plotComparison(await blockchainComparison({}, connect()), { field: FEES });
  const { label } = await figure([fees, comparison, own]).spec;
  strictEqual(/\b(?:alder|basalt)\b/.test(label), false, label);
  strictEqual(label.match(/\bAlder /g)?.length, 3, label);
});

Deno.test("the others of topN are named, and parts of a total keep the names of their entities", async () => {
  const { connection, sent } = answering({ data: [{ chain_id: "a", chain_name: "Ahorn" }] });
  const own = withSource(
    pl.DataFrame({
      chain_id: ["a", "(other)", "a", "(other)"],
      date: ["2025-01-01", "2025-01-01", "2025-02-01", "2025-02-01"].map((day) => new Date(day)),
      fees: [1, 2, 2, 2],
      users: [1, 1, 1, 1],
    }),
    { citation: "own", columns: { fees: { unit: "usd", adds: "both" } } },
  );
  const frame = await named(own, connection);
  deepStrictEqual(frame.getColumn("chain_name").toArray().slice(0, 2), ["Ahorn", "Other"]);
  strictEqual(sent.length, 1);
  const parts = contributions(frame, { field: "fees" });
  for (const each of [parts, shares(frame, { field: "fees" })]) {
    deepStrictEqual(each.columns.slice(0, 3), ["date", "chain_id", "chain_name"]);
    deepStrictEqual(each.getColumn("chain_name").toArray().slice(0, 2), ["Ahorn", "Other"]);
  }
  match(await plotContributions(parts).svg(), /of 2 chains to.*Ahorn \+40\.5%; Other/s);
});
