import {
  type Change,
  deltaOf,
  effectsOf,
  type EventDesign,
  type EventEffect,
  isControl,
} from "./event_design.ts";

/** Estimates, the variances of these estimates, and the degrees of freedom of the variances. NaN means null. */
interface Estimates {
  readonly effect: Float64Array;
  readonly variance: Float64Array;
  readonly degrees: Float64Array;
}

/** The minimum number of controls of a change. A variance needs two. */
const FEWEST_CONTROLS = 2;
/** The maximum number of effects to which a change belongs: a time, a time of a wave, a wave, and all entities. */
const MOST_EFFECTS = 4;

/** Adds up the strata of an effect. Each stratum has a count, a sum and a sum of squares. */
function summary(strata: readonly (readonly [count: number, sum: number, squares: number])[]) {
  let [effect, variance, fourth] = [0, 0, 0];
  for (const [count, sum, squares] of strata) {
    const rest = squares - sum * sum / count;
    // A rest within the rounding error counts as 0.
    const part = count > 1 ? (rest > 1e-12 * squares ? rest : 0) * count / (count - 1) : NaN;
    effect += sum;
    variance += part;
    fourth += part * part / (count - 1);
  }
  return { effect, variance, degrees: variance * variance / fourth };
}

/** The changes of a design as arrays: their effects, the parts of labels in them, and the strata of labels in effects. */
function layoutOf(design: EventDesign, effects: readonly EventEffect[]) {
  const changes = [...new Set(effects.flatMap((effect) => effect.changes))];
  const [width, height, kinds] = [changes.length, effects.length, design.waves.length + 1];
  const placesOf = (kept: (change: Change) => boolean) =>
    Int32Array.from(changes.keys().filter((place) => kept(changes[place]!)));
  const labels = Array.from({ length: kinds }, (_, label) => label);
  // A change without a further effect adds 0 to a number beyond the last effect.
  const effectAt = new Int32Array(width * MOST_EFFECTS).fill(height);
  // The stratum of each label in each effect: its wave if the effect has this wave, else the controls.
  const stratumOf = new Int32Array(kinds * height).fill(kinds - 1);
  const placeOf = new Map(changes.map((change, place) => [change, place]));
  effects.forEach(({ changes: own }, effect) => {
    for (const change of own) {
      effectAt[effectAt.indexOf(height, placeOf.get(change)! * MOST_EFFECTS)] = effect;
      stratumOf[change.wave * height + effect] = change.wave;
    }
  });
  return {
    ...{ changes, width, height, kinds, effectAt, stratumOf },
    /** For each label, the changes in which its entities are treated, and those in which they are controls. */
    treatedIn: labels.map((label) => placesOf(({ wave }) => wave === label)),
    controlIn: labels.map((label) => placesOf((change) => isControl(design, change, label))),
  };
}

/** Returns the value of each change for each entity, minus the mean of the change over its controls. */
function deltasOf(design: EventDesign, changes: readonly Change[]): Float64Array {
  const [units, width] = [design.labels.length, changes.length];
  const deltas = new Float64Array(units * width);
  changes.forEach((change, place) => {
    let [sum, count] = [0, 0];
    for (let unit = 0; unit < units; unit++) {
      const delta = deltas[unit * width + place] = deltaOf(design, change, unit);
      if (Number.isNaN(delta) || !isControl(design, change, design.labels[unit]!)) continue;
      sum += delta;
      count += 1;
    }
    // This alters no effect, and makes the numbers of different waves comparable.
    for (let unit = 0; unit < units; unit++) deltas[unit * width + place]! -= sum / (count || 1);
  });
  return deltas;
}

/**
 * Returns a function that estimates the effects of a design for any labels: group-time effects without covariates, and
 * their means (Callaway and Sant'Anna 2021, Journal of Econometrics 225, 200-230). The function returns the same object
 * each time.
 *
 * An effect is a sum of one number for each entity. Strata are the waves of the effect, and its controls. The variance
 * of the effect is the sum over strata of k s², where s² is the variance of the k numbers with the divisor k - 1. Waves
 * with only one entity are one stratum; a single one joins another wave. The degrees of freedom are Satterthwaite's.
 *
 * If no value is missing, the number of an entity depends only on its label. The numbers are then computed once for
 * each label, so that thousands of permutations are fast.
 */
