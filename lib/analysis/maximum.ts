import { dot } from "./sums.ts";

/** A function of several parameters. */
type Target = (at: readonly number[]) => number;

function moved(at: readonly number[], shifts: readonly (readonly [number, number])[]): number[] {
  const point = [...at];
  for (const [index, by] of shifts) point[index]! += by;
  return point;
}

/** Returns the gradient of a function, computed by fourth-order finite differences. */
function gradientAt(f: Target, at: readonly number[], step = 1e-3): number[] {
  return at.map((_, i) => {
    const slope = (h: number) => (f(moved(at, [[i, h]])) - f(moved(at, [[i, -h]]))) / (2 * h);
    return (4 * slope(step) - slope(2 * step)) / 3;
  });
}

/** Returns the second derivatives of a function, computed by fourth-order finite differences. */
export function hessianAt(f: Target, at: readonly number[], step = 2e-3): number[][] {
  const center = f(at);
  const second = (i: number, j: number, h: number) =>
    i === j
      ? (f(moved(at, [[i, h]])) - 2 * center + f(moved(at, [[i, -h]]))) / (h * h)
      : (f(moved(at, [[i, h], [j, h]])) - f(moved(at, [[i, h], [j, -h]])) -
        f(moved(at, [[i, -h], [j, h]])) + f(moved(at, [[i, -h], [j, -h]]))) / (4 * h * h);
  const rows: number[][] = [];
  for (const i of at.keys()) {
    rows.push(
      at.map((_, j) => rows[j]?.[i] ?? (4 * second(i, j, step) - second(i, j, 2 * step)) / 3),
    );
  }
  return rows;
}

/** Returns the inverse of a symmetric matrix, or undefined if the matrix is not positive definite. */
export function inverseOf(matrix: readonly (readonly number[])[]): number[][] | undefined {
  const count = matrix.length;
  // Appends to each row of the matrix the corresponding row of the unit matrix.
  let rows = matrix.map((row, i) => [...row, ...row.map((_, j) => Number(i === j))]);
  for (let i = 0; i < count; i++) {
    const pivot = rows[i]![i]!;
    if (!(pivot > 1e-12 * matrix[i]![i]!)) return undefined;
    const solved = rows[i]!.map((value) => value / pivot);
    rows = rows.map((row, k) =>
      k === i ? solved : row.map((value, j) => value - row[i]! * solved[j]!)
    );
  }
  return rows.flat().every(Number.isFinite) ? rows.map((row) => row.slice(count)) : undefined;
}

/** A step that gains less than this ends a search. */
const LEAST_GAIN = 1e-13;

/**
 * Climbs from a starting point, by Newton's method. If the curvature has no maximum, or a step would lower the value, the
 * step is shortened towards the gradient (Levenberg 1944; Marquardt 1963, SIAM Journal 11, 431-441).
 */
export function climbed(f: Target, start: readonly number[]): number[] {
  let [at, height, damping] = [[...start], f(start), 1e-3];
  for (let round = 0; round < 200; round++) {
    const [gradient, curvature] = [gradientAt(f, at), hessianAt(f, at)];
    let [next, reached] = [at, height];
    for (; reached <= height && damping < 1e9; damping *= 10) {
      const inverse = inverseOf(
        curvature.map((row, i) =>
          row.map((value, j) => (i === j ? damping * (1 + Math.abs(value)) : 0) - value)
        ),
      );
      next = inverse?.map((row, i) => at[i]! + dot(row, gradient)) ?? at;
      reached = f(next);
    }
    const gain = reached - height;
    if (gain > 0) [at, height, damping] = [next, reached, damping / 1000];
    if (!(gain > LEAST_GAIN)) break;
  }
  return at;
}

/** Returns the maximum near a starting point, or undefined if there is no maximum near it. */
export function maximumNear(f: Target, start: readonly number[]): number[] | undefined {
  const at = climbed(f, start);
  const gradient = gradientAt(f, at);
  const covariance = inverseOf(hessianAt(f, at).map((row) => row.map((value) => -value)));
  const gain = covariance && dot(covariance.map((row) => dot(row, gradient)), gradient) / 2;
  return gain! < 1e-12 ? at : undefined;
}
