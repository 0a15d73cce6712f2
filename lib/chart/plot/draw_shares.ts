import type { PlotFigure } from "../chart.ts";
import { GAIN_COLOR, seriesColors } from "../colors.ts";
import { formatterFor } from "../format.ts";
import type { ColoredLook } from "../options.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData } from "./axes.ts";
import { endLabelMarks, type EndLabels, endLabels } from "./end_labels.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { acrossMarks, planeAxis, planeScale, upwardAxis } from "./plane_axes.ts";

/** A part of a whole. */
export interface SharePart {
  readonly id: string;
  readonly label: string;
  readonly value: number;
  /** Whether it stands for those that were folded together. */
  readonly folded: boolean;
}

/** Shares of any frame: what the chart says, its parts, and how it looks. */
export interface SharesView extends ColoredLook {
  readonly height: number;
  /** Largest first; none where there is no whole. */
  readonly parts: readonly SharePart[];
  readonly kind: "bar" | "lorenz";
  /** Gini's coefficient. */
  readonly gini: number;
}

const BAR = 54;

/** The parts one after the other, with their shares. */
function partsOf({ parts, highlight, colors, locale }: SharesView) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const range = seriesColors(parts, { highlight, colors });
  const write = formatterFor(parts.map(({ value }) => value / total), { unit: "share", locale });
  let before = 0;
  return parts.map((part, index) => {
    const from = before;
    before += part.value / total;
    return { ...part, from, to: before, color: range[index]!, share: write(part.value / total) };
  });
}

/** The parts that are wide enough for their names and shares. */
function namedOf(parts: ReturnType<typeof partsOf>, width: number) {
  return parts.filter(({ from, to, label, share }) =>
    (to - from) * width > textWidth(`${label} ${share}`, theme.label) + 6
  );
}

/** One bar, with the name and the share over each part that is wide enough. */
function barPanel(
  Plot: ObservablePlot,
  parts: ReturnType<typeof partsOf>,
  width: number,
): PlotOptions {
  return {
    ...{ width, height: BAR + 24, marginTop: 22, marginBottom: 2, marginLeft: 0, marginRight: 0 },
    x: { type: "linear", domain: [0, 1], axis: null },
    y: { type: "linear", domain: [0, 1], axis: null },
    color: { type: "identity" },
    marks: [
      Plot.rect(parts, {
        ...{ x1: "from", x2: "to", y1: 0, y2: 1, fill: "color", stroke: theme.paper },
        ...{ strokeWidth: 1, ariaDescription: "part" },
      }),
      Plot.text(namedOf(parts, width), {
        ...{ x: "from", frameAnchor: "top", textAnchor: "start", dx: 1, dy: -10 },
        text: ({ label, share }: { label: string; share: string }) => `${label} ${share}`,
        ariaDescription: "share",
      }),
    ],
  };
}

/** The whole as a column right of the curve, cut into its parts, the largest on top, with names as far as they fit. */
function columnOf(
  parts: ReturnType<typeof partsOf>,
  { top, inside, width }: { top: number; inside: number; width: number },
) {
  const named = parts.length < 2 || parts.every(({ label }) => label === "") ? [] : parts;
  const ends = named.map(({ label, share, from, to }) => (
    { label: `${label} ${share}`, y: top + (from + to) / 2 * inside, optional: true }
  ));
  const labels = endLabels(ends, { top: top - 6, bottom: top + inside + 6, width });
  const room = labels === null || labels.labels.length === 0 ? 0 : COLUMN.from + labels.room;
  return { labels, room };
}

/** Where the column stands right of the curve. */
const COLUMN = { from: 26, width: 10 };

function columnMarks(
  Plot: ObservablePlot,
  parts: ReturnType<typeof partsOf>,
  { labels, length, valueAt }: {
    labels: EndLabels;
    length: number;
    valueAt: (y: number) => number;
  },
): Markish[] {
  const after = (pixels: number) => 1 + (COLUMN.from + pixels) / length;
  return [
    Plot.rect(parts, {
      x1: () => after(-COLUMN.width),
      x2: () => after(0),
      y1: ({ from }: { from: number }) => 1 - from,
      y2: ({ to }: { to: number }) => 1 - to,
      ...{ fill: "color", stroke: theme.paper, strokeWidth: 0.75, ariaDescription: "part" },
    }),
    ...endLabelMarks(Plot, {
      ...{ labels, after, valueAt },
      styleOf: (label) => {
        const { color } = parts.find((part) => `${part.label} ${part.share}` === label)!;
        return { color, symbol: "square", ink: theme.ink };
      },
    }),
  ];
}

