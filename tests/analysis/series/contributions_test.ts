import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { contributions } from "../../../lib/analysis/series/contributions.ts";
import { float64 } from "../../../lib/table/columns/cell_values.ts";
import { described } from "../../table/described.ts";
import { warned } from "../measured.ts";
import { timelineFrame, type TimelineRow } from "../timeline_frame.ts";

const ROWS: readonly TimelineRow[] = [
  ["2025-01-01", "alder", 60],
  ["2025-01-01", "birch", 40],
  ["2025-02-01", "alder", 90],
  ["2025-02-01", "birch", 30],
  ["2025-02-01", "cedar", 5],
  ["2025-03-01", "birch", 45],
  ["2025-03-01", "cedar", 5],
  ["2025-05-01", "birch", 50],
];

type Options = Partial<Parameters<typeof contributions>[1]>;

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
function records(rows = ROWS, options: Options = {}, incomplete: string[] = []): any[] {
  const frame = timelineFrame("month", rows, incomplete);
  return contributions(frame, { field: "fees_sum", per: "period", ...options }).toRecords();
}

const near = (value: unknown) => typeof value === "number" ? Number(value.toFixed(12)) : value;

/** The months of two entities, of which the second enters in the second month. */
const ENTRANT: readonly TimelineRow[] = ["2025-01-01", "2025-02-01", "2025-03-01"].flatMap((
  day,
  at,
) => [
  [day, "alder", 100] as const,
  [day, "birch", [null, 50, 60][at]!] as const,
]);

Deno.test("contributions tell entries, exits and gaps apart", () => {
  const entered = records(ENTRANT);
  // The sum goes from 100 to 150 to 160.
  deepEqual(
    entered.map((
      { contribution, total, status, partial },
    ) => [near(contribution), near(total), status, partial]),
    [
      [null, null, null, false],
      [null, null, null, false],
      [0, 0.5, "stays", false],
      [0.5, 0.5, "enters", true],
      [0, near(10 / 150), "stays", false],
      [near(10 / 150), near(10 / 150), "stays", true],
    ],
  );
  const [, , february, , march] = entered;
  deepEqual(near((1 + february.total) * (1 + march.total)), 1.6);
  // Alder leaves in March. April is not in the frame, and May confirms the exit.
  const found = records();
  deepEqual(
    found.filter(({ status }) => status !== null).map((
      row,
    ) => [row.data_id, near(row.contribution), near(row.total), row.status]),
    [
      ["alder", 0.3, 0.25, "stays"],
      ["birch", -0.1, 0.25, "stays"],
      ["cedar", 0.05, 0.25, "enters"],
      ["alder", near(-90 / 125), near(-75 / 125), "leaves"],
      ["birch", near(15 / 125), near(-75 / 125), "stays"],
      ["cedar", 0, near(-75 / 125), "stays"],
    ],
  );
  deepEqual(found.filter(({ data_id }) => data_id === "alder").map(({ reason }) => reason), [
    ...["no period before", null, null, "the period before 2025-05-01 is missing"],
  ]);
});

/** Months from January 2025, of entities by name; null is a missing value. */
function months(values: Readonly<Record<string, readonly (number | null)[]>>): TimelineRow[] {
  return Object.entries(values).flatMap(([id, own]) =>
    own.map((value, at): TimelineRow => [`2025-0${at + 1}-01`, id, value])
  );
}

Deno.test("contributions claim nothing over a gap", () => {
  const rows = months({ alder: [10, 20, null, 20, 30], birch: [10, 10, 10, 20, 20] });
  const totals = records(rows).filter(({ data_id }) => data_id === "birch")
    .map(({ contribution, total }) => [near(contribution), near(total)]);
  deepEqual(totals, [
    [null, null],
    [0, 0.5],
    // The total before the gap is known, so birch's own part is, too.
    [0, null],
    [null, null],
    [0, 0.25],
  ]);
  const [, , gap, after] = records(rows).filter(({ data_id }) => data_id === "alder");
  deepEqual([gap.status, gap.contribution, after.status, after.contribution], [
    ...["gap", null, "gap", null],
  ]);
  deepEqual(
    gap.reason,
    "not yet known, or a gap: alder has no value in this or the previous period",
  );
});

