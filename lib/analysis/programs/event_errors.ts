import { counted } from "../../platform/terminal.ts";
import { effectiveDegrees } from "../intervals.ts";
import { dot, sumOf } from "../sums.ts";
import { estimatorOf } from "./event_estimates.ts";
import type { EventLayout } from "./event_layout.ts";

/** Below this number of degrees of freedom by count, Satterthwaite's are at most that number. */
const FEW_DEGREES = 3;
/** The minimum numbers of clusters with treated entities, and without. */
const [FEWEST_TREATED, FEWEST_OTHERS] = [4, 2];

/** Units that are alike in an effect: entities or clusters, which are independent of each other. */
interface Side {
  readonly isTreated: boolean;
  readonly units: readonly number[];
  /** The part of each unit in the effect, or its part by the jackknife. */
  readonly numbers: readonly number[];
  /** The sum of the squared differences of the numbers from their mean; by the jackknife, from 0. */
  readonly spread: number;
  /** Of controls, the part of the treated units with which they are compared: those of their stratum. */
  readonly share: number;
  readonly degrees: number;
}

/** How the error of an effect is computed. */
interface Sided {
  readonly sides: readonly Side[];
  /** The number of groups of treated units: those of one unit count once together. */
  readonly groups: number;
  readonly isClustered: boolean;
  /** Whether sums are compared: the degrees of freedom are those of the treated entities. */
  readonly total: boolean;
  /** An error within the rounding error of the values. Errors are at least this. */
  readonly tiny: number;
}

/** Returns a sum of squared differences from the mean. A rest within the rounding error counts as 0. */
export function spreadOf(count: number, sum: number, squares: number): number {
  const rest = squares - sum * sum / count;
  return rest < 1e-12 * squares ? 0 : rest;
}

/**
 * Returns the error of an effect, its degrees of freedom, and why these are few or none. The variance of a sum of parts
 * is k s², added over all sides.
 */
export function errorOf({ sides, groups, isClustered, total, tiny }: Sided) {
  let [variance, fourth, treated, controls] = [0, 0, 0, 0];
  // The variance of the controls' part if all controls vary alike, for its degrees of freedom.
  let [even, evenFourth] = [0, 0];
  for (const { isTreated, units: { length: count }, spread, share, degrees } of sides) {
    const part = spread * count / (count - 1);
    variance += part;
    fourth += part * part / degrees;
    if (isTreated) treated += count;
    else {
      controls += count;
      even += share * share / count;
      evenFourth += (share * share / count) ** 2 / degrees;
    }
  }
  const error = Math.max(Math.sqrt(variance), tiny);
  const satterthwaite = variance * variance / fourth || 1;
  const none = (reason: string) => ({ error: NaN, degrees: 1, reason });
  if (isClustered) {
    return treated < FEWEST_TREATED || controls < FEWEST_OTHERS
      ? none(
        `${counted(treated, "cluster")} with treated entities and ${controls} without: bounds ` +
          `need ${FEWEST_TREATED} and ${FEWEST_OTHERS}`,
      )
      : { error, degrees: Math.max(1, satterthwaite), reason: null };
  }
  const [free, others] = [treated - groups, even * even / evenFourth];
  const least = Math.min(free, others);
  // Simulated worlds need no text, which is slow to make.
  const name = () =>
    least === free ? counted(treated, "treated entity") : counted(controls, "control");
  if (least < 1 - 1e-9) return none(`${name()}: no bounds`);
  const few = least < FEW_DEGREES - 1e-9;
  return {
    error,
    degrees: Math.min(few ? least : Infinity, total ? free : satterthwaite),
    reason: few ? `${name()}: bounds with few degrees of freedom` : null,
  };
}

/**
 * Estimates the effects of a layout, with their errors. `clusters` has the cluster of each entity. Means without clusters
 * are sums of the parts of entities. Other errors are those of the delete-one jackknife.
 */
export function estimated(layout: EventLayout, clusters?: Int32Array) {
  const { design: { labels, strata, waves, values, total, base }, effects } = layout;
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  const kept = labels.keys().filter((entity) => labels[entity]! >= 0);
  const units = [...Map.groupBy(kept, (entity) => clusters?.[entity] ?? entity).values()]
    .map((entities) => {
      const [entity] = entities as [number];
      const treated = entities.filter((each) => labels[each]! < waves.length).length;
      // The units that are alike: of one wave and stratum, or clusters with or without treated entities.
      const group = clusters ? `${treated > 0}` : `${labels[entity]} ${strata[entity]}`;
      return { entities, treated, group };
    });
  const estimate = estimatorOf(layout);
  const left = total || clusters ? units.map(({ entities }) => estimate(entities)) : undefined;
  const estimates = estimate([]).map(({ effect, distance, parts }, at) => {
    const own = effects[at]!;
    const started = new Set(own.changes.map(({ wave }) => wave));
    const counted = units.flatMap(({ entities, treated, group }, unit) => {
      const known = entities.filter((entity) => !Number.isNaN(parts[entity]!));
      if (known.length === 0) return [];
      const isTreated = known.some((entity) => started.has(labels[entity]!));
      const stratum = strata[known[0]!]!;
      return [{ unit, treated, isTreated, stratum, key: isTreated ? group : stratum }];
    });
    const all = counted.filter(({ isTreated }) => isTreated);
    // A group of one treated unit has no variance of its own: these are taken together, and a single one joins another.
    const { alone = [], several = [] } = Object.groupBy(
      Map.groupBy(all, ({ key }) => key).values(),
      ({ length }) => length === 1 ? "alone" : "several",
    );
    const groups = several.length + Math.min(1, alone.length);
    if (alone.length === 1) alone.push(...several.splice(0, 1));
    const controls = counted.filter(({ isTreated }) => !isTreated);
    const sides = [alone.flat(), ...several, ...Map.groupBy(controls, ({ key }) => key).values()]
      .filter(({ length }) => length > 0).map((side): Side => {
        const [{ isTreated, stratum }] = side as [typeof side[number]];
        const numbers = side.map(({ unit }) =>
          left
            ? (1 - 1 / side.length) * (effect - left[unit]![at]!.effect)
            : parts[units[unit]!.entities[0]!]!
        );
        return {
          isTreated,
          units: side.map(({ unit }) => unit),
          numbers,
          spread: spreadOf(side.length, left ? 0 : sumOf(numbers), dot(numbers, numbers)),
          share: all.filter((each) => each.stratum === stratum).length / all.length,
          degrees: clusters && isTreated
            ? effectiveDegrees(side.map(({ treated }) => treated))
            : side.length - 1,
        };
      });
    const tiny = 1e-12 * (total ? 1 : largest);
    const sided: Sided = { sides, groups, isClustered: clusters !== undefined, total, tiny };
    const isBase = own.time === base;
    return {
      ...own,
      ...sided,
      effect,
      distance,
      ...isBase ? { error: NaN, degrees: 1, reason: "the base" } : errorOf(sided),
    };
  });
  return { units, estimates };
}

/** The estimate of an effect, with its error. */
export type Estimated = ReturnType<typeof estimated>["estimates"][number];
