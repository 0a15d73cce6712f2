import {
  fitsOf,
  placeboBounds,
  rankAmong,
} from "../../../lib/analysis/programs/counterfactual_fit.ts";
import { misfits, trendBefore } from "../../../lib/analysis/programs/misfits.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, among, type Cell } from "../cells.ts";

const [BEFORE, DATES, DONORS] = [24, 36, 19];
const MONTHS = Array.from({ length: DATES }, (_, month) => new Date(Date.UTC(2024, month, 1)));

/** How the first unit, which is treated, differs from the others. */
interface World {
  /** The standard deviation of the monthly steps of a walk of its own. */
  readonly wander?: number;
  /** How much more the first unit is exposed to a shock that is common to all, from the event on. */
  readonly exposure?: number;
  /** The effect of the event. */
  readonly effect?: number;
}

type Method = "did" | "synthetic" | "sdid";

/** The fits of the first of some units, and of its placebos. */
function fitted(units: readonly (readonly number[])[], method: Method, before = BEFORE) {
  const [observed, ...donors] = units;
  const fits = fitsOf({ method, intercept: false, before }, observed!, donors);
  const all = fits.placebos.length + 1;
  const span = [before, observed!.length] as const;
  return {
    p_value: rankAmong(fits.placebos, span) / all,
    // So many placebos must have a ratio that is as large, so that the test does not reject.
    bounds: () => placeboBounds(fits.placebos, all - Math.ceil(0.95 * all - 1e-9), span),
    isPoor: () => {
      const days = MONTHS.slice(0, observed!.length).map((month) => month.getTime() / 86_400_000);
      return misfits(fits, trendBefore(fits.full, days, before)).length > 0;
    },
  };
}

/** Whether the bounds of the effect on the first of some units contain it. */
function isBounded(
  units: readonly (readonly number[])[],
  { method, effect, before }: {
    readonly method: Method;
    readonly effect: number;
    readonly before?: number;
  },
): boolean {
  const bounds = fitted(units, method, before).bounds();
  return bounds !== undefined && bounds.lower <= effect && effect <= bounds.upper;
}

/** Units that share a common walk in different parts, and have errors of autocorrelation .5. */
function unitsOf(world: World, chance: Chance): number[][] {
  const { wander = 0, exposure = 0, effect = 0 } = world;
  let level = 0;
  const walk = MONTHS.map(() => level += chance.normal());
  const shock = 5 * chance.normal();
  return Array.from({ length: DONORS + 1 }, (_, unit) => {
    const [start, part] = [100 + 5 * chance.normal(), 1 + 0.3 * chance.normal()];
    let [error, own] = [chance.normal(), 0];
    return walk.map((common, month) => {
      error = 0.5 * error + chance.normal();
      const after = month >= BEFORE;
      if (unit > 0) return start + part * common + error + (after ? shock : 0);
      own += wander * chance.normal();
      return start + part * common + error + own + (after ? (1 + exposure) * shock + effect : 0);
    });
  });
}

const WORLDS:
  readonly (readonly [row: string, world: World, limits?: readonly [number, number]])[] = [
    ["all units alike", {}, [0.03, 0.07]],
    ["the treated unit wanders, the others are steady", { wander: 1 }],
    ["the treated unit is twice as exposed to a common shock", { exposure: 1 }],
  ];

const METHODS = ["did", "synthetic", "sdid"] as const;

const sizes = WORLDS.flatMap(([row, world, limits]) =>
  METHODS.map((method): Cell => ({
    ...about("p and bounds of `counterfactual`", "units", "volatility"),
    ...{ table: "`counterfactual` of 19 donors without an effect: % of p values of at most 0.05" },
    ...{ row, column: `\`${method}\``, draws: 300, ...limits && { limits } },
    draw: (chance) => fitted(unitsOf(world, chance), method).p_value <= 0.05 + 1e-12,
  }))
);

const bounds = METHODS.map((method): Cell => ({
  ...about("p and bounds of `counterfactual`", "units"),
  table: "`counterfactual` of 19 donors with a constant effect",
  row: "% of `effect_lower` to `effect_upper` that contain the effect",
  ...{ column: `\`${method}\``, draws: 300, limits: [0.92, 1] },
  draw: (chance) => isBounded(unitsOf({ effect: 5 }, chance), { method, effect: 5 }),
}));

