/** The radius of a dot, and the space between two dots, in pixels. */
export const DOT = 2;
const SPACE = 0.5;

/** Returns the position nearest to 0, not below it, that is in none of the intervals. */
function freeFrom0(intervals: readonly (readonly [from: number, to: number])[]): number {
  let free = 0;
  for (const [from, to] of intervals.toSorted(([a], [b]) => a - b)) {
    if (from < free - 1e-6) free = Math.max(free, to);
  }
  return free;
}

/**
 * Returns how far each dot of a column is moved to the left (below 0) or to the right, so that no dots overlap: as little as
 * possible, from the top down. `heights` are the vertical positions, in pixels.
 */
export function swarm(heights: readonly number[]): number[] {
  const apart = 2 * DOT + SPACE;
  const moves = new Array<number>(heights.length).fill(0);
  let near: { readonly at: number; readonly move: number }[] = [];
  const order = [...heights.keys()].toSorted((a, b) => heights[a]! - heights[b]!);
  order.forEach((index, count) => {
    const at = heights[index]!;
    near = near.filter((dot) => at - dot.at < apart);
    const taken = near.map((dot) => {
      const reach = Math.sqrt(apart ** 2 - (at - dot.at) ** 2);
      return [dot.move - reach, dot.move + reach] as const;
    });
    const right = freeFrom0(taken);
    const left = freeFrom0(taken.map(([from, to]) => [-to, -from] as const));
    // Equal moves alternate between both sides.
    const isRight = right < left || right === left && count % 2 === 0;
    moves[index] = isRight ? right : 0 - left;
    near.push({ at, move: moves[index]! });
  });
  return moves;
}
