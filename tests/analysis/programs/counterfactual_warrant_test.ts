import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { counterfactual } from "../../../lib/analysis/programs/counterfactual.ts";
import { cell } from "../../../lib/output/cell.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { near, warned } from "../measured.ts";
import { chanceOf } from "../simulated_cohorts.ts";

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;
type Values = Readonly<Record<string, readonly number[]>>;

/** Months of protocols. */
function frameOf(series: Values): DataFrame {
  return pl.DataFrame(
    Object.entries(series).flatMap(([protocol, values]) =>
      values.map((fees_usd, month) => ({
        protocol,
        day: new Date(Date.UTC(2024, month)),
        fees_usd,
      }))
    ),
  );
}

function found(frame: DataFrame, options: object = {}): { rows: Row[]; told: string[] } {
  const given = { field: "fees_usd", date: "day", starts: { own: "2024-09-01" } } as const;
  const [result, told] = warned(() => counterfactual(frame, { ...given, ...options }));
  return { rows: result.toRecords(), told };
}

/** Eight months before the event and four after it, of a unit and some donors. */
function drawn(seed: number, donors: number, sd: readonly [number, number] = [4, 12]): Values {
  const chance = chanceOf(seed);
  const common = Array.from({ length: 12 }, () => 10 * chance.normal());
  const series = (spread: number) => common.map((each) => 100 + each + spread * chance.normal());
  return Object.fromEntries([
    ["own", series(sd[0])],
    ...Array.from(
      { length: donors },
      (_, at) => [`p${String(at).padStart(2, "0")}`, series(sd[1])],
    ),
  ]);
}

Deno.test("the held-out error is that of three blocks, each predicted from the other two", () => {
  // Donors whose mean is 30 at each date, and a unit that rises from 1 to 8.
  const apart = [-20, -10, 0, 10, 20];
  const series = {
    own: [...[1, 2, 3, 4, 5, 6, 7, 8], 9, 9],
    ...Object.fromEntries(
      apart.map((by, at) => [
        `d${at}`,
        Array.from({ length: 10 }, (_, month) => 30 + by * (month % 2 === 0 ? 1 : -1)),
      ]),
    ),
  };
  const { rows: [first] } = found(frameOf(series), { method: "did" });
  near(first.rmse_before, 2.291288, 1e-6);
  near(first.rmse_held_out, 3.286716, 1e-6);
  near(first.observed_mean, 9, 1e-12);
  near(first.expected_mean, 4.5, 1e-12);
  near(first.total_percent, 100, 1e-9);
});

Deno.test("a unit that its donors fit exactly has no small p", () => {
  let small = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const { rows: [first] } = found(frameOf(drawn(seed, 40)));
    ok(first.rmse_before < 0.5 * first.rmse_held_out, `${first.rmse_before}`);
    match(first.reason, /^40 donors, 8 periods before: many weights fit alike/);
    small += Number(first.p_value <= 0.05 && first.fit === "good");
  }
  ok(small <= 1, `${small}`);
});

Deno.test("a donor under two names is left out and named, and changes nothing", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 0, max: 5 }),
      (seed, copied) => {
        const series = drawn(seed, 6, [5, 5]);
        const name = `p0${copied}`;
        const twin = series[name]!.map((value, month) => month < 8 ? value : 1.02 * value);
        const [alone, copy, turned] = [
          series,
          { ...series, "p0 again": series[name]!, "zz later": twin },
          Object.fromEntries(Object.entries(series).reverse()),
        ].map((each) => found(frameOf(each), { confidence: 0.8 }));
        // The earlier of two names in alphabetical order stays.
        const kept = "p0 again" < name ? "p0 again" : name;
        ok(
          copy!.told.some((line) =>
            line.includes(`left out, one entity under two names: `) &&
            line.includes(`equals ${kept}`)
          ),
        );
        equal(copy!.rows[0].left_out, 2);
        const close = (a: Row, b: Row) => {
          deepEqual([a.fit, a.reason, a.rests_on], [b.fit, b.reason, b.rests_on]);
          for (
            const key of ["effect", "rmse_held_out", "p_value", "effect_lower", "total_percent"]
          ) {
            if (a[key] !== null || b[key] !== null) {
              near(a[key], b[key], 1e-8, key);
            }
          }
        };
        close(copy!.rows[0], alone!.rows[0]);
        close(turned!.rows[0], alone!.rows[0]);
      },
    ),
    { seed: 3, numRuns: 12 },
  );
});

