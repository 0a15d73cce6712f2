import { counterfactual } from "../../../lib/analysis/programs/counterfactual.ts";
import { fitsOf, rankAmong } from "../../../lib/analysis/programs/counterfactual_fit.ts";
import { dateColumn, float64, utf8 } from "../../../lib/table/columns/cell_values.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, type Cell } from "../cells.ts";

const [BEFORE, DATES, DONORS] = [24, 36, 19];
const MONTHS = Array.from({ length: DATES }, (_, month) => new Date(Date.UTC(2024, month, 1)));
const UNITS = Array.from({ length: DONORS + 1 }, (_, unit) => `unit-${unit}`);

/** How the first unit, which is treated, differs from the others. */
interface World {
  /** The standard deviation of the monthly steps of a walk of its own. */
  readonly wander?: number;
  /** How much more the first unit is exposed to a shock that is common to all, from the event on. */
  readonly exposure?: number;
  /** The effect of the event. */
  readonly effect?: number;
}

/** The first row of the result for values of all units, one unit after the other. */
function fittedFrame(values: number[], method: "did" | "synthetic" | "sdid") {
  const frame = pl.DataFrame([
    utf8("unit_id", UNITS.flatMap((unit) => MONTHS.map(() => unit))),
    dateColumn("date", UNITS.flatMap(() => MONTHS)),
    float64("value", values),
  ]);
  const warn = console.error;
  console.error = () => {};
  const result = counterfactual(frame, {
    ...{ field: "value", starts: { "unit-0": MONTHS[BEFORE]! }, method },
  });
  console.error = warn;
  const [row] = result.head(1).toRecords() as unknown as {
    p_value: number;
    fit: string;
    effect_lower: number | null;
    effect_upper: number | null;
    reason: string | null;
  }[];
  return row!;
}

/** Units that share a common walk in different parts, and have errors of autocorrelation .5. */
function resultOf(method: "did" | "synthetic" | "sdid", world: World, chance: Chance) {
  const { wander = 0, exposure = 0, effect = 0 } = world;
  let level = 0;
  const walk = MONTHS.map(() => level += chance.normal());
  const shock = 5 * chance.normal();
  const values = UNITS.flatMap((_, unit) => {
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
  return fittedFrame(values, method);
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
    ...{ row, column: `\`${method}\``, draws: 500, ...limits && { limits } },
    draw: (chance) => resultOf(method, world, chance).p_value <= 0.05 + 1e-12,
  }))
);

const NONE_FITS = "no bounds: no constant effect fits";

const bounds = METHODS.map((method): Cell => ({
  ...about("p and bounds of `counterfactual`", "units"),
  table: "`counterfactual` of 19 donors with a constant effect",
  row: "% of `effect_lower` to `effect_upper` that contain the effect",
  ...{ column: `\`${method}\``, draws: 500, limits: [0.92, 1] },
  draw: (chance) => {
    const { effect_lower: lower, effect_upper: upper, reason } = resultOf(
      method,
      { effect: 5 },
      chance,
    );
    return reason !== NONE_FITS && lower! <= 5 && 5 <= upper!;
  },
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
        ...{ column: `${count} units`, draws: count === 9 ? 1000 : 500 },
        limits: [level - 0.03, level + 0.02],
        draw: (chance) => pOf(alike(count, kind, chance), intercept) <= level + 1e-12,
      };
    })
  )
);

const power = ([9, 20] as const).map((count): Cell => ({
  table:
    "`counterfactual` of units that are alike (factor), with an effect of 3: % of p values of at most 1/9 (9 units) and .05 (20 units)",
  ...{ row: "`synthetic`", column: `${count} units`, draws: 500 },
  draw: (chance) => {
    const [first, ...others] = alike(count, "factor", chance);
    const moved = first!.map((value, at) => at >= BEFORE ? value + 3 : value);
    return pOf([moved, ...others], false) <= (count === 9 ? 1 / 9 : 0.05) + 1e-12;
  },
}));

