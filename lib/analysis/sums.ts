/** Returns the sum of numbers. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Returns the sum of the products of the values of two lists. */
export function dot(one: readonly number[], other: readonly number[]): number {
  return sumOf(one.map((value, at) => value * other[at]!));
}

/** Returns the mean of numbers, or NaN if there are none. */
export function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}
