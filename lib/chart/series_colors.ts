import { ORDERED_COLORS, OTHER_COLOR, SERIES_COLORS } from "./palette.ts";

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}

/** The colour at a place from 0 to 1 along a ramp. */
function along(ramp: readonly string[], place: number): string {
  const at = place * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const [from, to] = [channels(ramp[low]!), channels(ramp[low + 1]!)];
  return `#${
    from.map((value, index) =>
      Math.round(value + (to[index]! - value) * (at - low)).toString(16).padStart(2, "0")
    ).join("")
  }`;
}

/** A colour for each label: along a ramp where their order means something; grey for what was folded. */
export function seriesColors(
  labels: readonly string[],
  { other, ordered = false }: { other: string | null; ordered?: boolean },
): string[] {
  const named = labels.filter((label) => label !== other).length;
  return labels.map((label, index) => {
    if (label === other) return OTHER_COLOR;
    if (ordered) return along(ORDERED_COLORS, named === 1 ? 1 : index / (named - 1));
    return SERIES_COLORS[index % SERIES_COLORS.length]!;
  });
}
