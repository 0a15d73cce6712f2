import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { counterfactual } from "../../../lib/analysis/programs/counterfactual.ts";
import { eventStudy } from "../../../lib/analysis/programs/event_study.ts";
import { topN } from "../../../lib/analysis/tables/top_n.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { california } from "../california.ts";
import { cohortFrame } from "../cohort_frame.ts";
import { chanceOf } from "../simulated_cohorts.ts";
import { timelineFrame, type TimelineRow } from "../timeline_frame.ts";
import { near, warned } from "../measured.ts";

type CounterfactualOptions = NonNullable<Parameters<typeof counterfactual>[1]>;

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;

function proposition99(method: "did" | "synthetic" | "sdid"): [Row[], string[]] {
  const [frame, told] = warned(() =>
    counterfactual(california(), {
      field: "packs",
      entity: "state",
      starts: { California: "1989" },
      method,
    })
  );
  return [frame.toRecords(), told];
}

Deno.test("counterfactual by did has the published effect of Proposition 99", () => {
  const [rows, told] = proposition99("did");
  near(rows[0].effect, -27.3491, 1e-4);
  near(rows[0].p_value, 6 / 39, 1e-12);
  near(rows[0].rmse_held_out, 10.30, 0.005);
  near(rows[0].pre_p, 0.031, 0.005);
  equal(rows.length, 39 * 32);
  equal(rows[0].fit, "poor");
  deepEqual(told, [
    "counterfactual: California differs from its donors already before the event: " +
    "slope of the gap -1.23 a year, p 0.031",
  ]);
});

Deno.test("counterfactual by sdid has the published effect of Proposition 99", () => {
  const [[first]] = proposition99("sdid");
  near(first.effect, -15.605, 0.01);
  near(first.p_value, 3 / 39, 1e-12);
  near(first.rmse_held_out, 4.97, 0.005);
});

Deno.test("counterfactual by synthetic control has the exact effect and weights of Proposition 99", () => {
  const [rows, told] = proposition99("synthetic");
  near(rows[0].effect, -19.51, 0.05);
  near(rows[0].p_value, 2 / 39, 1e-12);
  near(rows[0].rmse_held_out, 4.56, 0.005);
  equal(
    rows[0].reason,
    "38 donors, 19 periods before: many weights fit alike; those with the least squares are taken",
  );
  const expected: [string, number][] = [
    ["Utah", 0.394],
    ["Montana", 0.232],
    ["Nevada", 0.205],
    ["Connecticut", 0.109],
    ["New Hampshire", 0.045],
  ];
  expected.forEach(([state, weight], place) => {
    const row = rows[place + 1];
    equal(row.state, state);
    near(row.weight, weight, 0.01);
  });
  deepEqual([rows[0].fit, rows[0].left_out, told], ["good", 0, []]);
});

Deno.test("counterfactual has bounds of the constant effects that its own test does not reject", () => {
  const GIVEN = { field: "packs", entity: "state", starts: { California: "1989" } } as const;
  const isAfter = pl.col("state").eq(pl.lit("California")).and(
    pl.col("date").gtEq(new Date("1989")),
  );
  for (const method of ["did", "synthetic"] as const) {
    const [rows] = proposition99(method);
    const { effect, effect_lower, effect_upper, smallest_p, pre_p, fit, reason } = rows[0];
    ok(effect_lower < effect && effect < effect_upper);
    deepEqual([smallest_p, /^no bounds/.test(reason ?? "")], [1 / 39, false]);
    // Without the effect c: the same states with c taken from California after the event.
    const isRejected = (c: number) => {
      const without = pl.when(isAfter).then(pl.col("packs").minus(c)).otherwise(pl.col("packs"));
      const frame = california().withColumns(without.alias("packs"));
      const [result] = warned(() => counterfactual(frame, { ...GIVEN, method }));
      return result.getColumn("p_value").get(0)! <= 0.05;
    };
    const step = 0.001 * (effect_upper - effect_lower);
    deepEqual(
      [-step, step, effect_upper - effect_lower - step, effect_upper - effect_lower + step]
        .map((from) => isRejected(effect_lower + from)),
      [true, false, false, true],
    );
    if (method === "did") continue;
    equal(fit, "good");
    ok(Math.abs(pre_p - 0.182) < 0.02);
    deepEqual([rows[1].row, rows[1].role, rows[1].effect_lower, rows[1].pre_p], [
      ...["overall", "placebo", null, null],
    ]);
  }
  const [[{ effect_lower, effect_upper }]] = proposition99("sdid");
  ok(-40 < effect_lower && effect_lower < -15.6 && -15.6 < effect_upper && effect_upper < 10);
});

