import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { eventStudy } from "../../../lib/analysis/programs/event_study.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { dateColumn, float64, utf8 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { cohortFrame } from "../cohort_frame.ts";
import { chanceOf } from "../simulated_cohorts.ts";
import { minimumWages } from "../minimum_wages.ts";
import { timelineFrame, type TimelineRow } from "../timeline_frame.ts";
import { near, warned } from "../measured.ts";

type Options = Parameters<typeof eventStudy>[1];

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;

const text = (name: string) => Deno.readTextFileSync(new URL(name, import.meta.url)).trim();
const month = (at: number) => new Date(Date.UTC(2024, at, 1)).toISOString().slice(0, 7);

/** Runs a study and returns its rows and its warnings. */
function studied(frame: DataFrame, options: Options): [Row[], string[]] {
  const [study, told] = warned(() => eventStudy(frame, options));
  return [study.toRecords(), told];
}

/** A frame of months from January 2024: `value` of each entity and period, both counted from 0. */
function panel(
  entities: number,
  periods: number,
  value: (entity: number, period: number) => number | null,
): DataFrame {
  const rows = Array.from({ length: entities * periods }, (_, at): TimelineRow => {
    const [entity, period] = [Math.floor(at / periods), at % periods];
    return [`${month(period)}-01`, `u${entity}`, value(entity, period)];
  });
  return timelineFrame("month", rows);
}

/** Starts of the first entities, by the period in which they begin. */
const starting = (...periods: number[]) =>
  Object.fromEntries(periods.map((period, entity) => [`u${entity}`, month(period)]));
const rowOf = (rows: Row[], row: string, time: number | null = null) =>
  rows.find((each) => each.row === row && each.event_time === time);

/** The values of event_study.py. */
const wave = (i: number, t: number) => Math.sin(i * t) + Math.cos(3 * i) * t / 10 + i / 3;

Deno.test("eventStudy has the effects, bounds and p values of event_study.py", () => {
  const expected = text("./event_study.csv").split("\n").slice(1).map((line) => line.split(","));
  const gaps = new Set(["1 7", "8 5", "9 9"]);
  const starts = starting(5, 5, 5, 7, 7, 6);
  const byEntity = (texts: readonly number[]) =>
    Object.fromEntries(texts.map((text, entity) => [`u${entity}`, String(text)]));
  const STUDIES: Record<string, Omit<Options, "starts">> = {
    never: {},
    "not-yet": { controls: "not-yet" },
    before: { base: "before" },
    within: { within: byEntity([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]) },
    total: { scale: "total" },
    cluster: { cluster: byEntity([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 6, 7]) },
  };
  let compared = 0;
  for (const panelName of ["all", "gaps"]) {
    for (const [name, options] of Object.entries(STUDIES)) {
      const frame = panel(12, 10, (entity, period) => {
        if (panelName === "gaps" && gaps.has(`${entity} ${period}`)) return null;
        const value = wave(entity + 1, period + 1);
        return name === "total" ? Math.exp(value) : value;
      });
      for (const aggregate of ["group", "simple", "dynamic"] as const) {
        const means = name === "total" ? {} : { aggregate };
        const [rows] = studied(frame, { field: "fees_sum", starts, ...options, ...means });
        for (const [study, row, of, ...numbers] of expected) {
          if (study !== `${panelName} ${name}`) continue;
          if (row === "overall" && of !== "" && of !== aggregate) continue;
          const found = row === "wave"
            ? rows.find((each) => each.row === "wave" && +each.wave === +new Date(month(+of!)))
            : rowOf(rows, row === "slope" ? "overall" : row!, row === "time" ? Number(of) : null);
          const prefix = row === "slope" ? "pre_slope" : "";
          ["effect", "lower", "upper", "p_value"].forEach((column, at) => {
            const named = prefix === ""
              ? column
              : at === 0
              ? prefix
              : `${prefix}_${column.replace("_value", "")}`;
            const what = `${study} ${row} ${of} ${named}`;
            if (numbers[at] === "nan") equal(found[named], null, what);
            else near(found[named], Number(numbers[at]), 1e-9, what);
            compared += 1;
          });
        }
      }
    }
  }
  // 12 times and 3 waves in three aggregates, 3 overall, the slope in three, of two panels and two kinds of controls.
  ok(compared > 700, String(compared));
});

