/** Returns the sum of numbers. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Returns the sum of the products of the values of two lists. */
export function dot(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

/** Returns the mean of numbers, or NaN if there are none. */
export function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

/** Returns the standard deviation of a sample. */
export function deviation(values: readonly number[]): number {
  const center = meanOf(values);
  const squares = values.map((value) => (value - center) ** 2);
  return Math.sqrt(sumOf(squares) / (values.length - 1));
}
