import {
  deltaOf,
  effectsOf,
  type EventDesign,
  type EventEffect,
  isControl,
} from "./event_design.ts";

/** An estimate, its variance, and the degrees of freedom of the variance. NaN means null. */
interface Estimate {
  readonly effect: number;
  readonly variance: number;
  readonly degrees: number;
}

/** The minimum number of controls of a change. A variance needs two. */
const FEWEST_CONTROLS = 2;

/** A count of numbers, their sum, and the sum of their squares. */
type Stratum = [count: number, sum: number, squares: number];

/**
 * Adds up the numbers of waves and of controls, whose weights add up to `total`. Waves with one entity have no variance
 * of their own, so they are taken together; a single one joins another wave.
 */
function estimateOf(waves: readonly Stratum[], controls: Stratum, total: number): Estimate {
  let [effect, variance, fourth] = [0, 0, 0];
  const add = ([count, sum, squares]: Stratum) => {
    const rest = squares - sum * sum / count;
    // A rest within the rounding error counts as 0.
    const part = count > 1 ? (rest > 1e-12 * squares ? rest : 0) * count / (count - 1) : NaN;
    effect += sum;
    variance += part;
    fourth += part * part / (count - 1);
  };
  const several = waves.filter(([count]) => count > 1);
  const alone = waves.filter(([count]) => count === 1);
  if (alone.length === 1) alone.push(...several.splice(0, 1));
  if (alone.length > 0) {
    add([0, 1, 2].map((at) => alone.reduce((sum, stratum) => sum + stratum[at]!, 0)) as Stratum);
  }
  several.forEach(add);
  if (controls[0] > 0) add(controls);
  // Without weights, 0 / 0 is NaN.
  return {
    effect: effect / total,
    variance: variance / total / total,
    degrees: variance * variance / fourth,
  };
}

/** The changes of a design, and for each label of an entity those in which it is treated, and those in which it is a control. */
function layoutOf(design: EventDesign, effects: readonly EventEffect[]) {
  const all = effects.flatMap(({ row, changes }, effect) =>
    // `weight` is the weight of each control of the change in the effect.
    changes.map((change) => ({ change, effect, once: /^(wave|overall)$/.test(row), weight: 0 }))
  );
  const changes = [...Map.groupBy(all, ({ change }) => change)].map(([change, parts], place) => (
    { change, place, parts }
  ));
  const labels = [...design.waves.keys(), design.waves.length];
  return {
    changes,
    treatedIn: labels.map((label) => changes.filter(({ change }) => change.wave === label)),
    controlIn: labels.map((label) =>
      changes.filter(({ change }) => isControl(design, change, label))
    ),
  };
}

/**
 * Returns a function that estimates the effects of a design for any labels: group-time effects without covariates, and
 * their means (Callaway and Sant'Anna 2021, Journal of Econometrics 225, 200-230).
 *
 * An effect is a sum of one number for each entity. Strata are the waves of the effect, and its controls. The variance
 * of the effect is the sum over strata of k s², where s² is the variance of the k numbers with the divisor k - 1. The
 * degrees of freedom are Satterthwaite's.
 *
 * If no value is missing, the number of an entity depends only on its label. The numbers are then computed once for
 * each label, so that thousands of permutations are fast.
 */
export function estimatorOf(design: EventDesign): (labels: Int32Array) => Estimate[] {
  const effects = effectsOf(design);
  const { changes, treatedIn, controlIn } = layoutOf(design, effects);
  const [width, height, never] = [changes.length, effects.length, design.waves.length];
  const deltas = Float64Array.from(
    { length: design.labels.length * width },
    (_, at) => deltaOf(design, changes[at % width]!.change, Math.floor(at / width)),
  );
  const complete = !deltas.some(Number.isNaN);
  // For each change, the mean and the number of its controls; the mean is NaN if these are too few.
  const [means, counts] = [new Float64Array(width), new Float64Array(width)];
  const totals = new Float64Array(height);
  const deltaAt = (unit: number, place: number) => deltas[unit * width + place]! - means[place]!;

  /** Returns the weight of a treated entity in effects that count it once: one by the number of its times. */
  const shareOf = (unit: number, label: number) => {
    let times = 0;
    for (const { change, place } of treatedIn[label]!) {
      times += Number(change.time >= 0 && !Number.isNaN(deltaAt(unit, place)));
    }
    return 1 / times;
  };

  /** Computes means and weights from labels. */
  const weigh = (labels: Int32Array) => {
    for (const each of [means, counts, totals]) each.fill(0);
    labels.forEach((label, unit) => {
      for (const { place } of controlIn[label]!) {
        const delta = deltas[unit * width + place]!;
        if (Number.isNaN(delta)) continue;
        means[place]! += delta;
        counts[place]! += 1;
      }
    });
    for (const { place, parts } of changes) {
      for (const part of parts) part.weight = 0;
      means[place] = counts[place]! < FEWEST_CONTROLS ? NaN : means[place]! / counts[place]!;
    }
    labels.forEach((label, unit) => {
      const share = shareOf(unit, label);
      for (const { place, parts } of treatedIn[label]!) {
        if (Number.isNaN(deltaAt(unit, place))) continue;
        for (const part of parts) {
          const weight = part.once ? share : 1;
          totals[part.effect]! += weight;
          part.weight -= weight / counts[place]!;
        }
      }
    });
  };

  /** Writes the numbers of an entity with a label: one for each effect, or NaN if it does not count there. */
  const write = (unit: number, label: number, numbers: Float64Array) => {
    numbers.fill(NaN);
    const share = shareOf(unit, label);
    for (const list of [controlIn, treatedIn]) {
      for (const { place, parts } of list[label]!) {
        const delta = deltaAt(unit, place);
        if (Number.isNaN(delta)) continue;
        for (const { effect, once, weight } of parts) {
          const own = list === controlIn ? weight : once ? share : 1;
          numbers[effect] = (numbers[effect]! || 0) + own * delta;
        }
      }
    }
    return numbers;
  };

  weigh(design.labels);
  const line = new Float64Array(height);
  const table = complete
    ? controlIn.map((_, label) =>
      Array.from(design.labels, (_, unit) => write(unit, label, new Float64Array(height)))
    )
    : undefined;
  const strata = effects.map(() => controlIn.map((): Stratum => [0, 0, 0]));
  // An entity of a wave that an effect does not have is one of its controls.
  const waves = effects.map(({ changes }) => new Set(changes.map(({ wave }) => wave)));
  const stratumOf = strata.map((own, effect) =>
    own.map((_, label) => own[waves[effect]!.has(label) ? label : never]!)
  );
  return (labels) => {
    if (!complete) weigh(labels);
    for (const own of strata) for (const stratum of own) stratum[0] = stratum[1] = stratum[2] = 0;
    labels.forEach((label, unit) => {
      const numbers = table?.[label]?.[unit] ?? write(unit, label, line);
      for (let effect = 0; effect < height; effect++) {
        const number = numbers[effect]!;
        if (Number.isNaN(number)) continue;
        const stratum = stratumOf[effect]![label]!;
        stratum[0] += 1;
        stratum[1] += number;
        stratum[2] += number * number;
      }
    });
    return strata.map((own, effect) =>
      estimateOf(own.slice(0, never), own[never]!, totals[effect]!)
    );
  };
}
