import { deepStrictEqual as equal, ok } from "node:assert/strict";
import {
  cohortAnalysis,
  cohortTrend,
  compareRetention,
  counterfactual,
  type DataFrame,
  decompose,
  eventStudy,
  pl,
  pooledRetention,
  retentionCurves,
  timeline,
} from "../../mod.ts";
import { PLANTED } from "../../lib/service/sample/entities.ts";
import { sampleConnection } from "../contract/sample_connection.ts";
import { SECTORS, STARTS, truthOf } from "./sample_truth.ts";

const connection = sampleConnection();
const curves = retentionCurves(await cohortAnalysis({}, connection));

const monthly = (query: Omit<Parameters<typeof timeline>[0], "every" | "from">) =>
  timeline({ ...query, every: "month", from: "2024-01" }, connection);

const only = (frame: DataFrame, column: string, value: string) =>
  frame.filter(pl.col(column).eq(pl.lit(value)));

/** The value of the planted effect, with bounds that must contain it. */
function contains({ lower, upper }: Record<string, number>, truth: number, what: string): void {
  ok(lower! <= truth && truth <= upper!, `${what}: ${truth} is not in [${lower}, ${upper}]`);
}

Deno.test("counterfactual finds the planted deposits, with p 1/24 and a good fit", async () => {
  const tvl = await monthly({ metric_ids: ["tvl"], group_by: "chains" });
  const { chain_id, day, factor } = PLANTED.deposits;
  const found = counterfactual(tvl, {
    field: "tvl_latest",
    starts: { [chain_id]: day },
    scale: "log",
  });
  const [first] = only(found, "data_id", chain_id).toRecords() as [Record<string, number>];
  equal([first.p_value, first.fit, first.left_out], [1 / 24, "good", 0]);
  contains({ lower: first.effect_lower!, upper: first.effect_upper! }, Math.log(factor), "effect");
});

Deno.test("eventStudy finds the planted program of 14 projects", async () => {
  const fees = await monthly({ metric_ids: ["fees"], group_by: "projects" });
  const study = eventStudy(fees, {
    field: "fees_sum",
    starts: STARTS,
    scale: "total",
    base: -1,
  });
  const [overall] = only(study, "row", "overall").toRecords() as Record<string, number>[];
  equal(overall!.entities, 14);
  contains(overall as never, Math.log(PLANTED.program.factor), "effect");
  ok((overall!.upper! - overall!.lower!) / 2 / 1.96 <= 0.1);
  ok(overall!.p_value! < 0.05 && overall!.pre_slope_p! > 0.05);
});

Deno.test("cohortTrend finds the planted break: June 2025 is the last month of the first level", () => {
  const trend = cohortTrend(curves, { by: "market_sector_id", month: 1 });
  const [row] = only(trend, "market_sector_id", PLANTED.joiners.market_sector_id).toRecords();
  equal((row!.break_date as unknown as Date).toISOString().slice(0, 7), "2025-06");
  ok((row!.break_p_value as number) < 0.05);
});

Deno.test("decompose finds users and mix: the fee of a user is constant on each chain", async () => {
  const { project_id } = PLANTED.mix;
  const days = await monthly({
    metric_ids: ["fees", "active_users"],
    group_by: "chain-project",
    project_ids: [project_id],
  });
  const users = days.filter(pl.col("complete")).withColumns(
    pl.col("active_users_avg").sum().over("date").alias("users"),
    pl.col("fees_avg").div(pl.col("active_users_avg")).alias("fee"),
  );
  const changes = decompose(
    users.withColumns(pl.col("active_users_avg").div(pl.col("users")).alias("mix")),
    { product: "fees_avg", factors: ["users", "mix", "fee"], entity: "chain_id" },
  );
  const total = (factor: string) =>
    changes.toRecords().filter((row) => row.factor === factor)
      .reduce((sum, row) => sum + (row.change as number), 0);
  ok(Math.abs(total("fee")) < 1e-3 * total("mix"), `${total("fee")}, ${total("mix")}`);
  ok(total("users") > 0);
});

Deno.test("compareRetention tells Lending from Exchanges, and not Gaming from Derivatives", () => {
  const compared = (groups: readonly string[]) =>
    compareRetention(curves, { by: "market_sector_id", groups, month: [1, 3, 6] } as never)
      .toRecords() as Record<string, number>[];
  for (
    const { month, retention_a, retention_b, p_value } of compared(["lending", "exchanges-dex"])
  ) {
    ok(p_value! < 0.01 && retention_a! / retention_b! > 1.5, `month ${month}: p ${p_value}`);
  }
  for (const { month, p_value } of compared(["gaming", "derivatives"])) {
    ok(p_value! > 0.3, `month ${month}: p ${p_value}`);
  }
});

Deno.test("intervals of the retention of sectors contain the truth, and none is wider than half", () => {
  const rows = pooledRetention(curves, { by: "market_sector_id" }).toRecords()
    .filter(({ lower }) => lower !== null) as Record<string, number>[];
  const widths = rows.map(({ lower, upper }) => upper! - lower!).toSorted((a, b) => a - b);
  ok(widths.at(-1)! <= 0.5 && widths[widths.length >> 1]! <= 0.12, `${widths.at(-1)}`);
  const inside = SECTORS
    .filter(({ market_sector_id }) => market_sector_id !== PLANTED.joiners.market_sector_id)
    .flatMap((sector) =>
      rows.filter((row) => String(row.market_sector_id) === sector.market_sector_id).map((row) => {
        const truth = truthOf(sector, row.month!);
        return Number(row.lower! <= truth && truth <= row.upper!);
      })
    );
  ok(inside.reduce((a, b) => a + b) / inside.length > 0.8);
});
