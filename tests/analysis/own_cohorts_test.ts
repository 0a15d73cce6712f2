import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { type DataFrame, pl, retentionCurves, withSource } from "../../mod.ts";

const MONTHS = Array.from({ length: 24 }, (_, month) => month);
/** 30 monthly cohorts of three projects, observed up to June 2026. */
const COHORTS = ["arbor", "brook", "crest"].flatMap((project, place) =>
  Array.from({ length: 30 }, (_, at) => ({
    project_id: project,
    cohort: `${2024 + Math.floor(at / 12)}-${String(at % 12 + 1).padStart(2, "0")}`,
    size: 1000 + 90 * place + 10 * at,
    retained: MONTHS.filter((month) => at + month < 30).map((month) =>
      Math.round((1000 + 90 * place + 10 * at) * (1 + month) ** -(0.5 + place / 10 + at / 300))
    ),
  }))
);
const GIVEN = { citation: "warehouse, export of June 2026" };

function wideForm(unit: "fraction" | "count"): DataFrame {
  const value = (size: number, users: number | undefined) =>
    users === undefined ? null : unit === "count" ? users : users / size;
  const columns = MONTHS.map((month) => [
    `month_${month}`,
    COHORTS.map(({ size, retained }) => value(size, retained[month])),
  ]);
  const frame = pl.DataFrame({
    project_id: COHORTS.map(({ project_id }) => project_id),
    cohort: COHORTS.map(({ cohort }) => cohort),
    initial_cohort_size: COHORTS.map(({ size }) => size),
    ...Object.fromEntries(columns),
  });
  return withSource(frame, GIVEN);
}

function longForm(): DataFrame {
  const rows = COHORTS.flatMap(({ retained, ...cohort }) =>
    retained.map((users, month) => ({ ...cohort, month, retained: users }))
  );
  return withSource(pl.DataFrame(rows), GIVEN);
}

const OPTIONS = { since: "2023-06" };
const FORMS: Record<string, DataFrame> = {
  fraction: retentionCurves(wideForm("fraction"), OPTIONS),
  count: retentionCurves(wideForm("count"), OPTIONS),
  long: retentionCurves(longForm(), OPTIONS),
};

const BY = { by: "project_id" } as const;
/** The functions of curves, each with the column of months of its result if it has one. */
const FUNCTIONS: Record<string, (curves: DataFrame) => DataFrame> = {
  pooledRetention: (f) => chainframe.pooledRetention(f, BY),
  "pooledRetention of all": (f) => chainframe.pooledRetention(f),
  compareRetention: (f) => chainframe.compareRetention(f, { ...BY, month: [1, 18] }),
  forecastRetention: (f) => chainframe.forecastRetention(f, { ...BY, horizon: 36 }),
  retentionSummary: (f) => chainframe.retentionSummary(chainframe.pooledRetention(f, BY)),
  cohortTrend: (f) => chainframe.cohortTrend(f, { month: 14 }),
  cohortLayers: (f) => chainframe.cohortLayers(f, BY),
  userFlows: (f) => chainframe.userFlows(f, BY),
  detectable: (f) => chainframe.detectable(f, { ...BY, month: 13 }),
};

/** The result without months that are not observed, and rounded, because fractions of users are not exact. */
function contents(frame: DataFrame): unknown[] {
  return frame.toRecords().map((row) =>
    Object.values(row).map((value) =>
      typeof value === "number" ? Number(value.toPrecision(9)) : value
    )
  );
}

Deno.test("own cohorts have the same curves in the wide and the long form, for any number of months", () => {
  const observed = (frame: DataFrame) => contents(frame.filter(pl.col("retention").isNotNull()));
  strictEqual(FORMS.count!.height, COHORTS.length * 24);
  strictEqual(FORMS.count!.getColumn("month").max(), 23);
  for (const form of ["fraction", "long"]) {
    deepStrictEqual(observed(FORMS[form]!), observed(FORMS.count!), form);
  }
  for (const [name, run] of Object.entries(FUNCTIONS)) {
    const expected = contents(run(FORMS.count!));
    ok(expected.length > 0, name);
    for (const form of ["fraction", "long"]) {
      deepStrictEqual(contents(run(FORMS[form]!)), expected, `${name}, ${form}`);
    }
  }
});

