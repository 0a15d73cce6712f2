import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { breakdown, get, TOKEN } from "./call_service.ts";
import { overLoopback } from "./serve_locally.ts";

/** Also checked in tests/slow, together with the requests that were sent. */
export const embedded = await createService({ tokens: [TOKEN] });
export const service = await overLoopback(embedded);
Deno.test.afterAll(() => service.close());

type Cohort = { project_id: string; cohort: string; initial_cohort_size: number } & {
  [month: `month_${number}`]: number | null;
};
const cohorts: Cohort[] = (await get(service, "/v2/datasets/cohort_analysis")).body.data;

function pooled(project_id: string, month: number): number {
  let seen = 0, size = 0;
  for (const row of cohorts.filter((cohort) => cohort.project_id === project_id)) {
    const share = row[`month_${month}`];
    if (share === null || share === undefined) continue;
    seen += share * row.initial_cohort_size;
    size += row.initial_cohort_size;
  }
  return seen / size;
}

Deno.test("sample has 12 chains, 36 projects in 8 sectors, 60 products and 240 contracts", async () => {
  const count = async (group_by: string) =>
    (await breakdown(service, { metric_ids: ["fees"], interval: "max", group_by })).body.data
      .length;
  equal(await count("chains"), 12);
  equal(await count("projects"), 36);
  equal(await count("market-sector"), 8);
  equal(await count("product"), 60);
  equal((await get(service, "/v2/datasets/project_contracts")).body.data.length, 240);
});

Deno.test("sample has projects that keep their users and projects that lose them at once", () => {
  ok(pooled("plumbline", 6) > 0.5);
  ok(pooled("tidewater", 6) > 0.15 && pooled("tidewater", 6) < 0.35);
  ok(pooled("tin-soldiers", 1) < 0.05);
  for (const month of [1, 2, 3, 4, 5, 6, 7, 8]) {
    ok(pooled("tidewater", month) >= pooled("tidewater", month + 1) - 0.02);
  }
});

Deno.test("sample has incomplete months, a new project and one that ended", async () => {
  const of = (project_id: string) => cohorts.filter((cohort) => cohort.project_id === project_id);
  equal(of("tidewater").at(-1)?.cohort, "2026-06");
  equal(of("tidewater").at(-1)?.month_0, null);
  equal(of("tidewater").at(-2)?.month_0, 1);
  equal(of("tidewater").at(-2)?.month_1, null);
  equal(of("vellum").map(({ cohort }) => cohort), ["2026-05", "2026-06"]);
  equal(of("mirepond").at(-1)?.cohort, "2025-12");
  const { body } = await breakdown(service, {
    metric_ids: ["fees", "tvl"],
    interval: "30d",
    group_by: "projects",
    project_ids: ["mirepond"],
  });
  const { fees, tvl } = body.data[0].metrics;
  equal([fees.sum, fees.latest, fees.change, tvl.latest], [0, 0, null, null]);
});

Deno.test("sample spreads its chains over two to five orders of magnitude", async () => {
  const { body } = await get(service, "/v2/datasets/blockchain_comparison");
  for (const field of ["ecosystem_fees_30d_sum", "ecosystem_tvl_latest", "transaction_count_30d"]) {
    const values: number[] = body.data.map((row: Record<string, number>) => row[field]);
    const orders = Math.log10(Math.max(...values) / Math.min(...values));
    ok(orders > 1.5 && orders < 5, `${field} spans ${orders} orders`);
  }
});

Deno.test("sample has two years of facts for each chain", async () => {
  const { body } = await get(service, "/v2/datasets/blockchain_comparison");
  for (const row of body.data as Record<string, number | null>[]) {
    for (const measure of ["fees", "revenue", "dex_trading_volume"]) {
      const has = row[`ecosystem_${measure}_max_sum`] !== null;
      equal([row.chain_id, measure, row[`ecosystem_${measure}_365d_trend`] !== null], [
        row.chain_id,
        measure,
        has,
      ]);
    }
    ok(row.transaction_count_365d_trend !== null && row.ecosystem_tvl_365d_change !== null);
  }
});

Deno.test("sample has the ratios of real chains: fees, deposits, market capitalization", async () => {
  const { body } = await get(service, "/v2/datasets/blockchain_comparison");
  for (const row of body.data as Record<string, number>[]) {
    const [fees, tvl, cap] = [
      row.ecosystem_fees_365d_sum!,
      row.ecosystem_tvl_latest!,
      row.market_cap_fd_latest!,
    ];
    ok(fees / tvl > 0.001 && fees / tvl < 0.2, `${row.chain_id}: fees are ${fees / tvl} of TVL`);
    // One chain has no token.
    if (cap !== null) ok(tvl / cap > 0.05 && tvl / cap < 1, `${row.chain_id}: ${tvl / cap} of cap`);
    const fee = fees / row.transaction_count_365d!;
    const main = String(row.chain_id) === "alder";
    ok(main ? fee > 0.5 : fee > 0.001 && fee < 0.05, `${row.chain_id}: a fee is ${fee}`);
  }
});

Deno.test("sample plants one event: deposits on one chain rise by 40 % on its day", async () => {
  const tvlOn = async (day: string) => {
    const { body } = await breakdown(service, {
      metric_ids: ["tvl"],
      interval: "max",
      group_by: "chains",
      start: day,
      end: day,
    });
    const items: { data_id: string; metrics: { tvl: { latest: number } } }[] = body.data;
    return new Map(items.map(({ data_id, metrics }) => [data_id, metrics.tvl.latest]));
  };
  const [before, after] = [await tvlOn("2026-01-04"), await tvlOn("2026-01-05")];
  equal(before.size, 12);
  for (const [chain_id, tvl] of before) {
    const growth = after.get(chain_id)! / tvl;
    const expected = chain_id === "fjord" ? 1.4 : 1;
    ok(Math.abs(growth / expected - 1) < 0.05, `${chain_id} grew by ${growth}`);
  }
});
