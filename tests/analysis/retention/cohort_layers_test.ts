import { deepEqual, equal, match, throws } from "node:assert/strict";
import { cohortLayers } from "../../../lib/analysis/retention/cohort_layers.ts";
import { growthRates } from "../../../lib/analysis/series/timeline_columns.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { plotLayers } from "../../../lib/chart/layers.ts";
import { plotUserFlows } from "../../../lib/chart/user_flows.ts";
import { where } from "../../../lib/table/read/where.ts";
import { userFlows } from "../../../lib/analysis/retention/cohort_layers.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame } from "../cohort_frame.ts";

const COHORTS: readonly Cohort[] = [
  { cohort: "2025-01", size: 100, months: [1, 0.5, 0.6, 0.2] },
  { cohort: "2025-02", size: 200, months: [1, 0.4, 0.4] },
  { project: "birch", cohort: "2025-02", size: 50, months: [1, null, 0.2] },
  { cohort: "2025-04", size: 10, months: [1] },
];

function curvesOf(cohorts = COHORTS, since: string | null = null) {
  return retentionCurves(cohortFrame(cohorts), { since });
}

Deno.test("cohortLayers adds up active users by calendar month and cohort", () => {
  const layers = cohortLayers(curvesOf());
  const day = (value: unknown) => (value as Date).toISOString().slice(0, 7);
  deepEqual(layers.rows().map((row) => [day(row[0]), day(row[1]), ...row.slice(2, 7)]), [
    ["2025-01", "2025-01", 0, 100, 100, 1, 0],
    ["2025-02", "2025-01", 1, 50, 300, 1, 0],
    ["2025-02", "2025-02", 0, 250, 300, 2, 0],
    ["2025-03", "2025-01", 2, 60, 140, 1, 0],
    ["2025-03", "2025-02", 1, 80, 140, 1, 1],
    ["2025-04", "2025-01", 3, 20, 120, 1, 0],
    ["2025-04", "2025-02", 2, 90, 120, 2, 1],
    ["2025-04", "2025-04", 0, 10, 120, 1, 0],
  ]);
});

Deno.test("cohorts whose rows are apart, with months in reverse, have the same layers and sums", () => {
  const curves = curvesOf([...COHORTS, {
    project: "birch",
    cohort: "2025-01",
    size: 5,
    months: [1, 0.2],
  }]);
  const apart = curves.sort({ by: ["month", "project_id"], descending: true });
  for (const by of ["all", "project_id"]) {
    const keys = by === "all" ? [] : [by];
    const of = (frame: typeof curves) => [
      cohortLayers(frame, { by }).sort([...keys, "date", "cohort_date"]).rows(),
      pooledRetention(frame, { by, cluster: "none" }).sort([...keys, "month"]).rows(),
    ];
    deepEqual(of(apart), of(curves));
  }
});

Deno.test("cohortLayers marks cohorts of before the first tracked month, and no others", () => {
  const marks = (curves: ReturnType<typeof curvesOf>) =>
    cohortLayers(curves).getColumn("left_truncated").toArray();
  deepEqual(marks(curvesOf(COHORTS.slice(1, 2), "2025-02-01")), [true, true, true]);
  deepEqual(marks(curvesOf(COHORTS.slice(1, 2), "2025-01-01")), [false, false, false]);
  const own = curvesOf(COHORTS.slice(1, 2)).drop("left_truncated") as never;
  deepEqual(marks(own), [false, false, false]);
});

/** One cohort a month from January 2022, of one project, by size and by active users in month k >= 1. */
function monthly(
  count: number,
  size: (at: number) => number,
  active: (size: number, k: number) => number,
) {
  return Array.from({ length: count }, (_, at): Cohort => ({
    cohort: new Date(Date.UTC(2022, at, 1)).toISOString().slice(0, 7),
    size: size(at),
    months: Array.from(
      { length: Math.min(12, count - at) },
      (_, k) => k === 0 ? 1 : active(size(at), k) / size(at),
    ),
  }));
}

const SHRINKING = monthly(
  36,
  (at) => Math.round(10_000 * 0.97 ** at),
  (size, k) => Math.round(size * 0.5 * 0.99 ** (k - 1)),
);

