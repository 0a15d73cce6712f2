import { forecastOf } from "../../../lib/analysis/retention/curve_forecast.ts";
import type { CohortGroup } from "../../../lib/analysis/retention/cohort_counts.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, type Cell } from "../cells.ts";
import { holds } from "../worlds.ts";

const [GAMMA, DELTA, MONTHS, TARGETS] = [0.657, 2.783, 8, [12, 24]] as const;
const USERS = 300;

/** The users of a project who are active, month by month, of BG/BB or, with `pauses` 0, of sBG. */
function activity(chance: Chance, pauses: boolean, users = USERS): number[] {
  // Projects differ in how many leave.
  const gamma = GAMMA * Math.exp(0.3 * chance.normal());
  const active = [users, ...Array<number>(MONTHS).fill(0)];
  for (let user = 0; user < users; user++) {
    const p = pauses ? chance.beta(1.2, 0.75) : 1;
    const leaves = chance.beta(gamma, DELTA);
    for (let month = 1; month <= MONTHS && chance.uniform() >= leaves; month++) {
      if (p === 1 || chance.uniform() < p) active[month]! += 1;
    }
  }
  return active;
}

function truthOf(month: number, pauses: boolean): number {
  let [sum, total] = [0, 0];
  for (let z = -5; z <= 5; z += 0.05) {
    const gamma = GAMMA * Math.exp(0.3 * z);
    let left = pauses ? 1.2 / 1.95 : 1;
    for (let k = 1; k <= month; k++) left *= (DELTA + k - 1) / (gamma + DELTA + k - 1);
    sum += Math.exp(-z * z / 2) * left;
    total += Math.exp(-z * z / 2);
  }
  return sum / total;
}

/** Returns the projects as units of one group, whose cohorts have no dates. */
function groupOf(curves: readonly number[][]): CohortGroup {
  const months = [...Array(MONTHS + 1).keys()];
  const values = (of: (unit: number, month: number) => number) =>
    Float64Array.from(curves.flatMap((_, unit) => months.map((month) => of(unit, month))));
  const sum = (of: (retained: readonly number[], month: number) => number) =>
    months.map((month) => curves.reduce((all, retained) => all + of(retained, month), 0));
  return {
    months,
    cohorts: months.map(() => curves.length),
    leftOut: months.map(() => 0),
    cluster: "project_id",
    hasUnits: true,
    counted: months.map((month) => curves.map((_, unit) => unit * months.length + month)),
    rows: {
      "(unit)": values((unit) => unit),
      day: values(() => NaN),
      size: values((unit) => curves[unit]![0]!),
      active: values((unit, month) => curves[unit]![month]!),
      before: values((unit, month) => month === 0 ? NaN : curves[unit]![month - 1]!),
    } as CohortGroup["rows"],
    total: {
      size: sum(([first]) => first!),
      retained: sum((retained, month) => retained[month]!),
      atRisk: sum((retained, month) => month === 0 ? 0 : retained[month - 1]!),
      lost: sum((retained, month) => month === 0 ? 0 : retained[month - 1]! - retained[month]!),
    },
  };
}

/** Projects of very different sizes. */
const uneven = [5, 10].map((count): Cell => ({
  ...about("bounds of `forecastRetention`", "units", "sizes"),
  table: "Forecasts from months 0 to 8: % of bounds that contain the retention",
  row: "users pause and return, log-normal sizes (sd 1), month 12",
  column: `\`active\`, ${count} projects`,
  draw: (chance) => {
    const curves = Array.from(
      { length: count },
      () => activity(chance, true, Math.max(30, Math.round(USERS * Math.exp(chance.normal())))),
    );
    const found = forecastOf(groupOf(curves), { last: 12, model: "active", confidence: 0.95 });
    if (found.lower === undefined) return null;
    return holds({ lower: found.lower[12]!, upper: found.upper[12]! }, truthOf(12, true));
  },
}));

const even = [true, false].flatMap((pauses) =>
  (["active", "sbg"] as const).flatMap((model) =>
    [5, 10].flatMap((count) =>
      TARGETS.map((target): Cell => ({
        ...about("bounds of `forecastRetention`", "units"),
        table: "Forecasts from months 0 to 8: % of bounds that contain the retention",
        row: `${pauses ? "users pause and return" : "users leave for good"}, month ${target}`,
        column: `\`${model}\`, ${count} projects`,
        // The model is not the one that the data come from.
        ...model === "sbg" && pauses ? {} : { limits: [0.92, 1] as const },
        draw: (chance) => {
          const curves = Array.from({ length: count }, () => activity(chance, pauses));
          const { lower, upper } = forecastOf(groupOf(curves), {
            ...{ last: target, model, confidence: 0.95 },
          });
          if (lower === undefined) return null;
          return holds({ lower: lower[target]!, upper: upper[target]! }, truthOf(target, pauses));
        },
      }))
    )
  )
);

export const cells: readonly Cell[] = [...even, ...uneven];
