import { deepEqual, equal } from "node:assert/strict";
import { cohortMonths } from "../../lib/schema/cohort_month.ts";
import { dayText } from "../../lib/schema/period.ts";

const read = (...texts: (string | null)[]) => {
  const { days, unread } = cohortMonths(texts);
  return { months: [...days].map(([text, day]) => [text, dayText(day)]), unread };
};

Deno.test("cohortMonths reads each form of a month", () => {
  const forms: [text: string, first: string][] = [
    ["2024-5", "2024-05-01"],
    ["2024-12", "2024-12-01"],
    ["2024-05-31", "2024-05-01"],
    ["2024-05-31T23:59:59.999Z", "2024-05-01"],
    ["2024-05-01 00:00:00 UTC", "2024-05-01"],
    ["May 2024", "2024-05-01"],
    ["september 2024", "2024-09-01"],
    ["Sept. 2024", "2024-09-01"],
    ["Jan-2024", "2024-01-01"],
    ["2024 Feb", "2024-02-01"],
    ["202405", "2024-05-01"],
    ["1714521600000", "2024-05-01"],
    ["915148800000", "1999-01-01"],
    ['{"value":"2024-05-01"}', "2024-05-01"],
    ['{ "value": 1714521600000 }', "2024-05-01"],
  ];
  for (const [text, first] of forms) deepEqual(read(text), { months: [[text, first]], unread: [] });
});

Deno.test("cohortMonths takes the written date, so that a zone does not move it", () => {
  for (const zone of ["+14:00", "-11:00", "Z", ""]) {
    const text = `2024-05-01T00:00:00${zone}`;
    deepEqual(read(text).months, [[text, "2024-05-01"]]);
  }
});

Deno.test("cohortMonths does not read years, quarters, days without dashes, seconds and other languages", () => {
  const texts = [
    ...["2024", "20240501", "1714521600", "2024-Q1", "Q1 2024", "mai 2024", "Mayo 2024", "May 24"],
    ...["2024-13", "2024-02-30", "198912", "210101", "202413", "Marsch 2024", "", "2024-05-01x"],
  ];
  for (const text of texts) deepEqual(read(text), { months: [], unread: [text] }, text);
});

Deno.test("cohortMonths reads one form in a column, that of most texts", () => {
  deepEqual(read("2024-01", "2024-02", null, "202403"), {
    months: [["2024-01", "2024-01-01"], ["2024-02", "2024-02-01"]],
    unread: ["202403"],
  });
  deepEqual(read("2024-01", "2024-02-01", "2024-03-01").unread, []);
  equal(read(null).months.length, 0);
});
