import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { cohortLayers, userFlows } from "../../../lib/analysis/retention/cohort_layers.ts";
import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { forecastRetention } from "../../../lib/analysis/retention/forecast_retention.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { retentionSummary } from "../../../lib/analysis/retention/retention_summary.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { openFrame } from "../../../lib/output/open_frame.ts";
import { save } from "../../../lib/output/save.ts";
import { columnIn } from "../../../lib/table/track/descriptions.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";
import { inFolder } from "../../in_folder.ts";
import { near, warned } from "../measured.ts";
import { chanceOf } from "../simulated_cohorts.ts";

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;
type Units = readonly (readonly (readonly [size: number, kept: number])[])[];

/** Own rows of contracts by region: one cohort for each pair of a unit, from January of the year on. */
function rowsOf(region: string, year: number, units: Units, factor = 1): Row[] {
  return units.flatMap((cohorts, unit) =>
    cohorts.map(([size, kept], month) => ({
      region,
      contract: `${region}-${unit}`,
      cohort: new Date(Date.UTC(year, month)).toISOString().slice(0, 7),
      month: 1,
      size: factor * size,
      retained: factor * kept,
    }))
  );
}

/** States that sizes and retained values are amounts. */
const stated = (rows: Row[], unit = "eur", retained = unit): DataFrame =>
  withSource(pl.DataFrame(rows), {
    citation: "a test",
    columns: { size: { unit }, retained: { unit: retained } },
  });

const quiet = <T>(call: () => T): T => warned(call)[0];
const curvesOf = (rows: Row[]): DataFrame =>
  quiet(() => retentionCurves(stated(rows), { since: null }));

const NORTH: Units = [
  [[120, 150], [80, 60], [200, 230], [150, 170]],
  [[300, 310], [250, 280], [100, 90], [220, 300]],
  [[90, 80], [60, 75], [70, 50], [110, 100]],
  [[400, 380], [350, 420], [500, 640], [450, 500]],
];
const SOUTH: Units = [
  [[200, 150], [180, 160], [90, 70], [240, 200]],
  [[100, 95], [130, 100], [160, 170], [90, 60]],
  [[310, 280], [260, 200], [300, 290], [280, 240]],
];

/** The delete-one jackknife variance of the logarithm of a ratio of sums, and Kish's degrees of freedom. */
function jackknife(pairs: readonly (readonly [number, number])[]) {
  const sum = (of: (pair: readonly [number, number]) => number) =>
    pairs.reduce((all, pair) => all + of(pair), 0);
  const [size, kept] = [sum(([n]) => n), sum(([, r]) => r)];
  const ratio = kept / size;
  const squares = sum(([n, r]) => ((kept - r) / (size - n) - ratio) ** 2);
  return {
    variance: (pairs.length - 1) / pairs.length * squares / ratio ** 2,
    degrees: Math.max(1, size ** 2 / sum(([n]) => n * n) - 1),
    ratio,
  };
}

const added = (pairs: Units[number]): [number, number] => [
  pairs.reduce((all, [n]) => all + n, 0),
  pairs.reduce((all, [, r]) => all + r, 0),
];

Deno.test("a ratio of amounts has bounds from units, months and cells, on the logarithm", () => {
  const [row] = quiet(() =>
    pooledRetention(curvesOf(rowsOf("n", 2025, NORTH))).toRecords()
  ) as Row[];
  const units = jackknife(NORTH.map(added));
  // Four dates make blocks of 2, 1 and 1 cohorts.
  const blocks = [[0, 1], [2], [3]].map((dates) =>
    NORTH.map((unit) => added(dates.map((at) => unit[at]!)))
  );
  const times = jackknife(blocks.map(added));
  const cells = jackknife(blocks.flat());
  const excess = Math.max(0, times.variance - cells.variance);
  ok(excess > 0);
  near(row.retention, units.ratio, 1e-12);
  // The logarithm of the bounds is symmetric, and never narrower than by units alone.
  near(Math.log(row.upper) + Math.log(row.lower), 2 * Math.log(units.ratio), 1e-9);
  const variance = units.variance + excess;
  const half = Math.log(row.upper / units.ratio);
  ok(half / Math.sqrt(variance) > 2 && half / Math.sqrt(variance) < 13, `${half}`);
  deepEqual([row.bounds, row.at_risk, row.lost, row.net_activity, row.dispersion], [
    ...["cluster", null, null, null, null],
  ]);
  equal(columnIn(curvesOf(rowsOf("n", 2025, NORTH)), "retained")?.unit, "eur");
});