Deno.test("eventStudy has the published effects of minimum wages (Callaway and Sant'Anna 2021)", () => {
  const { frame, starts } = minimumWages();
  const [found] = studied(frame, {
    ...{ field: "employment", entity: "county", starts, controls: "never", scale: "log" },
  });
  const effects = (row: string, from = 0, rows = found) =>
    rows.filter((each) => each.row === row && (each.event_time ?? 0) >= from)
      .map(({ effect }) => Number(effect.toFixed(4)));
  // Two of the waves have fewer than 4 years before their start, so years without values stand before 2003.
  const years = [2000, 2001, 2002].map((year) => new Date(`${year}-01-01`));
  const [never] = starts.filter(pl.col("start").isNull()).getColumn("county") as Iterable<string>;
  const longer = pl.concat([
    pl.DataFrame([
      utf8("county", years.map(() => never!)),
      dateColumn("date", years),
      float64("employment", years.map(() => null)),
    ]),
    frame,
  ]);
  const given = starts.dropNulls().rows() as [string, Date][];
  const ofWaves = [...Map.groupBy(given, ([, start]) => Number(start))].sort(([a], [b]) => a - b)
    .map(([, own]) => {
      const others = given.filter((each) => !own.includes(each)).map(([county]) => county);
      const wave = longer.filter(pl.col("county").isIn(others).not());
      const [rows] = studied(wave, {
        ...{ field: "employment", entity: "county", scale: "log" },
        starts: Object.fromEntries(own),
      });
      return effects("time", 0, rows);
    });
  deepEqual(ofWaves, [[-0.0105, -0.0704, -0.1373, -0.1008], [-0.0046, -0.0412], [-0.0261]]);
  deepEqual(effects("time"), [-0.0199, -0.051, -0.1373, -0.1008]);
  deepEqual(effects("wave"), [-0.0797, -0.0229, -0.0261]);
  // The package divides variances by k, we by k − 1; the quantiles are Student's, for Satterthwaite's degrees (R).
  const waves = found.filter(({ row }) => row === "wave");
  for (
    const [at, error, quantile] of [[0, 0.0264, 2.0538], [1, 0.0167, 1.9838], [
      2,
      0.0167,
      1.9695,
    ]] as const
  ) {
    near((waves[at].upper - waves[at].lower) / 2 / quantile, error, 6e-4, `wave ${at}`);
  }
  const overall = found[0];
  near(overall.effect, -0.031, 5e-5);
  near((overall.upper - overall.lower) / 2 / 1.968, 0.0124, 5e-5);
  near(overall.p_value, 0.0133, 0.0005);
  near(overall.pre_p, 0.196, 0.03);
  const overallOf = (aggregate: "simple" | "dynamic") => {
    const options = { field: "employment", entity: "county", starts, scale: "log" } as const;
    return studied(frame, { ...options, aggregate })[0][0].effect.toFixed(4);
  };
  deepEqual([overallOf("simple"), overallOf("dynamic")], ["-0.0400", "-0.0772"]);
});

