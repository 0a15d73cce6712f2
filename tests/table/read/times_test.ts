import { deepEqual, equal, match, throws } from "node:assert/strict";
import { type DataFrame, pl } from "../../../mod.ts";
import { dayText } from "../../../lib/schema/period.ts";
import { holdsTimes, requireDays, requireTimes, timesIn } from "../../../lib/table/read/times.ts";

const fn = "read";
const utc = (...text: string[]) => text.map((each) => new Date(`${each}Z`));
const texts = (...values: (string | null)[]) => pl.DataFrame([pl.Series("date", values, pl.Utf8)]);
const moments = (zone: string | null, ...values: string[]) => {
  const frame = pl.DataFrame([pl.Series("date", utc(...values), pl.Datetime("ms"))]);
  return zone === null
    ? frame
    : frame.withColumn(pl.col("date").dt.replaceTimeZone("UTC").dt.convertTimeZone(zone));
};
const daysOf = (frame: DataFrame) =>
  [...requireDays(frame, "date", fn).days].map((day) => Number.isNaN(day) ? null : dayText(day));

Deno.test("a column of any dtype names the same days", () => {
  const dates = moments(null, "2024-03-30T00:00", "2024-03-31T00:00", "2024-04-01T00:00");
  const column = pl.col("date");
  const ms = dates.select(column.cast(pl.Int64));
  const digits = pl.DataFrame([pl.Series("date", [20240330, 20240331, 20240401], pl.Int64)]);
  const frames: Record<string, DataFrame> = {
    dates: dates.select(column.cast(pl.Date)),
    "times of ms": dates,
    "times of us": dates.select(column.cast(pl.Datetime("us"))),
    UTC: dates.select(column.cast(pl.Datetime("us", "UTC"))),
    // Clocks are put forward on 31 March 2024, so that midnight is at 23:00 and then at 22:00 of UTC.
    Berlin: moments("Europe/Berlin", "2024-03-29T23:00", "2024-03-30T23:00", "2024-03-31T22:00"),
    Tokyo: moments("Asia/Tokyo", "2024-03-29T15:00", "2024-03-30T15:00", "2024-03-31T15:00"),
    "last seconds": dates.select(column.cast(pl.Int64).plus(86_399_999).cast(pl.Datetime("ms"))),
    milliseconds: ms,
    "milliseconds, Float64": ms.select(column.cast(pl.Float64)),
    seconds: ms.select(column.cast(pl.Float64).div(1000).cast(pl.Int32)),
    nanoseconds: ms.select(column.cast(pl.Int64).mul(1_000_000)),
    digits,
    "digits, UInt32": digits.select(column.cast(pl.UInt32)),
    "digits as texts": digits.select(column.cast(pl.Utf8)),
    texts: texts("2024-03-30", "2024-03-31", "2024-04-01"),
    categories: texts("2024-03-30", "2024-03-31", "2024-04-01").select(column.cast(pl.Categorical)),
    "texts with offsets": texts(
      ...["2024-03-30T00:00:00+01:00", "2024-03-31T00:00:00+01:00", "2024-04-01T00:00:00+02:00"],
    ),
  };
  const expected = ["2024-03-30", "2024-03-31", "2024-04-01"];
  for (const [name, frame] of Object.entries(frames)) deepEqual(daysOf(frame), expected, name);
});

Deno.test("null stays null, and rows can repeat", () => {
  deepEqual(daysOf(texts("2024-02", null, "2024-01", "2024-02")), [
    "2024-02-01",
    null,
    "2024-01-01",
    "2024-02-01",
  ]);
  const numbers = pl.DataFrame([pl.Series("date", [202402, null, 202401], pl.Float64)]);
  deepEqual(daysOf(numbers), ["2024-02-01", null, "2024-01-01"]);
  deepEqual(daysOf(pl.DataFrame([pl.Series("date", [null, null], pl.Utf8)])), [null, null]);
});

Deno.test("times of day are an error with the first one and the zone of the column", () => {
  const zone = 'make days of them, as in resample(frame, { every: "day", zone: "Europe/Berlin" })';
  const berlin = moments("Europe/Berlin", "2026-01-01T23:00", "2026-01-02T12:30");
  throws(() => requireDays(berlin, "date", fn), {
    name: "RangeError",
    message: `read: date: has times of day, such as 2026-01-02T13:30:00 in row 1; ${zone}`,
  });
  throws(
    () => requireDays(texts("2026-01-01 01:00:00"), "date", fn),
    /such as 2026-01-01T01:00:00 in row 0; .* zone: "UTC" }/,
  );
  const later = pl.DataFrame([pl.Series("date", [null, "1969-12-30 18:30:00"], pl.Utf8)]);
  throws(() => requireDays(later, "date", fn), /such as 1969-12-30T18:30:00 in row 1; /);
});