Deno.test("counterfactual calls the fit poor where trends are not parallel before the event", () => {
  // No event: the gap of chain-3 rises by .40 a month.
  const rows = world(12).map((
    [day, id, fees],
    at,
  ): TimelineRow => [
    day,
    id,
    id === "chain-3"
      ? 120 + 0.4 * Math.floor(at / 12) + 0.1 * Math.sin(at)
      : 120 + Math.sin(at * fees!),
  ]);
  const [[first], told] = warned(() =>
    treatedRows(timelineFrame("month", rows), { ...GIVEN, method: "did", confidence: 0.9 })
  );
  near(first.pre_slope, 0.4 * 12, 0.4);
  deepEqual([first.pre_p, first.fit, told.length], [0.001, "poor", 1]);
});

Deno.test("counterfactual says why an effect has no bounds", () => {
  const rows = world(12);
  const of = (given: readonly TimelineRow[], confidence: number) => {
    const [[first]] = warned(() =>
      treatedRows(timelineFrame("month", given), { ...GIVEN, confidence })
    );
    return [first.effect_lower, first.reason];
  };
  deepEqual(of(rows, 0.95), [null, "no bounds: 19 donors are needed"]);
  const jumps = rows.map((
    [day, id, fees],
  ): TimelineRow => [
    day,
    id,
    id === "chain-3" && day >= "2025-04" ? fees! * (1 + Number(day.slice(6, 7)) % 2) : fees,
  ]);
  deepEqual(of(jumps, 0.9), [null, "no bounds: no constant effect fits"]);
});

Deno.test("counterfactual has bounds at the quantile of the placebos' gaps", () => {
  const [rows] = proposition99("synthetic");
  const [{ rmse_held_out }] = rows;
  const dated = rows.filter(({ row }) => row === "date");
  const treated = dated.filter(({ role }) => role === "treated");
  const placebos = dated.filter(({ role }) => role === "placebo");
  ok(placebos.every(({ lower, upper }) => lower === null && upper === null));
  const { date, gap, lower, upper, p_value } = treated.at(-1);
  const errors = new Map(rows.slice(1, 39).map((row) => [row.state, row.rmse_held_out]));
  const ratios = placebos.filter((row) => +row.date === +date)
    .map((row) => Math.abs(row.gap) / errors.get(row.state)!);
  // The 38th smallest of 38 at a confidence of 95%. The treated fit without a donor of some weight differs little.
  const widest = Math.max(...ratios);
  near(lower, gap - widest * rmse_held_out, 2);
  near(upper, gap + widest * rmse_held_out, 2);
  // Each date has its own p value, which agrees with its bounds.
  for (const row of treated) equal(row.p_value <= 0.05, row.lower > 0 || row.upper < 0);
  ok(p_value <= 3 / 39);
});

/** Months of chains: a common level, a chain's own part, and chance. */
function world(chains: number, seed = 7): TimelineRow[] {
  const chance = chanceOf(seed);
  return Array.from({ length: 20 }, (_, month) => {
    const day = new Date(Date.UTC(2024, month, 1)).toISOString().slice(0, 10);
    const common = 100 + 5 * month + 4 * chance.normal();
    return Array.from({ length: chains }, (_, chain): TimelineRow => [
      day,
      `chain-${chain}`,
      common * (0.8 + 0.04 * chain) + chance.normal(),
    ]);
  }).flat();
}

