import { dot, meanOf } from "./sums.ts";

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
  return at.map((_, i) => at.map((_, j) => (4 * second(i, j, step) - second(i, j, 2 * step)) / 3));
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

/**
 * Finds the maximum near a starting point, by Newton's method. If a step would lower the value of the function, it is
 * shortened. Returns undefined if there is no maximum near the starting point.
 */
export function maximumNear(f: Target, start: readonly number[]): number[] | undefined {
  let at = [...start];
  let height = f(at);
  // The gain that the last step predicted. Near a flat maximum, rounding errors keep steps from becoming shorter.
  let gain = Infinity;
  for (let round = 0; round < 40; round++) {
    const covariance = inverseOf(hessianAt(f, at).map((row) => row.map((value) => -value)));
    if (covariance === undefined) return undefined;
    const gradient = gradientAt(f, at);
    const step = covariance.map((row) => dot(row, gradient));
    gain = dot(step, gradient) / 2;
    if (Math.max(...step.map(Math.abs)) < 1e-9) break;
    let [length, next] = [1, at];
    do {
      next = at.map((value, i) => value + length * step[i]!);
      length /= 2;
    } while (!(f(next) >= height - 1e-15) && length > 1e-4);
    if (!(f(next) >= height - 1e-15)) break;
    [at, height] = [next, f(next)];
  }
  return gain < 1e-12 ? at : undefined;
}

/**
 * Finds a maximum by the simplex method, which needs a starting point but no derivatives (Nelder and Mead 1965, The
 * Computer Journal 7, 308-313).
 */
export function simplexMaximum(f: Target, start: readonly number[]): number[] {
  const point = (at: readonly number[]) => ({ at: [...at], height: f(at) });
  let corners = [start, ...start.map((_, i) => moved(start, [[i, 0.5]]))].map(point);
  for (let round = 0; round < 400 * start.length; round++) {
    corners = corners.sort((a, b) => b.height - a.height);
    const [best, worst] = [corners[0]!, corners.at(-1)!];
    const spread = Math.max(...best.at.map((value, i) => Math.abs(value - worst.at[i]!)));
    if (spread < 1e-7) break;
    const rest = corners.slice(0, -1);
    const center = best.at.map((_, i) => meanOf(rest.map(({ at }) => at[i]!)));
    const along = (by: number) => point(center.map((c, i) => c + by * (c - worst.at[i]!)));
    const turned = along(1);
    if (turned.height > best.height) {
      const grown = along(2);
      corners = [...rest, grown.height > turned.height ? grown : turned];
    } else if (turned.height > rest.at(-1)!.height) corners = [...rest, turned];
    else {
      const shrunk = along(turned.height > worst.height ? 0.5 : -0.5);
      corners = shrunk.height > worst.height
        ? [...rest, shrunk]
        : corners.map(({ at }) => point(at.map((value, i) => (value + best.at[i]!) / 2)));
    }
  }
  return corners.reduce((a, b) => b.height > a.height ? b : a).at;
}
