import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { dayOf, dayText, EVERY, periodAt, periodFrom } from "../../../lib/schema/period.ts";
import { spacingOf } from "../../../lib/table/read/spacing.ts";

/** The length of the periods of some labels, and the period of the first one. */
const spaced = (...labels: string[]) => {
  const days = labels.map(dayOf);
  const { every, periodOf, weekday } = spacingOf(days);
  const { start, end } = periodOf(days[0]!);
  return [every, `${dayText(start)} ${dayText(end)}`, ...weekday === undefined ? [] : [weekday]];
};

Deno.test("spacingOf finds the longest periods of which all labels are first days, or last days", () => {
  const cases: [labels: string, every: string | null, first: string, weekday?: string][] = [
    ["2023-03-31 2023-06-30 2023-12-31", "quarter", "2023-01-01 2023-03-31"],
    ["2016-12-31 2017-12-31", "year", "2016-01-01 2016-12-31"],
    ["2024-01-31 2024-02-29", "month", "2024-01-01 2024-01-31"],
    // Quarters and years begin with any month.
    ["2023-11-01 2024-02-01 2024-08-01", "quarter", "2023-11-01 2024-01-31"],
    ["2023-06-30 2024-06-30", "year", "2022-07-01 2023-06-30"],
    ["2023-10-31 2024-01-31", "quarter", "2023-08-01 2023-10-31"],
    // Two labels must be one such period apart, unless it is a calendar quarter or year.
    ["2024-02-01 2024-08-01", "month", "2024-02-01 2024-02-29"],
    ["2022-02-01 2024-02-01", "month", "2022-02-01 2022-02-28"],
    ["2024-01-01 2024-07-01", "quarter", "2024-01-01 2024-03-31"],
    ["2022-01-01 2024-01-01", "year", "2022-01-01 2022-12-31"],
    // Months are tried before weeks: these are Mondays, and so are the last days below.
    ["2024-01-01 2024-04-01 2024-07-01", "quarter", "2024-01-01 2024-03-31"],
    ["2024-09-30 2025-03-31", "quarter", "2024-07-01 2024-09-30"],
    ["2026-01-05 2026-01-12", "week", "2026-01-05 2026-01-11"],
    ["2026-01-05 2026-01-19 2026-02-16", "week", "2026-01-05 2026-01-11"],
    ["2026-01-04 2026-01-11", "week", "2025-12-29 2026-01-04", "Sunday"],
    ["2026-01-02 2026-01-16 2026-01-23", "week", "2025-12-27 2026-01-02", "Friday"],
    // Two days that are not Mondays need a distance of 7 days.
    ["2026-01-02 2026-01-16", "day", "2026-01-02 2026-01-02"],
    ["2026-01-01", "day", "2026-01-01 2026-01-01"],
    ["2026-01-30 2026-01-31 2026-02-01", "day", "2026-01-30 2026-01-30"],
    ["2026-01-01 2026-01-02 2026-01-09", "day", "2026-01-01 2026-01-01"],
    // Labels at nearly equal distances that are neither first nor last days.
    ["2025-01-15 2025-02-15 2025-03-15", null, "2025-01-15 2025-01-15"],
    ["2025-01-31 2025-02-28 2025-03-31 2025-04-29", null, "2025-01-31 2025-01-31"],
    // After last days, one day of the next period is the last day of the data.
    ["2025-01-31 2025-02-28 2025-03-31 2025-04-12", "month", "2025-01-01 2025-01-31"],
    ["2024-03-31 2024-06-30 2024-09-30 2024-11-05", "quarter", "2024-01-01 2024-03-31"],
    ["2025-01-31 2025-02-28 2025-03-12", "day", "2025-01-31 2025-01-31"],
    ["2025-01-31 2025-02-28 2025-03-31 2025-06-12", "day", "2025-01-31 2025-01-31"],
    ["2025-01-31 2025-02-28 2025-03-31 2025-04-12 2025-04-30", "day", "2025-01-31 2025-01-31"],
    ["2025-01-06 2025-01-20 2025-02-03", null, "2025-01-06 2025-01-06"],
    ["2025-01-07 2025-04-08 2025-07-08", null, "2025-01-07 2025-01-07"],
    ["2025-01-07 2025-01-10 2025-02-08", "day", "2025-01-07 2025-01-07"],
  ];
  for (const [labels, ...expected] of cases) {
    deepEqual(spaced(...labels.split(" ")), expected, labels);
  }
  equal(spacingOf([]).every, "day");
  equal(spacingOf([NaN, dayOf("2026-01-04"), NaN]).every, "day");
});

Deno.test("spacingOf: first and last days of successive periods name the same periods", () => {
  const month = fc.integer({ min: 0, max: 300 });
  fc.assert(fc.property(
    fc.constantFrom(...EVERY),
    month,
    fc.integer({ min: 3, max: 20 }),
    (every, from, count) => {
      const first = new Date(Date.UTC(2000, from)).getTime() / 86_400_000;
      const periods = [every === "week" ? periodAt(first, every) : periodFrom(first, every)];
      while (periods.length < count) periods.push(periodFrom(periods.at(-1)!.end + 1, every));
      for (const side of ["start", "end"] as const) {
        const days = periods.map((period) => period[side]);
        const { every: found, periodOf } = spacingOf(days.toReversed());
        equal(found, every);
        deepEqual(days.map(periodOf), periods);
      }
    },
  ));
});
