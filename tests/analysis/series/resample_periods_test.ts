import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { type DataFrame, growthRates, pl, resample, withSource } from "../../../mod.ts";
import { dateOfDay, dayOf, EVERY, type Every, periodAt } from "../../../lib/schema/period.ts";
import { warned } from "../measured.ts";

const HOUR = 3_600_000;
const day = (text: string) => dayOf(text);

/** The fees of a shop on the given days, as a column of dates. */
function feesOn(days: readonly number[], fees: readonly (number | null)[], column = "date") {
  const frame = pl.DataFrame([
    pl.Series(column, days.map(dateOfDay), pl.Datetime("ms")),
    pl.Series("shop", days.map(() => "north"), pl.Utf8),
    pl.Series("fees", [...fees], pl.Float64),
  ]).withColumn(pl.col(column).cast(pl.Date));
  return withSource(frame, { citation: "own", columns: { fees: { unit: "usd", adds: "both" } } });
}

const rowsOf = (frame: DataFrame) =>
  frame.toRecords().map(({ date, fees, fees_days, complete }) => [
    (date as unknown as Date).toISOString().slice(0, 10),
    Math.round(1e4 * Number(fees)) / 1e4,
    Math.round(1e6 * Number(fees_days)) / 1e6,
    complete,
  ]);

const months = (count: number) =>
  Array.from({ length: count }, (_, at) => dayOf(new Date(Date.UTC(2024, at))));

Deno.test("months become quarters and years that have all their days", () => {
  for (const side of ["start", "end"] as const) {
    const days = months(12).map((each) => periodAt(each, "month")[side]);
    const [quarters, notices] = warned(() =>
      resample(feesOn(days, days.map(() => 20.25)), { every: "quarter" })
    );
    deepEqual(notices, []);
    deepEqual(rowsOf(quarters), [
      ["2024-01-01", 60.75, 91, true],
      ["2024-04-01", 60.75, 91, true],
      ["2024-07-01", 60.75, 92, true],
      ["2024-10-01", 60.75, 92, true],
    ]);
    equal(String(quarters.getColumn("fees_days").dtype), String(pl.Int64));
  }
});

Deno.test("weeks that lie in two months are split by days, by first and by last days", () => {
  const mondays = Array.from({ length: 6 }, (_, at) => day("2026-02-09") + 7 * at);
  const expected = [
    ["2026-02-01", 40, 20, true],
    // The week of 23 February lies in February; that of 23 February to 1 March has one day in March.
    ["2026-03-01", 44, 22, false],
  ];
  for (const shift of [0, 6]) {
    const frame = feesOn(mondays.map((each) => each + shift), mondays.map(() => 14));
    const [made, notices] = warned(() => resample(frame, { every: "month" }));
    deepEqual(rowsOf(made), expected);
    const split = notices.find((notice) => /split/.test(notice))!;
    match(split, /resample: 1 date lies in several months: sums are split by days/);
    equal(
      notices.some((notice) => /Sundays are read as the last days of weeks/.test(notice)),
      shift > 0,
    );
  }
});

Deno.test("means are weighted by days, the last value is that of the row that ends in the period", () => {
  // The week of 26 January 2026 has 6 days in January.
  const frame = feesOn([day("2026-01-19"), day("2026-01-26"), day("2026-02-02")], [10, 24, 3]);
  const valuesBy = (how: "mean" | "last" | "max") =>
    warned(() => resample(frame, { every: "month", how }))[0].getColumn("fees").toArray();
  deepEqual(valuesBy("mean").map((each) => Math.round(1e6 * Number(each)) / 1e6), [
    Math.round(1e6 * (7 * 10 + 6 * 24) / 13) / 1e6,
    Math.round(1e6 * (24 + 7 * 3) / 8) / 1e6,
  ]);
  deepEqual(valuesBy("last"), [10, 3]);
  deepEqual(valuesBy("max"), [24, 24]);
  // A null has no weight.
  const gap = feesOn([day("2026-01-19"), day("2026-01-26"), day("2026-02-02")], [10, null, 3]);
  const [made] = warned(() => resample(gap, { every: "month", how: "mean" }));
  deepEqual(made.getColumn("fees").toArray(), [10, 3]);
});

