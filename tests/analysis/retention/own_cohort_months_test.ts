import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import {
  cohortLayers,
  cohortTrend,
  type DataFrame,
  pl,
  plotCohortTrend,
  plotRetention,
  plotRetentionHeatmap,
  plotTimeline,
  pooledRetention,
  retentionCurves,
  rowsOf,
  shares,
  userFlows,
  withSource,
} from "../../../mod.ts";
import { warned } from "../measured.ts";

type Cell = readonly [cohort: string, counts: readonly number[]];

/** Cohorts in the long form: the size is the count of month 0. */
function long(cells: readonly Cell[], options: object = {}): DataFrame {
  const rows = cells.flatMap(([cohort, counts]) =>
    counts.map((retained, month) => ({ cohort, month, size: counts[0]!, retained }))
  );
  return withSource(pl.DataFrame(rows), { citation: "own", ...options });
}

/** Cohorts in the wide form. */
function wide(cells: readonly Cell[], options: object = {}): DataFrame {
  const width = Math.max(...cells.map(([, counts]) => counts.length));
  const frame = pl.DataFrame([
    pl.Series("cohort", cells.map(([cohort]) => cohort), pl.Utf8),
    pl.Series("initial_cohort_size", cells.map(([, [size]]) => size!), pl.Float64),
    ...Array.from(
      { length: width },
      (_, month) =>
        pl.Series(`month_${month}`, cells.map(([, counts]) => counts[month] ?? null), pl.Float64),
    ),
  ]);
  return withSource(frame, { citation: "own", ...options });
}

const FORMS = { long, wide };
/** June is not over on 11 June. */
const CELLS: readonly Cell[] = [
  ["2024-03", [400, 160, 80, 11]],
  ["2024-04", [200, 60, 5]],
  ["2024-05", [100, 2]],
];
const RETRIEVED = { retrievedAt: "2024-06-11" };

Deno.test("a month of observation that is not over is null, in both forms, with one notice", () => {
  for (const [name, make] of Object.entries(FORMS)) {
    const [curves, notices] = warned(() =>
      retentionCurves(make(CELLS, RETRIEVED), { unit: "count" })
    );
    const own = notices.filter((notice) => notice.includes("left out"));
    deepEqual(
      own,
      [
        "chainframe: retentionCurves: left out 3 values of 2024-06: the last full day is 2024-06-10",
      ].map((text) => own[0]?.startsWith("chainframe") ? text : text.replace("chainframe: ", "")),
      name,
    );
    const last = rowsOf(curves).filter(({ cohort, month }) => cohort === "2024-03" && month === 3);
    deepEqual(
      last.map((
        { size, retained, retention, lower, upper },
      ) => [size, retained, retention, lower, upper]),
      [[400, null, null, null, null]],
    );
    const pooled = rowsOf(pooledRetention(curves, { by: "all" }));
    const at = (month: number) => pooled.find((row) => row.month === month)?.retention ?? null;
    deepEqual([at(1), at(2), at(3)], [220 / 600, 0.2, null]);
    const flows = rowsOf(userFlows(curves)).map(({ date }) => date.toISOString().slice(0, 7));
    equal(flows.at(-1), "2024-05", name);
  }
});

Deno.test("through decides which months are over", () => {
  const at = (options: object) =>
    rowsOf(retentionCurves(long(CELLS.slice(0, 1), options))).map(({ retained }) => retained);
  deepEqual(at({}), [400, 160, 80, 11]);
  deepEqual(warned(() => at({ through: "2024-06-01" }))[0], [400, 160, 80, null]);
  deepEqual(warned(() => at({ through: "2024-06-29" }))[0], [400, 160, 80, null]);
  deepEqual(at({ through: "2024-06-30" }), [400, 160, 80, 11]);
});

Deno.test("a value of a month after the data is refused with its cohort, month and value", () => {
  const later: readonly Cell[] = [["2024-03", [400, 160, 80, 11, 0, 0]]];
  for (const make of Object.values(FORMS)) {
    throws(() => warned(() => retentionCurves(make(later, RETRIEVED), { unit: "count" })), {
      name: "RangeError",
      message:
        /month: expected months that begin by 2024-06-10; got 0 users in month 4 of the cohort 2024-03, which is 2024-07/,
    });
  }
  // A month that begins on the day of the retrieval has no full day.
  const ends = [
    { retrievedAt: "2024-06-01" },
    { retrievedAt: "2024-06-01T18:30:00Z" },
    { through: "2024-05-31" },
  ];
  for (const end of ends) {
    for (const make of Object.values(FORMS)) {
      throws(() => warned(() => retentionCurves(make(CELLS, end), { unit: "count" })), {
        name: "RangeError",
        message:
          /months that begin by 2024-05-31; got 11 users in month 3 of the cohort 2024-03, which is 2024-06/,
      });
    }
  }
  const [curves] = warned(() => retentionCurves(long(CELLS, { retrievedAt: "2024-06-02" })));
  equal(rowsOf(curves).filter(({ retained }) => retained === null).length, 3);
});