Deno.test("eventStudy has the sign that two-way fixed effects lose", () => {
  const [entities, periods] = [45, 40];
  const startOf = (entity: number) => entity < 20 ? 4 : entity < 40 ? 30 : Infinity;
  const value = (entity: number, period: number) =>
    entity / 7 + Math.sin(period) + 0.02 * Math.max(0, period - startOf(entity) + 1);
  // The coefficient of treatment with effects of entities and periods, by Frisch and Waugh.
  const all = Array.from({ length: entities * periods }, (_, at) => {
    const [entity, period] = [Math.floor(at / periods), at % periods];
    return { entity, period, y: value(entity, period), d: Number(period >= startOf(entity)) };
  });
  const mean = (kept: typeof all) => kept.reduce((sum, { d }) => sum + d, 0) / kept.length;
  const byEntity = Map.groupBy(all, ({ entity }) => entity);
  const byPeriod = Map.groupBy(all, ({ period }) => period);
  const rest = all.map(({ entity, period, d }) =>
    d - mean(byEntity.get(entity)!) - mean(byPeriod.get(period)!) + mean(all)
  );
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b);
  near(
    sum(all.map(({ y }, at) => y * rest[at]!)) / sum(rest.map((each) => each * each)),
    -0.032,
    5e-4,
  );

  const starts = starting(...Array.from({ length: 40 }, (_, entity) => startOf(entity)));
  const [rows] = studied(panel(entities, periods, value), { field: "fees_sum", starts });
  for (const { row, event_time, effect, lower, upper } of rows) {
    if (row !== "time") continue;
    near(effect, event_time < 0 ? 0 : 0.02 * (event_time + 1), 1e-12, `time ${event_time}`);
    if (event_time !== -1) near(upper - lower, 0, 1e-6);
  }
});

Deno.test("eventStudy finds fees of six projects of the sample raised by 25%", () => {
  const [head, ...lines] = text("../sample_fees.csv").split("\n").map((line) => line.split(","));
  const months = head!.slice(1);
  // The six projects with the largest fees in 2024.
  const starts: Record<string, string> = {
    ...{ "gallery-nine": "2025-07", "stillwater-stake": "2025-07", plumbline: "2025-07" },
    ...{ hearthlend: "2025-10", tidewater: "2025-10", quillswap: "2025-10" },
  };
  const fees = (factor: number) =>
    timelineFrame(
      "month",
      lines.flatMap(([id, ...values]) =>
        months.map((each, at): TimelineRow => {
          const raised = each >= (starts[id!] ?? "9999") ? factor : 1;
          return [`${each}-01`, id!, values[at] === "" ? null : raised * Number(values[at])];
        })
      ),
    );
  const options = { field: "fees_sum", starts, scale: "total" } as const;
  const [[before], [after]] = [studied(fees(1), options), studied(fees(1.25), options)];
  before.forEach(({ row, event_time, effect }, at) => {
    const raised = row !== "time" || event_time >= 0 ? Math.log(1.25) : 0;
    near(after[at].effect, effect + raised, 1e-12);
  });
  const { effect, effect_percent, lower_percent, lower, upper, entities, reason } = after[0];
  near(effect, Math.log(1.25), 0.2);
  near(effect_percent, 100 * Math.expm1(effect), 1e-9);
  near(lower_percent, 100 * Math.expm1(lower), 1e-9);
  ok(lower < Math.log(1.25) && Math.log(1.25) < upper);
  equal(entities, 6);
  match(reason, /sums: no pre_p and no bounds of all times; see pre_slope_p/);
  ok(after.every((row) => row.pre_p === null && row.lower_all === null));
  ok(after[0].pre_slope_p > 0.05);
  throws(
    () => eventStudy(fees(1), { ...options, scale: "log" }),
    /needs values above 0; fees_sum of mirepond is 0 on 2026-01-01; use scale: "total"; a 0 that/,
  );
});

/** Twelve entities over 14 months; those of `starts` gain `gain` from their start on. */
function world(starts: Record<string, string | null>, gain: number): DataFrame {
  const { normal } = chanceOf(41);
  const chance = Array.from({ length: 12 * 14 }, normal);
  return panel(12, 14, (entity, period) => {
    const start = starts[`u${entity}`] ?? "9";
    return 10 + entity + chance[entity * 14 + period]! / 9 + (month(period) >= start ? gain : 0);
  });
}

