import type { MonthUsers, UserCell } from "../../../lib/analysis/retention/cohort_counts.ts";
import { ACTIVE_MONTHS, AMOUNTS } from "../../../lib/analysis/intervals.ts";
import { retentionEstimate } from "../../../lib/analysis/retention/retention_estimate.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, type Cell } from "../cells.ts";
import { expit, holds, logit, meanShare } from "../worlds.ts";

/** Amounts of units whose logarithms of sizes and ratios are normal. */
interface World {
  readonly sizes: number;
  readonly ratios: number;
  /** The correlation of sizes and ratios. */
  readonly r?: number;
  /** The standard deviation of the logarithms of shocks of months, of autocorrelation .7. */
  readonly months?: number;
  /** Whether bounds come from units alone. */
  readonly unitsAlone?: boolean;
}

/** Shocks of successive months. */
function shocksOf(
  count: number,
  { sd, autocorrelation }: { readonly sd: number; readonly autocorrelation: number },
  chance: Chance,
): number[] {
  let shock = chance.normal();
  return Array.from({ length: count }, () => {
    shock = autocorrelation * shock + Math.sqrt(1 - autocorrelation ** 2) * chance.normal();
    return sd * shock;
  });
}

/** The amounts of one month. Each unit has three blocks of eight dates, of equal amounts. */
function amountsOf(
  count: number,
  { sizes, ratios, r = 0, months, unitsAlone = months === undefined }: World,
  chance: Chance,
): MonthUsers {
  const shocks = shocksOf(24, { sd: months ?? 0, autocorrelation: 0.7 }, chance);
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
  return { month: 1, cluster: "unit", cells, dates: unitsAlone ? null : "all", scale: AMOUNTS };
}

/** The ratio of the expected sums. */
const truthOf = ({ sizes, ratios, r = 0, months = 0 }: World) =>
  Math.exp(ratios ** 2 / 2 + r * sizes * ratios + months ** 2 / 2);

/** A row of the table. Rows without a least rate are known to be too narrow. */
type Row = readonly [row: string, world: World, least?: number];

const ROWS: readonly Row[] = [
  ["sd of log sizes 1, of log ratios .3", { sizes: 1, ratios: 0.3 }, 0.92],
  ["2, .3", { sizes: 2, ratios: 0.3 }, 0.92],
  ["2, .8", { sizes: 2, ratios: 0.8 }, 0.92],
  ["1, .3, larger units keep more (r .5)", { sizes: 1, ratios: 0.3, r: 0.5 }],
  ["2, .8, larger units keep more (r .5)", { sizes: 2, ratios: 0.8, r: 0.5 }],
  ["1, .3, no shocks of months", { sizes: 1, ratios: 0.3, months: 0 }, 0.92],
  ["1, .3, months of sd .15", { sizes: 1, ratios: 0.3, months: 0.15 }, 0.88],
  ["1, .3, months of sd .15, by units alone", {
    sizes: 1,
    ratios: 0.3,
    months: 0.15,
    unitsAlone: true,
  }],
  ["1, .3, months of sd .3", { sizes: 1, ratios: 0.3, months: 0.3 }, 0.86],
  ["1, .3, months of sd .3, by units alone", {
    sizes: 1,
    ratios: 0.3,
    months: 0.3,
    unitsAlone: true,
  }],
];

const bounds = ROWS.flatMap(([row, world, least]) =>
  [8, 20, 40].map((count): Cell => ({
    ...about("bounds of amounts", "units", "sizes", ...world.months ? ["months" as const] : []),
    table: "Ratios of amounts: % of bounds that contain the ratio of the expected sums",
    row,
    column: `${count} units`,
    draws: 2000,
    ...least && { limits: [least, 1] },
    draw: (chance) =>
      holds(
        retentionEstimate(amountsOf(count, world, chance), { confidence: 0.95 }),
        truthOf(world),
      ),
  }))
);

const HORIZON = 6;
const DATES = 24;

/** Users of units who differ, and pause and return. */
interface Active {
  /** The standard deviation of the logits of calendar months. */
  readonly months: number;
  readonly autocorrelation?: number;
  /** Whether the months of users are taken for independent trials. */
  readonly areTrials?: boolean;
}

/** The active months of three users a unit at each of 24 successive dates. Shocks move all units. */
function activeOf(
  count: number,
  { months, autocorrelation = 0, areTrials = false }: Active,
  chance: Chance,
): MonthUsers {
  const shocks = shocksOf(DATES + HORIZON, { sd: months, autocorrelation }, chance);
  const cells = Array.from({ length: count }, (_, unit): UserCell[] => {
    const level = logit(0.3) + 0.4 * chance.normal();
    const retained = [0, 0, 0];
    for (let user = 0; user < 3 * DATES; user++) {
      const own = level + 1.5 * chance.normal();
      const date = user % DATES;
      for (let month = 1; month <= HORIZON; month++) {
        const isActive = chance.uniform() < expit(own + shocks[date + month]!);
        if (isActive) retained[Math.floor(3 * date / DATES)]! += 1;
      }
    }
    return retained.map((each, block) => ({
      unit,
      block,
      size: DATES * HORIZON,
      retained: each,
    }));
  }).flat();
  return areTrials
    ? { month: HORIZON, cluster: "none", cells, dates: null }
    : { month: HORIZON, cluster: "unit", cells, dates: "all", scale: ACTIVE_MONTHS };
}

const ACTIVE: readonly (readonly [row: string, world: Active, limits?: [number, number]])[] = [
  ["no shocks of months", { months: 0 }, [0.92, 0.98]],
  ["months of sd .3, independent", { months: 0.3 }, [0.91, 0.98]],
  ["months of sd .3, autocorrelation .7", { months: 0.3, autocorrelation: 0.7 }],
  ["as before, months of users as trials", { months: 0.3, autocorrelation: 0.7, areTrials: true }],
];

const cumulative = ACTIVE.flatMap(([row, world, limits]) =>
  [8, 20, 40].map((count): Cell => ({
    ...about("bounds of `cumulative`", "units", ...world.months > 0 ? ["months" as const] : []),
    table: "`cumulative` of users who differ, 6 months: % of bounds that contain the mean",
    row,
    column: `${count} units`,
    ...limits && { limits },
    draw: (chance) =>
      holds(
        retentionEstimate(activeOf(count, world, chance), { confidence: 0.95 }),
        meanShare(logit(0.3), Math.hypot(0.4, 1.5, world.months)),
      ),
  }))
);

export const cells: readonly Cell[] = [...bounds, ...cumulative];