Deno.test("amounts: p values and bounds of a comparison agree, and a factor changes nothing", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.boolean(), (seed, apart) => {
      const chance = chanceOf(seed);
      const units = (count: number): Units =>
        Array.from({ length: count }, () => {
          const level = Math.exp(0.2 * chance.normal());
          return Array.from({ length: 5 }, () => {
            const size = Math.exp(3 + chance.normal());
            return [size, size * level * Math.exp(0.2 * chance.normal())] as const;
          });
        });
      const [a, b] = [units(4), units(3)];
      const rows = (factor: number) => [
        ...rowsOf("a", 2024, a, factor),
        ...rowsOf("b", apart ? 2023 : 2024, b, factor),
      ];
      for (const estimate of ["weighted", "unweighted"] as const) {
        const compared = (given: Row[]) =>
          quiet(() =>
            compareRetention(curvesOf(given), { by: "region", estimate }).toRecords()[0]
          ) as Row;
        const row = compared(rows(1));
        equal(row.lower <= 0 && 0 <= row.upper, row.p_value >= 0.05);
        const scaled = compared(rows(1000.5));
        near(scaled.p_value, row.p_value, 1e-9);
        near(scaled.upper, row.upper, 1e-9);
        const turned = compared(rows(1).reverse());
        near(turned.p_value, row.p_value, 1e-9);
        near(turned.upper, -row.lower, 1e-9);
        const renamed = rows(1).map((each) => (
          { ...each, contract: `${each.region} ${9 - Number(each.contract.slice(2))}` }
        ));
        near(compared(renamed).p_value, row.p_value, 1e-9);
      }
    }),
    { seed: 5, numRuns: 6 },
  );
});

Deno.test("paired amounts compare each unit with itself", () => {
  const rows = [
    ...rowsOf("x", 2024, NORTH).map((row) => ({ ...row, region: "before" })),
    ...rowsOf("x", 2025, NORTH.map((unit) => unit.map(([n, r], at) => [n, 1.2 * r + at] as const)))
      .map((row) => ({ ...row, region: "after" })),
  ].map(({ region, ...row }) => ({ span: region, ...row }));
  const [row] = quiet(() => compareRetention(curvesOf(rows), { by: "span" }).toRecords()) as Row[];
  deepEqual([row.test, row.pairs], ["paired", 4]);
  ok(row.difference < 0 && row.lower < row.difference && row.difference < row.upper);
});

Deno.test("amounts of units that change alike have neither bounds nor a test", () => {
  const alike = (units: Units, factor: number) =>
    units.map((unit) => unit.map(([n]) => [n, factor * n] as const));
  const curves = curvesOf([
    ...rowsOf("n", 2025, alike(NORTH, 0.7)),
    ...rowsOf("s", 2025, alike(SOUTH, 0.4)),
  ]);
  const rows = quiet(() => pooledRetention(curves, { by: "region" }).toRecords()) as Row[];
  deepEqual(rows.map(({ lower, upper, bounds }) => [lower, upper, bounds]), [
    [null, null, "edge"],
    [null, null, "edge"],
  ]);
  const [row] = quiet(() => compareRetention(curves, { by: "region" }).toRecords()) as Row[];
  near(row.difference, 0.3, 1e-12);
  deepEqual([row.p_value, row.lower, row.test], [null, null, null]);
  match(row.reason, /all units of one of the two have the same ratio/);
});

Deno.test("amounts of fewer than three units, or without units, have no bounds", () => {
  const two = curvesOf(rowsOf("n", 2025, NORTH.slice(0, 2)));
  const [rows, told] = warned(() => pooledRetention(two).toRecords() as Row[]);
  deepEqual([rows[0].lower, rows[0].bounds], [null, "few_units"]);
  ok(told.some((line) => line.includes("2 units of amounts: bounds need 3")), told.join("\n"));
  const all = curvesOf([...rowsOf("n", 2025, NORTH), ...rowsOf("s", 2025, SOUTH)]);
  const [none] = quiet(() => pooledRetention(all, { cluster: "none" }).toRecords()) as Row[];
  deepEqual([none.lower, none.bounds], [null, "few_units"]);
  const [, single] = warned(() => pooledRetention(all, { by: "contract" }));
  deepEqual(single, [
    "pooledRetention: a group is one unit: differences between units inside it are not in the interval",
    "pooledRetention: 1 unit of amounts: bounds need 3 (7 groups)",
  ]);
  const short = curvesOf(rowsOf("n", 2025, NORTH.map((unit) => unit.slice(0, 2))));
  const [, few] = warned(() => pooledRetention(short));
  ok(few.some((line) => /fewer than three cohort dates/.test(line)));
  const giant = curvesOf(rowsOf("n", 2025, [...NORTH, [[9e5, 8e5], [8e5, 9e5], [9e5, 9e5]]]));
  const [, large] = warned(() => pooledRetention(giant));
  ok(large.some((line) => /one unit has 100% of the amount/.test(line)), large.join("\n"));
});