Deno.test("eventStudy leaves out a period that contains the start, and takes starts from a frame", () => {
  const days = ["2024-09-10", "2024-09-20", "2024-11-01"];
  const frame = world({}, 0);
  const starts = pl.DataFrame([
    utf8("project_id", ["u0", "u1", "u2", "u3", "nobody"]),
    dateColumn("start", [...days.map((day) => new Date(day)), null, new Date("2024-09-01")]),
  ]);
  const [rows, told] = studied(frame, { field: "fees_sum", starts });
  const times = rows.filter(({ row }) => row === "time");
  // August is time -1 and October time 0 of those who begin in September.
  deepEqual(
    times.map(({ event_time }) => event_time),
    Array.from({ length: 15 }, (_, at) => at - 10),
  );
  deepEqual(times.map(({ entities }) => entities), [1, 1, ...Array(12).fill(3), 2]);
  deepEqual(rows.filter(({ row }) => row === "wave").map(({ entities }) => entities), [2, 1]);
  match(
    rows.find(({ row, entities }) => row === "wave" && entities === 1).reason,
    /^1 treated entity: no bounds/,
  );
  deepEqual([rows[0].entities, rows[0].controls], [3, 9]);
  match(
    rows[0].reason,
    /pre_p and bounds of all times need 8 treated entities in groups of 4 or more, got 0; see pre_slope_p/,
  );
  equal(told.length, 2);
  match(
    told[0]!,
    /^eventStudy: 3 treated entities, 9 controls; times before the start: p [\d.]+ \(slope\); /,
  );
  match(told[0]!, /participants were chosen, not drawn: an effect can be selection$/);
  equal(told[1], "eventStudy: starts: not in the frame: nobody");
});

Deno.test("eventStudy compares with base -2, and later entities are controls up to their own base", () => {
  const starts = starting(8, 8, 8, 11, 11);
  const frame = world(starts, 1);
  const [rows] = studied(frame, { field: "fees_sum", starts, base: -2, controls: "not-yet" });
  const base = rowOf(rows, "time", -2);
  deepEqual([base.effect, base.lower, base.reason], [0, null, "the base"]);
  near(rowOf(rows, "time", -1).effect, 0, 0.2);
  near(rowOf(rows, "time", 0).effect, 1, 0.2);
  // From time 0 on, u3 and u4 are controls of the others for two months, until October.
  const controls = (time: number) => rowOf(rows, "time", time).controls;
  deepEqual([-6, 0, 1, 2, 3, 5].map(controls), [9, 9, 9, 7, 7, 7]);
  deepEqual(rows[0].controls, 9);
});

Deno.test("eventStudy counts missing values of treated entities and of controls apart", () => {
  const starts = starting(8, 8, 8, 8);
  const full = world(starts, 1);
  const rows = full.toRecords() as Row[];
  const ended = (id: string, from: string) => (row: Row) =>
    row.data_id === id && row.date >= new Date(from) ? { ...row, fees_sum: null } : row;
  const frame = timelineFrame(
    "month",
    rows.map(ended("u3", "2024-12")).map(ended("u5", "2024-10")).map(ended("u6", "2024-10"))
      .map(ended("u11", "2023")).map(({ date, data_id, fees_sum }): TimelineRow => [
        date.toISOString().slice(0, 10),
        data_id,
        fees_sum,
      ]),
  );
  const [found] = studied(frame, { field: "fees_sum", starts });
  const counts = (row: Row) => [
    ...[row.entities, row.missing_treated, row.controls, row.missing_controls],
  ];
  deepEqual(counts(rowOf(found, "time", 0)), [4, 0, 7, 1]);
  deepEqual(counts(rowOf(found, "time", 1)), [4, 0, 5, 3]);
  deepEqual(counts(rowOf(found, "time", 3)), [3, 1, 5, 3]);
  deepEqual([...counts(found[0]), found[0].left_out], [4, 1, 7, 3, 1]);
  equal(
    rowOf(found, "time", 3).reason,
    "3 treated entities: bounds with few degrees of freedom; other entities than at time 2; " +
      "the treated and the controls lack values in unequal shares",
  );
  match(
    found[0].reason,
    /; at 6 of 6 times, the treated and the controls lack values in unequal shares; at 3 of 6 times, 3 tr/,
  );
  match(found[0].reason, /; at 1 of 6 times, other entities than at the time beside it$/);
  // A treated entity ends at time 3.
  deepEqual(
    found.filter(({ row, reason }) => row === "time" && /other entities/.test(reason))
      .map(({ event_time, reason }) => [event_time, reason.match(/other entities[^;]*/)[0]]),
    [[3, "other entities than at time 2"]],
  );
});