const GIVEN: CounterfactualOptions = { field: "fees_sum", starts: { "chain-3": "2025-04" } };

function treatedRows(frame: DataFrame, options: CounterfactualOptions = GIVEN): Row[] {
  return counterfactual(frame, options).filter(pl.col("role").eq(pl.lit("treated"))).toRecords();
}

Deno.test("counterfactual leaves out the period across the event, incomplete periods, and donors with nulls", () => {
  const rows = world(12).map(([day, id, fees]): TimelineRow =>
    id === "chain-9" && day === "2024-05-01" ? [day, id, null] : [day, id, fees]
  );
  const frame = timelineFrame("month", rows, ["2025-08-01"]);
  const found = treatedRows(frame, { ...GIVEN, starts: { "chain-3": "2025-03-10" } });
  const days = found.slice(1).map(({ date }) => date.toISOString().slice(0, 7));
  equal(days.includes("2025-03"), false);
  equal(days.at(-1), "2025-07");
  deepEqual([found.length, found.filter(({ after }) => after).length], [19, 4]);
  equal(found[0].left_out, 1);
  equal(counterfactual(frame, GIVEN).height, 11 * 20);
});

Deno.test("counterfactual fits each placebo and the treated unit without each other", () => {
  const frame = timelineFrame("month", world(8));
  const result = counterfactual(frame, GIVEN);
  const rows = result.toRecords() as Row[];
  const without = (id: string, treated: string) => {
    const kept = frame.filter(pl.col("data_id").neq(pl.lit(id)));
    const [first] = treatedRows(kept, { ...GIVEN, starts: { [treated]: "2025-04" } });
    return first;
  };
  const ratioOf = ({ rmse_after, rmse_held_out }: Row) => rmse_after / rmse_held_out;
  let rank = 1;
  for (const chain of [0, 1, 2, 4, 5, 6, 7]) {
    const id = `chain-${chain}`;
    const own = rows.find((row) => row.data_id === id)!;
    const [placebo, pair] = [without("chain-3", id), without(id, "chain-3")];
    near(own.rmse_before, placebo.rmse_before, 1e-9, id);
    near(own.rmse_held_out, placebo.rmse_held_out, 1e-9, id);
    near(own.effect, placebo.effect, 1e-9, id);
    deepEqual([own.p_value, own.role], [null, "placebo"]);
    rank += Number(ratioOf(placebo) >= ratioOf(pair));
  }
  near(rows[0].p_value, rank / 8, 1e-12);
  near(rows[0].smallest_p, 1 / 8, 1e-12);
});

Deno.test("counterfactual without a placebo has no p value, and does not call the fit good", () => {
  // The donors move alike, so that each is predicted exactly by the others.
  const rows = world(7).map(([day, id, fees]): TimelineRow => [
    day,
    id,
    id === "chain-3" ? fees : 100 * Number(id.slice(-1)) + Number(day.slice(5, 7)) ** 2,
  ]);
  const [[first, ...others]] = warned(() =>
    treatedRows(timelineFrame("month", rows), { ...GIVEN, method: "did" })
  );
  deepEqual([first.p_value, first.lower, first.rests_on], [null, null, "0 placebos"]);
  ok(first.pre_p >= 0.05 ? first.fit === null : first.fit === "poor", `${first.pre_p}`);
  ok(others.length > 0);
});

Deno.test("counterfactual with an intercept fits a unit that is larger than all its donors", () => {
  const rows = world(12).map(([day, id, fees]): TimelineRow => [
    day,
    id,
    id === "chain-3" ? fees! + 500 + (day >= "2025-04" ? 40 : 0) : fees,
  ]);
  const frame = timelineFrame("month", rows);
  const [without] = warned(() => treatedRows(frame));
  const [found] = warned(() => treatedRows(frame, { ...GIVEN, intercept: true }));
  deepEqual([without[0].fit, found[0].intercept], ["poor", true]);
  near(found[0].effect, 40, 5);
  ok(found[0].rmse_before < 5 && without[0].rmse_before > 300);
});

