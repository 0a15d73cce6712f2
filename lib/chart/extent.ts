/**
 * Returns the smallest and the largest of some numbers, of any count; a call of `Math.min` with an argument for each
 * value fails from about 125,000 values on. Returns Infinity and −Infinity without numbers.
 */
export function extentOf(values: Iterable<number>): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