Deno.test("functions of curves read months beyond 11", () => {
  const curves = FORMS.long!;
  const lastMonth = (name: string) => FUNCTIONS[name]!(curves).getColumn("month").max();
  deepStrictEqual(
    ["pooledRetention", "compareRetention", "forecastRetention", "cohortLayers"].map(lastMonth),
    [23, 18, 36, 23],
  );
  const flows = FUNCTIONS.userFlows!(curves).toRecords();
  deepStrictEqual(
    flows.filter(({ aged_out }) => aged_out !== null).map(({ date }) => date).slice(0, 1),
    [new Date("2026-01-01")],
  );
  // By hand: cohorts of January to June 2024 have 24 months. Their users of month 18 are counted.
  const pooled = FUNCTIONS["pooledRetention of all"]!(curves).toRecords()[18]!;
  const seen = COHORTS.filter(({ retained }) => retained[18] !== undefined);
  const sum = (values: number[]) => values.reduce((all, each) => all + each, 0);
  const [users, size] = [
    sum(seen.map(({ retained }) => retained[18]!)),
    sum(seen.map(({ size }) => size)),
  ];
  strictEqual(pooled.size, size);
  ok(Math.abs(Number(pooled.retention) - users / size) < 1e-12);
});

Deno.test("charts of curves draw months beyond 11", async () => {
  const curves = FORMS.long!;
  const one = chainframe.where(curves, { project_id: "arbor" });
  const pooled = chainframe.pooledRetention(curves, BY);
  const forecast = chainframe.forecastRetention(curves, { ...BY, horizon: 30 });
  const texts = async (chart: chainframe.PlotChart) =>
    (await chart.svg()).replace(/<style[^]*?<\/style>/g, "").replace(/<[^>]*>/g, "\n");
  match(await texts(chainframe.plotRetention(pooled)), /\n(20|22|23)\n/);
  match(await texts(chainframe.plotRetention(forecast)), /\n30\n/);
  match(await texts(chainframe.plotRetentionHeatmap(one)), /\n22\n|\n23\n/);
  const layers = await texts(chainframe.plotLayers(chainframe.cohortLayers(one)));
  match(layers, /Users who arrived within 24 months/);
  match(layers, /cohorts older than 23 months/);
});

Deno.test("only cohort and size are required, and other columns are carried on", () => {
  const small = pl.DataFrame({
    country: ["CH", "DE"],
    cohort: ["2025-01", "2025-02"],
    initial_cohort_size: [100, 50],
    month_0: [1, 1],
    month_3: [0.5, 0.2],
  });
  const curves = retentionCurves(small);
  deepStrictEqual(curves.columns.slice(0, 3), ["country", "cohort", "cohort_date"]);
  deepStrictEqual([...curves.getColumn("month")].map(Number), [0, 3, 0, 3]);
  const pooled = chainframe.pooledRetention(curves, { by: "country" });
  deepStrictEqual([...pooled.getColumn("retention")], [1, 0.5, 1, 0.2]);
  ok(chainframe.cohortLayers(curves).height > 0);
});

Deno.test("retentionCurves refuses own cohorts that are incomplete or impossible", () => {
  const long = pl.DataFrame({ cohort: ["2025-01"], month: [1], size: [100], retained: [40] });
  const cases: [DataFrame, RegExp][] = [
    [pl.DataFrame({ cohort: ["2025-01"] }), /missing: initial_cohort_size, month_0/],
    [long.drop("size"), /missing: initial_cohort_size, month_0; got cohort, month, retained/],
    [long.drop("cohort"), /missing: cohort/],
    [long.withColumn(pl.lit(1.5).alias("month")), /month must be a whole number .*month 1\.5$/],
    [long.withColumn(pl.lit(-1).alias("month")), /from 0 to 1200; got cohort 2025-01, month -1$/],
    [long.withColumn(pl.lit(140).alias("retained")), /month 1, size 100, retained 140/],
  ];
  for (const [frame, message] of cases) {
    throws(() => retentionCurves(frame), { name: "RangeError", message });
  }
});