Deno.test("timesIn with a zone gives times of day the days of the zone", () => {
  const daysIn = (frame: DataFrame, zone: string) =>
    [...timesIn(frame, "date", zone).days].map((day) => dayText(Math.floor(day)));
  const late = moments(null, "2026-01-01T23:30", "2026-01-02T12:00");
  deepEqual(daysIn(late, "Europe/Berlin"), ["2026-01-02", "2026-01-02"]);
  deepEqual(daysIn(late, "America/New_York"), ["2026-01-01", "2026-01-02"]);
  const written = texts("2026-01-01T23:30:00-05:00", "2026-01-02T12:00:00Z", null);
  equal(dayText(Math.floor(timesIn(written, "date", "UTC").days[0]!)), "2026-01-02");
  // Midnights are days, whatever zone they have.
  deepEqual(daysIn(moments("Asia/Tokyo", "2026-01-01T15:00"), "UTC"), ["2026-01-02"]);
});

/** Runs the lines of advice of a message on a frame, and returns the days that they make. */
function advised(frame: DataFrame) {
  let message = "";
  throws(() => requireTimes(frame, "date", fn), (error: Error) => {
    message = error.message;
    return error instanceof RangeError;
  });
  const lines = [...message.matchAll(/for (\S+) write (frame\..*?\))(?=, or for|$)/g)];
  return {
    message,
    days: lines.map(([, first, line]) => {
      const made: DataFrame = new Function("frame", "pl", `return ${line}`)(frame, pl);
      const days = daysOf(made);
      equal(days[0], first);
      return days.join(" ");
    }),
  };
}

Deno.test("advice for values of two meanings is tried, and makes the days that it states", () => {
  const numbers = (...values: number[]) => pl.DataFrame([pl.Series("date", values, pl.Int64)]);
  const cases: [frame: DataFrame, days: string[]][] = [
    [numbers(43861, 43890, 43921), ["2020-01-31 2020-02-29 2020-03-31"]],
    [numbers(43861, 43890).select(pl.col("date").cast(pl.Float64)), ["2020-01-31 2020-02-29"]],
    [numbers(20089, 20090), ["2025-01-01 2025-01-02"]],
    [numbers(33000, 33001), ["1990-05-07 1990-05-08", "2060-05-08 2060-05-09"]],
    [texts("01/02/2026", "02/02/2026"), ["2026-02-01 2026-02-02", "2026-01-02 2026-02-02"]],
    [texts("30.01.2026", null, "01.02.2026"), ["2026-01-30 null 2026-02-01"]],
    [texts("01-30-2026", "02-01-2026"), ["2026-01-30 2026-02-01"]],
    [texts("Jan-25", "Dec-25"), ["2025-01-01 2025-12-01"]],
    [texts("Total"), []],
    [texts("30.01.2026", "Total"), []],
    [texts("30.02.2026"), []],
    [numbers(1, 2, 3), []],
  ];
  for (const [frame, expected] of cases) {
    const days = expected.map((each) => each.replace("null", ""));
    const { message, days: made } = advised(frame);
    deepEqual(made, days, message);
  }
  match(advised(numbers(43861)).message, /; got 43861; for 2020-01-31 write frame\.withColumns/);
  match(advised(texts("2026-01-30", "2026-01-31", "Total")).message, /; got "Total" in row 2$/);
});

Deno.test("a column that is neither times, numbers nor texts is not read", () => {
  const flags = pl.DataFrame({ date: [true, false] });
  throws(() => requireTimes(flags, "date", fn), /expected days, .*; got true/);
});

Deno.test("holdsTimes accepts texts of times, and no ids", () => {
  const holds = (...values: (string | null)[]) => holdsTimes(texts(...values), "date");
  for (const text of ["2025-01", "2025-01-31", "Q1 2025", "2025", "Jan 2025", "2025-W05"]) {
    equal(holds(text, null, text), true, text);
  }
  for (const text of ["20250131", "202501", "1714521600", "1201", "Jan-25", ""]) {
    equal(holds(text), false, text);
  }
  equal(holds("2025-01", "2025-02", "2025-03", "2025-04", "all"), false);
  equal(holds(null, null), false);
});