/** Which share of the whole the smallest have together, against equal shares. */
function lorenzPanel(Plot: ObservablePlot, view: SharesView, width: number): PlotOptions {
  const { parts, locale, height, gini } = view;
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  let sum = 0;
  const points = [
    { groups: 0, share: 0 },
    ...parts.toReversed().map(({ value }, index) => {
      sum += value;
      return { groups: (index + 1) / parts.length, share: Math.min(1, sum / total) };
    }),
  ];
  const axis = { ...planeAxis([0, 1]), domain: [0, 1] as const };
  const style = { unit: "share" as const, locale };
  const [top, bottom] = [30, 44];
  const inside = height - top - bottom;
  const upward = upwardAxis(axis, { style, length: inside, name: "Share of the whole (%)" });
  const drawn = partsOf(view);
  const { labels, room } = columnOf(drawn, { top, inside, width: width * 0.28 });
  const right = Math.max(20, room);
  const length = width - upward.room - right;
  const across = { style, length, name: "Groups, smallest first (%)" };
  const equal = [{ groups: 0, share: 0 }, { groups: 1, share: 1 }];
  return {
    ...{ width, height, marginTop: top, marginBottom: bottom },
    ...{ marginLeft: upward.room, marginRight: right },
    x: planeScale(axis),
    y: planeScale(axis),
    marks: [
      ...upward.marks(Plot),
      ...acrossMarks(Plot, axis, across),
      Plot.areaY(points, {
        ...{ x: "groups", y1: "groups", y2: "share", fill: GAIN_COLOR, fillOpacity: 0.12 },
      }),
      Plot.line(equal, {
        ...{ x: "groups", y: "share", stroke: theme.muted, strokeDasharray: "4 3" },
        ariaDescription: "equal shares",
      }),
      Plot.text([{ groups: 0.5, share: 0.5 }], {
        ...{ x: "groups", y: "share", text: () => "equal shares", textAnchor: "end", dx: -8 },
        ...{ dy: -8, fill: theme.muted },
      }),
      Plot.text([`Gini ${gini.toFixed(2)}`], {
        ...{ frameAnchor: "top-left", textAnchor: "start", dx: 10, dy: 12 },
        ...{ fontWeight: "bold", ariaDescription: "gini" },
      }),
      Plot.line(points, {
        ...{ x: "groups", y: "share", stroke: GAIN_COLOR, strokeWidth: 2 },
        ariaDescription: "lorenz",
      }),
      Plot.dot(points.slice(1), {
        ...{ x: "groups", y: "share", fill: GAIN_COLOR, r: 3, ariaDescription: "value" },
      }),
      ...room === 0 ? [] : columnMarks(Plot, drawn, {
        ...{ labels: labels!, length },
        valueAt: (y) => 1 - (y - top) / inside,
      }),
    ],
    color: { type: "identity" },
  };
}

/** The figure of shares. */
export async function sharesFigure(view: SharesView): Promise<PlotFigure> {
  const { about, theme: look, width, parts, kind } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, columns: 1, gap: 0, legend: [], rows: [] };
  if (parts.length === 0) return { ...page, panels: [noData(Plot, about.label, inner)] };
  const drawn = partsOf(view);
  const rows = drawn.map(({ label, value, from, to }) => ({ label, value, share: to - from }));
  if (kind === "lorenz") return { ...page, rows, panels: [lorenzPanel(Plot, view, inner)] };
  const named = new Set(namedOf(drawn, inner));
  return {
    ...page,
    rows,
    // The others have their names here.
    legend: drawn.filter((part) => !named.has(part)).map(({ label, share, color }) => (
      { label: `${label} ${share}`, color, key: "square" }
    )),
    panels: [barPanel(Plot, drawn, inner)],
  };
}
