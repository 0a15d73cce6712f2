/**
 * A point, and the derivatives of a function at it. Second derivatives are listed row by row. Plain arrays are used
 * because creating small typed arrays takes ten times as long.
 */
interface Point {
  readonly at: number[];
  readonly gradient: number[];
  readonly curvature: number[];
}

/** Returns the value of a function at a point, and writes its derivatives. Returns -Infinity outside of its domain. */
export type Target = (point: Point) => number;

/** Returns a point without derivatives. */
export function pointAt(at: readonly number[]): Point {
  const zeros = (count: number) => Array<number>(count).fill(0);
  return { at: [...at], gradient: zeros(at.length), curvature: zeros(at.length ** 2) };
}

/**
 * Replaces a symmetric matrix, given row by row, by its inverse. Returns whether the matrix is positive definite. If
 * not, its elements are undefined.
 */
export function inverted(matrix: number[], count: number): boolean {
  const least: number[] = [];
  for (let i = 0; i < count; i++) least.push(1e-12 * matrix[i * count + i]!);
  for (let i = 0; i < count; i++) {
    const pivot = matrix[i * count + i]!;
    if (!(pivot > least[i]!)) return false;
    matrix[i * count + i] = 1;
    for (let j = 0; j < count; j++) matrix[i * count + j]! /= pivot;
    for (let k = 0; k < count; k++) {
      if (k === i) continue;
      const factor = matrix[k * count + i]!;
      matrix[k * count + i] = 0;
      for (let j = 0; j < count; j++) matrix[k * count + j]! -= factor * matrix[i * count + j]!;
    }
  }
  return true;
}

/** The largest absolute value of a parameter. A maximum at this edge does not count as a finite maximum. */
const EDGE = 12;
/** The longest change of a parameter in one step. Longer steps would leave the region of a maximum. */
const LONGEST_STEP = 2;
/** A step that changes no parameter by more than this ends a search. */
const LEAST_STEP = 1e-9;
/** The rounding error of values. */
const ROUNDING = 1e-13;

/**
 * Climbs from a starting point to the maximum near it, by Newton's method. If the curvature has no maximum, or a step
 * would lower the value, the step is shortened towards the gradient (Levenberg 1944; Marquardt 1963, SIAM Journal 11,
 * 431-441). A parameter at its edge stays there while the value rises beyond it. Ends when a step of Newton's method
 * changes no parameter by 1e-9. Returns the last point, its value, and whether it is a maximum.
 */
export function maximumFrom(target: Target, start: readonly number[]) {
  const count = start.length;
  let [here, next] = [pointAt(start), pointAt(start)];
  const inverse = Array<number>(count * count).fill(0);
  let height = target(here);
  let damping = 1e-6;
  for (let round = 0; round < 300 && damping < 1e9; round++) {
    for (let i = 0; i < inverse.length; i++) inverse[i] = -here.curvature[i]!;
    for (let i = 0; i < count; i++) {
      const at = here.at[i]!;
      const isHeld = Math.abs(at) > EDGE - LEAST_STEP && at * here.gradient[i]! > 0;
      const own = inverse[i * count + i]!;
      inverse[i * count + i] = isHeld ? 1e300 : own + damping * (1 + Math.abs(own));
    }
    let [reached, longest, scale] = [-Infinity, 0, 1];
    if (inverted(inverse, count)) {
      for (let i = 0; i < count; i++) {
        let step = 0;
        for (let j = 0; j < count; j++) step += inverse[i * count + j]! * here.gradient[j]!;
        next.at[i] = step;
        longest = Math.max(longest, Math.abs(step));
      }
      scale = Math.min(1, LONGEST_STEP / longest);
      for (let i = 0; i < count; i++) {
        const [at, step] = [here.at[i]!, next.at[i]!];
        if (Math.abs(at + scale * step) > EDGE) scale = (EDGE - Math.abs(at)) / Math.abs(step);
      }
      for (let i = 0; i < count; i++) next.at[i] = here.at[i]! + scale * next.at[i]!;
      reached = target(next);
    }
    if (!(reached >= height - ROUNDING)) {
      damping *= 10;
      continue;
    }
    [here, next, height] = [next, here, reached];
    if (scale * longest < LEAST_STEP && damping < 1e-8) {
      const isMaximum = here.at.every((each) => Math.abs(each) < EDGE - LEAST_STEP);
      return { ...here, height, isMaximum };
    }
    damping = Math.max(1e-15, damping / 1000);
  }
  return { ...here, height, isMaximum: false };
}
