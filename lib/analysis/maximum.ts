/** A function of several parameters, with exact derivatives. */
export interface Target {
  readonly value: (at: ArrayLike<number>) => number;
  /** Returns the value, and writes the gradient and the matrix of second derivatives, row by row. */
  readonly derivatives: (
    at: ArrayLike<number>,
    gradient: Float64Array,
    curvature: Float64Array,
  ) => number;
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
 * Solves a linear system whose matrix is minus the curvature, with `damping` on the diagonal, by Cholesky's method.
 * Writes the solution into `step`. Returns whether the matrix is positive definite.
 */
function solved(
  { gradient, curvature, factor, step }: Workspace,
  damping: number,
): boolean {
  const count = gradient.length;
  for (let i = 0; i < count; i++) {
    let rest = gradient[i]!;
    for (let j = 0; j <= i; j++) {
      const value = curvature[i * count + j]!;
      const own = (i === j ? damping * (1 + Math.abs(value)) : 0) - value;
      let sum = own;
      for (let k = 0; k < j; k++) sum -= factor[i * count + k]! * factor[j * count + k]!;
      if (i !== j) factor[i * count + j] = sum / factor[j * count + j]!;
      else if (sum > 1e-12 * own) factor[i * count + i] = Math.sqrt(sum);
      else return false;
    }
    for (let k = 0; k < i; k++) rest -= factor[i * count + k]! * step[k]!;
    step[i] = rest / factor[i * count + i]!;
  }
  for (let i = count - 1; i >= 0; i--) {
    let rest = step[i]!;
    for (let k = i + 1; k < count; k++) rest -= factor[k * count + i]! * step[k]!;
    step[i] = rest / factor[i * count + i]!;
  }
  return step.every(Number.isFinite);
}

/** Arrays of one search. */
function workspaceOf(count: number) {
  const [gradient, step] = [new Float64Array(count), new Float64Array(count)];
  const [curvature, factor] = [new Float64Array(count * count), new Float64Array(count * count)];
  return { gradient, curvature, factor, step };
}

type Workspace = ReturnType<typeof workspaceOf>;

/** A step that gains less than this ends a search. */
const LEAST_GAIN = 1e-13;
/** A step of Newton's method that moves no parameter by more than this ends a search. */
const LEAST_STEP = 1e-9;

/**
 * Climbs from a starting point, by Newton's method. If the curvature has no maximum, or a step would lower the value, the
 * step is shortened towards the gradient (Levenberg 1944; Marquardt 1963, SIAM Journal 11, 431-441).
 */
export function climbed(target: Target, start: readonly number[]): number[] {
  const work = workspaceOf(start.length);
  let [at, height, damping] = [[...start], target.value(start), 1e-3];
  for (let round = 0; round < 200; round++) {
    target.derivatives(at, work.gradient, work.curvature);
    let [next, reached] = [at, height];
    for (; reached <= height && damping < 1e9; damping *= 10) {
      next = solved(work, damping) ? at.map((value, i) => value + work.step[i]!) : at;
      reached = target.value(next);
    }
    const gain = reached - height;
    if (gain > 0) [at, height, damping] = [next, reached, damping / 1000];
    if (!(gain > LEAST_GAIN)) break;
  }
  return at;
}

/**
 * Takes steps of Newton's method from a point near a maximum, until a step is negligible. Returns undefined if the
 * curvature has no maximum, or a step lowers the value.
 */
export function newtonFrom(target: Target, start: readonly number[]): number[] | undefined {
  const work = workspaceOf(start.length);
  let at = [...start];
  let height = -Infinity;
  for (let round = 0; round < 50; round++) {
    const value = target.derivatives(at, work.gradient, work.curvature);
    if (!(value >= height - LEAST_GAIN) || !solved(work, 0)) return undefined;
    height = value;
    at = at.map((each, i) => each + work.step[i]!);
    if (work.step.every((step) => Math.abs(step) < LEAST_STEP)) return at;
  }
  return undefined;
}

/** Returns the maximum near a starting point, or undefined if there is no maximum near it. */
export function maximumNear(target: Target, start: readonly number[]): number[] | undefined {
  return newtonFrom(target, climbed(target, start));
}

/** Returns the matrix of second derivatives at a point. */
export function hessianAt(target: Target, at: readonly number[]): number[][] {
  const { gradient, curvature } = workspaceOf(at.length);
  target.derivatives(at, gradient, curvature);
  return at.map((_, i) => Array.from(curvature.subarray(i * at.length, (i + 1) * at.length)));
}