/** Whether the fit of a unit between its donors is poor, where its trend is theirs but for a slope of its own. */
function isPoor(
  method: typeof METHODS[number],
  { noise, slope, rho }: { readonly noise: number; readonly slope: number; readonly rho: number },
  { normal }: Chance,
): boolean {
  let level = 0;
  const walk = MONTHS.map(() => level += 0.1 * normal());
  const values = UNITS.flatMap((_, unit) => {
    const start = unit === 0 ? 0 : 0.5 * normal();
    let error = normal();
    return walk.map((common, month) => {
      error = rho * error + Math.sqrt(1 - rho * rho) * normal();
      return start + common + noise * error + (unit === 0 ? slope * month : 0);
    });
  });
  return fittedFrame(values, method).fit === "poor";
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
      ...{ column: `\`${method}\``, draws: 500 },
      ...noise === 0.1 && rho === 0.5 &&
        { limits: (slope === 0 ? [0, 0.1] : [0.8, 1]) as [number, number] },
      draw: (chance) => isPoor(method, { noise, slope, rho }, chance),
    }))
  )
);

/** The method of a world with a number of dates before the event. */
const fitted = (before: number) => ({ method: "synthetic", intercept: false, before }) as const;

/** Whether the test rejects, for the first of some units. */
function isRejected(units: readonly (readonly number[])[], before: number): boolean {
  const [observed, ...donors] = units;
  const { placebos } = fitsOf(fitted(before), observed!, donors);
  const p = rankAmong(placebos, [before, observed!.length]) / (placebos.length + 1);
  return p <= 0.05 + 1e-12;
}

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

/** Units of a common factor. The errors of the first one are a third of those of the others. */
function steady({ normal }: Chance) {
  const walk: number[] = [];
  for (let at = 0; at < DATES; at++) walk.push((walk.at(-1) ?? 0) + normal());
  return Array.from({ length: DONORS + 1 }, (_, unit) => {
    const [load, start, sd] = [
      unit === 0 ? 1 : 1 + 0.3 * normal(),
      2 * normal(),
      unit === 0 ? 1 : 3,
    ];
    let error = normal();
    return walk.map((level) => start + load * level + sd * (error = 0.5 * error + normal()));
  });
}

const WITHOUT =
  "`counterfactual` by `synthetic` without an effect, donors livelier than the treated unit or many: % of p values of at most .05";

const donorsMany = ([[40, 8, 6], [40, 24, 6], [23, 12, 6], [19, 24, 12]] as const)
  .map(([donors, before, after]): Cell => ({
    ...about("p and bounds of `counterfactual`", "donors", "volatility"),
    table: WITHOUT,
    row: `${donors} donors of sd 12, ${before} periods before`,
    ...{ column: "treated unit of sd 4", draws: 300, limits: [0, 0.07] },
    draw: (chance) => isRejected(livelier(donors, before + after, [4, 12], chance), before),
  }));

const steadyUnit: Cell = {
  ...about("p and bounds of `counterfactual`", "volatility"),
  table: WITHOUT,
  row: "a common factor, errors a third of those of 19 donors",
  ...{ column: "treated unit of sd 4", draws: 300, limits: [0, 0.07] },
  draw: (chance) => isRejected(steady(chance), BEFORE),
};

/** Whether the fit of the first of alike units is poor: the donors differ in size. */
const poorAlike = (["factor", "walk", "levels"] as const).map((kind): Cell => ({
  ...about("`fit` of `counterfactual`", "donors"),
  table: "`counterfactual` of 20 units that are alike: % of fits that are `poor`",
  row: kind,
  ...{ column: "`synthetic`", draws: 300 },
  draw: (chance) => fittedFrame(alike(20, kind, chance).flat(), "synthetic").fit === "poor",
}));

export const cells: readonly Cell[] = [
  ...[...sizes, ...bounds, ...pairs, ...power, ...poor],
  ...[...donorsMany, steadyUnit, ...poorAlike],
];