Deno.test("contributions know an exit after one later complete period, of levels after two", () => {
  const of = (count: number, field = "fees_sum", incomplete: string[] = []) => {
    const rows = months({
      alder: [5, ...Array(count).fill(null)],
      birch: Array(count + 1).fill(5),
    });
    const frame = described(
      timelineFrame("month", rows, incomplete).withColumn(
        float64(field, rows.map(([, , value]) => value)),
      ),
    );
    const row = contributions(frame, { field, per: "period" }).toRecords()[2]!;
    return [row.status, row.contribution, row.reason?.toString().slice(0, 13) ?? null];
  };
  const [open, left] = [[null, null, "not yet known"], ["leaves", -0.5, null]];
  deepEqual([of(1), of(2)], [open, left]);
  deepEqual(of(2, "fees_sum", ["2025-03-01"]), open);
  deepEqual([of(2, "tvl_latest"), of(3, "tvl_latest")], [open, left]);
});

Deno.test("contributions of months compare values per day, which per switches off", () => {
  // 28 days of 10, and 31 days of 10.8.
  const rows: TimelineRow[] = [["2025-02-01", "alder", 280], ["2025-03-01", "alder", 302.4]];
  const of = (options: Options) => {
    const frame = timelineFrame("month", rows).withColumn(float64("own", rows.map(([, , v]) => v)));
    const row = contributions(frame, { field: "fees_sum", ...options }).toRecords()[1]!;
    return [near(row.total), row.per];
  };
  deepEqual(of({}), [near(302.4 / 31 / 10 - 1), "day"]);
  deepEqual(of({ per: "period" }), [0.08, "period"]);
  // The frame does not know whether an own column adds up over days.
  deepEqual(of({ field: "own" }), [0.08, "period"]);
});

Deno.test("contributions are null if a period is incomplete or the earlier total is not above 0", () => {
  const known = (incomplete: string[]) =>
    records(ROWS, {}, incomplete).filter(({ contribution }) => contribution !== null).length;
  deepEqual([known([]), known(["2025-02-01"]), known(["2025-03-01"])], [6, 0, 3]);
  const [[, negative], told] = warned(() =>
    records([["2025-01-01", "alder", -3], ["2025-02-01", "alder", 3]])
  );
  deepEqual(told.filter((line) => line.startsWith("contributions:")), [
    "contributions: a percentage needs a base above 0: those of 1 period are null; the first base " +
    "is -3, the total of fees_sum on 2025-01-01",
  ]);
  deepEqual([negative.contribution, negative.reason], [
    ...[null, "the total of the previous period is not above 0"],
  ]);
});

Deno.test("contributions add up to the change of the total, for all values", () => {
  const values = fc.array(
    fc.tuple(fc.double({ min: 1e-3, max: 1e12 }), fc.double({ min: -1e-9, max: 1e3 })),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(values, (pairs) => {
      const rows = pairs.flatMap(([was, growth], chain): TimelineRow[] => [
        ["2025-01-01", `chain-${chain}`, was],
        ["2025-02-01", `chain-${chain}`, was * (1 + growth)],
      ]);
      const second = records(rows).slice(pairs.length);
      const sum = second.reduce((all, { contribution }) => all + contribution, 0);
      const size = second.reduce((all, { contribution }) => all + Math.abs(contribution), 0);
      ok(Math.abs(sum - second[0].total) <= 1e-12 * size, `${sum} ${second[0].total}`);
    }),
    { seed: 29 },
  );
});

Deno.test("contributions refuse users, fractions and changes, and take levels and averages", () => {
  const frame = timelineFrame("month", ROWS);
  const withField = (name: string) =>
    described(frame.withColumn(float64(name, ROWS.map(([, , fees]) => fees))));
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
    () => contributions(frame, { field: "fees_sum", unit: "data_id" } as { field: string }),
    /unit: did you mean entity\?/,
  );
});
