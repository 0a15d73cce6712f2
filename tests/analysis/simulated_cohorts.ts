import { chanceOf as drawsOf } from "../../lib/analysis/chance.ts";
import type { ClusterUsers } from "../../lib/analysis/retention/cohort_counts.ts";
import type { Clustered } from "../../lib/analysis/retention/shared_shocks.ts";

/** Random numbers of one seed: always the same ones. */
export interface Chance {
  /** From 0 to 1 exclusive. */
  uniform(): number;
  normal(): number;
  gamma(shape: number): number;
  beta(alpha: number, beta: number): number;
  binomial(trials: number, probability: number): number;
  /** With a mean and a coefficient of variation. */
  logNormal(mean: number, variation: number): number;
}

/** Makes random numbers of a seed. */
export function chanceOf(seed: number): Chance {
  const { uniform, normal } = drawsOf(seed);
  // Marsaglia and Tsang 2000, ACM Transactions on Mathematical Software 26, 363-372.
  const gamma = (shape: number): number => {
    if (shape < 1) return gamma(shape + 1) * uniform() ** (1 / shape);
    const d = shape - 1 / 3;
    for (;;) {
      const x = normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(uniform()) < x * x / 2 + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  const beta = (alpha: number, other: number) => {
    const [a, b] = [gamma(alpha), gamma(other)];
    return a / (a + b);
  };
  // By the median of the trials, which is beta distributed (Relles 1972), down to a few.
  const binomial = (trials: number, probability: number) => {
    let [left, p, count] = [trials, probability, 0];
    while (left > 30) {
      const middle = Math.floor((left + 1) / 2);
      const cut = beta(middle, left + 1 - middle);
      if (cut <= p) {
        count += middle;
        left -= middle;
        p = (p - cut) / (1 - cut);
      } else {
        left = middle - 1;
        p /= cut;
      }
    }
    for (; left > 0; left--) count += Number(uniform() < p);
    return count;
  };
  const logNormal = (mean: number, variation: number) => {
    const variance = Math.log1p(variation * variation);
    return mean * Math.exp(Math.sqrt(variance) * normal() - variance / 2);
  };
  return { uniform, normal, gamma, beta, binomial, logNormal };
}

/** How cohorts are to vary. */
export interface Variation {
  readonly clusters: number;
  /** The probability of being retained, over all clusters. */
  readonly p: number;
  /** The mean number of users of a cluster, and the coefficient of variation of that. */
  readonly users: number;
  readonly sizes: number;
  /** How many times the binomial variance a cluster of that mean size has; 1 for users alone. */
  readonly dispersion: number;
}

/** Draws cohorts that differ as the beta-binomial distribution has it. */
export function simulatedCohorts(
  { clusters, p, users, sizes, dispersion }: Variation,
  chance: Chance,
): { readonly size: Float64Array; readonly retained: Float64Array } {
  const correlation = (dispersion - 1) / (users - 1);
  const spread = 1 / correlation - 1;
  const size = Float64Array.from(
    { length: clusters },
    () => Math.max(1, Math.round(chance.logNormal(users, sizes))),
  );
  const retained = size.map((trials) =>
    chance.binomial(trials, dispersion === 1 ? p : chance.beta(p * spread, (1 - p) * spread))
  );
  return { size, retained };
}

/** Clusters whose cohorts have no dates. */
export function undated(clusters: readonly ClusterUsers[]): Clustered {
  return { clusters, cells: clusters.map((users) => ({ ...users, block: 0 })), dates: null };
}
