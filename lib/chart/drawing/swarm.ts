/** The radius of a dot, and the space between two dots, in pixels. */
export const DOT = 2;
const SPACE = 0.5;

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
    const reach = (dot: { readonly at: number }) => Math.sqrt(apart ** 2 - (at - dot.at) ** 2);
    // Equal moves alternate between both sides.
    const side = count % 2 === 0 ? 1 : -1;
    const free = [
      0,
      ...near.flatMap((dot) => [dot.move + side * reach(dot), dot.move - side * reach(dot)]),
    ]
      .toSorted((a, b) => Math.abs(a) - Math.abs(b))
      .find((move) => near.every((dot) => Math.abs(dot.move - move) > reach(dot) - 1e-6))!;
    moves[index] = free;
    near.push({ at, move: free });
  });
  return moves;
}