Deno.test("rows that are longer than every are refused", () => {
  const refused = (frame: DataFrame, every: Every, message: RegExp) =>
    throws(() => warned(() => resample(frame, { every })), { name: "RangeError", message });
  const own = feesOn(months(4), [1, 2, 3, 4]);
  refused(own, "week", /^resample: every: the rows are months, which cannot be made weeks$/);
  refused(own, "day", /the rows are months, which cannot be made days/);
  const spans = feesOn([day("2026-01-01"), day("2026-02-05")], [1, 2]).withColumns(
    pl.Series("until", [day("2026-02-04"), day("2026-03-04")].map(dateOfDay), pl.Datetime("ms")),
  );
  refused(spans, "week", /the rows are up to 35 days, which cannot be made weeks/);
  const quarters = pl.DataFrame({ date: ["2025-Q1", "2025-Q2"], shop: ["a", "a"], fees: [1, 2] });
  throws(() => resample(quarters, { every: "month", how: "sum" }), /the rows are quarters, which/);
});

Deno.test("hours are parts of days, and a last day that is not over is not complete", () => {
  const from = Date.UTC(2026, 4, 4);
  const dates = Array.from({ length: 24 * 9 + 6 }, (_, hour) => new Date(from + hour * HOUR));
  const frame = withSource(
    pl.DataFrame({ date: dates, shop: dates.map(() => "a"), fees: dates.map(() => 0.5) }),
    { citation: "own", columns: { fees: { unit: "usd", adds: "both" } } },
  );
  const [days] = warned(() => resample(frame, { every: "day", zone: "UTC" }));
  deepEqual(rowsOf(days).slice(-2), [
    ["2026-05-12", 12, 1, true],
    ["2026-05-13", 3, 0.25, false],
  ]);
  const [growth] = warned(() => [growthRates(days, { field: "fees", periods: 7 })]);
  deepEqual(growth![0]!.getColumn("fees_growth").toArray().slice(-2), [0, null]);
});

Deno.test("a day of 23 or 25 hours of a zone is one day, and the column states its zone", () => {
  const hoursFrom = (text: string, count: number, zone: string) => {
    const dates = Array.from({ length: count }, (_, at) => new Date(Date.parse(text) + at * HOUR));
    const frame = pl.DataFrame([
      pl.Series("date", dates, pl.Datetime("ms")),
      pl.Series("shop", dates.map(() => "a"), pl.Utf8),
      pl.Series("fees", dates.map(() => 2), pl.Float64),
    ]).withColumn(pl.col("date").dt.replaceTimeZone("UTC").dt.convertTimeZone(zone));
    return withSource(frame, { citation: "own", columns: { fees: { unit: "usd", adds: "both" } } });
  };
  const daysOf = (frame: DataFrame, zone?: string) =>
    rowsOf(warned(() => resample(frame, { every: "day", ...zone && { zone } }))[0]);
  // Clocks are put forward on 8 March and back on 1 November 2026 in New York.
  deepEqual(daysOf(hoursFrom("2026-03-07T05:00Z", 71, "America/New_York")), [
    ["2026-03-07", 48, 1, true],
    ["2026-03-08", 46, 1, true],
    ["2026-03-09", 48, 1, true],
  ]);
  deepEqual(
    daysOf(hoursFrom("2026-10-31T04:00Z", 73, "America/New_York")).map(([, fees]) => fees),
    [
      48,
      50,
      48,
    ],
  );
  // The option decides over the zone of the column.
  const berlin = hoursFrom("2026-03-07T00:00Z", 48, "Europe/Berlin");
  deepEqual(daysOf(berlin, "UTC"), [["2026-03-07", 48, 1, true], ["2026-03-08", 48, 1, true]]);
  deepEqual(daysOf(berlin)[0], ["2026-03-07", 46, 0.958333, true]);
});

