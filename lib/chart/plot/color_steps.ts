import { DIVERGING_COLORS, SEQUENTIAL_COLORS } from "../colors.ts";
import { formatterFor } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { ObservablePlot, PlotOptions } from "./observable_plot.ts";

/** A range of values with its colour. */
export interface ColorStep {
  /** The lowest value of the step; the step ends where the next begins. */
  readonly from: number;
  /** The range in words. */
  readonly label: string;
  readonly color: string;
  /** The colour of a text that stands on it. */
  readonly ink: string;
}

const WIDTHS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const FAR_FROM = 5;

/** Eight steps of a round width from zero on, wide enough for the highest share but a few. */
export function shareSteps(highest: number, locale = "en-US"): ColorStep[] {
  const count = SEQUENTIAL_COLORS.length;
  // Up to a whole, the last step is open: steps beyond 100 % would be for nothing.
  const most = highest > 1 ? highest : Math.min(highest, 0.1 * count);
  const width = WIDTHS.find((width) => width * count >= most - 1e-9) ?? WIDTHS.at(-1)!;
  const edges = SEQUENTIAL_COLORS.map((_, index) => index * width);
  const write = formatterFor([...edges, count * width], { unit: "share", locale });
  return SEQUENTIAL_COLORS.map((color, index) => ({
    from: edges[index]!,
    label: index === count - 1
      ? `${write(edges[index]!)} or more`
      : `${write(edges[index]!).replace("%", "")}–${write(edges[index + 1]!)}`,
    color,
    ink: index >= FAR_FROM ? theme.onFar : theme.onNear,
  }));
}

/** The edges of the steps of growth: those of loss are as far from one when multiplied. */
const EDGES = [
  [0.002, 0.005, 0.01, 0.02],
  [0.005, 0.02, 0.05, 0.1],
  [0.01, 0.05, 0.1, 0.25],
  [0.02, 0.1, 0.25, 0.5],
  [0.05, 0.25, 0.5, 1],
  [0.1, 0.5, 1, 3],
  [0.25, 1, 3, 9],
] as const;

/** Nine steps of the ratio after to before, alike for growth and for loss; most of the changes are within. */
export function changeSteps(changes: readonly number[], locale = "en-US"): ColorStep[] {
  const sizes = changes.map((change) => Math.exp(Math.abs(Math.log1p(Math.max(change, -0.99)))) - 1)
    .toSorted((a, b) => a - b);
  const most = sizes[Math.floor((sizes.length - 1) * 0.95)] ?? 0;
  const edges = EDGES.find((edges) => edges[3] >= most * 0.6) ?? EDGES.at(-1)!;
  const from = [
    ...edges.map((edge) => 1 / (1 + edge) - 1).reverse(),
    ...edges,
  ];
  const write = formatterFor(from.map((edge) => Math.round(edge * 1000) / 1000), {
    unit: "change",
    locale,
  });
  return DIVERGING_COLORS.map((color, index) => ({
    from: index === 0 ? -Infinity : from[index - 1]!,
    label: index === 0
      ? `below ${write(from[0]!)}`
      : index === from.length
      ? `${write(from.at(-1)!)} or more`
      : `${write(from[index - 1]!)} to ${write(from[index]!)}`,
    color,
    ink: [0, 1, 7, 8].includes(index) ? theme.onFar : theme.onNear,
  }));
}

/** The step a value falls into. */
export function stepOf(steps: readonly ColorStep[], value: number): ColorStep {
  // A share of 0.3 computed as 0.29999999999999998 belongs to the step that begins at 0.3.
  return steps.findLast(({ from }) => value >= from - 1e-9) ?? steps[0]!;
}

/** A label of a legend, and where its middle stands. */
interface Edge {
  readonly x: number;
  readonly text: string;
}

/** Whether labels stand apart. */
function standApart(edges: readonly Edge[]): boolean {
  return edges.slice(1).every(({ x, text }, index) => {
    const before = edges[index]!;
    const taken = textWidth(text, theme.label) + textWidth(before.text, theme.label);
    return x - before.x >= taken / 2 + 5;
  });
}

