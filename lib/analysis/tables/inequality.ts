/** How concentrated the values of a group are. NaN means null. */
interface Inequality {
  readonly count: number;
  readonly total: number;
  readonly hhi: number;
  readonly top_1_share: number;
  readonly top_3_share: number;
  readonly gini: number;
  readonly nakamoto: number;
  readonly effective_number: number;
}

/** A sum of shares above this limit is more than half. The tolerance allows for rounding errors. */
const MORE_THAN_HALF = 0.5 + 1e-12;

const within = (figure: number, least: number, most: number) =>
  Math.min(Math.max(figure, least), most);

/**
 * Measures how concentrated the values of a group are. `sorted` are values of 0 or more, the smallest first.
 *
 * The Gini coefficient is half the mean difference between two shares, relative to the mean share (Gini 1912). The shares
 * are a whole population, not a sample, so the factor n / (n - 1) is not applied.
 */
export function inequalityOf(sorted: Float64Array): Inequality {
  const count = sorted.length;
  let total = 0;
  for (const value of sorted) total += value;
  if (!(total > 0)) {
    const none = { hhi: NaN, top_1_share: NaN, top_3_share: NaN, gini: NaN, nakamoto: NaN };
    return { count, total: count === 0 ? NaN : total, ...none, effective_number: NaN };
  }
  let [squares, first, three, differences, sum, nakamoto] = [0, 0, 0, 0, 0, 0];
  for (let rank = 1; rank <= count; rank++) {
    const share = sorted[count - rank]! / total;
    squares += share * share;
    if (rank === 1) first = share;
    if (rank <= 3) three += share;
    differences += share * (count + 1 - 2 * rank);
    if (sum <= MORE_THAN_HALF) nakamoto = rank;
    sum += share;
  }
  // Rounding errors can exceed the possible range of a figure.
  const hhi = within(squares, 1 / count, 1);
  return {
    count,
    total,
    hhi,
    top_1_share: first,
    top_3_share: within(three, 0, 1),
    gini: within(differences / count, 0, 1 - 1 / count),
    nakamoto,
    effective_number: 1 / hhi,
  };
}

/**
 * Divides values into groups by the number in `keys`, such as a day. Returns the row of the first value of each group in
 * the order of the numbers, a missing number first, and the values of each group, the smallest first. NaN is no value.
 */
export function groupedValues(
  values: Float64Array,
  keys: Float64Array,
): { readonly first: number[]; readonly groups: Float64Array[] } {
  const found = new Map<number, { readonly row: number; at: number; count: number }>();
  for (let row = 0; row < keys.length; row++) {
    const group = found.get(keys[row]!);
    if (group === undefined) found.set(keys[row]!, { row, at: 0, count: 0 });
    if (!Number.isNaN(values[row]!)) found.get(keys[row]!)!.count++;
  }
  const order = [...found].sort(([a], [b]) => Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b)
    .map(([, group]) => group);
  const groups = order.map(({ count }) => new Float64Array(count));
  const parts = new Map(order.map((group, at) => [group, groups[at]!]));
  for (let row = 0; row < keys.length; row++) {
    if (Number.isNaN(values[row]!)) continue;
    const group = found.get(keys[row]!)!;
    parts.get(group)![group.at++] = values[row]!;
  }
  for (const group of groups) group.sort();
  return { first: order.map(({ row }) => row), groups };
}
