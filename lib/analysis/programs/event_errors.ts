import { counted } from "../../platform/terminal.ts";
import { studentTails } from "../distributions.ts";
import { effectiveDegrees } from "../intervals.ts";
import { dot, sumOf } from "../sums.ts";
import type { EventDesign, EventEffect, EventLayout } from "./event_design.ts";
import { type EventEstimate, meanEstimates } from "./event_estimates.ts";
import { totalsOf } from "./event_totals.ts";

/** Below this number of degrees of freedom by count, Satterthwaite's are at most that number. */
const FEW_DEGREES = 3;
/** The minimum numbers of clusters with treated entities, and without. */
const [FEWEST_TREATED, FEWEST_OTHERS] = [4, 2];

/** An entity, or a cluster: units are independent of each other. */
interface Unit {
  readonly entities: readonly number[];
  /** The number of its treated entities. */
  readonly treated: number;
  /** The units that are alike: of one wave and stratum, or clusters with or without treated entities. */
  readonly group: string;
}

/** Units that are alike in an effect. */
interface Side {
  readonly units: readonly number[];
  /** The part of each unit in the effect, or its part by the jackknife. */
  readonly numbers: readonly number[];
  /** The sum of the squared differences of the numbers from their mean; by the jackknife, from 0. */
  readonly spread: number;
  /** Of controls, the part of the treated entities with which they are compared: those of their stratum. */
  readonly share: number;
  /** The treated entities of each unit. Undefined for controls. */
  readonly treated: readonly number[] | undefined;
}

/** How the error of an effect is computed. */
interface Sided {
  readonly sides: readonly Side[];
  /** The number of groups of treated units: those of one unit count once together. */
  readonly groups: number;
  readonly isClustered: boolean;
  /** Whether sums are compared: the degrees of freedom are those of the treated entities. */
  readonly total: boolean;
}

function unitsOf(
  { labels, strata, waves }: EventDesign,
  clusters: Int32Array | undefined,
): readonly Unit[] {
  const kept = labels.keys().filter((entity) => labels[entity]! >= 0);
  return [...Map.groupBy(kept, (entity) => clusters?.[entity] ?? entity).values()]
    .map((entities) => {
      const [entity] = entities as [number];
      const treated = entities.filter((each) => labels[each]! < waves.length).length;
      const group = clusters ? `${treated > 0}` : `${labels[entity]} ${strata[entity]}`;
      return { entities, treated, group };
    });
}

/** Returns a sum of squared differences from the mean. A rest within the rounding error counts as 0. */
export function spreadOf(count: number, sum: number, squares: number): number {
  const rest = squares - sum * sum / count;
  return rest > 1e-12 * squares ? rest : 0;
}

/**
 * Returns the error of an effect, its degrees of freedom, and why these are few or none. The variance of a sum of parts
 * is k s², added over all sides.
 */
export function errorOf({ sides, groups, isClustered, total }: Sided) {
  let [variance, fourth] = [0, 0];
  const counts = { treated: 0, controls: 0 };
  // The variance of the controls' part if all controls vary alike, for its degrees of freedom.
  const even = { variance: 0, fourth: 0 };
  for (const { units, spread, treated, share } of sides) {
    const count = units.length;
    const part = count > 1 ? spread * count / (count - 1) : NaN;
    const degrees = isClustered && treated ? effectiveDegrees(treated) : count - 1;
    variance += part;
    fourth += part * part / degrees;
    counts[treated ? "treated" : "controls"] += count;
    if (treated) continue;
    const expected = share * share / count;
    even.variance += expected;
    even.fourth += expected * expected / (count - 1);
  }
  const [error, satterthwaite] = [Math.sqrt(variance), variance * variance / fourth];
  const none = (reason: string) => ({ error: NaN, degrees: NaN, reason });
  if (isClustered) {
    return counts.treated < FEWEST_TREATED || counts.controls < FEWEST_OTHERS
      ? none(
        `${
          counted(counts.treated, "cluster")
        } with treated entities and ${counts.controls} without: bounds ` +
          `need ${FEWEST_TREATED} and ${FEWEST_OTHERS}`,
      )
      : { error, degrees: Math.max(1, satterthwaite), reason: null };
  }
  const left = { treated: counts.treated - groups, controls: even.variance ** 2 / even.fourth };
  const [kind, least] = left.treated <= left.controls
    ? ["treated", left.treated] as const
    : ["controls", left.controls] as const;
  const name = kind === "treated" && counts.treated === 1
    ? "one treated entity"
    : `${counts[kind]} ${kind === "treated" ? "treated entities" : kind}`;
  if (least < 1 - 1e-9) return none(`${name}: no bounds`);
  const few = least < FEW_DEGREES - 1e-9;
  return {
    error,
    degrees: Math.min(few ? least : Infinity, total ? left.treated : satterthwaite),
    reason: few
      ? `${name}: bounds with ${
        least < 1.05 ? "1 degree" : `${Number(least.toFixed(1))} degrees`
      } of freedom`
      : null,
  };
}

