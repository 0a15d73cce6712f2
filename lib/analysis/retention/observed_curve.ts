import type { CurveMonth } from "./curve_table.ts";

/**
 * Returns the non-increasing values that are closest to the given values by weighted least squares. Uses the method of
 * pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955, Annals of Mathematical Statistics 26,
 * 641-647). Values that never rise are unchanged.
 *
 * @param weights one weight for each value. The first weight can be 0; all other weights are more than 0
 */
export function nonIncreasing(values: readonly number[], weights: readonly number[]): number[] {
  const blocks: { mean: number; weight: number; length: number }[] = [];
  values.forEach((value, index) => {
    let block = { mean: value, weight: weights[index] ?? 1, length: 1 };
    let before = blocks.at(-1);
    while (before !== undefined && before.mean < block.mean) {
      const weight = before.weight + block.weight;
      const mean = (before.mean * before.weight + block.mean * block.weight) / weight;
      block = { mean, weight, length: before.length + block.length };
      blocks.pop();
      before = blocks.at(-1);
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ mean, length }) => Array<number>(length).fill(mean));
}

/**
 * Returns the product of the monthly ratios of a curve. `left` is the level in a month: the previous level times the
 * share of users at risk who were not lost. A month without users at risk repeats the previous level. `users` is the
 * number of users at risk divided by the previous level: 10 users at risk after a level of 0.1 count as 100 users.
 */
export function chained(steps: readonly CurveMonth[]) {
  let [left, users] = [1, 0];
  return steps.map(({ month, retention, size, atRisk, lost }) => {
    if (month === 0) [left, users] = [retention, size];
    else {
      users = atRisk > 0 && left > 0 ? atRisk / left : users || size;
      left -= lost / users;
    }
    return { month, left, users };
  });
}

/** The number of the users at risk in month `from` who were lost by month `to`, and the number who were kept. */
export interface Transition {
  readonly from: number;
  readonly to: number;
  readonly lost: number;
  readonly kept: number;
}

/** The data to which models are fitted. */
export interface CurveData {
  /** The retention in month 0, which is normally 1. */
  readonly start: number;
  /** For each month, the transition from month 0, computed from the product of monthly ratios. */
  readonly levels: readonly Transition[];
  /**
   * The transitions between successive months of the curve. Months in which the curve rises are first pooled with
   * neighboring months.
   */
  readonly transitions: readonly Transition[];
  /** Whether the curve rises in some month, so that months were pooled for `transitions`. */
  readonly adjusted: boolean;
  /** The number of observed months. */
  readonly months: number;
}

/** Used as month 0 of a curve if month 0 was not observed. Retention in month 0 is 1 by definition. */
const MONTH_0: CurveMonth = { month: 0, retention: 1, size: 0, atRisk: NaN, lost: NaN };

/**
 * Converts the observed months of a curve, in order, to the data for fitting. If the curve rises in a month,
 * `transitions` pools this month with its neighbors, because models of `transitions` assume that lost users never
 * return.
 */
export function curveData(steps: readonly CurveMonth[]): CurveData {
  const all = steps[0]?.month === 0 ? steps : [MONTH_0, ...steps];
  const levels = chained(all);
  const whole = levels[0]!.left;
  const falling = nonIncreasing(levels.map(({ left }) => left), levels.map(({ users }) => users));
  const adjusted = levels.some(({ left }, index) => left - falling[index]! > 1e-12);
  const transitions = all.slice(1).map(({ month, atRisk, lost }, index): Transition => {
    const [before, after] = [falling[index]!, falling[index + 1]!];
    const { users } = levels[index + 1]!;
    return {
      from: all[index]!.month,
      to: month,
      lost: adjusted ? users * Math.max(0, before - after) : Math.max(0, lost),
      kept: adjusted ? users * Math.max(0, after) : Math.max(0, atRisk - lost),
    };
  });
  return {
    start: Math.min(1, falling[0]!),
    levels: levels.slice(1).filter(({ users }) => users > 0).map(({ month, left, users }) => {
      const kept = Math.min(whole, Math.max(0, left)) * users;
      return { from: 0, to: month, lost: whole * users - kept, kept };
    }),
    transitions: transitions.filter(({ lost, kept }) => lost + kept > 0),
    adjusted,
    months: steps.length,
  };
}
