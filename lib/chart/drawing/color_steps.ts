import { extentOf } from "../extent.ts";
import { DIVERGING_COLORS, SEQUENTIAL_COLORS } from "../colors.ts";
import { numbersOf } from "../numbers.ts";
import { inkOn } from "../page/dark.ts";
import { everyNth, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { Plot, type PlotOptions } from "./observable_plot.ts";
import { frameText } from "./plane.ts";

/** A range of values with its color. */
export interface ColorStep {
  /** The lowest value of the step. The step ends where the next step begins. */
  readonly from: number;
  /** The lowest value as text. The text is empty if the step has no lowest value. */
  readonly edge: string;
  /** The range of values in words. */
  readonly label: string;
  readonly color: string;
  /** The color of text whose background is the color of this step. */
  readonly ink: string;
}

/** Returns one step per color. */
function stepsOf(
  colors: readonly string[],
  edges: readonly Omit<ColorStep, "color" | "ink">[],
): ColorStep[] {
  return colors.map((color, index) => ({ ...edges[index]!, color, ink: inkOn(color) }));
}

const WIDTHS = [0.001, 0.002, 0.0025, 0.005, 0.01, 0.02, 0.025, 0.05, 0.1, 0.2];

/**
 * Returns eight steps that cover the shares. All steps have the same width, which is a round number. The first step
 * begins at a round number below the lowest share.
 */
export function shareSteps(shares: readonly number[], locale = "en-US"): ColorStep[] {
  const count = SEQUENTIAL_COLORS.length;
  const [low, high] = shares.length === 0 ? [0, 1] : extentOf(shares);
  const startOf = (width: number) => Math.floor(low / width + 1e-9) * width;
  // If no share is above 100%, the last step has no upper edge, so that no step begins above 100%.
  const top = high > 1 ? high : Math.min(high, startOf(0.1) + 0.1 * count);
  const width = WIDTHS.find((width) => startOf(width) + width * count >= top - 1e-9) ??
    10 ** Math.ceil(Math.log10((high - low) / count));
  const edges = Array.from({ length: count + 1 }, (_, index) => startOf(width) + index * width);
  const write = numbersOf(edges, { unit: "fraction", locale }, "ticks");
  const texts = edges.map(write);
  return stepsOf(
    SEQUENTIAL_COLORS,
    edges.map((from, index) => ({
      from,
      edge: texts[index]!,
      label: index === count - 1
        ? `${texts[index]} or more`
        : `${texts[index]!.replace("%", "")}–${texts[index + 1]}`,
    })),
  );
}

/** The lower edges of the steps of rises, as parts of a large change. */
const RISES = [0.1, 0.3, 0.55, 0.8];

/** Nine steps of changes, as parts of a large change, with the same edges above and below zero. */
export const CHANGE_STEPS: readonly ColorStep[] = stepsOf(
  DIVERGING_COLORS,
  [-Infinity, ...RISES.map((edge) => -edge).reverse(), ...RISES].map((from, index) => (
    { from, edge: index === 1 ? "large fall" : index === 8 ? "large rise" : "", label: "" }
  )),
);

/**
 * Returns nine steps in two hues around 100%, as far as the shares go below and above it, for amounts that can grow.
 */
export function growthSteps(shares: readonly number[], locale = "en-US"): ColorStep[] {
  const [low, high] = extentOf(shares);
  const [below, above] = [Math.max(0, 1 - low), Math.max(0, high - 1)];
  const edges = [
    ...RISES.map((edge) => 1 - edge * below).reverse(),
    ...RISES.map((edge) => 1 + edge * above),
  ];
  const write = numbersOf([low, ...edges, high], { unit: "fraction", locale }, "whole");
  const texts = [write(low), ...edges.map(write), write(high)];
  return stepsOf(
    DIVERGING_COLORS,
    [-Infinity, ...edges].map((from, index) => ({
      from,
      edge: texts[index]!,
      label: `${texts[index]} to ${texts[index + 1]}`,
    })),
  );
}

/** Returns the size of a large change: the 95th percentile of the sizes of changes. */
export function largeChange(changes: readonly number[]): number {
  const sizes = changes.map(Math.abs).toSorted((a, b) => a - b);
  return sizes[Math.round((sizes.length - 1) * 0.95)] || 1;
}

/** Returns the step of a value. */
export function stepOf(steps: readonly ColorStep[], value: number): ColorStep {
  // A share of 0.3 computed as 0.29999999999999998 belongs to the step that begins at 0.3.
  return steps.findLast(({ from }) => value >= from - 1e-9) ?? steps[0]!;
}

const WIDEST_STEP = 52;

/**
 * Draws the steps as one row of colors. Below the row are the values at the edges of the steps, as many as fit.
 */
export function stepLegend(
  steps: readonly ColorStep[],
  { width, title }: { readonly width: number; readonly title: string },
): PlotOptions {
  const cell = Math.min(WIDEST_STEP, Math.floor((width - 30) / steps.length));
  const open = steps[0]!.edge === "";
  // Reserves space for a number at the left end.
  const left = open ? 0 : Math.max(14, Math.ceil(textWidth(steps[0]!.edge, theme.label) / 2));
  const places = steps.map((step, index) => ({ ...step, x: left + index * cell }));
  const nth = open ? 1 : everyNth(steps.map(({ edge }) => edge), cell);
  return {
    width,
    height: 50,
    margin: 0,
    x: { type: "identity", axis: null },
    y: { type: "identity", axis: null },
    marks: [
      frameText(title, "top-left", { dy: 2 }),
      Plot.rect(places, {
        x1: "x",
        x2: ({ x }: typeof places[number]) => x + cell,
        y1: 16,
        y2: 28,
        fill: "color",
        ariaDescription: "color legend",
      }),
      Plot.text(places.filter((_, index) => index % nth === 0), {
        x: "x",
        y: () => 40,
        text: "edge",
        lineAnchor: "bottom",
        fill: theme.muted,
        ariaDescription: "color legend edge",
      }),
    ],
  };
}
