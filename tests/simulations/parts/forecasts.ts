import { forecastOf } from "../../../lib/analysis/retention/curve_forecast.ts";
import type { CohortGroup, Counts } from "../../../lib/analysis/retention/cohort_counts.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import type { Cell } from "../cells.ts";
import { holds } from "../worlds.ts";

const [GAMMA, DELTA, MONTHS, TARGETS] = [0.657, 2.783, 8, [12, 24]] as const;
const USERS = 300;

/** The users of a project who are active, month by month, of BG/BB or, with `pauses` 0, of sBG. */
function activity(chance: Chance, pauses: boolean): number[] {
  // Projects differ in how many leave.
  const gamma = GAMMA * Math.exp(0.3 * chance.normal());
  const active = [USERS, ...Array<number>(MONTHS).fill(0)];
  for (let user = 0; user < USERS; user++) {
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

/** Returns the projects as clusters of one group. */
function groupOf(curves: readonly number[][]): CohortGroup {
  const none = new Array<number>(MONTHS + 1).fill(0);
  const parts = curves.map((retained): Counts => ({
    size: retained.map(() => retained[0]!),
    retained,
    atRisk: retained.map((_, month) => retained[month - 1] ?? 0),
    lost: retained.map((users, month) => month === 0 ? 0 : retained[month - 1]! - users),
  }));
  const sum = (name: "size" | "retained" | "atRisk" | "lost") =>
    none.map((_, month) => parts.reduce((all, part) => all + part[name][month]!, 0));
  return {
    months: [...none.keys()],
    cohorts: none,
    leftOut: none,
    cluster: "project_id",
    parts,
    total: {
      size: sum("size"),
      retained: sum("retained"),
      atRisk: sum("atRisk"),
      lost: sum("lost"),
    },
  };
}

export const cells = [true, false].flatMap((pauses) =>
  (["active", "sbg"] as const).flatMap((model) =>
    [5, 10].flatMap((count) =>
      TARGETS.map((target): Cell => ({
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
