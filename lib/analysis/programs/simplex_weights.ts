// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import quadprog from "npm:quadprog@1.6.1";
import { dot, meanOf, sumOf } from "../sums.ts";

/** Converts an array to a one-based array, which `quadprog` requires. */
function fromOne<Value>(values: readonly Value[]): Value[] {
  return [, ...values] as Value[];
}

function centered(values: readonly number[]): number[] {
  const mean = meanOf(values);
  return values.map((value) => value - mean);
}

/**
 * Returns the weights of the convex combination of the columns that is nearest to the target. The weights are 0 or more
 * and add up to 1. They minimize the sum of squared errors plus `ridge` times the sum of squared weights.
 *
 * For each column, take the vector from the target to the column. Because the weights add up to 1, the vector from the
 * target to the combination lies in the convex hull of these vectors. The best combination is the point of this hull
 * that is nearest to the origin. The dual problem is to minimize ‖x‖²/2 with x·vector ≥ 1 for each vector. The
 * active-set method of Goldfarb and Idnani (1983, Mathematical Programming 27, 1-33) solves it exactly. The multipliers
 * of the solution are proportional to the weights. The dual problem is strictly convex even if there are more columns
 * than rows.
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
  const differences = columns.map((column) => {
    const difference = column.map((value, row) => value - target[row]!);
    return intercept ? centered(difference) : difference;
  });
  const size = Math.sqrt(dot(differences.flat(), differences.flat())) ||
    Math.sqrt(ridge) || 1;
  // If a combination of the columns equals the target, the nearest point is the origin, and the dual has no solution. A
  // minimum ridge prevents this.
  const cost = Math.max(Math.sqrt(ridge) / size, 1e-7);
  const points = differences.map((difference, index) => [
    ...difference.map((value) => value / size),
    ...columns.map((_, other) => other === index ? cost : 0),
  ]);
  const rows = points[0]!.map((_, row) => row);
  const identity = rows.map((row) => fromOne(rows.map((other) => Number(row === other))));
  const { Lagrangian, message } = quadprog.solveQP(
    fromOne(identity),
    fromOne(rows.map(() => 0)),
    fromOne(rows.map((row) => fromOne(points.map((point) => point[row]!)))),
    fromOne(points.map(() => 1)),
    0,
    [0, 1],
  ) as { Lagrangian: number[]; message: string };
  if (message !== "") throw new Error(`simplexWeights: ${message}`);
  const multipliers = Lagrangian.slice(1).map((value) => Math.max(0, value));
  const total = sumOf(multipliers);
  return multipliers.map((value) => value / total);
}