/** Units of one kind: of a common factor and errors that last, walks, or levels that differ as those of chains. */
function alike(count: number, kind: "factor" | "walk" | "levels", { normal }: Chance) {
  const walk = (step: number) => {
    let level = 0;
    return Float64Array.from({ length: DATES }, () => level += step * normal());
  };
  const common = walk(kind === "levels" ? 0.03 : kind === "factor" ? 1 : 0);
  return Array.from({ length: count }, () => {
    const [load, level] = [1 + 0.3 * normal(), (kind === "levels" ? 1.8 : 1) * normal()];
    const own = walk(kind === "levels" ? 0.04 : 1);
    let error = normal();
    return Array.from(common, (each, at) =>
      level + load * each +
      (kind === "factor" ? error = 0.7 * error + normal() : own[at]!));
  });
}

/** The p value of the first of units that are alike, with an effect on it. */
function pOf(units: readonly (readonly number[])[], intercept: boolean): number {
  const method = { method: "synthetic", intercept, before: BEFORE } as const;
  const [observed, ...donors] = units;
  return rankAmong(fitsOf(method, observed!, donors).placebos, [method.before, observed!.length]) /
    units.length;
}

const pairs = ([9, 20] as const).flatMap((count) =>
  (["factor", "walk", "levels"] as const).flatMap((kind) =>
    [false, true].map((intercept): Cell => {
      const level = count === 9 ? 1 / 9 : 0.05;
      return {
        ...about("p and bounds of `counterfactual`", "units"),
        table:
          "`counterfactual` of units that are alike, without an effect: % of p values of at most 1/9 (9 units) and .05 (20 units)",
        row: `${kind}${intercept ? ", `intercept`" : ""}`,
        ...{ column: `${count} units`, draws: count === 9 ? 500 : 300 },
        limits: [level - 0.03, level + 0.02],
        draw: (chance) => pOf(alike(count, kind, chance), intercept) <= level + 1e-12,
      };
    })
  )
);

const power = ([9, 20] as const).map((count): Cell => ({
  ...among("units"),
  table:
    "`counterfactual` of units that are alike (factor), with an effect of 3: % of p values of at most 1/9 (9 units) and .05 (20 units)",
  ...{ row: "`synthetic`", column: `${count} units`, draws: 300 },
  draw: (chance) => {
    const [first, ...others] = alike(count, "factor", chance);
    const moved = first!.map((value, at) => at >= BEFORE ? value + 3 : value);
    return pOf([moved, ...others], false) <= (count === 9 ? 1 / 9 : 0.05) + 1e-12;
  },
}));

/** Whether the fit of a unit between its donors is poor, where its trend is theirs but for a slope of its own. */
function isPoor(
  method: Method,
  { noise, slope, rho }: { readonly noise: number; readonly slope: number; readonly rho: number },
  { normal }: Chance,
): boolean {
  let level = 0;
  const walk = MONTHS.map(() => level += 0.1 * normal());
  const units = Array.from({ length: DONORS + 1 }, (_, unit) => {
    const start = unit === 0 ? 0 : 0.5 * normal();
    let error = normal();
    return walk.map((common, month) => {
      error = rho * error + Math.sqrt(1 - rho * rho) * normal();
      return start + common + noise * error + (unit === 0 ? slope * month : 0);
    });
  });
  return fitted(units, method).isPoor();
}

const poor = [
  { noise: 0.1, rho: 0.5 },
  { noise: 0.2, rho: 0.5 },
  { noise: 0.1, rho: 0.9 },
  { noise: 0.2, rho: 0.9 },
].flatMap(({ noise, rho }) =>
  [0, 0.02].flatMap((slope) =>
    METHODS.map((method): Cell => ({
      ...about("`fit` of `counterfactual`", "units"),
      table: "`counterfactual` with 24 periods before: % of fits that are `poor`",
      row: `${slope === 0 ? "parallel" : `slope ${slope} a period`}, noise ${noise}, AR ${rho}`,
      ...{ column: `\`${method}\``, draws: 300 },
      ...noise === 0.1 && rho === 0.5 &&
        { limits: (slope === 0 ? [0, 0.1] : [0.8, 1]) as [number, number] },
      draw: (chance) => isPoor(method, { noise, slope, rho }, chance),
    }))
  )
);

/** Independent values around 100. The first unit is steadier than its donors. */
function livelier(
  donors: number,
  dates: number,
  [own, others]: readonly [number, number],
  { normal }: Chance,
) {
  return Array.from(
    { length: donors + 1 },
    (_, unit) => Array.from({ length: dates }, () => 100 + (unit === 0 ? own : others) * normal()),
  );
}