Deno.test("userFlows accounts for the change of the total, with cohorts that age out", () => {
  const flows = userFlows(curvesOf(SHRINKING));
  // R: size <- round(1e4 * .97^(0:35)); t <- 35; at <- function(t, k) a[cbind(t - k + 1, k + 1)]
  //    a <- sapply(0:11, function(k) if (k == 0) size else round(size * .5 * .99^(k - 1)))
  //    lost <- sum(at(t - 1, 0:10) - at(t, 1:11)); aged <- at(t - 1, 11)
  //    c(size[t + 1], lost, aged, sum(at(t, 0:11)), size[t + 1] / (lost + aged))
  const [date, ...last] = flows.row(35);
  const ratio = last.splice(5, 1)[0] as number;
  deepEqual([(date as Date).toISOString().slice(0, 7), ...last], [
    ...["2024-12", 3444, 0, 1976, 2244, 25_113, 12, 0, 24],
  ]);
  equal(ratio.toFixed(6), "0.816114");
  const rows = flows.toRecords() as Record<string, number>[];
  rows.slice(12).forEach((row, at) => {
    const change = row.total! - rows[at + 11]!.total!;
    equal(row.new! + row.returned! - row.lost! - row.aged_out!, change);
  });
  // Before January 2023 no cohort can age out, and a project of constant size would seem to grow.
  const claimed = rows.map((row) =>
    [row.aged_out, row.net_quick_ratio].filter((one) => one === null)
  );
  deepEqual(claimed.map(({ length }) => length), [...Array(12).fill(2), ...Array(24).fill(0)]);
});

Deno.test("userFlows has no ratio in a month without losses", () => {
  const last = userFlows(curvesOf([
    { cohort: "2022-01", size: 10, months: [1, ...Array(11).fill(0)] },
    { cohort: "2023-01", size: 5, months: [1] },
  ])).toRecords().at(-1)!;
  deepEqual([last.new, last.lost, last.aged_out, last.net_quick_ratio], [5, 0, 0, null]);
});

Deno.test("growthRates compares all flows of users per day", () => {
  const flows = userFlows(curvesOf(monthly(15, () => 100, () => 50)));
  const last = growthRates(flows, { field: ["new", "lost"] }).toRecords().at(-1)!;
  // The users are the same in February and in March, which has 31 days.
  const growth = (28 / 31 - 1).toFixed(9);
  equal(Number(last.new_growth).toFixed(9), growth);
  equal(Number(last.lost_growth).toFixed(9), growth);
});

Deno.test("userFlows has a ratio of 1 for a project of constant size", () => {
  const rows = userFlows(curvesOf(monthly(15, () => 100, () => 50))).toRecords();
  deepEqual(rows.slice(12).map(({ net_quick_ratio }) => net_quick_ratio), [1, 1, 1]);
});

Deno.test("userFlows claims nothing where a cohort has a gap, and drops cohorts tracked too shortly", () => {
  const flows = (cohorts: readonly Cohort[], since: string | null, washout?: number) =>
    userFlows(curvesOf(cohorts, since), washout === undefined ? {} : { washout }).toRecords();
  const gap = SHRINKING.map((cohort, at) =>
    at === 20 ? { ...cohort, months: cohort.months.with(4, null) } : cohort
  );
  const open = flows(gap, null).flatMap(({ date, aged_out, left_out }) =>
    aged_out === null && left_out !== 0
      ? [[(date as unknown as Date).toISOString().slice(0, 7), left_out]]
      : []
  );
  deepEqual(open, [["2024-01", 1], ["2024-02", 1]]);
  // The last value of the cohort of September 2023 is unknown, so it is unknown how many age out.
  const end = SHRINKING.map((cohort, at) =>
    at === 20 ? { ...cohort, months: cohort.months.slice(0, 11) } : cohort
  );
  deepEqual(
    flows(end, null).slice(31, 34).map(({ aged_out, left_out }) => [aged_out === null, left_out]),
    [[true, 1], [true, 1], [false, 0]],
  );
  const tracked = flows(SHRINKING, "2022-01");
  deepEqual([tracked.length, tracked[0]!.new], [33, Math.round(10_000 * 0.97 ** 3)]);
  equal(tracked.at(-1)!.total, 25_113);
  deepEqual(flows(SHRINKING, "2022-01", 0)[0]!.new, null);
});

Deno.test("userFlows adds up cohorts of several projects", () => {
  deepEqual(userFlows(curvesOf()).rows().map((row) => row.slice(1)), [
    [100, null, null, null, 100, null, 1, 0, 0],
    [250, 0, 50, null, 300, null, 3, 0, 0],
    // The month of one project is unknown, and so is its change to the next.
    [null, 10, 120, null, 140, null, 2, 1, 0],
    [10, 0, 40, null, 120, null, 4, 1, 0],
  ]);
});

