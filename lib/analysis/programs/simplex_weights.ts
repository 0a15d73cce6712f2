import { dot, meanOf, sumOf } from "../sums.ts";

/** Weights and multipliers within the rounding error of 0. */
const TINY = 1e-14;

/**
 * Solves `products · x = 1` by Cholesky's method for a positive definite matrix, and scales the solution so that it adds
 * up to 1: the point of least norm in the plane through some points, whose dot products are given. `factor` has the rows
 * of the factor that are known, and gets the others.
 */
function leastNormIn(
  products: readonly (readonly number[])[],
  chosen: readonly number[],
  factor: number[][],
) {
  for (let row = factor.length; row < chosen.length; row++) {
    const own: number[] = factor[row] = [];
    for (let column = 0; column <= row; column++) {
      const other = factor[column]!;
      let rest = products[row]![chosen[column]!]!;
      for (let at = 0; at < column; at++) rest -= own[at]! * other[at]!;
      own[column] = row === column
        ? Math.sqrt(Math.max(rest, Number.MIN_VALUE))
        : rest / other[column]!;
    }
  }
  const x = factor.map(() => 1);
  factor.forEach((own, row) => {
    for (let at = 0; at < row; at++) x[row]! -= own[at]! * x[at]!;
    x[row]! /= own[row]!;
  });
  let total = 0;
  for (let row = x.length - 1; row >= 0; row--) {
    const own = factor[row]!;
    total += x[row]! /= own[row]!;
    for (let at = 0; at < row; at++) x[at]! -= own[at]! * x[row]!;
  }
  return x.map((value) => value / total);
}

/**
 * Returns the weights of the convex combination of the columns that is nearest to the target. The weights are 0 or more
 * and add up to 1. They minimize the sum of squared errors plus `ridge` times the sum of squared weights.
 *
 * For each column, take the vector from the target to the column. Because the weights add up to 1, the vector from the
 * target to the combination lies in the convex hull of these vectors. The best combination is the point of this hull
 * that is nearest to the origin, which the method of Wolfe (1976, Mathematical Programming 11, 128-149) finds exactly: it
 * adds the vector that lies furthest beyond the current point, and removes vectors whose weight would be negative. Dot
 * products are only computed for vectors that were added, and of differences, so that near copies lose no digits.
 */
export function simplexWeights({ columns, target, ridge, intercept }: {
  /** One array for each weight, with one number per row. */
  readonly columns: readonly (readonly number[])[];
  readonly target: readonly number[];
  /** The factor of the penalty on squared weights, in squared units of the target. */
  readonly ridge: number;
  /** Whether a constant, fitted without a penalty, is added to the combination. */
  readonly intercept: boolean;
}): number[] {
  const vectors = columns.map((column) => {
    const vector = target.map((value, row) => column[row]! - value);
    const mean = intercept ? meanOf(vector) : 0;
    return vector.map((value) => value - mean);
  });
  const norms = vectors.map((vector) => dot(vector, vector));
  const size = sumOf(norms) || ridge || 1;
  // If a combination of the columns equals the target, other combinations may, too. A minimum ridge chooses one.
  const cost = Math.max(ridge, TINY * size);
  const known: number[][] = [];
  const productsOf = (place: number) =>
    known[place] ??= vectors.map((vector, other) =>
      dot(vectors[place]!, vector) + (other === place ? cost : 0)
    );
  const smallest = (numbers: readonly number[]) =>
    vectors.reduce((best, _, place) => numbers[place]! < numbers[best]! ? place : best, 0);
  let chosen = [smallest(norms)];
  let weights = [1];
  const factor: number[][] = [];
  for (let step = 0; step < 10 * columns.length + 100; step++) {
    const slopes = columns.map(() => 0);
    chosen.forEach((place, at) =>
      productsOf(place).forEach((product, other) => slopes[other]! += weights[at]! * product)
    );
    const norm = chosen.reduce((sum, place, at) => sum + weights[at]! * slopes[place]!, 0);
    const next = smallest(slopes);
    if (slopes[next]! >= norm - 1e-13 * Math.max(norm, cost) || chosen.includes(next)) break;
    chosen.push(next);
    weights.push(0);
    while (true) {
      const least = leastNormIn(chosen.map(productsOf), chosen, factor);
      if (least.every((weight) => weight > TINY)) {
        weights = least;
        break;
      }
      let [share, out] = [1, chosen.length - 1];
      least.forEach((weight, at) => {
        if (weight > TINY) return;
        const limit = weights[at]! / (weights[at]! - weight);
        if (limit <= share) [share, out] = [limit, at];
      });
      const moved = weights.map((weight, at) => (1 - share) * weight + share * least[at]!);
      const kept = [...chosen.keys()].filter((at) => at !== out && moved[at]! > TINY);
      // Rows of the factor depend on earlier rows only.
      factor.length = moved.findIndex((_, at) => kept[at] !== at);
      chosen = kept.map((at) => chosen[at]!);
      weights = kept.map((at) => moved[at]!);
    }
  }
  const total = sumOf(weights);
  const all = columns.map(() => 0);
  chosen.forEach((place, at) => all[place] = weights[at]! / total);
  return all;
}
