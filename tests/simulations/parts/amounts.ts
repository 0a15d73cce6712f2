import type { MonthUsers, UserCell } from "../../../lib/analysis/retention/cohort_counts.ts";
import { ACTIVE_MONTHS, AMOUNTS } from "../../../lib/analysis/intervals.ts";
import { retentionEstimate } from "../../../lib/analysis/retention/retention_estimate.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, type Cell } from "../cells.ts";
import { expit, holds, logit } from "../worlds.ts";

/** Amounts of units whose logarithms of sizes and ratios are normal. */
interface World {
  readonly sizes: number;
  readonly ratios: number;
  /** The correlation of sizes and ratios. */
  readonly r?: number;
  /** The standard deviation of shocks of months, of autocorrelation .7. */
  readonly months?: number;
}

/** The users of one month. Each unit has three blocks of eight dates, of equal amounts. */
function amountsOf(
  count: number,
  { sizes, ratios, r = 0, months = 0 }: World,
  chance: Chance,
): MonthUsers {
  let shock = chance.normal();
  const shocks = Array.from({ length: 24 }, () => {
    shock = 0.7 * shock + Math.sqrt(1 - 0.49) * chance.normal();
    return months * shock;
  });
  const cells = Array.from({ length: count }, (_, unit): UserCell[] => {
    const z = chance.normal();
    const size = Math.exp(sizes * z) / 24;
    const ratio = Math.exp(ratios * (r * z + Math.sqrt(1 - r * r) * chance.normal()));
    return [0, 1, 2].map((block) => ({
      unit,
      block,
      size: 8 * size,
      retained: shocks.slice(8 * block, 8 * block + 8)
        .reduce((sum, each) => sum + size * ratio * Math.exp(each), 0),
    }));
  }).flat();
  return { month: 1, cluster: "unit", cells, dates: months > 0 ? "all" : null, scale: AMOUNTS };
}

/** The ratio of the expected sums. */
const truthOf = ({ sizes, ratios, r = 0, months = 0 }: World) =>
  Math.exp(ratios ** 2 / 2 + r * sizes * ratios + months ** 2 / 2);

const WORLDS:
  readonly (readonly [row: string, world: World, limits?: readonly [number, number]])[] = [
    ["sd of log sizes 1, of log ratios .3", { sizes: 1, ratios: 0.3 }, [0.92, 1]],
    ["2, .3", { sizes: 2, ratios: 0.3 }, [0.92, 1]],
    ["2, .8", { sizes: 2, ratios: 0.8 }, [0.89, 1]],
    ["1, .3, larger units keep more (r .5)", { sizes: 1, ratios: 0.3, r: 0.5 }],
    ["2, .8, larger units keep more (r .5)", { sizes: 2, ratios: 0.8, r: 0.5 }],
    ["1, .3, months of sd .3", { sizes: 1, ratios: 0.3, months: 0.3 }, [0.86, 1]],
  ];

const bounds = WORLDS.flatMap(([row, world, limits]) =>
  [8, 20, 40].map((count): Cell => ({
    ...about(
      "bounds of amounts",
      "units",
      "sizes",
      ...world.months === undefined ? [] : ["months" as const],
    ),
    table: "Ratios of amounts: % of bounds that contain the ratio of the expected sums",
    row,
    column: `${count} units`,
    ...limits && { limits },
    draw: (chance) =>
      holds(
        retentionEstimate(amountsOf(count, world, chance), { confidence: 0.95 }),
        truthOf(world),
      ),
  }))
);

const HORIZON = 6;

/** The active months of users of units, up to a month: users differ, so that their months are no trials. */
function activeOf(count: number, chance: Chance): MonthUsers {
  const cells = Array.from({ length: count }, (_, unit): UserCell => {
    const level = logit(0.3) + 0.4 * chance.normal();
    let retained = 0;
    for (let user = 0; user < 60; user++) {
      retained += chance.binomial(HORIZON, expit(level + 1.5 * chance.normal()));
    }
    return { unit, block: 0, size: 60 * HORIZON, retained };
  });
  return { month: HORIZON, cluster: "unit", cells, dates: null, scale: ACTIVE_MONTHS };
}

/** The mean of expit over a normal distribution of logits. */
function meanOf(center: number, deviation: number): number {
  let [sum, total] = [0, 0];
  for (let z = -6; z <= 6; z += 0.02) {
    const density = Math.exp(-z * z / 2);
    sum += density * expit(center + deviation * z);
    total += density;
  }
  return sum / total;
}

const cumulative = [8, 20, 40].map((count): Cell => ({
  ...about("bounds of `cumulative`", "units"),
  table: "`cumulative` of users who differ, 6 months: % of bounds that contain the mean",
  row: "60 users a unit",
  column: `${count} units`,
  draws: 500,
  limits: [0.92, 0.98],
  draw: (chance) =>
    holds(
      retentionEstimate(activeOf(count, chance), { confidence: 0.95 }),
      meanOf(logit(0.3), Math.hypot(0.4, 1.5)),
    ),
}));

export const cells: readonly Cell[] = [...bounds, ...cumulative];