/** As many labels as stand apart: every one, every other from both ends inwards, and so on. */
function thinned(edges: readonly Edge[]): readonly Edge[] {
  const last = edges.length - 1;
  for (let step = 1; step <= last; step++) {
    const some = edges.filter((_, at) => Math.min(at, last - at) % step === 0);
    if (standApart(some)) return some;
  }
  return edges.slice(0, 1);
}

/** Each step as wide as its range, where its labels have room; the two open ones as wide as their neighbours. */
function proportional(
  steps: readonly ColorStep[],
  { width, along, write }: {
    width: number;
    along: (value: number) => number;
    write: (value: number) => string;
  },
): { places: number[]; edges: readonly Edge[] } | null {
  const known = steps.slice(1).map(({ from }) => along(from));
  const [a, b, y, z] = [known[0]!, known[1]!, known.at(-2)!, known.at(-1)!];
  const all = [2 * a - b, ...known, 2 * z - y];
  const pixel = (all.at(-1)! - all[0]!) / Math.min(width, WIDEST);
  const places = all.map((place) => (place - all[0]!) / pixel);
  const labels = steps.slice(1).map(({ from }, index) => (
    { x: places[index + 1]!, text: write(from) }
  ));
  // The two edges of the middle are one label where they are alike.
  const right = labels.length / 2;
  const [low, high] = [labels[right - 1]!, labels[right]!];
  const alike = low.text.slice(1) === high.text.slice(1);
  const middle = { x: (low.x + high.x) / 2, text: `±${high.text.slice(1)}` };
  const edges = alike && !standApart([low, high])
    ? [...labels.slice(0, right - 1), middle, ...labels.slice(right + 1)]
    : labels;
  return standApart(edges) ? { places, edges } : null;
}

const WIDEST = 640;

/**
 * The steps as one row of colours, the values at which one ends and the next begins below; each as wide as its range
 * where `along` says what is as far, and there is room, else all alike.
 */
export function stepLegend(
  Plot: ObservablePlot,
  steps: readonly ColorStep[],
  { width, title, write, along }: {
    width: number;
    title: string;
    write: (value: number) => string;
    along?: (value: number) => number;
  },
): PlotOptions {
  const cell = Math.min(52, Math.floor((width - 30) / steps.length));
  // A number at the very left needs room.
  const left = steps[0]!.from === -Infinity ? 0 : 14;
  const alike = {
    places: Array.from({ length: steps.length + 1 }, (_, index) => index * cell),
    edges: thinned(
      steps.flatMap(({ from }, at) =>
        from === -Infinity ? [] : [{ x: at * cell, text: write(from) }]
      ),
    ),
  };
  const fitted = along === undefined ? null : proportional(steps, { width, along, write });
  const { places, edges } = fitted ?? alike;
  const squares = steps.map(({ color }, index) => (
    { x1: places[index]!, x2: places[index + 1]!, color }
  ));
  const length = places.at(-1)!;
  return {
    ...{ width, height: 50, marginTop: 16, marginBottom: 22, marginLeft: left },
    marginRight: Math.max(0, width - left - length),
    x: { type: "linear", domain: [0, length], axis: null },
    y: { type: "linear", domain: [0, 1], axis: null },
    color: { type: "identity" },
    marks: [
      Plot.text([title], {
        ...{ frameAnchor: "top-left", textAnchor: "start", dy: -14, dx: -left, fill: theme.muted },
      }),
      Plot.rect(squares, {
        ...{ x1: "x1", x2: "x2", y1: 0, y2: 1, fill: "color", ariaDescription: "color legend" },
      }),
      Plot.text(edges, {
        ...{ x: "x", text: "text", fill: theme.muted, frameAnchor: "bottom", dy: 12 },
        ariaDescription: "color legend edge",
      }),
    ],
  };
}
