import type {
  ClusterUsers,
  MonthUsers,
  RetentionEstimator,
  UserCell,
} from "../../lib/analysis/retention/cohort_counts.ts";
import type { Interval } from "../../lib/analysis/intervals.ts";
import { retentionEstimate } from "../../lib/analysis/retention/retention_estimate.ts";
import type { Chance } from "../analysis/simulated_cohorts.ts";

export const expit = (logit: number) => 1 / (1 + Math.exp(-logit));
export const logit = (p: number) => Math.log(p / (1 - p));

/** Whether bounds contain the truth; null without bounds. */
export function holds({ lower, upper }: Interval, truth: number): boolean | null {
  return Number.isNaN(lower) ? null : lower <= truth && truth <= upper;
}

/** The number of the next unit: groups have units of their own. */
let next = 0;

/** A group in month 1. Users without a unit are those of successive cohort dates, in three blocks. */
function monthOf(users: readonly ClusterUsers[], cluster: string): MonthUsers {
  const isBlock = cluster === "cohort_block";
  const cells = users.map((each, at): UserCell => ({
    ...each,
    ...isBlock || cluster === "none" ? {} : { unit: each.unit ?? next++ },
    block: isBlock ? Math.floor(3 * at / users.length) : 0,
  }));
  return { month: 1, cluster, cells, dates: isBlock ? "all" : null };
}

export function estimateOf(
  users: readonly ClusterUsers[],
  cluster: string,
  estimate: RetentionEstimator = "weighted",
) {
  return retentionEstimate(monthOf(users, cluster), { confidence: 0.95, estimate });
}

/** The mean of expit over a normal distribution. */
export function meanShare(mean: number, deviation: number, weight = (_z: number) => 1): number {
  let [sum, total] = [0, 0];
  for (let z = -6; z <= 6; z += 0.02) {
    const density = Math.exp(-z * z / 2) * weight(z);
    sum += density * expit(mean + deviation * z);
    total += density;
  }
  return sum / total;
}

/** Users of projects whose logits are normal; larger ones retain more where `slope` is above 0. */
export function projects(
  count: number,
  { p, tau, slope = 0, users = 1000, sizes }: {
    readonly p: number;
    readonly tau: number;
    readonly slope?: number;
    readonly users?: number;
    /** The numbers of users, if they are not random. */
    readonly sizes?: readonly number[];
  },
  chance: Chance,
): ClusterUsers[] {
  return Array.from({ length: count }, (_, at) => {
    const z = chance.normal();
    const mean = users * Math.exp(slope * z - slope * slope / 2);
    const size = sizes?.[at] ?? Math.max(1, Math.round(chance.logNormal(mean, 0.5)));
    return { size, retained: chance.binomial(size, expit(logit(p) + tau * z)) };
  });
}
