import { deepEqual, equal } from "node:assert/strict";
import { timesNamed } from "../../lib/schema/time_forms.ts";

const read = (...texts: string[]) => {
  const { every, times, unread } = timesNamed(texts);
  return {
    every,
    days: [...times.values()].map(({ clock }) => new Date(clock).toISOString()),
    unread,
  };
};
const dayIn = (text: string) => {
  const { every, days, unread } = read(text);
  equal(unread.length, 0, text);
  return [every, days[0]!.replace("T00:00:00.000Z", "")];
};

Deno.test("timesNamed reads each form of a day, month, week, quarter and year", () => {
  const forms: [text: string, every: string | null, first: string][] = [
    ["2024-05-31", null, "2024-05-31"],
    ["2024/5/31", null, "2024-05-31"],
    ["2024.05.31", null, "2024-05-31"],
    ["20240531", null, "2024-05-31"],
    ["31 May 2024", null, "2024-05-31"],
    ["31-Aug-2024", null, "2024-08-31"],
    ["Sept. 1, 2024", null, "2024-09-01"],
    ["jan 31 2024", null, "2024-01-31"],
    ["2024-05-31T23:59:59.999Z", null, "2024-05-31T23:59:59.999Z"],
    ["2024-05-01 00:00:00 UTC", null, "2024-05-01"],
    ["2024-05-01T13:45", null, "2024-05-01T13:45:00.000Z"],
    ["2024-5", "month", "2024-05-01"],
    ["2024/12", "month", "2024-12-01"],
    ["5/2024", "month", "2024-05-01"],
    ["May 2024", "month", "2024-05-01"],
    ["september 2024", "month", "2024-09-01"],
    ["Jan-2024", "month", "2024-01-01"],
    ["2024 Feb", "month", "2024-02-01"],
    ["202405", "month", "2024-05-01"],
    ["2024-Q3", "quarter", "2024-07-01"],
    ["2024q3", "quarter", "2024-07-01"],
    ["Q3 2024", "quarter", "2024-07-01"],
    // Thursday decides the year of an ISO week.
    ["2025-W01", "week", "2024-12-30"],
    ["2020W53", "week", "2020-12-28"],
    ["2024", "year", "2024-01-01"],
    ["915148800", null, "1999-01-01"],
    ["1714521600", null, "2024-05-01"],
    ["1714521600000", null, "2024-05-01"],
    ["1714521600000000", null, "2024-05-01"],
    ["1714521600000000000", null, "2024-05-01"],
    ['{"value":"2024-05-01"}', null, "2024-05-01"],
    ['{ "value": 1714521600000 }', null, "2024-05-01"],
    [" 2024-05-01 ", null, "2024-05-01"],
  ];
  for (const [text, ...expected] of forms) deepEqual(dayIn(text), expected, text);
});

Deno.test("timesNamed takes the written date, and the distance from UTC of a text", () => {
  for (
    const [zone, hours] of [["+14:00", 14], ["-11:00", -11], ["+0530", 5.5], ["Z", 0], ["", 0]]
  ) {
    const { times } = timesNamed([`2024-05-01T00:00:00${zone}`]);
    const [time] = times.values();
    deepEqual(time, { clock: Date.UTC(2024, 4, 1), offset: Number(hours) * 3_600_000 });
  }
});

Deno.test("timesNamed does not read texts that have two meanings, other languages and impossible days", () => {
  const texts = [
    ...["31.01.2026", "01/02/2026", "Jan-25", "43861", "20089", "May 24", "mai 2024", "Mayo 2024"],
    ...["2024-13", "2024-02-30", "30 Feb 2024", "198912", "210101", "202413", "Marsch 2024", ""],
    ...["2024-05-01x", "2024-05-01T24:00", "2024-05-01T12:60", "2021-W53", "2024-Q5", "Total"],
    // Eleven digits are neither seconds nor milliseconds; numbers before 1990 are counts.
    ...["17145216000", "500000000", "1500", "20251301", "1,234", "2024-05/01", "7"],
  ];
  for (const text of texts) deepEqual(read(text), { every: null, days: [], unread: [text] }, text);
});

Deno.test("timesNamed reads one form in a column, that of most distinct texts", () => {
  const few = read("2024-01", "2024-02", "202403", "202403", "202403");
  deepEqual([few.every, few.days.length, few.unread], ["month", 2, ["202403"]]);
  deepEqual(read("2024-01-31", "2024-02-29", "2024-03").unread, ["2024-03"]);
  deepEqual(read(), { every: null, days: [], unread: [] });
});