Deno.test("amounts keep their unit in files, and give the same results", async () => {
  const rows = [...rowsOf("n", 2025, NORTH), ...rowsOf("s", 2025, SOUTH)];
  const curves = curvesOf(rows);
  const by = { by: "region" } as const;
  const results = (frame: DataFrame) =>
    quiet(() => [pooledRetention(frame, by), compareRetention(frame, by)])
      .map((each) => each.toRecords());
  await inFolder(async (folder) => {
    for (const form of ["csv", "parquet", "arrow"]) {
      for (const [name, frame] of [["rows", stated(rows)], ["curves", curves]] as const) {
        const path = `${folder}/${name}.${form}`;
        await save(frame, path);
        const opened: DataFrame = await openFrame(path);
        equal(columnIn(opened, "retained")?.unit, "eur", path);
        const read = name === "rows"
          ? quiet(() => retentionCurves(opened, { since: null }))
          : opened;
        deepEqual(results(read), results(curves), path);
      }
    }
  });
});

Deno.test("units state what is counted, and persons are whole", () => {
  const row = { contract: "a", cohort: "2025-01", month: 1, size: 100, retained: 110 };
  const refused = (rows: Row[], message: RegExp, unit?: string, retained?: string) =>
    throws(
      () =>
        quiet(() =>
          retentionCurves(unit === undefined ? pl.DataFrame(rows) : stated(rows, unit, retained), {
            since: null,
          })
        ),
      message,
    );
  const end =
    /; for amounts state the unit: withSource\(frame, \{ columns: \{ size: \{ unit: "usd" \}, retained: \{ unit: "usd" \} \} \}\)$/;
  refused([row], end);
  refused([{ ...row, size: 100.5, retained: 20 }], end);
  refused([row], end, "users");
  refused([row], /^RangeError: retentionCurves: retained: is in eth, size in usd$/, "usd", "eth");
  refused([row], /retained: counts persons, size in usd/, "usd", "users");
  refused([{ ...row, retained: -1 }], /amounts are finite and 0 or more/, "usd");
  refused(
    [{ ...row, month: 0 }],
    /month 0 is the size; got cohort 2025-01, month 0, size 100, retained 110$/,
    "usd",
  );
  const curves = curvesOf([{ ...row, size: 1.25, retained: 2.5 }]);
  deepEqual(curves.select("size", "retained", "retention", "lower", "upper").rows(), [
    [1.25, 2.5, 2, null, null],
  ]);
  const [, told] = warned(() => retentionCurves(stated([row]), { since: null }));
  ok(told.includes("retentionCurves: amounts of one cohort have no bounds"));
});

Deno.test("functions of persons refuse amounts, and the others keep their unit", () => {
  const rows = [0, 1, 2].flatMap((month) =>
    rowsOf("n", 2025, NORTH).map((row) => ({
      ...row,
      month,
      retained: month === 0 ? row.size : row.retained / month,
    }))
  );
  const curves = curvesOf(rows);
  const calls: readonly [RegExp, () => unknown][] = [
    [
      /^RangeError: forecastRetention: size is in eur: forecasts need persons who leave$/,
      () => forecastRetention(curves),
    ],
    [/^RangeError: userFlows: size is in eur: /, () => userFlows(curves)],
    [/^RangeError: detectable: size is in eur: /, () => detectable(curves, { by: "region" })],
  ];
  for (const [message, call] of calls) throws(call, message);
  const [pooled] = warned(() => pooledRetention(curves));
  const [summary] = warned(() => retentionSummary(pooled));
  equal(summary.getColumn("month_1").get(0), (pooled.toRecords()[1] as Row).retention);
  const layers = cohortLayers(curves);
  for (
    const [frame, name] of [[pooled, "size"], [summary, "size"], [layers, "active"], [
      layers,
      "total",
    ]] as const
  ) {
    equal(columnIn(frame, name)?.unit, "eur", name);
  }
  const trend = quiet(() => cohortTrend(curves, { month: 1 }).toRecords()) as Row[];
  ok(trend.some(({ retention }) => retention > 1));
});

const USERS: readonly (readonly (readonly number[])[])[] = [
  [[50, 30, 20], [55, 28, 24]],
  [[70, 52, 40], [66, 50, 44]],
  [[34, 20, 12], [40, 22, 18]],
  [[60, 40, 31], [52, 38, 28]],
];