Deno.test("cohortLayers counts the cohorts whose months are no longer known", () => {
  const long = [
    { cohort: "2024-01", size: 100, months: new Array(12).fill(1) },
    { cohort: "2024-03", size: 100, months: new Array(12).fill(1) },
    { cohort: "2025-03", size: 100, months: [1] },
  ];
  // deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
  const layers = cohortLayers(curvesOf(long)).toRecords() as any[];
  const older = new Map(
    layers.map(({ date, older_cohorts }) => [date.toISOString().slice(0, 7), older_cohorts]),
  );
  deepEqual([older.get("2024-12"), older.get("2025-01"), older.get("2025-03")], [0, 1, 2]);
  deepEqual(userFlows(curvesOf(long)).getColumn("older_cohorts").toArray().at(-1), 2);
});

Deno.test("cohortLayers leaves out cohorts without users, and counts those of unknown size as left out", () => {
  const of = (...more: Cohort[]) =>
    cohortLayers(curvesOf([{ cohort: "2025-01", size: 8, months: [1, 0.5] }, ...more]))
      .select("active", "cohorts", "left_out").rows();
  const other = { project: "other", cohort: "2025-01", months: [1, 1] };
  deepEqual(of(), [[8, 1, 0], [4, 1, 0]]);
  deepEqual(of({ ...other, size: 0 }), of());
  deepEqual(of({ ...other, size: 1 }), [[9, 2, 0], [5, 2, 0]]);
  deepEqual(of({ ...other, size: null }), [[8, 1, 1], [4, 1, 1]]);
});

Deno.test("cohortLayers refuses duplicate months", () => {
  const curves = curvesOf();
  throws(
    () => cohortLayers(pl.concat([curves, curves])),
    /^RangeError: cohortLayers: entity: two rows have the same .*month; got row 0: .*; row 48: .*; name the columns/,
  );
});

/** Three projects of two sectors; one project has no cohort that can be counted. */
const GROUPED = retentionCurves(
  cohortFrame([
    ...COHORTS,
    { project: "cedar", sector: "lending", cohort: "2025-03", size: 70, months: [1, 0.3, 0.5] },
    { project: "dust", sector: "lending", cohort: "2025-03", size: 0, months: [1] },
  ]),
  { since: null },
);
const IDS = ["alder-swap", "birch", "cedar"].map((project_id) => ({ project_id }));
const SECTORS = ["exchanges", "lending"].map((market_sector_id) => ({ market_sector_id }));
const BY = [
  [{ by: "project_id" }, IDS, ["project_id", "project_name"]],
  [{ by: "market_sector_id" }, SECTORS, ["market_sector_id", "market_sector_name"]],
  [
    { by: ["market_sector_id", "cohort"] },
    ["2025-01", "2025-02", "2025-04"].map((cohort) => ({ ...SECTORS[0], cohort }))
      .concat({ ...SECTORS[1], cohort: "2025-03" }),
    ["market_sector_id", "market_sector_name", "cohort"],
  ],
] as const;

for (const analysis of [cohortLayers, userFlows]) {
  Deno.test(`each group of ${analysis.name} equals the analysis of its curves`, () => {
    const whole = analysis(GROUPED);
    deepEqual(analysis(GROUPED, { by: "all" }).toRecords(), whole.toRecords());
    for (const [options, groups, keys] of BY) {
      const made = analysis(GROUPED, options);
      deepEqual(made.columns, [...keys, ...whole.columns]);
      deepEqual(made.dtypes.slice(keys.length), whole.dtypes);
      const parts = groups.map((group) => analysis(where(GROUPED, group as object)).rows());
      deepEqual(made.rows().map((row) => row.slice(keys.length)), parts.flat());
      const firsts = [...new Set(made.select(...keys).rows().map(String))];
      deepEqual(firsts.length, groups.length);
      deepEqual(analysis(GROUPED.limit(0), { by: "project_id" }).height, 0);
    }
    throws(() => analysis(GROUPED, { by: "chain_id" }), /chain_id/);
    const renamed = GROUPED.withColumn(pl.lit("a").alias("total"));
    throws(
      () => analysis(renamed, { by: "total" }),
      /^RangeError: (cohortLayers|userFlows): the result has a column total of its own: rename that/,
    );
  });
}

Deno.test("plotLayers and plotUserFlows draw one group, and name where for several", async () => {
  const pairs = [[cohortLayers, plotLayers], [userFlows, plotUserFlows]] as const;
  for (const [analysis, plot] of pairs) {
    const made = analysis(GROUPED, { by: ["market_sector_id", "project_id"] });
    throws(
      () => plot(made),
      /one group; got The exchanges · The alder-swap, .*; pass one, as in where\(frame, \{ market_sector_id: "exchanges", project_id: "alder-swap" \}\)$/,
    );
    const one = where(made, { market_sector_id: "exchanges", project_id: "birch" });
    match((await plot(one).spec).title, / (of|by) The exchanges(?: ·|,) The birch[ ,]/);
  }
});
