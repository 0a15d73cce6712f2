import {
  fitShiftedBetaGeometric,
  type ShiftedBetaGeometric,
  type Transition,
} from "./shifted_beta_geometric.ts";

interface Block {
  readonly mean: number;
  readonly weight: number;
  readonly length: number;
}

function merge(left: Block, right: Block): Block {
  const weight = left.weight + right.weight;
  const mean = (left.mean * left.weight + right.mean * right.weight) / weight;
  return { mean, weight, length: left.length + right.length };
}

/**
 * The non-increasing values that come closest to the given ones in weighted least squares: pool
 * adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955, Annals of Mathematical
 * Statistics 26, 641-647). Values that do not rise anywhere come back as they are.
 *
 * @param weights one for each value, more than 0
 */
export function nonIncreasing(values: readonly number[], weights: readonly number[]): number[] {
  const blocks: Block[] = [];
  values.forEach((value, index) => {
    let block: Block = { mean: value, weight: weights[index] ?? 1, length: 1 };
    let before = blocks.at(-1);
    while (before !== undefined && before.mean < block.mean) {
      blocks.pop();
      block = merge(before, block);
      before = blocks.at(-1);
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ mean, length }) => Array<number>(length).fill(mean));
}

/** A month of a curve that can be fitted: it has a retention and users at risk. */
export interface Point {
  readonly month: number;
  readonly retention: number;
  readonly size: number;
}

/** The model of one curve. */
export interface CurveForecast {
  /** Null where no model could be fitted. */
  readonly fit: ShiftedBetaGeometric | null;
  /** Why there are no parameters; null where there are. */
  readonly reason: string | null;
  /** The retention that the curve starts from in month 0. */
  readonly start: number;
  /** Whether the curve rose somewhere, and was made non-increasing. */
  readonly adjusted: boolean;
}

const FEWEST = 3;

function transitionsOf(points: readonly Point[], fitted: readonly number[]): Transition[] {
  return points.slice(1).map(({ month, size }, index) => {
    const [before, after] = [fitted[index] ?? 0, fitted[index + 1] ?? 0];
    return {
      from: points[index]?.month ?? 0,
      to: month,
      lost: size * (before - after),
      kept: size * after,
    };
  });
}

/**
 * Fits the model to the observed months of a curve, in order: one that rises somewhere is made
 * non-increasing first, and one with too few months gets a reason instead.
 */
export function forecastCurve(seen: readonly Point[]): CurveForecast {
  // Every curve begins whole: where month 0 is not there, it is 1 by definition, with no weight.
  const points = seen[0]?.month === 0 ? seen : [{ month: 0, retention: 1, size: 1 }, ...seen];
  const fitted = [
    ...(points === seen ? [] : [1]),
    ...nonIncreasing(seen.map((point) => point.retention), seen.map((point) => point.size)),
  ];
  const adjusted = points.some(({ retention }, index) => retention - fitted[index]! > 1e-12);
  const start = fitted[0] ?? 1;
  if (seen.length < FEWEST) {
    const reason = `fewer than ${FEWEST} observed months: ${seen.length}`;
    return { fit: null, reason, start, adjusted };
  }
  if (start === 0) return { fit: null, reason: "retention is 0 from month 0 on", start, adjusted };
  const fit = fitShiftedBetaGeometric(transitionsOf(points, fitted));
  return { fit, reason: fit.reason, start, adjusted };
}
