import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { contributions } from "../../lib/analysis/contributions.ts";
import { float64 } from "../../lib/table/columns.ts";
import { timelineFrame, type TimelineRow } from "./timeline_frame.ts";

const ROWS: readonly TimelineRow[] = [
  ["2025-01-01", "alder", 60],
  ["2025-01-01", "birch", 40],
  ["2025-02-01", "alder", 90],
  ["2025-02-01", "birch", 30],
  ["2025-02-01", "cedar", 5],
  ["2025-03-01", "alder", null],
  ["2025-03-01", "birch", 45],
  ["2025-03-01", "cedar", 5],
  ["2025-05-01", "birch", 50],
];

function parts(rows = ROWS, incomplete: string[] = []): unknown[][] {
  const result = contributions(timelineFrame("month", rows, incomplete), { field: "fees_sum" });
  deepEqual(result.columns, ["date", "data_id", "contribution", "total", "left_out"]);
  return result.rows().map((row) => row.slice(1));
}

Deno.test("contributions split the growth of a total, and leave out units that are null on one side", () => {
  const near = (value: unknown) => typeof value === "number" ? Number(value.toFixed(12)) : value;
  deepEqual(parts().map((row) => row.map(near)), [
    ["alder", null, null, null],
    ["birch", null, null, null],
    ["cedar", null, null, null],
    ["alder", 0.3, 0.2, 1],
    ["birch", -0.1, 0.2, 1],
    ["cedar", null, 0.2, 1],
    ["alder", null, Number((15 / 35).toFixed(12)), 1],
    ["birch", Number((15 / 35).toFixed(12)), Number((15 / 35).toFixed(12)), 1],
    ["cedar", 0, Number((15 / 35).toFixed(12)), 1],
    // April is not in the frame.
    ["alder", null, null, null],
    ["birch", null, null, null],
    ["cedar", null, null, null],
  ]);
});

Deno.test("contributions are null if a period is incomplete or the earlier total is not above 0", () => {
  const known = (incomplete: string[]) =>
    parts(ROWS, incomplete).filter(([, contribution]) => contribution !== null).length;
  deepEqual([known([]), known(["2025-02-01"]), known(["2025-03-01"])], [4, 0, 2]);
  const negative = parts([["2025-01-01", "alder", -3], ["2025-02-01", "alder", 3]]);
  deepEqual(negative[1], ["alder", null, null, 0]);
});

Deno.test("contributions add up to the change of the total, for all values", () => {
  const values = fc.array(
    fc.tuple(fc.double({ min: 1e-3, max: 1e12 }), fc.double({ min: -1e-9, max: 1e3 })),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(values, (pairs) => {
      const rows = pairs.flatMap(([was, growth], unit): TimelineRow[] => [
        ["2025-01-01", `unit-${unit}`, was],
        ["2025-02-01", `unit-${unit}`, was * (1 + growth)],
      ]);
      const second = parts(rows).slice(pairs.length) as [string, number, number][];
      const sum = second.reduce((all, [, part]) => all + part, 0);
      const size = second.reduce((all, [, part]) => all + Math.abs(part), 0);
      ok(Math.abs(sum - second[0]![2]) <= 1e-12 * size, `${sum} ${second[0]![2]}`);
    }),
    { seed: 29 },
  );
});

Deno.test("contributions refuse users, fractions and changes, and take levels and averages", () => {
  const frame = timelineFrame("month", ROWS);
  const withField = (name: string) =>
    frame.withColumn(float64(name, ROWS.map(([, , fees]) => fees)));
  const refused = (field: string, message: RegExp) =>
    throws(() => contributions(withField(field), { field }), message);
  refused(
    "active_users_sum",
    /^RangeError: contributions: field: must be a column that adds up over entities; got active_users_sum: a user can be counted in several of them$/,
  );
  refused("fees_change", /got fees_change: it is a change$/);
  for (const field of ["tvl_latest", "fees_avg", "tvl_avg", "my_own"]) {
    deepEqual(contributions(withField(field), { field }).height, 12);
  }
  throws(
    () => contributions(frame, { field: "fees_sum", units: "data_id" } as { field: string }),
    /units: did you mean unit\?/,
  );
});