Deno.test("texts with offsets are moments: zone gives them their days", () => {
  const texts = ["2026-01-31T20:00:00-05:00", "2026-02-01T09:30:00+09:00", "2026-02-02T12:00:00Z"];
  const frame = pl.DataFrame({ date: texts, shop: ["a", "a", "a"], fees: [1, 2, 4] });
  const sums = (zone: string) =>
    warned(() => resample(frame, { every: "day", how: "sum", zone }))[0].toRecords()
      .map(({ date, fees }) => `${(date as unknown as Date).toISOString().slice(0, 10)} ${fees}`);
  deepEqual(sums("UTC"), ["2026-02-01 3", "2026-02-02 4"]);
  deepEqual(sums("America/New_York"), ["2026-01-31 3", "2026-02-02 4"]);
  throws(() => resample(frame, { every: "day", how: "sum" }), /zone: is required, such as "UTC"/);
});

Deno.test("times at no fixed distance are moments: days with a value are counted, the last day is not over", () => {
  const times = ["05-01T03:10", "05-01T19:00", "05-02T08:30", "05-04T07:00", "05-04T23:00"];
  const dates = times.map((text) => new Date(`2026-${text}Z`));
  const frame = withSource(
    pl.DataFrame({ date: dates, shop: dates.map(() => "a"), fees: [1, 2, 3, null, 5] }),
    { citation: "own", columns: { fees: { unit: "usd", adds: "both" } } },
  );
  deepEqual(rowsOf(warned(() => resample(frame, { every: "day", zone: "UTC" }))[0]), [
    ["2026-05-01", 3, 1, true],
    ["2026-05-02", 3, 1, true],
    ["2026-05-04", 5, 1, false],
  ]);
});

Deno.test("with missing 0 sparse Mondays are days, and longer rows are refused", () => {
  const mondays = feesOn([day("2026-03-02"), day("2026-03-16"), day("2026-03-30")], [7, 1, 2]);
  const [made, notices] = warned(() => resample(mondays, { every: "month", missing: 0 }));
  deepEqual([rowsOf(made), notices], [[["2026-03-01", 10, 30, false]], []]);
  const texts = pl.DataFrame({ date: ["2025-01", "2025-02"], shop: ["a", "a"], fees: [1, 2] });
  throws(
    () => resample(texts, { every: "year", how: "sum", missing: 0 }),
    /missing: requires rows that are days; the rows are months/,
  );
});

Deno.test("two texts of one day are two rows of an entity", () => {
  const frame = pl.DataFrame({
    date: ["2026-1-1", "2026-01-01", "2026-01-02"],
    shop: ["a", "a", "a"],
    fees: [1, 2, 3],
  });
  throws(
    () => resample(frame, { every: "month", how: "sum" }),
    /two rows have the same shop, date/,
  );
  throws(
    () => growthRates(frame),
    /date: two rows of an entity have the same period; got "2026-01-01"/,
  );
});

Deno.test("resample splits without loss: sums of all periods are the sum of the rows", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Every>("day", "week", "month"),
      fc.constantFrom(...EVERY.slice(2)),
      fc.integer({ min: 18_000, max: 21_000 }),
      fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 40 }),
      (own, every, from, fees) => {
        const periods = [periodAt(from, own)];
        while (periods.length < fees.length) periods.push(periodAt(periods.at(-1)!.end + 1, own));
        const frame = feesOn(periods.map(({ start }) => start), fees);
        const [made] = warned(() => resample(frame, { every }));
        const total = fees.reduce((sum, each) => sum + each, 0);
        ok(Math.abs(Number(made.getColumn("fees").sum()) - total) <= 1e-9 * (1 + total));
        const days = periods.at(-1)!.end - periods[0]!.start + 1;
        equal(Number(made.getColumn("fees_days").sum()), days);
      },
    ),
    { numRuns: 40 },
  );
});
