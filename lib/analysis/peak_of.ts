const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Where a function with one peak between two points is highest, by golden section search (Kiefer
 * 1953): it needs no start and no derivative, and always ends. About 1e-8 of the distance is as
 * near as it gets.
 */
export function peakOf(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [atLeft, atRight] = [f(left), f(right)];
  while (high - low > 1e-9 * (to - from)) {
    if (atLeft >= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = f(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = f(right);
    }
  }
  return (low + high) / 2;
}