Deno.test("eventStudy names the nearer time at which other entities count, before the start, too", () => {
  const starts = starting(8, 8, 8, 8);
  const rows = (world(starts, 1).toRecords() as Row[]).map(({ date, data_id, fees_sum }) => {
    const isLate = data_id === "u3" && date < new Date("2024-04");
    return [date.toISOString().slice(0, 10), data_id, isLate ? null : fees_sum] as TimelineRow;
  });
  const [found] = studied(timelineFrame("month", rows), { field: "fees_sum", starts });
  match(rowOf(found, "time", -6).reason, /other entities than at time -5(;|$)/);
  for (const row of found) {
    equal(/other entities/.test(row.reason), row.event_time === -6, String(row.event_time));
  }
});

Deno.test("eventStudy of retention compares points, dated by the month in which they were observed", () => {
  const retained = (project: number, at: number) =>
    300 + 20 * project + 10 * ((at * (project + 3)) % 7) + (project < 3 && at >= 10 ? 200 : 0);
  const cohorts = Array.from({ length: 10 * 15 }, (_, place) => {
    const [project, at] = [Math.floor(place / 15), place % 15];
    const size = 1000;
    const months = [1, 0.8, 0.6, retained(project, at) / size];
    return { project: `p${project}`, cohort: month(at), size, months };
  });
  const curves = retentionCurves(cohortFrame(cohorts), { unit: "fraction" });
  // Cohorts from November 2024 on gain; they are observed in February 2025, time 3.
  const starts = { p0: "2024-11", p1: "2024-11", p2: "2024-11" };
  const [rows] = studied(curves, { month: 3, starts });
  near(rowOf(rows, "time", 2).effect, 0, 0.03);
  const share = (project: number, at: number) => retained(project, at) / 1000;
  // Observed in January 2025 (cohort of October) and in October 2024 (cohort of July).
  const changes = Array.from({ length: 10 }, (_, project) => share(project, 9) - share(project, 6));
  const mean = (numbers: number[]) => numbers.reduce((a, b) => a + b) / numbers.length;
  near(rowOf(rows, "time", 2).effect, mean(changes.slice(0, 3)) - mean(changes.slice(3)), 1e-12);
  near(rowOf(rows, "time", 3).effect, 0.2, 0.03);
  equal(rowOf(rows, "time", 3).effect_percent, null);
  deepEqual(
    [0, 2, 3].map((time) => rowOf(rows, "time", time).reason),
    [0, 2, 3].map((time) =>
      "3 treated entities: bounds with few degrees of freedom" +
      (time < 3 ? "; these users arrived before the start" : "")
    ),
  );
  deepEqual([rows[0].field, rows[0].scale], ["retention", "points"]);
  const [study] = warned(() => eventStudy(curves, { month: 3, starts }));
  ok(Deno.inspect(study.select("effect", "lower", "upper")).includes("%"));
  throws(
    () => eventStudy(curves, { month: 3, starts, scale: "log" }),
    /scale: retention is compared in points; got log$/,
  );
});