export function estimatorOf(design: EventDesign): (labels: Int32Array) => Estimates {
  const effects = effectsOf(design);
  const layout = layoutOf(design, effects);
  const { changes, width, height, kinds, effectAt, stratumOf, treatedIn, controlIn } = layout;
  const [units, never] = [design.labels.length, kinds - 1];
  const deltas = deltasOf(design, changes);
  const complete = !deltas.some(Number.isNaN);
  const isAfter = Uint8Array.from(changes, ({ time }) => Number(time >= 0));
  const isSpan = Uint8Array.from(effects, ({ row }) => Number(row === "wave" || row === "overall"));
  // Whether an entity with a label counts in an effect.
  const counts = new Uint8Array(kinds * units * (height + 1));
  for (let at = 0; at < kinds * units; at++) {
    const [label, unit] = [Math.floor(at / units), at % units];
    for (const place of [...treatedIn[label]!, ...controlIn[label]!]) {
      if (Number.isNaN(deltas[unit * width + place])) continue;
      for (let part = 0; part < MOST_EFFECTS; part++) {
        counts[at * (height + 1) + effectAt[place * MOST_EFFECTS + part]!] = 1;
      }
    }
  }

  // For each change: the mean and the number of its controls, and the weights of its controls in its effects.
  const [means, controls] = [new Float64Array(width), new Float64Array(width)];
  const weights = new Float64Array(width * MOST_EFFECTS);
  const totals = new Float64Array(height + 1);

  /** Adds an entity with a label to the sums and numbers of controls, or takes it away. */
  function addControl(unit: number, label: number, sign: 1 | -1): void {
    for (const place of controlIn[label]!) {
      const delta = deltas[unit * width + place]!;
      if (Number.isNaN(delta)) continue;
      means[place]! += sign * delta;
      controls[place]! += sign;
    }
  }

  for (let unit = 0; unit < units; unit++) addControl(unit, never, 1);
  const [allSums, allControls] = [means.slice(), controls.slice()];

  const isKnown = (unit: number, place: number) =>
    controls[place]! >= FEWEST_CONTROLS && !Number.isNaN(deltas[unit * width + place]!);

  /** Returns the weight of a treated entity in effects that average over its times: one by the number of its times. */
  function shareOf(unit: number, label: number): number {
    let span = 0;
    for (const place of treatedIn[label]!) {
      span += Number(isAfter[place] === 1 && isKnown(unit, place));
    }
    return 1 / span;
  }

  /** Computes means and weights from labels. */
  function weigh(labels: Int32Array): void {
    weights.fill(0);
    totals.fill(0);
    means.set(allSums);
    controls.set(allControls);
    for (let unit = 0; unit < units; unit++) {
      if (labels[unit] === never) continue;
      addControl(unit, never, -1);
      addControl(unit, labels[unit]!, 1);
    }
    // Without missing values, the numbers of an entity must not depend on the labels of others.
    for (let place = 0; place < width; place++) {
      means[place] = complete ? 0 : means[place]! / controls[place]!;
    }
    for (let unit = 0; unit < units; unit++) {
      const label = labels[unit]!;
      if (label === never) continue;
      const share = shareOf(unit, label);
      for (const place of treatedIn[label]!) {
        if (!isKnown(unit, place)) continue;
        for (let at = place * MOST_EFFECTS; at < (place + 1) * MOST_EFFECTS; at++) {
          const effect = effectAt[at]!;
          const weight = isSpan[effect] === 1 ? share : 1;
          weights[at]! += weight;
          totals[effect]! += weight;
        }
      }
    }
    for (let at = 0; at < weights.length; at++) {
      const known = controls[Math.floor(at / MOST_EFFECTS)]! >= FEWEST_CONTROLS;
      const effect = effectAt[at]!;
      weights[at] = known && effect < height && totals[effect]! > 0
        ? -weights[at]! / totals[effect]! / controls[Math.floor(at / MOST_EFFECTS)]!
        : 0;
    }
  }

  /** Writes the numbers of an entity with a label: one for each effect. */
  function write(unit: number, label: number, numbers: Float64Array): void {
    const own = unit * width;
    numbers.fill(0);
    for (const place of controlIn[label]!) {
      const delta = deltas[own + place]! - means[place]!;
      if (Number.isNaN(delta)) continue;
      const at = place * MOST_EFFECTS;
      numbers[effectAt[at]!]! += weights[at]! * delta;
      numbers[effectAt[at + 1]!]! += weights[at + 1]! * delta;
      numbers[effectAt[at + 2]!]! += weights[at + 2]! * delta;
      numbers[effectAt[at + 3]!]! += weights[at + 3]! * delta;
    }
    if (label === never) return;
    const share = shareOf(unit, label);
    for (const place of treatedIn[label]!) {
      if (!isKnown(unit, place)) continue;
      const delta = deltas[own + place]! - means[place]!;
      for (let at = place * MOST_EFFECTS; at < (place + 1) * MOST_EFFECTS; at++) {
        const effect = effectAt[at]!;
        numbers[effect]! += (isSpan[effect] === 1 ? share : 1) / totals[effect]! * delta;
      }
    }
  }

  // For each stratum and effect: the count, the sum and the sum of squares of the numbers.
  const strata = Array.from({ length: 3 }, () => new Float64Array(kinds * height)) as [
    ...[Float64Array, Float64Array, Float64Array],
  ];
  const [sizes, sums, squares] = strata;

  /** Adds the numbers of an entity to the strata of a label, or takes them away. */
  function include(numbers: Float64Array, unit: number, label: number, sign: 1 | -1): void {
    const own = (label * units + unit) * (height + 1);
    for (let effect = 0; effect < height; effect++) {
      if (counts[own + effect] === 0) continue;
      const number = numbers[effect]!;
      const at = stratumOf[label * height + effect]! * height + effect;
      sizes[at]! += sign;
      sums[at]! += sign * number;
      squares[at]! += sign * number * number;
    }
  }

  const results = () => new Float64Array(height);
  const found: Estimates = { effect: results(), variance: results(), degrees: results() };

  function estimate(effect: number): void {
    const large: [number, number, number][] = [];
    const small: [number, number, number] = [0, 0, 0];
    for (let stratum = 0; stratum < kinds; stratum++) {
      const at = stratum * height + effect;
      const size = sizes[at]!;
      if (size === 1 && stratum !== never) {
        small[0] += 1;
        small[1] += sums[at]!;
        small[2] += squares[at]!;
      } else if (size > 0) large.push([size, sums[at]!, squares[at]!]);
    }
    // Controls come last, and join no wave.
    if (small[0] === 1 && large.length > 1) small.forEach((number, at) => large[0]![at]! += number);
    else if (small[0] > 0) large.unshift(small);
    const { effect: mean, variance, degrees } = summary(large);
    found.effect[effect] = totals[effect]! > 0 ? mean : NaN;
    found.variance[effect] = totals[effect]! > 0 ? variance : NaN;
    found.degrees[effect] = degrees;
  }

  const numbersOf = () => new Float64Array(height + 1);
  if (!complete) {
    const line = numbersOf();
    return (labels) => {
      weigh(labels);
      for (const each of strata) each.fill(0);
      for (let unit = 0; unit < units; unit++) {
        write(unit, labels[unit]!, line);
        include(line, unit, labels[unit]!, 1);
      }
      for (let effect = 0; effect < height; effect++) estimate(effect);
      return found;
    };
  }

  weigh(design.labels);
  const table = Array.from({ length: kinds * units }, (_, at) => {
    const numbers = numbersOf();
    write(at % units, Math.floor(at / units), numbers);
    return numbers;
  });
  // Begins with all entities as controls. Each estimate replaces only the numbers of treated entities.
  for (let unit = 0; unit < units; unit++) include(table[never * units + unit]!, unit, never, 1);
  const start = strata.map((each) => each.slice());
  return (labels) => {
    strata.forEach((each, at) => each.set(start[at]!));
    for (let unit = 0; unit < units; unit++) {
      const label = labels[unit]!;
      if (label === never) continue;
      include(table[never * units + unit]!, unit, never, -1);
      include(table[label * units + unit]!, unit, label, 1);
    }
    for (let effect = 0; effect < height; effect++) estimate(effect);
    return found;
  };
}
