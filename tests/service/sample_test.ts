import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { breakdown, get, TOKEN } from "./call_service.ts";

const service = await createService({ tokens: [TOKEN] });
Deno.test.afterAll(() => service.close());

type Cohort = { project_id: string; cohort: string; initial_cohort_size: number } & {
  [month: `month_${number}`]: number | null;
};
const cohorts: Cohort[] = (await get(service, "/v2/datasets/cohort_analysis")).body.data;
const chains: Record<string, number>[] =
  (await get(service, "/v2/datasets/blockchain_comparison")).body.data;

/** The values of a field of all chains, the largest first. */
function values(field: string): number[] {
  return chains.map((row) => row[field]!).toSorted((a, b) => b - a);
}

Deno.test("sample has 24 chains and 167 projects in 10 sectors of 12 to 25", async () => {
  const count = async (group_by: string) =>
    (await breakdown(service, { metric_ids: ["fees"], interval: "max", group_by })).body.data
      .length;
  equal(await count("chains"), 24);
  equal(await count("projects"), 167);
  equal(await count("market-sector"), 10);
  ok(await count("chain-product") <= 600);
  const sectors = Map.groupBy(
    new Map(cohorts.map((row) => [row.project_id, row])).values(),
    (row) => String((row as unknown as Record<string, string>).market_sector_id),
  );
  for (const [sector, projects] of sectors) {
    ok(projects.length >= 12 && projects.length <= 25, `${sector} has ${projects.length}`);
  }
  const users = cohorts.reduce((sum, row) => sum + row.initial_cohort_size, 0);
  ok(users >= 140_000 && users <= 200_000, `${users} users`);
});

Deno.test("sample has a largest chain of 35 to 45 %, and a smallest of a three hundredth of it", () => {
  const fees = values("ecosystem_fees_365d_sum");
  const share = (count: number) =>
    fees.slice(0, count).reduce((a, b) => a + b) / fees.reduce((a, b) => a + b);
  ok(share(1) > 0.35 && share(1) < 0.45, `the largest has ${share(1)}`);
  ok(share(5) > 0.75 && share(5) < 0.85, `the five largest have ${share(5)}`);
  ok(fees[0]! / fees.at(-1)! > 150 && fees[0]! / fees.at(-1)! < 600);
});

Deno.test("sample has incomplete months, a new project, one that ended and a month without users", async () => {
  const of = (project_id: string) => cohorts.filter((cohort) => cohort.project_id === project_id);
  equal(of("tidewater").at(-1)?.cohort, "2026-06");
  equal(of("tidewater").at(-1)?.month_0, null);
  equal(of("tidewater").at(-2)?.month_0, 1);
  equal(of("tidewater").at(-2)?.month_1, null);
  equal(of("vellum").map(({ cohort }) => cohort), ["2026-05", "2026-06"]);
  equal(of("mirepond").at(-1)?.cohort, "2025-01");
  ok(of("teaselbrook").every(({ cohort }) => cohort !== "2025-06"));
  equal(of("teaselbrook").find(({ cohort }) => cohort === "2025-05")?.month_1, 0);
  const { body } = await breakdown(service, {
    metric_ids: ["fees", "tvl"],
    interval: "30d",
    group_by: "projects",
    project_ids: ["mirepond"],
  });
  const { fees, tvl } = body.data[0].metrics;
  equal([fees.sum, fees.latest, fees.change, tvl.latest], [0, 0, null, null]);
});

Deno.test("sample has two years of facts for each chain", () => {
  for (const row of chains) {
    ok(row.ecosystem_fees_365d_trend !== null && row.ecosystem_revenue_365d_trend !== null);
    ok(row.transaction_count_365d_trend !== null && row.ecosystem_tvl_365d_change !== null);
  }
});

Deno.test("sample has the ratios of real chains: fees, deposits, market capitalization", () => {
  for (const row of chains) {
    const [fees, tvl, cap] = [
      row.ecosystem_fees_365d_sum!,
      row.ecosystem_tvl_latest!,
      row.market_cap_fd_latest!,
    ];
    ok(fees / tvl > 0.005 && fees / tvl < 1, `${row.chain_id}: fees are ${fees / tvl} of TVL`);
    // One chain has no token.
    if (cap !== null) ok(tvl / cap > 0.05 && tvl / cap < 1, `${row.chain_id}: ${tvl / cap} of cap`);
    const kept = row.ecosystem_revenue_365d_sum! / fees;
    ok(kept > 0.05 && kept < 0.9, `${row.chain_id}: revenue is ${kept} of fees`);
  }
});

Deno.test("sample has fewer users at weekends: 10 to 20 %", async () => {
  const on = async (day: string) => {
    const { body } = await breakdown(service, {
      metric_ids: ["active_users"],
      interval: "max",
      group_by: "market-sector",
      start: day,
      end: day,
    });
    const items: { metrics: { active_users: { latest: number } } }[] = body.data;
    return items.reduce((sum, { metrics }) => sum + metrics.active_users.latest, 0);
  };
  const week = async (first: number) => {
    const days = Array.from({ length: 7 }, (_, at) => new Date(Date.UTC(2025, 2, first + at)));
    return await Promise.all(days.map((day) => on(day.toISOString().slice(0, 10))));
  };
  // Each week begins on a Monday.
  const weeks = (await Promise.all([3, 10, 17, 24, 31, 38, 45, 52].map(week))).flat();
  const mean = (isWeekend: boolean) => {
    const days = weeks.filter((_, at) => (at % 7 > 4) === isWeekend);
    return days.reduce((a, b) => a + b) / days.length;
  };
  const fall = 1 - mean(true) / mean(false);
  ok(fall > 0.1 && fall < 0.25, `the fall is ${fall}`);
});
