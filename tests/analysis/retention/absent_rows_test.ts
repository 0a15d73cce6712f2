import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { pl, pooledRetention, retentionCurves, withSource } from "../../../mod.ts";
import { hearing } from "../../http/hearing.ts";

type Row = Record<string, unknown>;

/** Cohorts of users, with the counts of their months; null is a row without a value, undefined no row. */
function cohorts(
  counts: Record<string, (number | null | undefined)[]>,
  more: (row: Row) => Row = (row) => row,
) {
  return Object.entries(counts).flatMap(([cohort, users]) =>
    users.flatMap((retained, month): Row[] =>
      retained === undefined ? [] : [more({ cohort, month, size: users[0], retained })]
    )
  );
}

const own = (rows: Row[], retrievedAt?: string) =>
  withSource(pl.DataFrame(rows), { citation: "Warehouse", ...retrievedAt && { retrievedAt } });

const pooled = (
  frame: ReturnType<typeof own>,
  options: Parameters<typeof retentionCurves>[1] = {},
) =>
  pooledRetention(retentionCurves(frame, options), { by: "all" }).toRecords()
    .map(({ month, retention, cohorts }) => [month, retention, cohorts]);

const SPARSE = { "2026-01": [100, 30, 10], "2026-02": [300], "2026-03": [100] };

Deno.test("absent rows are counted, and missing: 0 adds them with 0 users", async () => {
  let plain: unknown;
  const told = await hearing(() => {
    plain = pooled(own(cohorts(SPARSE)));
  });
  deepStrictEqual(told, [
    "retentionCurves: 1 row of 1 cohort is absent, first 2026-02, month 1; an absent row is not 0; pass missing: 0 if it is",
  ]);
  deepStrictEqual(plain, [[0, 1, 3], [1, .3, 1], [2, .1, 1]]);
  const heard = await hearing(() => {
    plain = pooled(own(cohorts(SPARSE)), { missing: 0 });
  });
  deepStrictEqual(heard.filter((line) => !/: cumulative counts only/.test(line)), []);
  deepStrictEqual(plain, [[0, 1, 3], [1, .075, 2], [2, .1, 1]]);
});

Deno.test("an added row of month 0 has all users of its cohort", () => {
  const later = cohorts({ "2026-01": [80, 30], "2026-02": [50] }).flatMap((row) =>
    row.month === 1 ? [row, { ...row, cohort: "2026-02", size: 50, retained: 10 }] : []
  );
  for (const [unit, whole] of [["count", 80], ["percent", 100], ["fraction", 1]] as const) {
    const rows = later.map((row) => (
      { ...row, retained: Number(row.retained) * whole / Number(row.size) }
    ));
    const curves = retentionCurves(own(unit === "count" ? later : rows), { missing: 0, unit });
    deepStrictEqual(
      curves.toRecords().map(({ month, retention }) => [month, retention]),
      [[1, .375], [1, .2], [0, 1], [0, 1]],
      unit,
    );
  }
});

Deno.test("cohorts should have rows up to the last full month that the source states", async () => {
  const frame = own(cohorts(SPARSE), "2026-05-01");
  deepStrictEqual(await hearing(() => retentionCurves(frame)), [
    "retentionCurves: 3 rows of 2 cohorts are absent, first 2026-02, month 1; an absent row is not 0; pass missing: 0 if it is",
  ]);
  deepStrictEqual(pooled(frame, { missing: 0 }), [[0, 1, 3], [1, .06, 3], [2, .025, 2]]);
});

Deno.test("a triangle, and a row whose value is null, lack no row", async () => {
  const triangle = { "2026-01": [100, 30, 10], "2026-02": [50, null], "2026-03": [20] };
  for (const retrievedAt of [undefined, "2026-04-01", "2026-04-20"]) {
    const told = await hearing(() => retentionCurves(own(cohorts(triangle), retrievedAt)));
    deepStrictEqual(told, [], retrievedAt);
    const [plain, added] = [{}, { missing: 0 } as const].map((options) =>
      retentionCurves(own(cohorts(triangle), retrievedAt), options).rows()
    );
    deepStrictEqual(added, plain);
  }
});

Deno.test("cohorts are those of an entity; added rows keep what is constant in a cohort", () => {
  const rows = [["DE", "ads"], ["FR", "ads"]].flatMap(([country, funnel]) =>
    cohorts({ "2026-01": [100, country === "DE" ? 30 : undefined, 10] }, (row) => (
      { country, funnel, sales: `team ${country}`, revenue: Number(row.month) * 7, ...row }
    ))
  );
  const curves = retentionCurves(own(rows), { missing: 0 }).toRecords();
  const { cohort_date: _, ...added } = curves.at(-1)!;
  deepStrictEqual(
    [
      curves.length,
      added.country,
      added.funnel,
      added.sales,
      added.revenue,
      added.month,
      added.size,
      added.retained,
      added.retention,
    ],
    [6, "FR", "ads", "team FR", null, 1, 100, 0, 0],
  );
});

Deno.test("missing is for the long form, and is 0", () => {
  const wide = own([{ cohort: "2026-01", initial_cohort_size: 10, month_0: 1, month_1: .5 }]);
  throws(
    () => retentionCurves(wide, { missing: 0 }),
    /retentionCurves: missing: is for the long form/,
  );
  throws(
    () => retentionCurves(own(cohorts(SPARSE)), { missing: 1 as 0 }),
    /retentionCurves: missing: must be.*got 1/,
  );
});

Deno.test("rows of 0 users and absent rows with missing: 0 give the same curves", async () => {
  const table = fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 500 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
    ),
    { minLength: 2, maxLength: 6 },
  );
  const run = () =>
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 3 }), (given, least) => {
        const counts = Object.fromEntries(given.map(([size, shares], at) => [
          `2025-0${at + 1}`,
          [size, ...shares.map((share) => share < .4 ? 0 : Math.round(share * size))],
        ]));
        // Month 3 of one cohort makes it the largest month.
        counts["2025-01"]![3] = least;
        counts["2025-01"]![0] = Math.max(counts["2025-01"]![0]!, least);
        const full = cohorts(counts);
        const sorted = (rows: Row[]) =>
          retentionCurves(own(rows, "2026-06-01"), { missing: 0 }).sort(["cohort", "month"]).rows();
        deepStrictEqual(sorted(full.filter(({ retained }) => retained !== 0)), sorted(full));
      }),
      { numRuns: 30, seed: 63 },
    );
  deepStrictEqual(await hearing(run), []);
});

Deno.test("a frame without rows lacks none", async () => {
  const empty = own(cohorts(SPARSE)).head(0);
  strictEqual(retentionCurves(empty, { missing: 0 }).height, 0);
  deepStrictEqual(await hearing(() => retentionCurves(empty)), []);
});
