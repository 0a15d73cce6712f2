import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { shares } from "../../../lib/analysis/series/shares.ts";
import { timelineFrame, type TimelineRow } from "../timeline_frame.ts";

function rowsOf(rows: readonly TimelineRow[], incomplete: string[] = []): (number | null)[][] {
  const result = shares(timelineFrame("month", rows, incomplete), {
    field: "fees_sum",
    per: "period",
  });
  deepEqual(result.columns.slice(0, 2), ["date", "data_id"]);
  return result.rows().map((row) => row.slice(2, 8) as (number | null)[]);
}

Deno.test("shares splits each date among its entities, and the change of the HHI into entry, exit and shift", () => {
  const rows = rowsOf([
    ["2025-01-01", "alder", 50],
    ["2025-01-01", "birch", 50],
    ["2025-02-01", "alder", 75],
    ["2025-02-01", "cedar", 25],
    ["2025-03-01", "alder", 75],
    ["2025-03-01", "cedar", 0],
  ]);
  deepEqual(rows, [
    [0.5, 100, 0.5, null, null, null],
    [0.5, 100, 0.5, null, null, null],
    [null, 100, 0.5, null, null, null],
    [0.75, 100, 0.625, 0.0625, -0.25, 0.3125],
    [null, 100, 0.625, 0.0625, -0.25, 0.3125],
    [0.25, 100, 0.625, 0.0625, -0.25, 0.3125],
    // A 0 is a value.
    [1, 75, 1, 0, 0, 0.375],
    [null, 75, 1, 0, 0, 0.375],
    [0, 75, 1, 0, 0, 0.375],
  ]);
});

Deno.test("shares have no total in a gap", () => {
  const values = [10, null, 10, 10].flatMap((alder, at): TimelineRow[] =>
    [alder, 30, 10].map((
      value,
      index,
    ) => [`2025-0${at + 1}-01`, ["alder", "birch", "cedar"][index]!, value])
  );
  const found = shares(timelineFrame("month", values), { field: "fees_sum", per: "period" })
    .toRecords().filter(({ data_id }) => data_id === "birch")
    .map(({ share, total, hhi_shift }) => [share, total, hhi_shift]);
  deepEqual(found, [[0.6, 50, null], [null, null, null], [0.6, 50, null], [0.6, 50, 0]]);
});

Deno.test("shares states the reason if a total is 0", () => {
  const rows = [5, 0].map((value, at): TimelineRow => [`2025-0${at + 1}-01`, "alder", value]);
  const [, zero] = shares(timelineFrame("month", rows), { field: "fees_sum" }).toRecords();
  deepEqual([zero!.share, zero!.hhi_shift], [null, null]);
  deepEqual(zero!.reason, "the total of one of the two periods is 0");
});

Deno.test("shares keeps incomplete periods; changes from or to them are null", () => {
  const frame: TimelineRow[] = [
    ["2025-01-01", "alder", 5],
    ["2025-02-01", "alder", 5],
    ["2025-03-01", "alder", 0],
  ];
  deepEqual(rowsOf(frame, ["2025-02-01"]), [
    [1, 5, 1, null, null, null],
    [1, 5, 1, null, null, null],
    [null, 0, null, null, null, null],
  ]);
  const result = shares(timelineFrame("month", frame, ["2025-02-01"]), { field: "fees_sum" });
  deepEqual(result.getColumn("complete").toArray(), [true, false, true]);
});

Deno.test("shares add up to 1, and their changes to the change of the HHI, for all values", () => {
  const value = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }));
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 9 }), (pairs) => {
      const rows = rowsOf(pairs.flatMap(([one, two], chain): TimelineRow[] => [
        ["2025-01-01", `chain-${chain}`, one],
        ["2025-02-01", `chain-${chain}`, two],
      ]));
      const [first, second] = [rows[0]!, rows[pairs.length]!];
      const sum = rows.slice(0, pairs.length).reduce((all, [share]) => all + (share ?? 0), 0);
      if (first[2] !== null) ok(Math.abs(sum - 1) < 1e-9);
      const changes = second.slice(3) as number[];
      // A null in the last period can be an exit or a late value.
      if (pairs.some(([one, two]) => one !== null && two === null)) deepEqual(changes[0], null);
      if (changes[0] === null) return;
      ok(Math.abs(changes.reduce((all, each) => all + each, first[2]!) - second[2]!) < 1e-9);
    }),
    { seed: 29 },
  );
});

Deno.test("shares refuses a negative value and names its row", () => {
  throws(
    () => rowsOf([["2025-01-01", "alder", 5], ["2025-01-01", "birch", -1]]),
    /^RangeError: shares: field: shares need values of 0 or more; got fees_sum -1, data_id birch, date 2025-01-01$/,
  );
});
