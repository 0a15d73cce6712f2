import { detectable } from "../../lib/analysis/retention/detectable.ts";
import { logitTest } from "../../lib/analysis/retention/significance.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame } from "./cohort_frame.ts";
import { chanceOf, undated } from "./simulated_cohorts.ts";

const SIZES = {
  lending: [900, 1100, 1000, 1300, 800],
  exchanges: [2000, 1500, 1800, 2500, 1200, 1600],
};

function curvesOf(retention: () => number): DataFrame {
  const cohorts = Object.entries(SIZES).flatMap(([sector, sizes]) =>
    sizes.map((size, at): Cohort => ({
      ...{ sector, project: `${sector}-${at}`, size },
      months: [1, retention()],
    }))
  );
  return retentionCurves(cohortFrame(cohorts), { since: null });
}

/** A frame of two sectors of five and six projects, whose retentions of month 1 differ. */
export function twoSectors(seed = 3): DataFrame {
  const chance = chanceOf(seed);
  return curvesOf(() => 1 / (1 + Math.exp(1 - 0.4 * chance.normal())));
}

function logit(p: number): number {
  return Math.log(p / (1 - p));
}

/**
 * How often compareRetention finds the smallest difference that `detectable` states, in worlds of the stated
 * spread, drawn by the exact binomial distribution.
 */
export function foundOf(draws: number, power = 0.8): number {
  const [row] = detectable(twoSectors(), { month: 1, power }).toRecords() as {
    retention: number;
    tau2: number;
    detectable: number;
  }[];
  const { retention, tau2, detectable: difference } = row!;
  // The difference of logits around the middle that makes this difference of retentions.
  let [low, high] = [0, 20];
  const middle = logit(retention);
  const expit = (x: number) => 1 / (1 + Math.exp(-x));
  for (let step = 0; step < 60; step++) {
    const half = (low + high) / 2;
    if (expit(middle + half / 2) - expit(middle - half / 2) < difference) low = half;
    else high = half;
  }
  const chance = chanceOf(77);
  let found = 0;
  for (let draw = 0; draw < draws; draw++) {
    const [one, other] = Object.values(SIZES).map((sizes, side) =>
      sizes.map((size) => {
        const center = middle + (side === 0 ? 0.5 : -0.5) * high;
        const p = expit(center + Math.sqrt(tau2) * chance.normal());
        return { size, retained: chance.binomial(size, p) };
      })
    );
    found += Number(
      logitTest(undated(one!), undated(other!), { confidence: 0.95, estimate: "weighted" })
        .p_value < 0.05,
    );
  }
  return found / draws;
}
