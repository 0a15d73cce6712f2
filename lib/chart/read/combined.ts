import { formatCount } from "../format.ts";
import { POINTS } from "../numbers.ts";
import type { BarItem, BarsPlan } from "../drawing/bars.ts";

/** Sorts items by size, largest first. Items without a size come last. Items of equal size keep their order. */
export function bySize<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number | null,
): Item[] {
  const size = (item: Item) => sizeOf(item) ?? -Number.MAX_VALUE;
  return items.toSorted((a, b) => size(b) - size(a));
}

/** Returns the sum of the values that are not null; null if all values are null. */
export function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** Returns the first value of an item, by which items are ranked. */
export function firstValue({ values: [value = null] }: BarItem): number | null {
  return value;
}

/**
 * Combines items into one item, whose values are the sums of the known values. A value that cannot be added is null.
 * `noun` follows the number of items in the label.
 */
export function combinedItem(
  items: readonly BarItem[],
  noun = "",
  adds: readonly boolean[] = [true],
): BarItem {
  const label = `other (${formatCount(items.length)}${noun})`;
  const values = adds.map((add, index) => {
    const sum = add ? sumOfKnown(items.map(({ values }) => values[index] ?? null)) : null;
    return Number.isFinite(sum) ? sum : null;
  });
  return { id: label, label, values, folded: true };
}

/** Sorts items by their first value, largest first. Then come items without a value, and then combined items. */
export function ranked(items: readonly BarItem[]): BarItem[] {
  const [folded, single] = [true, false].map((is) =>
    items.filter(({ folded = false }) => folded === is)
  );
  return [...bySize(single!, firstValue), ...folded!];
}

/** Returns whether an effect is not different from 0. */
function isHollow({ lower, upper }: Pick<BarItem, "lower" | "upper">): boolean {
  return !(lower! > 0 || upper! < 0);
}

/** Returns the meaning of hollow dots. Empty if there are none. */
export function hollowText(items: readonly Pick<BarItem, "lower" | "upper">[]): string {
  return items.some(isHollow) ? "hollow: the interval contains 0" : "";
}

/** Returns the plan of effects as dots, largest first. A dot is hollow if its interval contains 0. */
export function effectDots(
  items: readonly BarItem[],
  { title, noun, interval, unit = POINTS }: Pick<BarsPlan, "noun" | "interval"> & {
    readonly title: string;
    readonly unit?: string;
  },
): BarsPlan {
  return {
    measures: [{ title, unit, axis: "", additive: false }],
    items: ranked(items).map((item) => (
      { ...item, hollow: isHollow(item) }
    )),
    noun,
    ...interval !== undefined && { interval },
    as: "dots",
  };
}
