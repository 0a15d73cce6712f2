import { deepEqual, equal, match, ok } from "node:assert/strict";
import { eventStudy } from "../../../lib/analysis/programs/event_study.ts";
import { plotEventStudy } from "../../../lib/chart/event_study.ts";
import { cell } from "../../../lib/output/cell.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";
import { near, warned } from "../measured.ts";
import { chanceOf } from "../simulated_cohorts.ts";

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;
type Options = Parameters<typeof eventStudy>[1];

/** Months of pools from January 2024 on, in US dollars. */
function panel(
  pools: number,
  months: number,
  valueOf: (pool: number, month: number) => number,
): DataFrame {
  const rows = Array.from(
    { length: pools },
    (_, pool) =>
      Array.from({ length: months }, (_, month) => ({
        pool: `pool ${String(pool).padStart(2, "0")}`,
        week: new Date(Date.UTC(2024, month)),
        revenue: valueOf(pool, month),
      })),
  ).flat();
  return withSource(pl.DataFrame(rows), {
    citation: "a test",
    columns: { revenue: { unit: "usd", adds: "both" } },
  });
}

/** Starts of pools by month. */
function startsOf(months: readonly number[]): Record<string, string> {
  return Object.fromEntries(months.map((month, pool) => [
    `pool ${String(pool).padStart(2, "0")}`,
    new Date(Date.UTC(2024, month)).toISOString().slice(0, 7),
  ]));
}

function studied(frame: DataFrame, options: Omit<Options, "field">) {
  const [result, told] = warned(() =>
    eventStudy(frame, { field: "revenue", date: "week", ...options })
  );
  return { result, rows: result.toRecords() as Row[], told };
}

/** A market that grows by 5% a month, with participants 60 times larger than the controls. */
const growing = () => {
  const chance = chanceOf(8);
  return panel(
    14,
    15,
    (pool, month) => (pool < 4 ? 600 : 10) * Math.exp(0.05 * month + 0.02 * chance.normal()),
  );
};

