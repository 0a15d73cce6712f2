import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  dateOfDay,
  dayOf,
  dayText,
  EVERY,
  type Every,
  everyOf,
  type Period,
  periodAt,
  periodsBefore,
  yearBefore,
} from "../../lib/schema/period.ts";

function texts(period: Period | null): string | null {
  return period === null ? null : `${dayText(period.start)} ${dayText(period.end)}`;
}

function at(day: string, every: Every): string | null {
  return texts(periodAt(dayOf(day), every));
}

Deno.test("periodAt returns the period that contains a day", () => {
  const cases: [day: string, every: Every, period: string][] = [
    ["2024-02-29", "day", "2024-02-29 2024-02-29"],
    ["2025-01-01", "week", "2024-12-30 2025-01-05"],
    ["2024-12-30", "week", "2024-12-30 2025-01-05"],
    ["2025-01-05", "week", "2024-12-30 2025-01-05"],
    ["2021-01-03", "week", "2020-12-28 2021-01-03"], // week 53 of 2020
    ["1969-12-31", "week", "1969-12-29 1970-01-04"],
    ["1969-12-28", "week", "1969-12-22 1969-12-28"],
    ["2025-02-14", "month", "2025-02-01 2025-02-28"],
    ["2024-02-01", "month", "2024-02-01 2024-02-29"],
    ["2000-02-29", "month", "2000-02-01 2000-02-29"],
    ["1900-02-28", "month", "1900-02-01 1900-02-28"],
    ["2025-04-30", "month", "2025-04-01 2025-04-30"],
    ["2025-12-31", "month", "2025-12-01 2025-12-31"],
    ["2024-03-31", "quarter", "2024-01-01 2024-03-31"],
    ["2025-11-01", "quarter", "2025-10-01 2025-12-31"],
    ["2024-06-15", "year", "2024-01-01 2024-12-31"],
  ];
  for (const [day, every, period] of cases) strictEqual(at(day, every), period);
});

Deno.test("dayOf accepts only days that exist, and maps a time to its day in UTC", () => {
  for (const text of ["2025-02-29", "2025-02-30", "2025-13-01", "2025-1-1", "today", ""]) {
    ok(Number.isNaN(dayOf(text)), text);
  }
  strictEqual(dayText(dayOf(new Date("2025-01-01T00:30:00+01:00"))), "2024-12-31");
  strictEqual(dayText(dayOf(new Date("2025-01-01T23:59:59.999Z"))), "2025-01-01");
  strictEqual(dayOf("1970-01-01"), 0);
});

Deno.test("yearBefore is the same day, week by its number, month, quarter or year of the year before", () => {
  const cases: [day: string, every: Every, before: string | null][] = [
    ["2025-03-01", "day", "2024-03-01 2024-03-01"],
    ["2024-02-29", "day", null],
    ["2025-02-28", "day", "2024-02-28 2024-02-28"],
    ["2025-01-01", "week", "2024-01-01 2024-01-07"], // week 1
    ["2021-01-04", "week", "2019-12-30 2020-01-05"], // week 1 of 2021, and of 2020
    ["2021-12-30", "week", "2020-12-21 2020-12-27"], // week 52 of both
    ["2021-01-03", "week", null], // week 53 of 2020: 2019 had 52
    ["2024-02-10", "month", "2023-02-01 2023-02-28"],
    ["2025-02-10", "month", "2024-02-01 2024-02-29"],
    ["2025-05-10", "quarter", "2024-04-01 2024-06-30"],
    ["2025-05-10", "year", "2024-01-01 2024-12-31"],
  ];
  for (const [day, every, before] of cases) {
    strictEqual(texts(yearBefore(periodAt(dayOf(day), every), every)), before, `${day} ${every}`);
  }
});

Deno.test("periodsBefore counts whole periods back, across years", () => {
  const back = (day: string, every: Every, count: number) =>
    texts(periodsBefore(periodAt(dayOf(day), every), every, count));
  strictEqual(back("2024-03-01", "day", 1), "2024-02-29 2024-02-29");
  strictEqual(back("2025-01-01", "week", 1), "2024-12-23 2024-12-29");
  strictEqual(back("2025-03-31", "month", 1), "2025-02-01 2025-02-28");
  strictEqual(back("2025-03-31", "month", 14), "2024-01-01 2024-01-31");
  strictEqual(back("2025-03-31", "quarter", 2), "2024-07-01 2024-09-30");
  strictEqual(back("2025-03-31", "year", 3), "2022-01-01 2022-12-31");
});

const anyDay = fc.integer({ min: -100_000, max: 300_000 });
const anyEvery = fc.constantFrom(...EVERY);

Deno.test("periods are contiguous, contain their days, and are distinguished by their ends", () => {
  fc.assert(fc.property(anyDay, anyEvery, (day, every) => {
    const period = periodAt(day, every);
    ok(period.start <= day && day <= period.end);
    deepStrictEqual(periodAt(period.end, every), period);
    const next = periodAt(period.end + 1, every);
    strictEqual(next.start, period.end + 1);
    deepStrictEqual(periodsBefore(next, every, 1), period);
    strictEqual(everyOf(period), every);
    strictEqual(dayOf(dateOfDay(day)), day);
  }));
});

Deno.test("yearBefore of a period is 12 months, 4 quarters or 52 or 53 weeks before it", () => {
  fc.assert(fc.property(anyDay, anyEvery, (day, every) => {
    const period = periodAt(day, every);
    const before = yearBefore(period, every);
    const counts = { day: [365, 366], week: [52, 53], month: [12], quarter: [4], year: [1] }[every];
    if (before !== null) {
      ok(counts.some((count) => texts(periodsBefore(period, every, count)) === texts(before)));
    } else ok(every === "day" || every === "week");
  }));
});

Deno.test("everyOf returns null for days that are not a period", () => {
  const of = (start: string, end: string) => everyOf({ start: dayOf(start), end: dayOf(end) });
  strictEqual(of("2025-01-01", "2025-01-30"), null);
  strictEqual(of("2025-01-06", "2025-01-12"), "week");
  strictEqual(of("2025-02-01", "2025-03-31"), null);
  strictEqual(of("2025-01-02", "2025-02-01"), null);
});

Deno.test("weeks of any weekday, and quarters and years of any month, are periods", () => {
  const of = (start: string, end: string) => everyOf({ start: dayOf(start), end: dayOf(end) });
  strictEqual(of("2025-01-01", "2025-01-07"), "week"); // from a Wednesday
  strictEqual(of("2025-02-01", "2025-04-30"), "quarter");
  strictEqual(of("2023-07-01", "2024-06-30"), "year");
  // The fourth day decides which ISO week a week is: 2 January 2025 is in week 1.
  const fridays = yearBefore({ start: dayOf("2024-12-27"), end: dayOf("2025-01-02") }, "week")!;
  strictEqual(dayText(fridays.start), "2023-12-29");
  const sunday = yearBefore({ start: dayOf("2025-01-05"), end: dayOf("2025-01-11") }, "week")!;
  strictEqual(dayText(sunday.start), "2024-01-07");
});