Deno.test("eventStudy refuses data that it cannot use, with the reason", () => {
  const frame = world({}, 0);
  const refused = (options: Partial<Options>, message: RegExp) =>
    throws(
      () => eventStudy(frame, { field: "fees_sum", starts: starting(8, 8), ...options }),
      message,
    );
  const few = /starts: needs 2 treated entities and 2 controls with values at the base and after/;
  refused({ starts: { u1: "2024-09" } }, few);
  refused({ starts: { nobody: "2024-09", noone: "2024-10" } }, /the start; got 0 and 0$/);
  refused({ starts: starting(...Array<number>(11).fill(8)) }, /the start; got 11 and 1$/);
  refused(
    { starts: starting(8, 3, 2) },
    /starts: 2 of 3 treated entities have fewer than 4 complete periods before the start; at most half may$/,
  );
  studied(frame, { field: "fees_sum", starts: starting(8, 4, 3, 2) });
  refused(
    { starts: { u0: "2024-09", u1: "2027", u2: "2023-05-05" } },
    /one after the start; got u2 2023-05-05, u1 2027-01-01; null means never$/,
  );
  refused({ starts: { u0: "soon" } }, /starts: u0: must be a day, .* got "soon"$/);
  refused({ starts: ["u0"] as never }, /starts: must be days by id, such as/);
  refused({ base: 1 }, /base: must be a whole number from -1200 to -1, or "before"; got 1$/);
  refused({ field: undefined! }, /field: is required/);
  throws(
    () =>
      eventStudy(frame.filter(pl.col("date").neq(new Date("2024-06-01"))), {
        ...{ field: "fees_sum", starts: starting(8, 8) },
      }),
    /date: no entity has a row of the period after 2024-05-01; add rows whose value is null$/,
  );
  const twice = pl.DataFrame([
    utf8("data_id", ["u0", "u0"]),
    utf8("start", ["2024-09", "2024-10"]),
  ]);
  refused({ starts: twice }, /eventStudy: starts: two rows have data_id u0; keep one$/);
});

/** A frame of months of 20 entities in two sectors of 10, of which some take part from September 2024 on. */
function sectored(
  sectorOf: (entity: number) => string = (entity) => entity < 10 ? "lending" : "bridges",
): DataFrame {
  const chance = chanceOf(8);
  const frame = panel(20, 14, (entity) => 10 + entity + chance.normal());
  const sectors = pl.DataFrame([
    utf8("data_id", Array.from({ length: 20 }, (_, entity) => `u${entity}`)),
    utf8("sector", Array.from({ length: 20 }, (_, entity) => sectorOf(entity))),
  ]);
  return frame.join(sectors, { on: "data_id", how: "left" });
}

Deno.test("eventStudy says that participants share a sector, and compares within sectors", () => {
  const starts = starting(8, 8, 8, 8, 8, 8, 8, 8);
  const [, told] = studied(sectored(), { field: "fees_sum", starts });
  equal(
    told[1],
    "eventStudy: 8 of 8 participants are in lending, 2 of 12 controls: what happened to lending " +
      "counts as an effect; see `within`",
  );
  const [rows, quiet] = studied(sectored(), { field: "fees_sum", starts, within: "sector" });
  deepEqual([rows[0].entities, rows[0].controls, rows[0].left_out], [8, 2, 10]);
  equal(quiet.length, 1);
  match(rows[0].reason, /^2 controls: bounds with few degrees of freedom/);
  const record = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`u${at}`, at < 10]));
  const texts = Object.fromEntries(
    Object.entries(record).map(([id, first]) => [id, first ? "a" : "b"]),
  );
  const [same] = studied(sectored(), { field: "fees_sum", starts, within: texts });
  equal(same[0].effect, rows[0].effect);
  const all = starting(...Array<number>(10).fill(8));
  throws(
    () => eventStudy(sectored(), { field: "fees_sum", starts: all, within: "sector" }),
    /within: all 10 of lending took part: nothing to compare inside; a stratum needs 2 controls$/,
  );
  const cluster = "sector";
  throws(
    () => eventStudy(sectored(), { field: "fees_sum", starts, within: "sector", cluster }),
    /within, cluster: must not be given together$/,
  );
  throws(
    () => eventStudy(sectored(), { field: "fees_sum", starts, within: "sektor" }),
    /within: expected a frame of entities over time; missing: sektor; got .*, sector$/,
  );
});

Deno.test("eventStudy by clusters has no bounds below 4 clusters with treated entities, or 2 without", () => {
  const starts = starting(8, 8, 8, 8, 8, 8, 8, 8);
  const of = (sectorOf: (entity: number) => string) =>
    studied(sectored(sectorOf), { field: "fees_sum", starts, cluster: "sector" })[0][0];
  const few = of((entity) => `c${entity % 3}`);
  deepEqual([few.lower, few.p_value, few.pre_p], [null, null, null]);
  match(few.reason, /^3 clusters with treated entities and 0 without: bounds need 4 and 2/);
  const enough = of((entity) => `c${Math.floor(entity / 2)}`);
  ok(enough.lower < enough.effect && enough.p_value > 0);
});