/**
 * Puts units that are alike in an effect on one side. A group of one treated unit has no variance of its own, so these
 * are taken together; a single one joins another group.
 */
function sidesOf(
  { design: { labels, strata }, changes }: EventLayout,
  { places }: EventEffect,
  { units, parts, jackknifed }: {
    readonly units: readonly Unit[];
    readonly parts: Float64Array;
    /** The number of a unit by the jackknife of a side of some units. */
    readonly jackknifed: ((unit: number, count: number) => number) | undefined;
  },
) {
  const waves = new Set(places.map((place) => changes[place]!.wave));
  const counted = units.flatMap(({ entities, group }, unit) => {
    const own = entities.filter((entity) => !Number.isNaN(parts[entity]!));
    if (own.length === 0) return [];
    const isTreated = own.some((entity) => waves.has(labels[entity]!));
    const stratum = strata[own[0]!]!;
    return [{ unit, isTreated, stratum, key: isTreated ? group : stratum }];
  });
  const [treated, controls] = [true, false].map((side) => [
    ...Map.groupBy(counted.filter(({ isTreated }) => isTreated === side), ({ key }) => key)
      .values(),
  ]) as [typeof counted[], typeof counted[]];
  const all = treated.flat();
  const [alone, several] = [true, false].map((one) =>
    treated.filter(({ length }) => (length === 1) === one)
  ) as [typeof treated, typeof treated];
  const groups = several.length + Math.min(1, alone.length);
  if (alone.length === 1) alone.push(...several.splice(0, 1));
  const sides = [alone.flat(), ...several, ...controls].filter(({ length }) => length > 0)
    .map((side): Side => {
      const [{ stratum, isTreated }] = side as [typeof side[number]];
      const own = side.map(({ unit }) => unit);
      const numbers = own.map((unit) =>
        jackknifed?.(unit, own.length) ?? parts[units[unit]!.entities[0]!]!
      );
      const sum = jackknifed ? 0 : sumOf(numbers);
      return {
        units: own,
        numbers,
        spread: spreadOf(own.length, sum, dot(numbers, numbers)),
        share: all.filter((each) => each.stratum === stratum).length / all.length,
        treated: isTreated ? own.map((unit) => units[unit]!.treated) : undefined,
      };
    });
  return { sides, groups };
}

/**
 * Estimates the effects of a layout, with their errors. Means without clusters are sums of the parts of entities. Other
 * errors are those of the delete-one jackknife.
 */
export function estimated(layout: EventLayout, clusters?: Int32Array) {
  const { design, effects } = layout;
  const { total, base } = design;
  const units = unitsOf(design, clusters);
  const estimate = total
    ? totalsOf(layout)
    : (out: readonly number[]) => meanEstimates(layout, out);
  const left = total || clusters ? units.map(({ entities }) => estimate(entities)) : undefined;
  const estimates = estimate([]).map((own: EventEstimate, at) => {
    const { parts, effect } = own;
    const jackknifed = left &&
      ((unit: number, count: number) => (1 - 1 / count) * (effect - left[unit]![at]!.effect));
    const sided: Sided = {
      ...sidesOf(layout, effects[at]!, { units, parts, jackknifed }),
      ...{ isClustered: clusters !== undefined, total },
    };
    const isBase = effects[at]!.row === "time" && effects[at]!.time === base;
    const none = { error: NaN, degrees: NaN, reason: null };
    return { ...effects[at]!, ...own, ...sided, isBase, ...isBase ? none : errorOf(sided) };
  });
  return { units, estimates };
}

/** The estimate of an effect, with its error. */
export type Estimated = ReturnType<typeof estimated>["estimates"][number];

/** Returns the p value of an effect. Effects and errors within the rounding error count as 0. */
export function pValueOf(
  { effect, error, degrees }: { effect: number; error: number; degrees: number },
  tiny: number,
): number {
  if (Number.isNaN(effect + error)) return NaN;
  if (error <= tiny) return Math.abs(effect) <= tiny ? 1 : 0;
  return studentTails(effect / error, degrees);
}
