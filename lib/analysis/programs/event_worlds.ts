import { chanceOf } from "../chance.ts";
import { type EventLayout, isBefore, layoutOf } from "./event_design.ts";
import { absoluteT, errorOf, estimated, varianceOf } from "./event_errors.ts";
import type { EventEstimate } from "./event_estimates.ts";

/** The number of simulated worlds of the tests of all times. */
const WORLDS = 999;
/** Groups of at least this number are drawn by random signs, smaller ones by random combinations. */
const MANY = 15;
/** Waves with fewer treated entities have no part in the tests of all times; these need `FEWEST_DRAWN` in all. */
const [FEWEST_OF_WAVE, FEWEST_DRAWN] = [4, 8];
/**
 * Returns the largest absolute t before the base, and of all times, in simulated worlds without an effect. In each
 * world, every group of entities is drawn anew from its own covariance: small groups as random normal combinations of
 * the residuals of their entities, divided by √(k − 1), large ones with random signs. Effects are divided by their
 * errors, as in the data.
 */
function worldsOf(
  estimates: readonly EventEstimate[],
  { groups, before }: {
    readonly groups: readonly (readonly number[])[];
    /** For each estimate, whether its time is before the base. */
    readonly before: readonly boolean[];
  },
) {
  const { normal, uniform } = chanceOf(2021);
  const count = groups.reduce((most, group) => group.reduce((a, b) => Math.max(a, b), most), -1) +
    1;
  const rows = estimates.map(({ sides }) => {
    const numbers = new Float64Array(count).fill(NaN);
    for (const side of sides) {
      const mean = side.numbers.reduce((a, b) => a + b, 0) / side.units.length;
      side.units.forEach((unit, at) => numbers[unit] = side.numbers[at]! - mean);
    }
    const known = groups.map((group) =>
      [...group.keys()].filter((place) => !Number.isNaN(numbers[group[place]!]!))
    );
    return { sides, numbers, known, drawn: new Float64Array(count) };
  });
  const factors = groups.map((group) =>
    new Float64Array(group.length < MANY ? group.length ** 2 : group.length)
  );
  const [largestBefore, largest] = [new Float64Array(WORLDS), new Float64Array(WORLDS)];
  for (let world = 0; world < WORLDS; world++) {
    groups.forEach((group, at) => {
      const own = factors[at]!;
      const many = group.length >= MANY;
      for (const place of own.keys()) own[place] = !many ? normal() : uniform() < 0.5 ? -1 : 1;
    });
    rows.forEach(({ sides, numbers, known, drawn }, at) => {
      known.forEach((places, at) => {
        const [own, group] = [factors[at]!, groups[at]!];
        if (group.length >= MANY) {
          for (const place of places) drawn[group[place]!] = own[place]! * numbers[group[place]!]!;
          return;
        }
        const scale = 1 / Math.sqrt(places.length - 1);
        for (const row of places) {
          let sum = 0;
          for (const place of places) {
            sum += own[row * group.length + place]! * numbers[group[place]!]!;
          }
          drawn[group[row]!] = scale * sum;
        }
      });
      let [effect, variance] = [0, 0];
      for (const { units } of sides) {
        let [sum, squares] = [0, 0];
        for (const unit of units) {
          sum += drawn[unit]!;
          squares += drawn[unit]! ** 2;
        }
        effect += sum;
        variance += varianceOf(units.length, sum, squares);
      }
      const size = variance > 0 ? Math.abs(effect) / Math.sqrt(variance) : 0;
      if (size > largest[world]!) largest[world] = size;
      if (before[at]! && size > largestBefore[world]!) largestBefore[world] = size;
    });
  }
  return { largestBefore, largest };
}

/**
 * Tests all times together, without groups of fewer than 4 treated entities. Returns the p value of the times before the
 * base, and bounds by time from the quantile of the largest absolute t of all times; or the reason why there are none.
 */
export function testTimes(
  layout: EventLayout,
  { clusters, confidence, tiny }: {
    readonly clusters: Int32Array | undefined;
    readonly confidence: number;
    readonly tiny: number;
  },
) {
  const { design } = layout;
  const { labels, strata, waves } = design;
  const keys = Array.from(labels, (label, unit) => `${label} ${strata[unit]}`);
  const members = Map.groupBy(labels.keys(), (unit) => keys[unit]!);
  const isTreated = (label: number) => label >= 0 && label < waves.length;
  const few = (unit: number) =>
    isTreated(labels[unit]!) && members.get(keys[unit]!)!.length < FEWEST_OF_WAVE;
  const kept = clusters === undefined
    ? labels.map((label, unit) => few(unit) ? -1 : label)
    : labels;
  const own = kept.every((label, unit) => label === labels[unit])
    ? layout
    : layoutOf({ ...design, labels: kept });
  const found = estimated(own, clusters);
  const times = own.effects.flatMap((effect, at) => {
    const isBase = effect.time === design.base;
    return effect.row === "time" && !isBase && !Number.isNaN(found.estimates[at]!.effect)
      ? [{ effect, estimate: found.estimates[at]! }]
      : [];
  });
  const treated = new Set(
    clusters === undefined
      ? [...kept.keys()].filter((unit) => isTreated(kept[unit]!))
      : times.flatMap(({ estimate }) =>
        estimate.sides.filter(({ treated }) => treated).flatMap(({ units }) => units)
      ),
  );
  if (treated.size < FEWEST_DRAWN) {
    const what = clusters === undefined
      ? `treated entities in groups of ${FEWEST_OF_WAVE} or more`
      : "clusters with treated entities";
    return {
      reason: `pre_p and bounds of all times need ${FEWEST_DRAWN} ${what}, got ${treated.size}; ` +
        "see pre_slope_p",
    };
  }
  const groups = clusters === undefined
    ? [...Map.groupBy(kept.keys(), (unit) => kept[unit]! < 0 ? "" : keys[unit]!)]
      .flatMap(([key, units]) => key === "" ? [] : [units])
    : [
      [...treated],
      [...new Set(clusters)].filter((cluster) => cluster >= 0 && !treated.has(cluster)),
    ];
  const before = times.map(({ effect }) => isBefore(design, effect));
  const worlds = worldsOf(times.map(({ estimate }) => estimate), { groups, before });
  const errors = times.map(({ estimate }) => errorOf(estimate, found, design.total).error);
  const sizes = times.map(({ estimate: { effect } }, at) =>
    absoluteT(effect, errors[at]!, tiny) * (1 - 1e-9)
  );
  const observed = sizes.reduce((most, size, at) => before[at]! && size > most ? size : most, 0);
  const larger = worlds.largestBefore.reduce((count, size) => count + Number(size >= observed), 1);
  const rank = Math.min(WORLDS, Math.ceil(confidence * (WORLDS + 1) - 1e-9));
  const reach = worlds.largest.sort()[rank - 1]!;
  const left = kept.reduce((count, label, unit) => count + Number(label !== labels[unit]), 0);
  return {
    pre_p: before.includes(true) ? larger / (WORLDS + 1) : NaN,
    bounds: new Map(times.map(({ effect: { time }, estimate: { effect } }, at) => {
      const half = (errors[at]! > tiny ? reach : 1) * errors[at]!;
      return [time, { lower: effect - half, upper: effect + half }];
    })),
    reason: left === 0 ? null : `${left} treated entities in groups of fewer than ` +
      `${FEWEST_OF_WAVE} have no part in pre_p and in bounds of all times`,
  };
}
