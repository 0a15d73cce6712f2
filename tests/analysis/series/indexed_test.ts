import { deepEqual, ok, throws } from "node:assert/strict";
import { indexed, provenanceOf, timeline } from "../../../mod.ts";
import { timelineFrame, type TimelineRow } from "../timeline_frame.ts";

type IndexedOptions = NonNullable<Parameters<typeof indexed>[1]>;

const ROWS: readonly TimelineRow[] = [
  ["2025-01-01", "alder", 50],
  ["2025-01-01", "birch", 0],
  ["2025-02-01", "alder", 75],
  ["2025-02-01", "birch", 3],
  ["2025-03-01", "alder", null],
  ["2025-03-01", "cedar", 3],
  ["2025-04-01", "alder", 0],
];

function index(options: IndexedOptions, incomplete: string[] = []): unknown[] {
  return indexed(timelineFrame("month", ROWS, incomplete), { per: "period", ...options })
    .getColumn("fees_sum_index").toArray();
}

Deno.test("indexed is 100 in the base period of each series", () => {
  deepEqual(index({}), [100, null, 150, null, null, null, 0]);
  const february = [50 / 75 * 100, 0, 100, 100, null, null, 0];
  deepEqual(index({ base: "2025-02" }), february);
  deepEqual(index({ base: "2025-02-17" }), february);
  deepEqual(index({ base: new Date("2025-02-28T23:00:00Z") }), february);
  deepEqual(index({ base: "2025" }), index({ base: "2025-01" }));
});

Deno.test("indexed is null if the base or a value is below 0, and divides sums per day", () => {
  const frame = (values: (number | null)[]) =>
    timelineFrame(
      "month",
      values.map((value, index) => [`2025-0${index + 1}-01`, "a", value] as TimelineRow),
    );
  const of = (values: number[], options: IndexedOptions = {}) =>
    indexed(frame(values), options).getColumn("fees_sum_index").toArray();
  deepEqual(of([10, -5, 20], { per: "period" }), [100, null, 200]);
  deepEqual(of([-10, 5, 20]), [null, null, null]);
  deepEqual(of([31, 28, 62]), [100, 100, 200]);
});

Deno.test("indexed divides the sum of an unfinished month by its days with data", async () => {
  const frame = await timeline({
    metric_ids: ["fees"],
    group_by: "chains",
    every: "month",
    from: "2026-05",
    to: "2026-06",
    chain_ids: ["alder"],
  });
  const [may, june] = frame.getColumn("fees_sum").toArray() as [number, number];
  const days = provenanceOf(frame).data_through!.getUTCDate();
  ok(days < 30);
  const expected = 100 * (june / days) / (may / 31);
  const [, index] = indexed(frame, { field: "fees_sum" }).getColumn("fees_sum_index").toArray();
  ok(Math.abs(index as number - expected) < 1e-9, `${index}, expected ${expected}`);
});

Deno.test("indexed uses the first complete period as the default base", () => {
  deepEqual(index({}, ["2025-01-01"]), index({ base: "2025-02" }));
  throws(
    () => index({}, ["2025-01-01", "2025-02-01", "2025-03-01", "2025-04-01"]),
    /^RangeError: indexed: base: no period of the frame is complete$/,
  );
  deepEqual(indexed(timelineFrame("month", [])).height, 0);
});

Deno.test("indexed keeps the index of an incomplete period", () => {
  deepEqual(index({ base: "2025-01" }, ["2025-02-01"]), [100, null, 150, null, null, null, 0]);
});

Deno.test("indexed refuses a base that is not a complete period of the frame", () => {
  const refused = (base: string, incomplete: string[], message: string) =>
    throws(() => index({ base }, incomplete), { name: "RangeError", message });
  refused("2024-12", [], "indexed: base: the frame has no month that contains 2024-12-01");
  refused(
    "2025-02",
    ["2025-02-01"],
    "indexed: base: the frame has no complete month that contains 2025-02-01",
  );
  refused(
    "2025-02-30",
    [],
    'indexed: base: must be a day, a month or a year, written 2025-01-31, 2025-01 or 2025, or a Date; got "2025-02-30"',
  );
});