Deno.test("eventStudy names a sum that is 0 at the base, and one entity that makes up a sum", () => {
  const starts = starting(8, 8, 8, 8);
  const frame = (value: (entity: number, period: number) => number) =>
    panel(12, 14, (entity, period) => value(entity, period));
  const options = { field: "fees_sum", starts, scale: "total" } as const;
  const [none] = studied(frame((entity, period) => entity < 4 && period < 8 ? 0 : 1), options);
  equal(none[0].effect, null);
  match(none[0].reason, /and sums above 0 at the base and afterwards/);
  const [giant] = studied(frame((entity) => entity === 2 ? 1000 : 1 + entity / 10), options);
  near(giant[0].entities_effective, 1.007, 0.01);
  match(giant[0].reason, /100% of the treated sum is one entity, u2/);
  const [both] = studied(
    frame((entity) => [2, 7].includes(entity) ? 1000 : 1 + entity / 10),
    options,
  );
  for (const row of [rowOf(both, "time", 1), both[0]]) {
    match(
      row.reason,
      /% of the treated sum is one entity, u2; \d+% of the controls' sum is one entity, u7/,
    );
  }
  throws(
    () => eventStudy(frame(() => 1), { ...options, aggregate: "simple" }),
    /aggregate: sums have no other means; got simple$/,
  );
  throws(
    () => eventStudy(frame((entity) => entity - 3), options),
    /scale "total" needs values of 0 or more; fees_sum of u0 is -3 on 2024-01-01; use scale: "level"/,
  );
});

Deno.test("eventStudy of sums has bounds in any unit, and none if one entity holds a sum", () => {
  const starts = starting(8, 8, 8, 8);
  const of = (unit: number, alone = false) => {
    const chance = chanceOf(9);
    const frame = panel(12, 14, (entity) => {
      const value = unit * Math.exp(0.2 * chance.normal());
      return alone && entity > 0 && entity < 4 ? 0 : value;
    });
    return studied(frame, { field: "fees_sum", starts, scale: "total" })[0][0];
  };
  const [small, large] = [of(1), of(1e12)];
  for (const column of ["effect", "lower", "upper", "p_value"]) {
    near(large[column], small[column], 1e-9, column);
  }
  const alone = of(1, true);
  deepEqual([alone.lower, alone.p_value], [null, null]);
  match(alone.reason, /no bounds: without one entity, a sum is 0/);
});

Deno.test("pre_p of groups of 8 and 2 treated entities is that of the group of 8", () => {
  // Times that only the group of 2 has are no part of the test.
  const ps = [1, 2, 3, 4, 5, 6].map((seed) => {
    const chance = chanceOf(seed);
    const frame = panel(40, 14, () => chance.normal());
    const starts = starting(...Array<number>(8).fill(6), 10, 10);
    return studied(frame, { field: "fees_sum", starts })[0][0].pre_p;
  });
  ok(ps.filter((p) => p > 0.05).length >= 5, `${ps}`);
});

Deno.test("eventStudy states the difference of trends that would explain an effect", () => {
  // Participants gain 1 from their start on, and 0.1 a month throughout.
  const chance = chanceOf(3);
  const starts = starting(...Array<number>(8).fill(8));
  const frame = panel(
    30,
    14,
    (entity, period) =>
      (entity < 8 ? 0.1 * period + Number(period >= 8) : 0) + 0.05 * chance.normal(),
  );
  const [rows] = studied(frame, { field: "fees_sum", starts });
  const { pre_slope, pre_slope_lower, pre_slope_upper, breakdown, lower, pre_p } = rows[0];
  near(pre_slope, 0.1, 0.01);
  ok(pre_slope_lower < 0.1 && 0.1 < pre_slope_upper && pre_p === 0.001);
  // The counted times 0 to 5 are 3.5 months from the base, on average.
  near(breakdown, lower / 3.5, 1e-12);
  const [level] = studied(frame, { field: "fees_sum", starts, base: "before" });
  near(level[0].breakdown, level[0].lower / 7, 1e-12);
});
