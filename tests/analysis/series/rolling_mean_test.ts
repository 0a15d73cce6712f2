import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { rollingMean } from "../../../lib/analysis/series/timeline_columns.ts";
import { dayText } from "../../../lib/schema/period.ts";
import { timelineFrame, type TimelineRow } from "../timeline_frame.ts";

Deno.test("rollingMean averages the row's period and the previous ones of its series", () => {
  const rows: TimelineRow[] = [
    ["2024-02-28", "a", 1],
    ["2024-02-28", "b", 10],
    ["2024-02-29", "a", 2],
    ["2024-03-01", "a", 6],
    ["2024-03-01", "b", 20],
  ];
  const means = (periods: number, incomplete: string[] = []) =>
    rollingMean(timelineFrame("day", rows, incomplete), { periods })
      .getColumn("fees_sum_mean").toArray();
  deepEqual(means(1), [1, 10, 2, 6, 20]);
  deepEqual(means(2), [null, null, 1.5, 4, null]);
  deepEqual(means(3), [null, null, null, 1 / 3 + 2 / 3 + 2, null]);
  deepEqual(means(2, ["2024-03-01"]), [null, null, 1.5, null, null]);
});

Deno.test("rollingMean refuses an invalid number of periods", () => {
  const frame = timelineFrame("day", []);
  for (const periods of [0, 1.5, -1, "7"]) {
    throws(
      () => rollingMean(frame, { periods } as { periods: number }),
      /RangeError: rollingMean: periods: must be a whole number from 1 to 10000/,
    );
  }
  throws(
    () => rollingMean(frame, {} as { periods: number }),
    /RangeError: rollingMean: periods: is required: the distance in time$/,
  );
});

Deno.test("rollingMean lies between the smallest and largest of its values; null if one is null", () => {
  const value = fc.option(fc.double({ min: -1e9, max: 1e9, noNaN: true }));
  const values = fc.array(value, { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(values, fc.integer({ min: 1, max: 8 }), (fees, periods) => {
    const rows = fees.map((fee, day): TimelineRow => [dayText(19_700 + day), "a", fee]);
    const means = rollingMean(timelineFrame("day", rows), { periods })
      .getColumn("fees_sum_mean").toArray();
    means.forEach((mean, row) => {
      const window = fees.slice(Math.max(0, row - periods + 1), row + 1);
      if (window.length < periods || window.includes(null)) return ok(mean === null);
      const known = window as number[];
      const slack = 1e-6;
      ok(Number(mean) >= Math.min(...known) - slack && Number(mean) <= Math.max(...known) + slack);
    });
  }));
});
