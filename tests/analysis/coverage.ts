/**
 * How often the 95 % bounds of a pooled retention hold what they estimate, and how wide they are, where
 * cohorts are simulated: the table of docs/analysis.md.
 *
 *     deno run --config tests/deno.json --allow-ffi --allow-sys --allow-read tests/analysis/coverage.ts
 *
 * @module
 */
import type { PooledGroup } from "../../lib/analysis/pooled_groups.ts";
import { retentionEstimate } from "../../lib/analysis/retention_bounds.ts";
import { type Chance, chanceOf, simulatedCohorts, type Variation } from "./simulated_cohorts.ts";

/** A month of cohorts, each a cluster of its own, or none. */
function groupOf(variation: Variation, chance: Chance, cluster: "cohort" | "none"): PooledGroup {
  const { size, retained } = simulatedCohorts(variation, chance);
  const sum = (values: Float64Array) => Float64Array.of(values.reduce((a, b) => a + b, 0));
  const zeros = (values: Float64Array) => new Float64Array(values.length);
  const counts = (n: Float64Array, x: Float64Array) => (
    { size: n, retained: x, atRisk: zeros(n), lost: zeros(n) }
  );
  return {
    months: [1],
    present: Uint8Array.of(1),
    cohorts: Float64Array.of(size.length),
    leftOut: Float64Array.of(0),
    total: counts(sum(size), sum(retained)),
    cluster,
    clusters: size.length,
    byCluster: counts(size, retained),
  };
}

/** How often bounds hold, and how wide they are in the mean. */
export interface Coverage {
  readonly covered: number;
  readonly width: number;
}

/** Simulates cohorts so many times. */
export function coverageOf(
  variation: Variation,
  { draws, seed, cluster = "cohort" }: {
    readonly draws: number;
    readonly seed: number;
    readonly cluster?: "cohort" | "none";
  },
): Coverage {
  const chance = chanceOf(seed);
  let [held, width] = [0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const { lower, upper } = retentionEstimate(groupOf(variation, chance, cluster), 0, 0.95);
    held += Number(lower <= variation.p && variation.p <= upper);
    width += upper - lower;
  }
  return { covered: held / draws, width: width / draws };
}

const DRAWS = 2000;
const CLUSTERS = [3, 5, 10, 30];

function percent(part: number): string {
  return (100 * part).toFixed(1);
}

if (import.meta.main) {
  console.log("| p | users | CV | dispersion | users alone | 3 | 5 | 10 | 30 | width |");
  console.log("| -: | -: | -: | -: | -: | -: | -: | -: | -: | :- |");
  let seed = 1;
  for (const p of [0.5, 0.2, 0.05]) {
    for (const users of [200, 1000]) {
      for (const sizes of [0.5, 1]) {
        for (const dispersion of [1, 5, 25]) {
          const cells = CLUSTERS.map((clusters) =>
            coverageOf({ p, users, sizes, dispersion, clusters }, { draws: DRAWS, seed: seed++ })
          );
          const alone = coverageOf({ p, users, sizes, dispersion, clusters: 10 }, {
            ...{ draws: DRAWS, seed: seed++, cluster: "none" as const },
          });
          console.log(
            `| ${
              [
                ...[p, users, sizes, dispersion, percent(alone.covered)],
                ...cells.map(({ covered }) => percent(covered)),
                cells.map(({ width }) => width.toFixed(2)).join(", "),
              ].join(" | ")
            } |`,
          );
        }
      }
    }
  }
}
