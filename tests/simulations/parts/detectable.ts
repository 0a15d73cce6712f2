import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import type { ClusterUsers } from "../../../lib/analysis/retention/cohort_counts.ts";
import { logitTest, pairedTest, pairsOf } from "../../../lib/analysis/retention/significance.ts";
import { cohortFrame, withSpans } from "../../analysis/cohort_frame.ts";
import { type Chance, chanceOf, undated } from "../../analysis/simulated_cohorts.ts";
import { about, type Cell } from "../cells.ts";
import { expit, logit, meanShare } from "../worlds.ts";

export const workers = 1;

const [P, USERS] = [0.3, 1000];

/** Two groups of projects whose logits have a part of their own in each group, and a part in common in both. */
interface World {
  readonly name: string;
  readonly own: number;
  readonly common: number;
  readonly options: NonNullable<Parameters<typeof detectable>[1]>;
  readonly pValue: (one: readonly ClusterUsers[], other: readonly ClusterUsers[]) => number;
  /** The difference of retention between two groups whose logits are `apart` around a middle. */
  readonly difference: (middle: number, apart: number) => number;
}

const mean = (center: number) => meanShare(center, Math.hypot(0.5, 0.2));

const WORLDS: readonly World[] = [
  {
    name: "two sectors with 1 000 users a project (tau 0.5)",
    own: 0.5,
    common: 0,
    options: {},
    pValue: (one, other) =>
      logitTest(undated(one), undated(other), { confidence: 0.95, estimate: "weighted" }).p_value,
    difference: (middle, apart) => expit(middle + apart / 2) - expit(middle - apart / 2),
  },
  {
    name: "two spans of the same projects, 1 000 users in each (tau 0.5, tau of changes 0.2)",
    own: 0.2,
    common: 0.5,
    options: { by: "span" },
    pValue: (one, other) =>
      pairedTest(pairsOf(one, other), [undated(one), undated(other)], 0.95).p_value,
    difference: (middle, apart) => mean(middle + apart / 2) - mean(middle - apart / 2),
  },
];

/** Draws the projects of both groups. */
function sidesOf(
  { own, common }: World,
  { count, apart }: { readonly count: number; readonly apart: number },
  chance: Chance,
): [ClusterUsers[], ClusterUsers[]] {
  const levels = Array.from({ length: count }, () => common * chance.normal());
  return [0.5, -0.5].map((side) =>
    levels.map((level, unit) => {
      const p = expit(logit(P) + side * apart + level + own * chance.normal());
      return { ...common > 0 && { unit }, size: USERS, retained: chance.binomial(USERS, p) };
    })
  ) as [ClusterUsers[], ClusterUsers[]];
}

/** The power of the test for two groups of `count` projects whose logits differ by `apart`. */
function powerAt(world: World, apart: number, count: number): number {
  const chance = chanceOf(11);
  let found = 0;
  for (let draw = 0; draw < 500; draw++) {
    found += Number(world.pValue(...sidesOf(world, { count, apart }, chance)) < 0.05);
  }
  return found / 500;
}

/** The smallest value from 0 to 8 that meets a condition. */
function smallest(condition: (value: number) => boolean, steps: number): number {
  let [low, high] = [0, 8];
  for (let step = 0; step < steps; step++) {
    const half = (low + high) / 2;
    if (condition(half)) high = half;
    else low = half;
  }
  return high;
}

/** The row that `detectable` gives for one draw of two groups that are alike. */
function drawn(world: World, count: number, chance: Chance) {
  const sides = sidesOf(world, { count, apart: 0 }, chance);
  const cohorts = ["a", "b"].flatMap((sector, side) =>
    sides[side]!.map(({ size, retained }, at) => ({
      sector,
      project: world.common > 0 ? `${at}` : `${sector}-${at}`,
      cohort: `${2024 + side}-06`,
      size,
      months: [1, retained / size],
    }))
  );
  const curves = retentionCurves(cohortFrame(cohorts), { since: null, unit: "fraction" });
  const timed = withSpans(curves, { a: "2024-01", b: "2025-01" });
  const [row] = detectable(timed, { month: 1, ...world.options }).toRecords();
  const found = row as unknown as {
    retention: number;
    detectable_low: number | null;
    detectable: number | null;
    detectable_high: number | null;
  };
  const power = found.detectable === null ? NaN : powerAt(
    world,
    smallest((apart) => world.difference(logit(found.retention), apart) >= found.detectable!, 50),
    count,
  );
  return { ...found, power };
}

export const cells: readonly Cell[] = WORLDS.flatMap((world) =>
  [3, 5, 8].flatMap((count): Cell[] => {
    const cell = {
      ...about("`detectable`", "units"),
      table: `\`detectable\` of ${world.name}, % of draws`,
      column: `${count} projects${world.common > 0 ? "" : " each"}`,
      draws: 200,
    };
    // All rows of a column have the same draws.
    const rows: ReturnType<typeof drawn>[] = [];
    const own = chanceOf(count);
    let truth: number | undefined;
    const row = (
      text: string,
      holds: (row: ReturnType<typeof drawn>) => boolean | null,
    ): Cell => {
      let at = 0;
      return {
        ...{ ...cell, row: text },
        draw: () => holds(rows[at++] ??= drawn(world, count, own)),
      };
    };
    return [
      row("the real power at `detectable` is below 50%", ({ power }) => power < 0.5),
      row(
        "the real power at `detectable` is 70 to 90%",
        ({ power }) => power >= 0.7 && power <= 0.9,
      ),
      {
        ...row(
          "`detectable_low` to `detectable_high` contain the real smallest difference",
          ({ detectable_low: low, detectable_high: high }) => {
            truth ??= world.difference(
              logit(P),
              smallest((apart) => powerAt(world, apart, count) >= 0.8, 12),
            );
            return low !== null && low <= truth && truth <= (high ?? Infinity);
          },
        ),
        limits: [0.7, 1],
      },
    ];
  })
);