Deno.test("counterfactual draws 200 of many donors as placebos, and names values that are too large", () => {
  const rows = world(230);
  const [found, told] = warned(() => counterfactual(timelineFrame("month", rows), GIVEN));
  const roles = Map.groupBy(found.toRecords() as Row[], ({ role }) => role);
  deepEqual(
    [...roles].map(([role, own]) => [role, own.length / 21]).sort(),
    [["donor", 29], ["placebo", 200], ["treated", 1]],
  );
  near((found.toRecords()[0] as Row).smallest_p, 1 / 201, 1e-12);
  ok(told.includes("counterfactual: 200 of 229 donors are drawn as placebos"));
  for (const wild of [Infinity, 1e308]) {
    const wrong = rows.map(([day, id, fees]): TimelineRow =>
      id === "chain-5" && day === "2024-02-01" ? [day, id, wild] : [day, id, fees]
    );
    throws(
      () => counterfactual(timelineFrame("month", wrong), GIVEN),
      (error: Error) =>
        error.message.includes(`1e300; got ${wild} in row`) &&
        error.message.endsWith("(chain-5, 2024-02-01)"),
    );
  }
});

Deno.test("counterfactual leaves the rest of topN out", () => {
  const frame = topN(timelineFrame("month", world(12)), { field: "fees_sum", limit: 9 });
  const rows = counterfactual(frame, { ...GIVEN, starts: { "chain-8": "2025-04" } });
  const ids = new Set(rows.getColumn("data_id").toArray());
  deepEqual([ids.size, ids.has("(other)")], [9, false]);
});

Deno.test("counterfactual has no bounds where the placebos are too few for the confidence", () => {
  const frame = timelineFrame("month", world(12));
  const datesOf = (options?: CounterfactualOptions) => treatedRows(frame, options).slice(1);
  ok(datesOf().every(({ lower }) => lower === null));
  ok(datesOf({ ...GIVEN, confidence: 0.9 }).every(({ lower, gap }) => lower < gap));
});

Deno.test("counterfactual on logarithms finds a factor, in the unit of the field", () => {
  const rows = world(12).map(([day, id, fees]): TimelineRow => [
    day,
    id,
    id === "chain-3" && day >= "2025-04" ? fees! * 1.5 : fees,
  ]);
  const frame = timelineFrame("month", rows);
  for (const method of ["did", "synthetic", "sdid"] as const) {
    const [found] = warned(() => treatedRows(frame, { ...GIVEN, scale: "log", method }));
    near(found[0].effect, Math.log(1.5), 0.03);
    near(found[0].effect_percent, 100 * Math.expm1(found[0].effect), 1e-9);
    near(found[0].p_value, 1 / 12, 1e-12);
    near(found.at(-1).observed, rows.findLast(([, id]) => id === "chain-3")![2]!, 1e-9);
    near(Math.log(found.at(-1).observed / found.at(-1).expected), found.at(-1).gap, 1e-9);
  }
  const dead = rows.map(([day, id, fees]): TimelineRow => [day, id, id === "chain-5" ? 0 : fees]);
  equal(treatedRows(timelineFrame("month", dead), { ...GIVEN, scale: "log" })[0].left_out, 1);
});

Deno.test("counterfactual measures the fit only by periods before the event", () => {
  for (const method of ["did", "synthetic", "sdid"] as const) {
    const [before] = warned(() =>
      treatedRows(timelineFrame("month", world(12)), { ...GIVEN, method })
    );
    const later = world(12).map(([day, id, fees], row): TimelineRow => [
      day,
      id,
      day >= "2025-04" ? fees! * (1 + (row % 7)) : fees,
    ]);
    const [after] = warned(() => treatedRows(timelineFrame("month", later), { ...GIVEN, method }));
    for (const name of ["rmse_before", "rmse_held_out", "pre_slope", "pre_p"]) {
      equal(after[0][name], before[0][name]);
    }
  }
});