Deno.test("an effect of sides that differed before the start is not the first word", async () => {
  const starts = startsOf([9, 9, 9, 9]);
  const { result, rows: [first], told } = studied(growing(), { starts });
  equal(first.fit, "poor");
  ok(Math.min(first.pre_p ?? 1, first.pre_slope_p) <= 0.025);
  const steepest = Math.max(Math.abs(first.pre_slope_lower), Math.abs(first.pre_slope_upper));
  ok(first.p_value < 0.05 && first.breakdown < 2 * steepest);
  const { caption: [caption] } = await plotEventStudy(result).spec;
  match(caption!, /^Both sides differed before the start \(p [<0]/);
  ok(!/overall/i.test(caption!), caption);
  ok(
    told.some((line) =>
      /medians of revenue before the start: \d+ treated, \d+(\.\d+)? controls;.*"log" or "total"/
        .test(line)
    ),
  );
  const { rows: [log], told: quiet } = studied(growing(), { starts, scale: "log" });
  ok(log.fit === "good" && Math.abs(log.effect) < 0.1, `${log.fit} ${log.effect}`);
  ok(!quiet.some((line) => /medians/.test(line)));
});

Deno.test("an effect that trends of twice the size before the start do not explain is stated", async () => {
  const chance = chanceOf(4);
  // A slope of .3 a month before the start, and an effect of 60.
  const frame = panel(
    16,
    16,
    (pool, month) => 100 + chance.normal() + (pool < 6 ? 0.3 * month + (month >= 8 ? 60 : 0) : 0),
  );
  const { result, rows: [first] } = studied(frame, { starts: startsOf(Array(6).fill(8)) });
  equal(first.fit, "poor");
  ok(first.breakdown >= 2 * first.pre_slope_upper);
  const { caption: [caption] } = await plotEventStudy(result).spec;
  match(caption!, /^Both sides differed before the start \(p .*; overall \+?\$6\d/);
});

Deno.test("effects that change with time say that the mean depends on which times count", () => {
  // Effects grow from −3 by 1.5 a month; late waves are seen for a short time. Two pools of each wave.
  const waves = [4, 4, 5, 5, 6, 6, 7, 7, 8, 8];
  const noise = chanceOf(2);
  const frame = panel(20, 11, (pool, month) => {
    const start = waves[pool] ?? Infinity;
    const effect = month < start ? 0 : -3 + 1.5 * (month - start);
    return 50 + pool + effect + 0.4 * noise.normal();
  });
  const { rows } = studied(frame, { starts: startsOf(waves) });
  const [first] = rows;
  near(first.post_slope, 1.5, 0.15);
  ok(first.post_slope_lower < 1.5 && 1.5 < first.post_slope_upper && first.post_slope_p < 1e-6);
  match(
    first.reason,
    /effects change by 1\.[3-6]\d* a period: the mean depends on which times count/,
  );
  // The means differ, so that one number does not say what happened.
  const meanBy = (aggregate: "group" | "simple" | "dynamic") =>
    studied(frame, { starts: startsOf(waves), aggregate }).rows[0].effect;
  ok(meanBy("group") < meanBy("simple") && meanBy("simple") < meanBy("dynamic"));
  // Constant effects: no such remark, and fewer than three times have no slope.
  const chance = chanceOf(3);
  const steady = panel(
    20,
    11,
    (pool, month) => 50 + pool + (month >= (waves[pool] ?? Infinity) ? 5 : 0) + chance.normal(),
  );
  const { rows: [constant] } = studied(steady, { starts: startsOf(waves) });
  ok(constant.post_slope_p > 0.05 && !/effects change/.test(constant.reason));
  const { rows: [short] } = studied(steady, { starts: startsOf(Array(6).fill(9)) });
  deepEqual([short.post_slope, short.post_slope_p], [null, null]);
});

Deno.test("post_slope of sums is that of the logarithms of ratios", () => {
  const chance = chanceOf(5);
  const frame = panel(
    24,
    14,
    (pool, month) =>
      100 * Math.exp(0.05 * chance.normal() + (pool < 10 && month >= 7 ? 0.08 * (month - 7) : 0)),
  );
  const { rows: [first] } = studied(frame, {
    starts: startsOf(Array(10).fill(7)),
    scale: "total",
  });
  near(first.post_slope, 0.08, 0.02);
  ok(first.post_slope_lower < 0.08 && 0.08 < first.post_slope_upper && first.post_slope_p < 0.05);
});

Deno.test("the first row of a study is overall, and alone has what is of the whole", () => {
  const chance = chanceOf(6);
  const frame = panel(18, 13, () => 100 + 10 * chance.normal());
  const { result, rows } = studied(frame, { starts: startsOf([6, 6, 6, 6, 8, 8, 8, 8]) });
  const kinds = rows.map(({ row }) => row);
  deepEqual([...new Set(kinds)], ["overall", "time", "wave"]);
  equal(kinds.filter((kind) => kind === "overall").length, 1);
  const [first, ...others] = rows;
  equal(first.rests_on, "8 treated, 10 controls");
  const whole = ["pre_p", "pre_slope", "post_slope", "fit", "rests_on", "breakdown", "left_out"];
  for (const name of [...whole, "scale", "confidence"]) {
    ok(first[name] !== null, name);
    ok(others.every((row) => row[name] === null), name);
  }
  equal(cell(result, "p_value").value, first.p_value);
  equal(
    cell(result, "effect", { row: { event_time: 2 } }).value,
    rows.find((row) => row.event_time === 2).effect,
  );
  // The order of rows changes nothing.
  const turned = frame.sort({ by: "revenue", descending: true });
  const { rows: [again] } = studied(turned, { starts: startsOf([6, 6, 6, 6, 8, 8, 8, 8]) });
  for (const name of ["effect", "p_value", "post_slope", "pre_slope_p"]) {
    near(again[name], first[name], 1e-9, name);
  }
});
