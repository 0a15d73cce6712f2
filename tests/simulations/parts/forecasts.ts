import { forecastOf } from "../../../lib/analysis/retention/curve_forecast.ts";
import type { CohortGroup } from "../../../lib/analysis/retention/cohort_counts.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, type Cell } from "../cells.ts";
import { expit, holds, logit, meanShare } from "../worlds.ts";

const [GAMMA, DELTA, MONTHS, TARGETS] = [0.657, 2.783, 8, [12, 24]] as const;
const USERS = 300;

/** How projects differ, beside how many of their users leave. */
interface World {
  /** Whether users pause and return. */
  readonly pauses: boolean;
  /** The standard deviation of the logits of the share of active users of projects. */
  readonly active?: number;
  /** The standard deviation of the logarithms of the numbers of users. */
  readonly sizes?: number;
  /** Whether every second project is born late: only its months 0 to 4 are observed. */
  readonly births?: boolean;
  /** The standard deviation of the shocks of twelve cohort dates, which move the users of all projects. */
  readonly months?: number;
}

/** The users of cohorts who are active, month by month, of BG/BB or, without pauses, of sBG. */
function activity(
  { users, gamma, active }: {
    readonly users: number;
    readonly gamma: number;
    readonly active: () => number;
  },
  chance: Chance,
): number[] {
  const found = [users, ...Array<number>(MONTHS).fill(0)];
  for (let user = 0; user < users; user++) {
    const p = active();
    const leaves = chance.beta(gamma, DELTA);
    for (let month = 1; month <= MONTHS && chance.uniform() >= leaves; month++) {
      if (p === 1 || chance.uniform() < p) found[month]! += 1;
    }
  }
  return found;
}

/** A cohort of a project: its date, and its users month by month, as far as they are observed. */
interface Curve {
  readonly unit: number;
  readonly day: number;
  readonly users: readonly number[];
}

/** The cohorts of projects. */
function cohortsOf(count: number, world: World, chance: Chance): Curve[] {
  const { pauses, active = 0, sizes = 0, births = false, months = 0 } = world;
  const shocks = Array.from({ length: months > 0 ? 12 : 1 }, () => months * chance.normal());
  return Array.from({ length: count }, (_, unit) => {
    const gamma = GAMMA * Math.exp(0.3 * chance.normal());
    const mean = expit(logit(1.2 / 1.95) + active * chance.normal());
    const size = Math.max(30, Math.round(USERS * Math.exp(sizes * chance.normal())));
    return shocks.map((shock, at): Curve => ({
      unit,
      day: months > 0 ? 31 * at : NaN,
      users: activity({
        users: Math.ceil(size / shocks.length),
        gamma: gamma * Math.exp(shock),
        active: () => pauses ? chance.beta(1.95 * mean, 1.95 * (1 - mean)) : 1,
      }, chance).slice(0, births && unit % 2 === 1 ? 5 : MONTHS + 1),
    }));
  }).flat();
}

/** The share of users who are active in a month, over all projects and dates. */
function truthOf(month: number, { pauses, active = 0, months = 0 }: World): number {
  const deviation = Math.hypot(0.3, months);
  let [sum, total] = [0, 0];
  for (let z = -5; z <= 5; z += 0.05) {
    const gamma = GAMMA * Math.exp(deviation * z);
    let left = 1;
    for (let k = 1; k <= month; k++) left *= (DELTA + k - 1) / (gamma + DELTA + k - 1);
    sum += Math.exp(-z * z / 2) * left;
    total += Math.exp(-z * z / 2);
  }
  return sum / total * (pauses ? meanShare(logit(1.2 / 1.95), active) : 1);
}

/** Returns the cohorts of projects, which are the units, as one group. */
function groupOf(curves: readonly Curve[]): CohortGroup {
  const months = [...Array(MONTHS + 1).keys()];
  const rows = curves.flatMap(({ unit, day, users }) =>
    users.map((active, month) => ({
      ...{ unit, day, active, month, size: users[0]! },
      before: month === 0 ? NaN : users[month - 1]!,
    }))
  );
  const inMonth = months.map((month) =>
    [...rows.keys()].filter((row) => rows[row]!.month === month)
  );
  const values = (of: (row: typeof rows[number]) => number) => Float64Array.from(rows, of);
  const sum = (of: (row: typeof rows[number]) => number) =>
    inMonth.map((own) => own.reduce((all, row) => all + of(rows[row]!), 0));
  return {
    months,
    cohorts: inMonth.map((own) => own.length),
    leftOut: months.map(() => 0),
    cluster: "project_id",
    hasUnits: true,
    counted: inMonth,
    rows: {
      "(unit)": Uint32Array.from(rows, ({ unit }) => unit),
      day: values(({ day }) => day),
      size: values(({ size }) => size),
      active: values(({ active }) => active),
      before: values(({ before }) => before),
      // A forecast reads these alone.
    } as Partial<CohortGroup["rows"]> as CohortGroup["rows"],
    total: {
      size: sum(({ size }) => size),
      retained: sum(({ active }) => active),
      atRisk: sum(({ before }) => before || 0),
      lost: sum(({ before, active }) => Number.isNaN(before) ? 0 : before - active),
    },
  };
}

const WORLDS: readonly (readonly [row: string, world: World])[] = [
  ["users pause and return", { pauses: true }],
  ["users leave for good", { pauses: false }],
  ["users pause and return, log-normal sizes (sd 1)", { pauses: true, sizes: 1 }],
  ["users pause and return, in some projects more (sd .5)", { pauses: true, active: 0.5 }],
  ["users pause and return, every second project born late", { pauses: true, births: true }],
  ["users pause and return, months of sd .2", { pauses: true, months: 0.2 }],
];

export const cells: readonly Cell[] = WORLDS.flatMap(([row, world]) =>
  (["active", "sbg"] as const).flatMap((model) =>
    [5, 10].flatMap((count) =>
      TARGETS.map((target): Cell => ({
        ...about(
          "bounds of `forecastRetention`",
          "units",
          ...world.sizes ? ["sizes" as const] : [],
          ...world.births ? ["births" as const] : [],
          ...world.months ? ["months" as const] : [],
        ),
        table: "Forecasts from months 0 to 8: % of bounds that contain the retention",
        row: `${row}, month ${target}`,
        column: `\`${model}\`, ${count} projects`,
        draws: 300,
        // The model is not the one that the data come from.
        ...model === "sbg" && world.pauses ? {} : { limits: [0.92, 1] as const },
        draw: (chance) => {
          const curves = cohortsOf(count, world, chance);
          const { lower, upper } = forecastOf(groupOf(curves), {
            ...{ last: target, model, confidence: 0.95 },
          });
          if (lower === undefined) return null;
          return holds({ lower: lower[target]!, upper: upper[target]! }, truthOf(target, world));
        },
      }))
    )
  )
).filter(({ row, column }) => column.includes("active") || !/,.*,/.test(row));
