import { deepStrictEqual as equal } from "node:assert/strict";
import { buildData, createService } from "../../lib/service/mod.ts";
import { breakdown, get, TOKEN } from "./call_service.ts";
import { type Activity, type Facts, writeFacts } from "./facts_model.ts";
import { tinyFacts } from "./tiny_facts.ts";

type Asked = Record<string, unknown>;

/** Builds facts, requests breakdowns, and returns the items of each. */
async function ask(facts: Facts, questions: readonly Asked[], carryDays?: number) {
  const folder = await Deno.makeTempDir();
  try {
    await writeFacts(`${folder}/facts`, facts);
    const out = `${folder}/data.duckdb`;
    await buildData({
      facts: `${folder}/facts`,
      out,
      ...(carryDays === undefined ? {} : { carryDays }),
    });
    const service = await createService({ tokens: [TOKEN], data: out });
    const answers = [];
    for (const question of questions) answers.push((await breakdown(service, question)).body.data);
    const contracts = (await get(service, "/v2/datasets/project_contracts")).body.data;
    await service.close();
    return { answers, contracts };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function paying(day: string, user_address: string, fees_usd: number): Activity {
  return { ...tinyFacts().activity[0]!, day, user_address, fees_usd };
}

Deno.test("fees below a cent add up exactly", async () => {
  const facts = tinyFacts();
  facts.activity = [];
  for (let user = 0; user < 5_000; user++) {
    facts.activity.push(paying("2026-01-30", `u${user}`, 0.005));
    facts.activity.push(paying("2026-01-31", `u${user}`, 0.004));
  }
  const question = { metric_ids: ["fees"], group_by: "chains" };
  const { answers } = await ask(facts, [
    { ...question, interval: "max" },
    { ...question, interval: "24h" },
  ]);
  equal(answers.map(([{ metrics }]) => metrics.fees), [
    { sum: 45, avg: 22.5, latest: 20, change: null, trend: null, days: 2 },
    { sum: 20, avg: 20, latest: 20, change: -0.2, trend: -0.2, days: 1 },
  ]);
});

Deno.test("amounts with more than nine decimals are rounded", async () => {
  const facts = tinyFacts();
  facts.activity = [
    paying("2026-01-31", "u1", 1.5e-9),
    paying("2026-01-31", "u2", 0.1234567890123),
    paying("2026-01-31", "u3", 0.123456789),
  ];
  facts.activity[2]!.revenue_usd = -2.5e-10;
  const { answers } = await ask(facts, [
    { metric_ids: ["fees", "revenue"], interval: "24h", group_by: "chains" },
  ]);
  equal(answers[0][0].metrics.fees.sum, 0.24691358);
  equal(answers[0][0].metrics.revenue.sum, 1);
});

function depositing(products: number): Facts {
  const facts = tinyFacts();
  facts.products = [];
  facts.product_daily = [];
  for (let product = 0; product < products; product++) {
    const product_id = `x${product + 1}`;
    facts.products.push({ product_id, product_name: product_id, project_id: "p1" });
    facts.product_daily.push({
      day: product < 3 ? "2026-01-30" : "2026-01-31",
      product_id,
      chain_id: "c1",
      tvl_usd: 10,
      active_loans_usd: null,
    });
  }
  return facts;
}

Deno.test("a level keeps its value for three days without a fact, then it is unknown", async () => {
  const facts = depositing(5);
  const days = ["2026-01-31", "2026-01-30", "2026-01-29", "2026-01-28", "2026-01-27"];
  facts.product_daily.forEach((row, index) => row.day = days[index]!);
  // The last stated value counts, and a row without a value states none.
  const third = facts.product_daily[2]!;
  facts.product_daily.push(
    { ...third, day: "2026-01-28", tvl_usd: 5 },
    { ...third, day: "2026-01-31", tvl_usd: null, active_loans_usd: 1 },
  );
  third.tvl_usd = 20;
  const question = { metric_ids: ["tvl"], interval: "24h" };
  const questions = ["product", "chains"].map((group_by) => ({ ...question, group_by }));
  const latest = async (carryDays?: number) =>
    (await ask(facts, questions, carryDays)).answers.map((items) =>
      items.map(({ metrics }: { metrics: { tvl: { latest: number | null } } }) =>
        metrics.tvl.latest
      )
    );
  equal(await latest(), [[10, 10, 20, 10, null], [50]]);
  equal(await latest(2), [[10, 10, 20, null, null], [40]]);
  equal(await latest(1), [[10, 10, null, null, null], [20]]);
  equal(await latest(0), [[10, null, null, null, null], [10]]);
});

Deno.test("a late component does not change the sum", async () => {
  const facts = depositing(9);
  // Six have a fact on both days, three on the day before only.
  for (const row of [...facts.product_daily]) {
    if (row.day === "2026-01-31") facts.product_daily.push({ ...row, day: "2026-01-30" });
  }
  const { answers } = await ask(facts, [
    { metric_ids: ["tvl"], interval: "24h", group_by: "chains" },
  ]);
  equal(answers[0][0].metrics.tvl.change, 0);
});

Deno.test("a breakdown has an item for every group that passes the filters", async () => {
  const facts = tinyFacts();
  facts.market_sectors.push({ market_sector_id: "s2", market_sector_name: "Empty" });
  facts.projects.push({
    project_id: "p3",
    project_name: "Three",
    market_sector_id: "s1",
    symbol: null,
  });
  facts.products.push({ product_id: "x3", product_name: "On no chain", project_id: "p2" });
  const question = { metric_ids: ["fees"], interval: "24h" };
  const { answers } = await ask(facts, [
    { ...question, group_by: "product" },
    { ...question, group_by: "product", project_ids: ["p2"] },
    { ...question, group_by: "product", chain_ids: ["c1"] },
    { ...question, group_by: "market-sector" },
    { ...question, group_by: "market-sector", project_ids: ["p3"] },
    { ...question, group_by: "projects", product_ids: ["x3"] },
    { ...question, group_by: "projects", market_sector_ids: ["s1"] },
    { ...question, group_by: "chain-product" },
    { ...question, group_by: "chains", product_ids: ["x3"] },
  ]);
  equal(answers.map((items) => items.map((item: Asked) => item.data_id)), [
    ["x1", "x2", "x3"],
    ["x2", "x3"],
    ["x1", "x2"],
    ["s1", "s2"],
    ["s1"],
    ["p2"],
    ["p1", "p2", "p3"],
    ["x1", "x2"],
    [],
  ]);
});