Deno.test("counterfactual of retention dates each value by the month in which it was observed", () => {
  const cohorts = Array.from({ length: 20 }, (_, at) => {
    const cohort = new Date(Date.UTC(2024, at, 1)).toISOString().slice(0, 7);
    return Array.from({ length: 8 }, (_, project) => ({
      project: `project-${project}`,
      cohort,
      size: 1000,
      months: [1, 0.5 + 0.01 * ((at * (project + 3)) % 7), 0.3],
    }));
  }).flat();
  const curves = retentionCurves(cohortFrame(cohorts));
  const options = { starts: { "project-2": "2025-05" }, month: 1 } as const;
  const [found] = warned(() => treatedRows(curves, options));
  equal(found.length, 21);
  equal(found[0].project_id, "project-2");
  // The cohort of January 2024 is seen in February.
  deepEqual(found[1].date, new Date("2024-02-01"));
  near(found[2].observed, 0.55, 1e-12);
  deepEqual(found.filter(({ after }) => after).length, 5);
  throws(
    () => counterfactual(curves, { starts: { "project-2": "2025-05" } }),
    /^RangeError: counterfactual: field: is required: the column of values$/,
  );
});

Deno.test("counterfactual refuses data that it cannot use, with the reason", () => {
  const frame = timelineFrame("month", world(12));
  const refused = (options: Partial<CounterfactualOptions>, message: RegExp, of = frame) =>
    throws(() => counterfactual(of, { ...GIVEN, ...options } as CounterfactualOptions), message);
  refused(
    { starts: { "chain-3": "2024-06" } },
    /starts: needs 8 complete periods before 2024-06-01 and one after it, got 5 and 15$/,
  );
  refused(
    { starts: { "chain-3": "2027" } },
    /starts: needs 8 complete periods before 2027-01-01 and one after it, got 20 and 0$/,
  );
  refused({ starts: { "chain-33": "2025-04" } }, /starts: chain-33: did you mean chain-3\?/);
  refused(
    { starts: { "chain-3": "2025-04", "chain-4": "2025-04" } },
    /starts: must have one entity, such as .*; for several, use eventStudy; got chain-3, chain-4$/,
  );
  refused({ starts: { "chain-3": "soon" } }, /starts: chain-3: must be a day, a month or a year/);
  refused({ method: "best" as "did" }, /method: must be one of did, synthetic, sdid; got "best"$/);
  refused(
    {},
    /needs 5 donors with a value at every date, got 4; left out, because fees_sum is null at some date: 0 entities/,
    timelineFrame("month", world(5)),
  );
  const holes = world(12).map(([day, id, fees]): TimelineRow =>
    id === "chain-3" && day === "2024-05-01" ? [day, id, null] : [day, id, fees]
  );
  refused(
    {},
    /starts: fees_sum of chain-3 is null: 2024-05-01; filter the frame to other dates$/,
    timelineFrame("month", holes),
  );
  refused({ entity: "chain_id" }, /chain_id: must not be null; got null in row 0$/);
  throws(
    () => counterfactual(pl.concat([frame, frame]), GIVEN),
    /two rows have the same data_id, date; got row 0: data_id chain-0, date 2024-01-01; row 240: /,
  );
  throws(
    () => counterfactual(california().drop("state"), { field: "packs", starts: { "": "1989" } }),
    /entity: two rows have the same date; got row 0/,
  );
});

Deno.test("counterfactual and eventStudy name the option entity for a unit", () => {
  const frame = pl.DataFrame({ protocol: ["a"], fees_usd: [1] });
  for (const study of [counterfactual, eventStudy]) {
    throws(() => study(frame, { unit: "protocol" } as never), /unit: did you mean entity\?/);
  }
});
