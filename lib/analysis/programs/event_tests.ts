import { chanceOf } from "../chance.ts";
import { studentQuantile } from "../distributions.ts";
import { baseOf, effectsOf, type EventDesign, type EventEffect } from "./event_design.ts";
import { estimatorOf } from "./event_effects.ts";

const DRAWS = 4999;

/** Returns the number of distinct arrangements of labels: N! / (n₁! n₂! …). */
function arrangementsOf(labels: Int32Array): number {
  const seen = new Map<number, number>();
  return labels.reduce((product, label, place) => {
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return product * (place + 1) / count;
  }, 1);
}

/** Replaces labels by their next arrangement in lexicographic order. Returns false for the last arrangement. */
function next(labels: Int32Array): boolean {
  let at = labels.length - 2;
  while (at >= 0 && labels[at]! >= labels[at + 1]!) at -= 1;
  if (at < 0) return false;
  let other = labels.length - 1;
  while (labels[other]! <= labels[at]!) other -= 1;
  [labels[at], labels[other]] = [labels[other]!, labels[at]!];
  labels.subarray(at + 1).reverse();
  return true;
}

/**
 * Calls a function with arrangements of labels: with all arrangements if there are at most 5 000, otherwise with the
 * given one and 4 999 drawn ones, with a fixed seed.
 */
function permute(labels: Int32Array, each: (labels: Int32Array) => void): void {
  const own = labels.slice();
  if (Math.round(arrangementsOf(labels)) <= DRAWS + 1) {
    own.sort();
    do each(own); while (next(own));
    return;
  }
  each(own);
  const { uniform } = chanceOf(2021);
  for (let draw = 0; draw < DRAWS; draw++) {
    for (let at = own.length - 1; at > 0; at--) {
      const other = Math.floor(uniform() * (at + 1));
      const label = own[at]!;
      own[at] = own[other]!;
      own[other] = label;
    }
    each(own);
  }
}

/** Returns the values with the effects of each time taken off the treated entities. */
function withoutEffects(
  { values, labels, waves }: EventDesign,
  effectAt: ReadonlyMap<number, number>,
): Float64Array {
  const slots = values.length / labels.length;
  return values.map((value, at) =>
    value - (effectAt.get(waves[labels[Math.floor(at / slots)]!]?.times[at % slots] ?? NaN) ?? 0)
  );
}

/**
 * Estimates and tests the effects of a design.
 *
 * `lower` and `upper` are bounds by Student's t. All tests permute the labels of entities: who was treated, and when.
 * `p_value` compares |t| of each effect, and `pre_p` the largest |t| of the times before the base. `lower_all` and
 * `upper_all` contain the effects of all times together: they use the quantile of the largest |t| of all times, after
 * the estimated effects are taken off the treated entities. NaN means null. The base has an effect of 0 only.
 */
export function testEffects(design: EventDesign, confidence: number) {
  const effects = effectsOf(design);
  const scale = design.values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  // Effects and errors within the rounding error count as 0.
  const tiny = 1e-12 * scale;
  const sizeOf = ({ effect, variance }: { effect: number; variance: number }) => {
    const error = Math.sqrt(variance);
    if (error <= tiny) return Math.abs(effect) <= tiny ? 0 : Infinity;
    return Math.abs(effect) / error;
  };
  const isTime = ({ row }: EventEffect) => row === "time";
  const base = baseOf(design);
  const largest = (sizes: readonly number[], kept: (effect: EventEffect) => boolean) =>
    sizes.reduce((most, size, at) => kept(effects[at]!) && size > most ? size : most, 0);
  const before = (effect: EventEffect) => isTime(effect) && effect.time < base;

  const estimate = estimatorOf(design);
  const found = estimate(design.labels);
  // Sizes that differ only by rounding errors count as equal.
  const own = found.map((each) => sizeOf(each) * (1 - 1e-9));
  const effectAt = new Map(
    effects.flatMap((each, at) => isTime(each) ? [[each.time, found[at]!.effect || 0]] : []),
  );
  const centered = estimatorOf({ ...design, values: withoutEffects(design, effectAt) });
  const larger = effects.map(() => 0);
  const reaches: number[] = [];
  let largerBefore = 0;
  permute(design.labels, (labels) => {
    const sizes = estimate(labels).map(sizeOf);
    sizes.forEach((size, at) => larger[at]! += Number(size >= own[at]!));
    largerBefore += Number(largest(sizes, before) >= largest(own, before));
    reaches.push(largest(centered(labels).map(sizeOf), isTime));
  });
  const count = reaches.length;
  const reach = reaches.sort((a, b) => a - b)[Math.ceil(confidence * count - 1e-9) - 1]!;

  return {
    pre_p: effects.some(before) ? largerBefore / count : NaN,
    results: effects.map((each, at) => {
      const { effect, variance, degrees } = found[at]!;
      const error = each.time === base ? NaN : Math.sqrt(variance);
      const half = error > 0 ? studentQuantile(confidence, degrees) * error : error;
      const wide = isTime(each) ? (error > 0 ? reach * error : error) : NaN;
      return {
        ...each,
        effect,
        lower: effect - half,
        upper: effect + half,
        lower_all: effect - wide,
        upper_all: effect + wide,
        p_value: Number.isNaN(error) ? NaN : larger[at]! / count,
      };
    }),
  };
}