Deno.test("a donor that equals the treated unit before the event is left out", () => {
  const series = drawn(4, 6);
  const same = series.own!.map((value, month) => month < 8 ? value : value + 1);
  const { rows: [first], told } = found(frameOf({ ...series, "own, old name": same }));
  ok(told.some((line) => line.includes("own, old name equals own at all dates before the event")));
  ok(first.rmse_before > 0);
  const near = drawn(5, 7);
  const close = near.p03!.map((value, month) => value + 0.001 * month);
  const { told: warnings } = found(frameOf({ ...near, "p03 bridged": close }));
  ok(warnings.some((line) => /nearly equal before the event.*p03 bridged and p03/.test(line)));
});

Deno.test("no denominator is rounding: exact fits have null with the reason", () => {
  // The unit is the mean of two donors at all dates before the event.
  const series = drawn(9, 6);
  const mean = series.p01!.map((value, month) => (value + series.p02![month]!) / 2);
  const own = mean.map((value, month) => month < 8 ? value : value + 3);
  const { rows } = found(frameOf({ ...series, own }), { confidence: 0.8 });
  const [first] = rows;
  deepEqual(
    [first.rmse_before, first.rmse_held_out, first.p_value, first.effect_lower, first.pre_p],
    [0, 0, null, null, null],
  );
  near(first.effect, 3, 1e-8);
  match(first.reason, /^no p value and no bounds: the donors predict all values before the event/);
  // Such a donor is not used as a placebo.
  const { rows: [other], told } = found(frameOf({ ...series, "p07 mean": mean }), {
    confidence: 0.8,
  });
  ok(told.some((line) => /1 donor is no placebo.* p07 mean$/.test(line)), told.join("\n"));
  deepEqual([other.rests_on, other.smallest_p], ["6 placebos", 1 / 7]);
  ok(other.p_value > 0 && other.rmse_held_out > 0);
});

Deno.test("the first rows are overall, of the treated unit and of the placebos, and cell takes the first", () => {
  const frame = frameOf(drawn(2, 7));
  const [result] = warned(() =>
    counterfactual(frame, {
      field: "fees_usd",
      date: "day",
      starts: { own: "2024-09-01" },
      scale: "log",
    })
  );
  const rows = result.toRecords() as Row[];
  deepEqual(rows.slice(0, 8).map(({ row }) => row), Array(8).fill("overall"));
  deepEqual(rows.slice(8).every(({ row }) => row === "date"), true);
  deepEqual([rows[0].role, rows[1].role, rows[0].rests_on], ["treated", "placebo", "7 placebos"]);
  const [first, placebo, dated] = [rows[0], rows[1], rows[8]];
  const late = rows.slice(8, 20).filter(({ after }) => after);
  const sum = (name: string) => late.reduce((all, row) => all + row[name], 0);
  near(first.total_percent, 100 * (sum("observed") / sum("expected") - 1), 1e-9);
  ok(placebo.total_percent !== null && placebo.rmse_held_out > 0);
  deepEqual([dated.effect, dated.rmse_before, dated.fit, dated.scale, dated.pre_p], [
    ...[null, null, null, null, null],
  ]);
  equal(cell(result, "total_percent").value, first.total_percent);
  equal(cell(result, "total_percent", { row: { role: "placebo" } }).value, placebo.total_percent);
});

Deno.test("a mean of expected values that is not above 0 has no percentage", () => {
  const series = drawn(6, 6);
  const shifted = Object.fromEntries(
    Object.entries(series).map(([name, values]) => [name, values.map((value) => value - 200)]),
  );
  const { rows: [first] } = found(frameOf(shifted));
  ok(first.expected_mean < 0 && first.effect !== null);
  equal(first.total_percent, null);
});