/** Units of a common factor, with errors of standard deviations of their own. */
function factored(sds: readonly number[], { normal }: Chance): number[][] {
  const walk: number[] = [];
  for (let at = 0; at < DATES; at++) walk.push((walk.at(-1) ?? 0) + normal());
  return sds.map((sd, unit) => {
    const [load, start] = [unit === 0 ? 1 : 1 + 0.3 * normal(), 2 * normal()];
    let error = normal();
    return walk.map((level) => start + load * level + sd * (error = 0.5 * error + normal()));
  });
}

/** The treated unit, and donors of which each has a second one beside it that is nearly the same. */
function twins(chance: Chance): number[][] {
  const [own, ...others] = factored(Array<number>(11).fill(1), chance);
  const near = others.map((values) => values.map((value) => value + 0.1 * chance.normal()));
  return [own!, ...others, ...near];
}

/** Worlds whose units are not alike: draws the units, of which the first is the treated one. */
const UNLIKE: readonly {
  readonly row: string;
  readonly column: string;
  readonly before?: number;
  readonly units: (chance: Chance) => readonly (readonly number[])[];
}[] = [
  ...([[40, 8, 6], [40, 24, 6], [23, 12, 6], [19, 24, 12]] as const)
    .map(([donors, before, after]) => ({
      row: `${donors} donors of sd 12, ${before} periods before`,
      column: "treated unit of sd 4",
      before,
      units: (chance: Chance) => livelier(donors, before + after, [4, 12], chance),
    })),
  {
    row: "a common factor, 19 donors",
    column: "errors a third of theirs",
    units: (chance) => factored([1, ...Array<number>(DONORS).fill(3)], chance),
  },
  {
    row: "a common factor, 19 donors",
    column: "errors of log-normal sds (sd 1)",
    units: (chance) =>
      factored([1, ...Array.from({ length: DONORS }, () => Math.exp(chance.normal()))], chance),
  },
  {
    row: "a common factor, 10 donors and 10 that are nearly equal to them",
    column: "errors alike",
    units: twins,
  },
];

const WITHOUT =
  "`counterfactual` by `synthetic` without an effect, donors unlike the treated unit or many: % of p values of at most .05";

const BOUNDED =
  "`counterfactual` by `synthetic` with a constant effect, donors unlike the treated unit or many: % of bounds that contain the effect";

const POOR =
  "`counterfactual` by `synthetic`, donors unlike the treated unit or many: % of fits that are `poor`";

const unlike = UNLIKE.flatMap(
  ({ row, column, before = BEFORE, units }): Cell[] => {
    const cell = { row, column, draws: 300 };
    const varies = ["units", "donors", "volatility"] as const;
    return [
      {
        ...about("p and bounds of `counterfactual`", ...varies),
        ...{ ...cell, table: WITHOUT, limits: [0, 0.07] },
        draw: (chance) => fitted(units(chance), "synthetic", before).p_value <= 0.05 + 1e-12,
      },
      {
        ...about("p and bounds of `counterfactual`", ...varies),
        ...{ ...cell, table: BOUNDED, limits: [0.92, 1] },
        draw: (chance) => {
          const [first, ...donors] = units(chance);
          const moved = first!.map((value, at) => at >= before ? value + 8 : value);
          return isBounded([moved, ...donors], { method: "synthetic", effect: 8, before });
        },
      },
      {
        ...about("`fit` of `counterfactual`", ...varies),
        ...{ ...cell, table: POOR, draws: 300 },
        draw: (chance) => fitted(units(chance), "synthetic", before).isPoor(),
      },
    ];
  },
);

/** Whether the fit of the first of alike units is poor: the donors differ in size. */
const poorAlike = (["factor", "walk", "levels"] as const).map((kind): Cell => ({
  ...about("`fit` of `counterfactual`", "units", "sizes"),
  table: "`counterfactual` of 20 units that are alike: % of fits that are `poor`",
  row: kind,
  ...{ column: "`synthetic`", draws: 300 },
  draw: (chance) => fitted(alike(20, kind, chance), "synthetic").isPoor(),
}));

export const cells: readonly Cell[] = [
  ...[...sizes, ...bounds, ...pairs, ...power, ...poor],
  ...[...unlike, ...poorAlike],
];
