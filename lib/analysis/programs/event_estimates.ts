import type { EventEffect, EventLayout } from "./event_design.ts";

/** Entities, or clusters, that are alike: they have one variance. */
interface Side {
  readonly treated: boolean;
  readonly units: readonly number[];
  /** The part of each unit in the effect. The variance of the effect is k s², added over all sides. */
  readonly numbers: readonly number[];
  /** Of controls, the part of the treated entities with which they are compared: those of their stratum. */
  readonly share?: number;
}

/** The estimate of one effect. NaN means null. */
export interface EventEstimate {
  readonly effect: number;
  /** The number of strata of the treated entities: those with one entity count once together. */
  readonly strata: number;
  readonly sides: readonly Side[];
}

/** The minimum number of controls of a change. A variance needs two. */
const FEWEST_CONTROLS = 2;

/**
 * Groups the numbers of entities by wave and stratum, and those of controls by stratum. Groups of one treated entity have
 * no variance of their own, so they are taken together; a single one joins another group.
 */
export function sidesOf(
  { design }: EventLayout,
  { places }: EventEffect,
  { changes, numbers }: {
    readonly changes: EventLayout["changes"];
    readonly numbers: Float64Array;
  },
): Omit<EventEstimate, "effect"> {
  const waves = new Set(places.map((place) => changes[place]!.wave));
  const groups = new Map<string, { treated: boolean; units: number[]; numbers: number[] }>();
  design.labels.forEach((label, unit) => {
    const number = numbers[unit]!;
    if (Number.isNaN(number)) return;
    const treated = waves.has(label);
    const key = `${treated ? label : ""} ${design.strata[unit]}`;
    const group = groups.get(key) ?? { treated, units: [], numbers: [] };
    group.units.push(unit);
    group.numbers.push(number);
    groups.set(key, group);
  });
  const [treated, controls] = [true, false].map((side) =>
    [...groups.values()].filter((group) => group.treated === side)
  );
  const several = treated!.filter(({ units }) => units.length > 1);
  const alone = treated!.filter(({ units }) => units.length === 1);
  const strata = several.length + Math.min(1, alone.length);
  if (alone.length === 1) alone.push(...several.splice(0, 1));
  const together = alone.length === 0 ? [] : [{
    treated: true,
    units: alone.flatMap(({ units }) => units),
    numbers: alone.flatMap(({ numbers }) => numbers),
  }];
  const units = treated!.flatMap((group) => group.units);
  const shared = controls!.map((group) => {
    const stratum = design.strata[group.units[0]!];
    const own = units.filter((unit) => design.strata[unit] === stratum);
    return { ...group, share: own.length / units.length };
  });
  return { strata, sides: [...together, ...several, ...shared] };
}

/**
 * Estimates the effects of a design from the given entities: group-time effects without covariates, and their means
 * (Callaway and Sant'Anna 2021, Journal of Econometrics 225, 200-230). Each treated entity is compared with the mean of
 * the controls of its stratum and wave.
 *
 * An effect is a sum of one number for each entity, so its variance is the sum of k s² over groups of entities, where s²
 * is the variance of the k numbers of a group.
 */
export function meanEstimates(
  layout: EventLayout,
  counts: (unit: number) => boolean = () => true,
): EventEstimate[] {
  const { design, changes, effects, deltas } = layout;
  const { labels, strata, aggregate } = design;
  const units = [...labels.keys()].filter((unit) => labels[unit]! >= 0 && counts(unit));
  const width = strata.reduce((most, stratum) => Math.max(most, stratum + 1), 1);
  const treatedOf = design.waves.map((_, wave) => units.filter((unit) => labels[unit] === wave));
  // For each change, its controls, and the mean of these in each stratum; NaN if they are too few.
  const controls = changes.map(({ wave }, place) =>
    units.filter((unit) => labels[unit] !== wave && !Number.isNaN(deltas[place]![unit]!))
  );
  const found = changes.map((_, place) => {
    const [count, mean] = [new Float64Array(width), new Float64Array(width)];
    for (const unit of controls[place]!) {
      count[strata[unit]!]! += 1;
      mean[strata[unit]!]! += deltas[place]![unit]!;
    }
    const means = mean.map((sum, at) => count[at]! < FEWEST_CONTROLS ? NaN : sum / count[at]!);
    return { count, means };
  });
  const differenceOf = (unit: number, place: number) =>
    deltas[place]![unit]! - found[place]!.means[strata[unit]!]!;

  /** The number of times from 0 on at which an entity counts, and of entities that count at a time. */
  const [times, entities] = [new Float64Array(labels.length), new Map<number, number>()];
  changes.forEach(({ wave, time }, place) => {
    if (!(time >= 0)) return;
    for (const unit of treatedOf[wave]!) {
      if (Number.isNaN(differenceOf(unit, place))) continue;
      times[unit]! += 1;
      entities.set(time, (entities.get(time) ?? 0) + 1);
    }
  });
  const weightOf = ({ row }: EventEffect, unit: number, time: number) => {
    const kind = row === "wave" ? "group" : row === "overall" ? aggregate : "simple";
    if (kind === "group") return 1 / times[unit]!;
    return kind === "simple" ? 1 : 1 / entities.get(time)!;
  };

  return effects.map((effect) => {
    const numbers = new Float64Array(labels.length).fill(NaN);
    let total = 0;
    const add = (unit: number, number: number) => numbers[unit] = (numbers[unit]! || 0) + number;
    for (const place of effect.places) {
      const { wave, time } = changes[place]!;
      const weights = new Float64Array(width);
      for (const unit of treatedOf[wave]!) {
        const difference = differenceOf(unit, place);
        if (Number.isNaN(difference)) continue;
        const weight = weightOf(effect, unit, time);
        add(unit, weight * difference);
        weights[strata[unit]!]! += weight;
        total += weight;
      }
      const { count } = found[place]!;
      for (const unit of controls[place]!) {
        const weight = weights[strata[unit]!]! / count[strata[unit]!]!;
        if (weight > 0) add(unit, -weight * differenceOf(unit, place));
      }
    }
    const parts = numbers.map((number) => number / total);
    const counted = parts.reduce((sum, part) => sum + (part || 0), 0);
    // Without weights, 0 / 0 is NaN.
    return {
      effect: total === 0 ? NaN : counted,
      ...sidesOf(layout, effect, { changes, numbers: parts }),
    };
  });
}