Deno.test("cohorts of weeks, days and times of day are refused, longer ones have no date", () => {
  const refused = (cohorts: readonly unknown[], message: RegExp) => {
    const frame = pl.DataFrame({
      cohort: cohorts,
      month: cohorts.map(() => 0),
      size: cohorts.map(() => 5),
      retained: cohorts.map(() => 5),
    });
    throws(() => retentionCurves(frame), { name: "RangeError", message });
  };
  const weeks = /cohort: expected months of first use, such as 2025-01; got days or weeks: /;
  refused(["2025-03-03", "2025-03-10"], new RegExp(`${weeks.source}2025-03-03 and 2025-03-10`));
  refused(["2025-W10", "2025-W11"], new RegExp(`${weeks.source}2025-03-03 and 2025-03-10`));
  refused([20250301, 20250302], weeks);
  refused([new Date("2025-03-01"), new Date("2025-03-31")], weeks);
  refused(
    ["2024-04-30T22:00:00Z"],
    /got a time of day: 2024-04-30T22:00:00 in row 0; write the month/,
  );
  refused(
    [null, new Date("2024-04-30T22:00:00Z")],
    /got a time of day: 2024-04-30T22:00:00 in row 1;/,
  );
  for (const cohort of ["2024-Q1", "2024", "spring"]) {
    const [curves, notices] = warned(() => retentionCurves(long([[cohort, [10, 5]]])));
    deepEqual(curves.getColumn("cohort_date").toArray(), [null, null]);
    match(
      notices.join(" "),
      new RegExp(`cohort: 1 of 1 texts are not read as months, such as "${cohort}"`),
    );
  }
  const [, [advice]] = warned(() => retentionCurves(long([["01/02/2024", [10, 5]]])));
  match(advice!, /for 2024-02-01 write frame\.withColumns\(pl\.col\("cohort"\)\.str\.strptime/);
});

Deno.test("months that count from 1 are refused, and the line in the message mends them", () => {
  const cells: readonly Cell[] = [["2024-01", [300, 120]], ["2024-02", [200, 80]]];
  const shifted = {
    long: long(cells).withColumn(pl.col("month").plus(1)),
    wide: wide(cells).rename({ month_1: "month_2" }).rename({ month_0: "month_1" }),
  };
  for (const [form, frame] of Object.entries(shifted)) {
    let message = "";
    throws(() => retentionCurves(frame, { unit: "count" }), (error: Error) => {
      message = error.message;
      return error instanceof RangeError;
    });
    match(
      message,
      /month: must count from 0; got months from 1, in which all users are active; write/,
    );
    const [, line] = /write (frame\..*\)), or add the/.exec(message)!;
    const mended: DataFrame = new Function("frame", "pl", `return ${line}`)(frame, pl);
    const rows = (given: DataFrame) =>
      rowsOf(retentionCurves(given, { unit: "count" })).map(({ cohort, month, retained }) => [
        cohort,
        Number(month),
        retained,
      ]);
    deepEqual(rows(mended), rows(FORMS[form as "long"](cells)), form);
  }
  // One cohort that lost users by month 1 shows that months count from 0.
  const lost = long([["2024-01", [300, 300]], ["2024-02", [200, 199]]]).filter(
    pl.col("month").gt(0),
  );
  equal(retentionCurves(lost).height, 2);
});

Deno.test("months from 1 are refused before absent rows are added or counted, and before a unit is detected", () => {
  const cells: readonly Cell[] = [["2023-11", [70, 20, 9]], ["2023-12", [90, 31]]];
  const from1 = long(cells).withColumn(pl.col("month").plus(1).cast(pl.Float32));
  const percent = long([["2023-11", [100, 40, 30]], ["2023-12", [100, 31]]]).withColumns(
    pl.col("month").plus(1),
    pl.lit(70).alias("size"),
  );
  const shifted = (factor: number) =>
    wide(cells.map(([cohort, counts]) => [cohort, counts.map((count) => count * factor)]))
      .rename({ month_2: "month_3" }).rename({ month_1: "month_2" }).rename({ month_0: "month_1" });
  const shares = (whole: number) =>
    shifted(1).withColumns(
      pl.lit(whole).alias("month_1"),
      pl.lit(whole / 4).alias("month_2"),
      pl.lit(whole / 8).alias("month_3"),
    );
  const tries: readonly (readonly [DataFrame, Parameters<typeof retentionCurves>[1]])[] = [
    [from1, { missing: 0 }],
    [from1, {}],
    // A row of month 2 is absent.
    [from1.filter(pl.col("retained").neq(20)), {}],
    [from1.filter(pl.col("retained").neq(20)), { missing: 0 }],
    [percent, { unit: "percent", missing: 0 }],
    [shifted(1), {}],
    [shifted(3), {}],
    [shares(1), {}],
    [shares(100), {}],
    [shares(100), { unit: "percent" }],
  ];
  for (const [at, [frame, options]] of tries.entries()) {
    const [message, notices] = warned((): string => {
      try {
        return String(retentionCurves(frame, options));
      } catch (error) {
        return String(error);
      }
    });
    match(message, /^RangeError: .*month: must count from 0; got months from 1/, `${at}`);
    deepEqual(notices, [], `${at}`);
  }
  // Month 1 of December is not full, so that month 0 is absent.
  throws(
    () => retentionCurves(shifted(1).withColumns(pl.Series("month_1", [70, 44], pl.Float64))),
    /unit: cannot be detected/,
  );
});