/** Curves of units whose cohorts have 100 users each in month 0. */
function users(units = USERS, name = "u"): Row[] {
  return units.flatMap((cohorts, unit) =>
    cohorts.flatMap((months, cohort) =>
      [100, ...months].map((retained, month) => ({
        team: `${name}${unit}`,
        cohort: `2025-0${cohort + 1}`,
        month,
        size: 100,
        retained,
      }))
    )
  );
}

Deno.test("cumulative is the mean number of active months of cohorts that have all months", () => {
  const pooled = pooledRetention(retentionCurves(pl.DataFrame(users()), { since: null }));
  const rows = pooled.toRecords() as Row[];
  const sum = (months: number) =>
    USERS.flat().reduce((all, own) => all + own.slice(0, months).reduce((a, b) => a + b), 0);
  rows.forEach((row, month) => near(row.cumulative, month === 0 ? 1 : 1 + sum(month) / 800, 1e-12));
  deepEqual([rows[0].cumulative_lower, rows[0].cumulative_upper], [null, null]);
  // The share of active months has a jackknife over units, on the logit.
  const shares = USERS.map((unit) => unit.flat().reduce((a, b) => a + b) / 600);
  const mean = shares.reduce((a, b) => a + b) / 4;
  const squares = shares.reduce((all, share) => all + ((4 * mean - share) / 3 - mean) ** 2, 0);
  const error = Math.sqrt(3 / 4 * squares) / (mean * (1 - mean));
  const expit = (x: number) => 1 / (1 + Math.exp(-x));
  const logit = Math.log(mean / (1 - mean));
  // Student's t with 3 degrees of freedom.
  near(rows[3].cumulative_lower, 1 + 3 * expit(logit - 3.182446305284263 * error), 1e-9);
  near(rows[3].cumulative_upper, 1 + 3 * expit(logit + 3.182446305284263 * error), 1e-9);
  const summary = retentionSummary(pooled, { month: 2 }).toRecords()[0] as Row;
  equal(summary.cumulative, rows[2].cumulative);
  equal((retentionSummary(pooled).toRecords()[0] as Row).cumulative, rows[3].cumulative);
});

Deno.test("cumulative leaves out cohorts that lack a month, and says that the area mixes cohorts", () => {
  const rows = [[100, 30, 10], [100, 50]].flatMap((months, at) =>
    months.map((retained, month) => ({ cohort: `2025-0${at + 1}`, month, size: 100, retained }))
  );
  const [pooled, told] = warned(() =>
    pooledRetention(retentionCurves(pl.DataFrame(rows), { since: null }))
  );
  deepEqual(pooled.getColumn("cumulative").toArray(), [1, 1.4, 1.4]);
  ok(
    told.some((line) =>
      /cumulative counts only cohorts that have all months: to month 2 it is 1\.4; the area .* is 1\.5$/
        .test(line)
    ),
    told.join("\n"),
  );
});

Deno.test("compareRetention compares how long users stay", () => {
  const other = USERS.map((unit) => unit.map((months) => months.map((users) => users - 10)));
  const rows = [
    ...users().map((row) => ({ ...row, plan: "old" })),
    ...users(other, "v").map((row) => ({ ...row, plan: "new" })),
  ];
  const curves = retentionCurves(pl.DataFrame(rows), { since: null });
  const options = { by: "plan", month: 3, estimate: "cumulative" } as const;
  const [row] = compareRetention(curves, options).toRecords() as Row[];
  const pooled = quiet(() => pooledRetention(curves, { by: "plan" })).toRecords() as Row[];
  near(row.cumulative_a, pooled[3].cumulative, 1e-12);
  near(row.cumulative_b, pooled[7].cumulative, 1e-12);
  near(row.difference, 0.3, 1e-12);
  equal(row.lower <= 0 && 0 <= row.upper, row.p_value >= 0.05);
  ok(row.lower < 0.3 && 0.3 < row.upper);
  throws(
    () => compareRetention(curves, { ...options, month: 0 }),
    /month: cumulative needs all months from 1 on; got 0 of 0, 1, 2, 3/,
  );
  match(row.reason, /fewer than three cohort dates/);
  const few = [
    ...users().map((row) => ({ ...row, plan: "old" })),
    ...users(other.slice(0, 2), "v").map((row) => ({ ...row, plan: "new" })),
  ];
  const [none] = quiet(() =>
    compareRetention(retentionCurves(pl.DataFrame(few), { since: null }), options)
  ).toRecords() as Row[];
  equal(none.p_value, null);
  match(none.reason, /^a test of amounts, or of how long users stay, needs 3 units on both sides/);
});
