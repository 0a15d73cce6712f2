import { counterfactual } from "../../../lib/analysis/programs/counterfactual.ts";
import { dateColumn, float64, utf8 } from "../../../lib/table/build/columns.ts";
import { pl } from "../../../lib/table/build/polars.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import type { Cell } from "../cells.ts";

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

const WORLDS:
  readonly (readonly [row: string, world: World, limits?: readonly [number, number]])[] = [
    ["all units alike", {}, [0.03, 0.07]],
    ["the treated unit wanders, the others are steady", { wander: 1 }],
    ["the treated unit is twice as exposed to a common shock", { exposure: 1 }],
  ];

const METHODS = ["did", "synthetic", "sdid"] as const;

const sizes = WORLDS.flatMap(([row, world, limits]) =>
  METHODS.map((method): Cell => ({
    ...{ table: "`counterfactual` of 19 donors without an effect: % of p values of at most 0.05" },
    ...{ row, column: `\`${method}\``, draws: 400, ...limits && { limits } },
    draw: (chance) => resultOf(method, world, chance).p_value <= 0.05 + 1e-12,
  }))
);

const NONE_FITS = "no bounds: no constant effect fits";

const bounds = METHODS.flatMap((method): Cell[] => {
  const table = "`counterfactual` of 19 donors with a constant effect";
  const column = `\`${method}\``;
  const of = (chance: Chance) => resultOf(method, { effect: 5 }, chance);
  return [{
    ...{ table, column, draws: 400, limits: [0.92, 1] },
    row: "% of `effect_lower` to `effect_upper` that contain the effect",
    draw: (chance) => {
      // A bound that is null rejects no effect on its side.
      const { effect_lower: lower, effect_upper: upper, reason } = of(chance);
      return reason !== NONE_FITS && (lower ?? 5) <= 5 && 5 <= (upper ?? 5);
    },
  }, {
    ...{ table: `${table}: % without a bound`, column, draws: 400 },
    row: "`effect_lower` or `effect_upper` is null",
    draw: (chance) => {
      const { effect_lower, effect_upper } = of(chance);
      return effect_lower === null || effect_upper === null;
    },
  }];
});

export const cells: readonly Cell[] = [...sizes, ...bounds];
