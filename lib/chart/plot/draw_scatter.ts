import type { PlotFigure } from "../chart.ts";
import { GAIN_COLOR, isHighlighted, OTHER_COLOR } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import type { NumberFormat } from "../format.ts";
import type { Look } from "../options.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, placeOn } from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import {
  acrossMarks,
  heightOf,
  type PlaneAxis,
  planeAxis,
  planeScale,
  upwardAxis,
} from "./plane_axes.ts";

/** A named point. */
export interface ScatterPoint {
  readonly id: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/** Points of any frame: what the chart says, what it draws, and how it looks. */
export interface ScatterView extends Look {
  readonly height: number;
  readonly words: { readonly x: FieldWords; readonly y: FieldWords };
  /** Highest first. */
  readonly points: readonly ScatterPoint[];
  readonly scale: "auto" | "linear" | "log";
  readonly highlight: readonly string[] | undefined;
  readonly colors: Readonly<Record<string, string>> | undefined;
  readonly format: NumberFormat | undefined;
  readonly locale: string;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const TOP = 30;
const BOTTOM = 44;
const RADIUS = 4.5;
const HALF = theme.label.line / 2;
/** Where a name may stand: to the right, to the left, above, below, and askew, nearest first. */
const PLACES = [
  ...[[1, 0], [-1, 0], [0, -1], [0, 1], [1, -0.8], [1, 0.8], [-1, -0.8], [-1, 0.8]] as const,
  ...[[1, -1.7], [1, 1.7], [-1, -1.7], [-1, 1.7]] as const,
];

/** The place of a name beside its point. */
export interface PlacedName {
  readonly text: string;
  /** The middle of the left edge of the text, from the point. */
  readonly dx: number;
  readonly dy: number;
  readonly anchor: "start" | "middle" | "end";
}

function boxAt(x: number, y: number, width: number, [across, down]: readonly [number, number]) {
  const gap = RADIUS + 3;
  const middle = y + down * (2 * HALF + 1);
  const left = across === 0 ? x - width / 2 : across > 0 ? x + gap : x - gap - width;
  return { left, right: left + width, top: middle - HALF, bottom: middle + HALF };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/**
 * Sets names beside their points so that none touches another name or a point; those for which no place is free
 * are left out. The first points come first.
 */
export function placeNames(
  points: readonly { readonly x: number; readonly y: number; readonly label: string }[],
  room: Box,
): (PlacedName | null)[] {
  const dots = points.map(({ x, y }): Box => (
    { left: x - RADIUS, right: x + RADIUS, top: y - RADIUS, bottom: y + RADIUS }
  ));
  const taken: Box[] = [];
  return points.map(({ x, y, label }, index) => {
    const [text = ""] = wrapText(label, { ...theme.label, width: 160, lines: 1 });
    if (text === "") return null;
    const width = textWidth(text, theme.label);
    for (const place of PLACES) {
      const box = boxAt(x, y, width, place);
      const inside = box.left >= room.left && box.right <= room.right && box.top >= room.top &&
        box.bottom <= room.bottom;
      const free = inside && !taken.some((other) => overlap(box, other)) &&
        !dots.some((dot, at) => at !== index && overlap(box, dot));
      if (!free) continue;
      taken.push(box);
      const anchor = place[0] === 0 ? "middle" : place[0] > 0 ? "start" : "end";
      const edge = anchor === "middle" ? x : anchor === "start" ? box.left : box.right;
      return { text, dx: edge - x, dy: box.top + HALF - y, anchor };
    }
    return null;
  });
}

/** The names that found a place; those that are highlighted choose first. */
function nameMarks(
  Plot: ObservablePlot,
  points: readonly ScatterPoint[],
  { view, x, y, size }: {
    view: ScatterView;
    x: PlaneAxis;
    y: PlaneAxis;
    size: {
      readonly left: number;
      readonly across: number;
      readonly inside: number;
      readonly width: number;
    };
  },
): Markish[] {
  const chosen = view.highlight === undefined
    ? points
    : points.toSorted((a, b) =>
      Number(isHighlighted(b, view.highlight)) - Number(isHighlighted(a, view.highlight))
    );
  const places = placeNames(
    chosen.map(({ label, x: at, y: up }) => ({
      label,
      x: size.left + placeOn(x, at) * size.across,
      y: TOP + heightOf(y, up, size.inside),
    })),
    { left: size.left, right: size.width, top: TOP - 10, bottom: TOP + size.inside },
  );
  return chosen.flatMap((point, index) => {
    const place = places[index];
    if (place === null || place === undefined) return [];
    return [
      Plot.text([point], {
        ...{ x: "x", y: "y", text: () => place.text, dx: place.dx, dy: place.dy },
        ...{ textAnchor: place.anchor, ariaDescription: "point name" },
        fill: isHighlighted(point, view.highlight) ? theme.ink : theme.muted,
      }),
    ];
  });
}

function scatterPanel(Plot: ObservablePlot, view: ScatterView, width: number): PlotOptions {
  const { points, words, locale, format, height, scale, highlight, colors = {} } = view;
  const x = planeAxis(points.map(({ x }) => x), { scale });
  const y = planeAxis(points.map(({ y }) => y), { scale });
  const inside = height - TOP - BOTTOM;
  const upward = upwardAxis(y, {
    ...{ style: { unit: words.y.unit, locale, format }, length: inside },
    name: [words.y.title, words.y.axis].filter((word) => word !== "").join(", "),
  });
  const right = 24;
  const across = width - upward.room - right;
  const dots = points.map((point) => ({
    ...point,
    color: colors[point.id] ?? colors[point.label] ??
      (isHighlighted(point, highlight) ? GAIN_COLOR : OTHER_COLOR),
  }));
  const size = { left: upward.room, across, inside, width };
  return {
    ...{ width, height, marginTop: TOP, marginBottom: BOTTOM },
    ...{ marginLeft: upward.room, marginRight: right },
    x: planeScale(x),
    y: planeScale(y),
    color: { type: "identity" },
    marks: [
      ...upward.marks(Plot),
      ...acrossMarks(Plot, x, {
        ...{ style: { unit: words.x.unit, locale }, length: across },
        name: [words.x.title, words.x.axis].filter((word) => word !== "").join(", "),
      }),
      Plot.dot(dots, {
        ...{ x: "x", y: "y", fill: "color", r: RADIUS, fillOpacity: 0.85 },
        ariaDescription: "value",
      }),
      ...nameMarks(Plot, points, { view, x, y, size }),
    ],
  };
}

/** The figure of points. */
export async function scatterFigure(view: ScatterView): Promise<PlotFigure> {
  const { about, theme: look, width, points } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const panel = points.length === 0
    ? noData(Plot, about.label, inner)
    : scatterPanel(Plot, view, inner);
  return {
    ...about,
    ...{ width, theme: look, columns: 1, gap: 0, legend: [], panels: [panel] },
    rows: points.map(({ label, x, y }) => ({ label, x, y })),
  };
}
