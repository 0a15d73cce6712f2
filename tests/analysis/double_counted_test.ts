import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  check,
  concentration,
  contributions,
  counterfactual,
  eventStudy,
  pl,
  plotComparison,
  plotTimeline,
  rankBy,
  shares,
  topN,
  withSource,
} from "../../mod.ts";
import { hearing } from "../http/hearing.ts";

const MONTHS = Array.from({ length: 14 }, (_, month) => new Date(Date.UTC(2025, month)));
const NAMES = ["oak", "elm", "ash", "fir", "yew", "bay"];

/** Months of entities, with a column of another name, and with their sum as one more entity. */
function series(total: string | null) {
  const rows = NAMES.flatMap((tree, at) =>
    MONTHS.map((month, k) => ({
      tree,
      month,
      paid: 100 * (at + 1) + ((7 * k + 3 * at) % 11) + k / 4,
    }))
  );
  const sums = total === null ? [] : MONTHS.map((month) => ({
    tree: total,
    month,
    paid: rows.filter((row) => row.month === month).reduce((sum, { paid }) => sum + paid, 0),
  }));
  return withSource(pl.DataFrame([...rows, ...sums]), {
    citation: "own",
    columns: { paid: { unit: "usd", adds: "both" } },
  });
}

const starts = { oak: "2026-01-01" };
const CALLS: Record<string, (frame: ReturnType<typeof series>) => unknown> = {
  concentration: (frame) => concentration(frame, { field: "paid" }),
  rankBy: (frame) => rankBy(frame.filter(pl.col("month").eq(pl.lit(MONTHS[0]))), { field: "paid" }),
  shares: (frame) => shares(frame, { field: "paid" }),
  contributions: (frame) => contributions(frame, { field: "paid" }),
  topN: (frame) => topN(frame, { field: "paid", limit: 3 }),
  plotComparison: (frame) =>
    plotComparison(frame.filter(pl.col("month").eq(pl.lit(MONTHS[0]))), { field: "paid" }),
  plotTimeline: (frame) => plotTimeline(frame, { field: "paid", as: "stack" }),
  counterfactual: (frame) => counterfactual(frame, { field: "paid", starts }),
  eventStudy: (frame) =>
    eventStudy(frame, { field: "paid", starts: { ...starts, elm: "2026-01-01" } }),
};

const about = (told: readonly string[]) =>
  told.filter((line) => line.includes("sum of the others"));

for (const [name, call] of Object.entries(CALLS)) {
  Deno.test(`${name} names an entity that is the sum of the others, once for each frame`, async () => {
    // At one date, the name or six digits decide.
    const frame = series("World");
    const told = await hearing(
      () => [call(frame), name === "rankBy" || name === "plotComparison" ? null : call(frame)],
    );
    deepStrictEqual(about(told), [
      `${name}: World is the sum of the others in paid; leave it out, or sums count it twice`,
    ]);
    deepStrictEqual(about(await hearing(() => call(series(null)))), []);
  });
}

Deno.test("the results with a total do not change", () => {
  const table = pl.DataFrame({
    chain: ["alpha", "beta", "gamma", "Total"],
    fees: [12, 18, 30, 60],
  });
  const { hhi, top_1_share } = concentration(table, { field: "fees" }).toRecords()[0]!;
  strictEqual(Number((hhi as number).toFixed(3)), .345);
  strictEqual(top_1_share, .5);
  const without = concentration(table.head(3), { field: "fees" }).toRecords()[0]!;
  strictEqual(Number((without.hhi as number).toFixed(2)), .38);
});

Deno.test("check finds an entity that is the sum of the others", () => {
  const found = check(series("all trees")).toRecords().filter(({ rule }) =>
    /sum/.test(rule as string)
  );
  deepStrictEqual(
    found.map(({ tree, field, rule, severity }) => ({ tree, field, rule, severity })),
    [
      {
        tree: "all trees",
        field: "paid",
        rule: "no entity is the sum of the others",
        severity: "look",
      },
    ],
  );
  match(String(found[0]!.expected), /leave it out, or sums count it twice/);
  deepStrictEqual(
    check(series(null)).toRecords().filter(({ rule }) => /sum/.test(rule as string)),
    [],
  );
});
