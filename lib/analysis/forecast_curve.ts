import type { Transition } from "./shifted_beta_geometric.ts";

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

/** A month of a curve that was observed, and has users. */
export interface Step {
  readonly month: number;
  readonly retention: number;
  readonly size: number;
  /** The users who could be lost since the step before; of no meaning in month 0. */
  readonly atRisk: number;
  /** How many of them were. */
  readonly lost: number;
}

/** A curve that does not rise, as the models are fitted to it. */
interface FallingCurve {
  readonly transitions: readonly Transition[];
  /** The retention that the curve starts from in month 0. */
  readonly start: number;
  /** Whether the curve rose somewhere, and was made non-increasing. */
  readonly adjusted: boolean;
  /** How many months were observed. */
  readonly months: number;
}

/**
 * The curve that the losses make, and how many users would make it alone: one who was lost among ten
 * of a hundred that began counts as ten.
 */
function followed(steps: readonly Step[]): { curve: number[]; users: number[] } {
  const first = steps[0]?.month === 0 ? steps[0] : undefined;
  const curve = [first?.retention ?? 1];
  const users = [first?.size ?? 0];
  for (const { atRisk, lost, size } of first === undefined ? steps : steps.slice(1)) {
    const before = curve.at(-1)!;
    const stands = atRisk > 0 && before > 0 ? atRisk / before : users.at(-1) || size;
    users.push(stands);
    curve.push(before - lost / stands);
  }
  return { curve, users };
}

/**
 * Makes the observed months of a curve, in order, transitions between them: where the curve rises,
 * which activity may and survival may not, those months are pooled with their neighbours.
 */
export function fallingCurve(steps: readonly Step[]): FallingCurve {
  const begun = steps[0]?.month === 0;
  const { curve, users } = followed(steps);
  // Every curve begins whole: a month 0 that is not there is 1 by definition, and is not pooled.
  const falling = begun
    ? nonIncreasing(curve, users)
    : [1, ...nonIncreasing(curve.slice(1), users.slice(1))];
  const adjusted = curve.some((value, index) => value - falling[index]! > 1e-12);
  const transitions = (begun ? steps.slice(1) : steps).map((step, index): Transition => {
    const [before, after] = [falling[index]!, falling[index + 1]!];
    const weight = users[index + 1]!;
    return {
      from: (begun ? steps[index] : steps[index - 1])?.month ?? 0,
      to: step.month,
      lost: adjusted ? weight * Math.max(0, before - after) : Math.max(0, step.lost),
      kept: adjusted ? weight * Math.max(0, after) : Math.max(0, step.atRisk - step.lost),
    };
  });
  const told = transitions.filter(({ lost, kept }) => lost + kept > 0);
  return { transitions: told, start: Math.min(1, falling[0]!), adjusted, months: steps.length };
}