/** The ways to write a month, by its number from January 2024. */
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const first = (month: number) => new Date(Date.UTC(2024, month));
const last = (month: number) => new Date(Date.UTC(2024, month + 1, 0));
const iso = (date: Date) => date.toISOString().slice(0, 10);
const WRITTEN: Readonly<Record<string, (month: number) => unknown>> = {
  day: (month) => iso(first(month)),
  "last day": (month) => iso(last(month)),
  "last second": (month) => `${iso(last(month))}T23:59:59Z`,
  "offset": (month) => `${iso(first(month))}T00:00:00+09:00`,
  digits: (month) => Number(iso(first(month)).slice(0, 7).replace("-", "")),
  "digits of days": (month) => Number(iso(first(month)).replaceAll("-", "")),
  words: (month) => `${MONTHS[month % 12]} ${2024 + Math.floor(month / 12)}`,
  slash: (month) => `${month % 12 + 1}/${2024 + Math.floor(month / 12)}`,
  milliseconds: (month) => first(month).getTime(),
  seconds: (month) => first(month).getTime() / 1000,
  Date: first,
  "last Date": last,
  mixed: (month) => month % 2 === 0 ? iso(first(month)) : iso(first(month)).slice(0, 7),
};

Deno.test("all forms of cohort give one result, for all functions of curves", async () => {
  const rows = Array.from(
    { length: 14 },
    (_, cohort) =>
      Array.from({ length: 14 - cohort }, (_, month) => ({
        cohort,
        month,
        size: 250 + 20 * cohort,
        retained: Math.round((250 + 20 * cohort) / (1 + month / 3)),
      })),
  ).flat();
  const results = async (write: (month: number) => unknown) => {
    const cohorts = rows.map(({ cohort }) => write(cohort));
    const frame = withSource(
      pl.DataFrame([
        cohorts[0] instanceof Date
          ? pl.Series("cohort", cohorts, pl.Datetime("ms")).cast(pl.Date)
          : pl.Series("cohort", cohorts),
        ...(["month", "size", "retained"] as const).map((name) =>
          pl.Series(name, rows.map((row) => row[name]), pl.Float64)
        ),
      ]),
      { citation: "own", retrievedAt: "2025-02-11" },
    );
    const [curves] = warned(() => retentionCurves(frame));
    return [
      curves.drop("cohort").rows(),
      pooledRetention(curves, { by: "all" }).rows(),
      userFlows(curves).rows(),
      cohortLayers(curves).rows(),
      cohortTrend(curves, { month: 2 }).rows(),
      await plotRetentionHeatmap(curves).svg(),
    ];
  };
  const expected = await results((month) => iso(first(month)).slice(0, 7));
  ok((expected[2] as unknown[]).length > 0);
  for (const [form, write] of Object.entries(WRITTEN)) {
    deepEqual(await results(write), expected, form);
  }
});

Deno.test("captions of own data say as given, if the last full day is not known", async () => {
  const notes = async (options: object) => {
    const [curves] = warned(() => retentionCurves(long(CELLS, options)));
    const fees = withSource(
      pl.DataFrame({
        date: [0, 1, 2].map(first),
        shop: ["a", "a", "a"],
        fees: [1, 2, 3],
      }),
      { citation: "own", columns: { fees: { unit: "usd", adds: "both" } }, ...options },
    );
    const charts = [
      plotRetention(pooledRetention(curves, { by: "all" })),
      plotCohortTrend(cohortTrend(curves, { month: 1 })),
      plotTimeline(shares(fees, { field: "fees" }), { field: "share" }),
    ];
    const captions = await Promise.all(
      charts.map(async (chart) => (await chart.spec).caption.join(" ")),
    );
    return captions.map((caption) => caption.includes(", as given"));
  };
  deepEqual(await notes({}), [true, true, true]);
  deepEqual(await notes({ through: "2025-12" }), [false, false, false]);
});
