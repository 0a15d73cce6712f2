import { theme } from "./theme.ts";

/** A color in the light theme, and its counterpart in the dark theme. */
type Hue = readonly [light: string, dark: string];

const SERIES: readonly Hue[] = [
  ["#025480", "#53acfe"],
  ["#b66703", "#f9a53c"],
  ["#1da1b5", "#4be5f6"],
  ["#ba2d35", "#f17173"],
  ["#7a9a56", "#bad791"],
  ["#604cc8", "#875ef5"],
  ["#2b7e56", "#81b196"],
  ["#cc7c88", "#edbdc8"],
  ["#8f1e50", "#d63c79"],
  ["#5f7ac1", "#8993bf"],
  ["#405906", "#6d8f1c"],
  ["#a0608b", "#ac8598"],
];

/**
 * Twelve colors for entities, found by simulated annealing. In both themes, the CIEDE2000 difference between any two
 * colors is at least 15 with normal color vision, and at least 10 with deuteranopia, protanopia or tritanopia (Machado,
 * Oliveira and Fernandes 2009, severity 1; Viénot, Brettel and Mollon 1999). The difference to slate and to the gray of
 * combined groups is at least 10. Each color has a contrast of at least 3:1 to the page. Between the themes, a color
 * changes its hue by at most 8 degrees and its chroma by at most 0.05 (OKLCH). In the light theme, the first four colors
 * can also be distinguished in grayscale.
 */
export const SERIES_COLORS: readonly string[] = SERIES.map(([light]) => light);

/** Color of bars, points and lines whose color does not depend on an entity. */
export const SLATE = "#4b5a6b";

/** Color of combined groups, and of groups that are not highlighted. */
export const OTHER_COLOR = "#8b949e";

/** Opacity of lines that are not highlighted. */
export const FAINT_OPACITY = 0.5;

const SEQUENTIAL: readonly Hue[] = [
  ["#eaf2fe", "#1b2232"],
  ["#c1d7f6", "#273758"],
  ["#99bceb", "#324f7d"],
  ["#70a2dd", "#3f68a1"],
  ["#5089ce", "#5082c3"],
  ["#356eb7", "#689ddf"],
  ["#22549a", "#8bb7f1"],
  ["#163c79", "#b3d2fb"],
];

/** Sequential colors in even steps of lightness. The first color is near the page color. */
export const SEQUENTIAL_COLORS: readonly string[] = SEQUENTIAL.map(([light]) => light);

/**
 * A ramp of blues for ordered parts of bars, from the earliest to the latest. None of its stops has a color of its own in
 * the dark theme, so that the whole ramp becomes lighter there.
 */
export const BLUE_RAMP = ["#17407f", "#3f79c6", "#9dc0ee"] as const;

const DIVERGING: readonly Hue[] = [
  ["#813101", "#f4aa6a"],
  ["#af5918", "#cd7b3b"],
  ["#cc8c54", "#9b5525"],
  ["#e3c09e", "#62361e"],
  ["#f2f4f5", "#1d2024"],
  ["#b2c9eb", "#28436d"],
  ["#729edf", "#326bae"],
  ["#3874c3", "#5b95da"],
  ["#004c97", "#98bff2"],
];

/** Diverging colors from loss to gain, in even steps of lightness on both sides. The middle is near the page color. */
export const DIVERGING_COLORS: readonly string[] = DIVERGING.map(([light]) => light);

/** Color for values above zero. `LOSS_COLOR` is for values below zero. */
export const GAIN_COLOR = "#0072b2";
export const LOSS_COLOR = "#d55e00";

/**
 * Colors for ordered groups such as cohorts. The color of the earliest group is the darkest. Each color has a contrast
 * of at least 3:1 to the page.
 */
export const ORDERED_COLORS = [
  "#440154",
  "#45267a",
  "#3e4888",
  "#2e6690",
  "#24848e",
  "#3ca055",
] as const;

/** Grays for ordered groups that are not highlighted. The gray of the earliest group is nearest to the page color. */
export const ORDERED_GRAYS = ["#8b9299", "#767e87", "#616a74", "#4c5560", "#38424d"] as const;

/** The color of the dark theme for each color of the light theme. */
export const DARK: Readonly<Record<string, string>> = {
  [theme.ink]: "#e6edf3",
  [theme.muted]: "#9aa4af",
  [theme.faint]: "#3d444d",
  [theme.grid]: "#22282f",
  [theme.paper]: "#0d1117",
  [theme.onNear]: "#fbfcfe",
  [theme.onFar]: "#020306",
  [theme.dark]: "#000001",
  [theme.light]: "#fffffd",
  [OTHER_COLOR]: "#6e7681",
  "#8b9299": "#626a73",
  "#767e87": "#7b838c",
  "#616a74": "#949ca5",
  "#4c5560": "#aeb6bf",
  "#38424d": "#c9d1d9",
  [SLATE]: "#a3b1c2",
  "#0072b2": "#91c4fc",
  "#d55e00": "#e95929",
  ...Object.fromEntries([...SERIES, ...SEQUENTIAL, ...DIVERGING]),
};

/** Returns the color at a position from 0 to 1 along a ramp. */
export function along(ramp: readonly string[], place: number): string {
  const at = place * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const channels = [1, 3, 5].map((start) => {
    const [from, to] = [ramp[low]!, ramp[low + 1]!]
      .map((color) => Number.parseInt(color.slice(start, start + 2), 16));
    return Math.round(from! + (to! - from!) * (at - low)).toString(16).padStart(2, "0");
  });
  return `#${channels.join("")}`;
}
