import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { clustersTest } from "../../../lib/analysis/retention/detectable.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { cohortFrame } from "../../analysis/cohort_frame.ts";
import { type Chance, chanceOf } from "../../analysis/simulated_cohorts.ts";
import type { Cell } from "../cells.ts";
import { expit, logit, projects } from "../worlds.ts";

const [P, TAU, USERS] = [0.3, 0.5, 1000];
const SIZES = Array<number>(10).fill(USERS);

/** The power of the test for two sectors of `count` projects whose logits differ by `apart`. */
function powerAt(apart: number, count: number): number {
  const chance = chanceOf(11);
  let found = 0;
  for (let draw = 0; draw < 500; draw++) {
    const sides = [0.5, -0.5].map((side) =>
      projects(count, { p: expit(logit(P) + side * apart), tau: TAU, sizes: SIZES }, chance)
    );
    found += Number(clustersTest(sides[0]!, sides[1]!) < 0.05);
  }
  return found / 500;
}

/** The difference of logits around the middle that makes a difference of retentions. */
function apartOf(difference: number, middle: number): number {
  let [low, high] = [0, 20];
  for (let step = 0; step < 50; step++) {
    const half = (low + high) / 2;
    if (expit(middle + half / 2) - expit(middle - half / 2) < difference) low = half;
    else high = half;
  }
  return high;
}

/** The rows that `detectable` gives for one draw of two sectors that are alike. */
function drawn(count: number, chance: Chance) {
  const cohorts = ["a", "b"].flatMap((sector) =>
    projects(count, { p: P, tau: TAU, sizes: SIZES }, chance).map(({ size, retained }, at) => (
      { sector, project: `${sector}-${at}`, size, months: [1, retained / size] }
    ))
  );
  const curves = retentionCurves(cohortFrame(cohorts), { since: null, unit: "fraction" });
  return detectable(curves, { month: 1 }).toRecords()[0] as unknown as {
    retention: number;
    detectable_low: number | null;
    detectable: number | null;
    detectable_high: number | null;
  };
}

/** The smallest difference of retentions around .3 that the test really finds in 80%. */
function truthOf(count: number): number {
  let [low, high] = [0, 8];
  for (let step = 0; step < 12; step++) {
    const half = (low + high) / 2;
    if (powerAt(half, count) >= 0.8) high = half;
    else low = half;
  }
  return expit(logit(P) + high / 2) - expit(logit(P) - high / 2);
}

const truths = new Map<number, number>();
const known = (count: number) => truths.get(count) ?? truths.set(count, truthOf(count)).get(count)!;

export const cells: readonly Cell[] = [3, 5, 8].flatMap((count): Cell[] => {
  const cell = {
    table: "`detectable` of two sectors with 1 000 users a project (tau 0.5), % of draws",
    column: `${count} projects each`,
    draws: 200,
  };
  const real = (row: string, holds: (power: number) => boolean): Cell => ({
    ...{ ...cell, row },
    draw: (chance) => {
      const { retention, detectable } = drawn(count, chance);
      return detectable === null
        ? null
        : holds(powerAt(apartOf(detectable, logit(retention)), count));
    },
  });
  return [
    real("the real power at `detectable` is below 50%", (power) => power < 0.5),
    real("the real power at `detectable` is 70 to 90%", (power) => power >= 0.7 && power <= 0.9),
    {
      ...cell,
      row: "`detectable_low` to `detectable_high` contain the real smallest difference",
      limits: [0.7, 1],
      draw: (chance) => {
        const { detectable_low: low, detectable_high: high } = drawn(count, chance);
        return low !== null && low <= known(count) && known(count) <= (high ?? Infinity);
      },
    },
  ];
});
