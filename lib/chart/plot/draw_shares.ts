import type { PlotFigure } from "../chart.ts";
import { GAIN_COLOR, OTHER_COLOR } from "../colors.ts";
import { formatterFor } from "../format.ts";
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
import { barPanel, type DrawnPart, nameOf, partsOf, type SharesView } from "./shares_bar.ts";

/** The whole as a column right of the curve, cut into its parts, the largest on top, with names as far as they fit. */
function columnOf(
  parts: readonly DrawnPart[],
  { top, inside, width, write }: {
    top: number;
    inside: number;
    width: number;
    write: (share: number) => string;
  },
) {
  const named = parts.length < 2 || parts.every(({ label }) => label === "") ? [] : parts;
  const most = Math.min(named.length, Math.floor(inside / theme.label.line));
  const endOf = (label: string, from: number, to: number) => (
    { label, y: top + (from + to) / 2 * inside }
  );
  // As many as have room, and how many more there are.
  const labels = Array.from({ length: most }, (_, left) => most - left).map((count) => {
    const ends = named.slice(0, count).map((part) => endOf(nameOf(part), part.from, part.to));
    const rest = named.slice(count);
    const { from } = rest[0] ?? { from: 1 };
    const more = rest.length === 0
      ? []
      : [endOf(`${rest.length} more ${write(1 - from)}`, from, 1)];
    return endLabels([...ends, ...more], {
      ...{ top: top - 6, bottom: top + inside + 6, width, farthest: 60 },
    });
  }).find((labels) => labels !== null) ?? null;
  const room = labels === null || labels.labels.length === 0 ? 0 : COLUMN.from + labels.room;
  return { labels, room };
}

/** Where the column stands right of the curve. */
const COLUMN = { from: 26, width: 10 };

function columnMarks(
  Plot: ObservablePlot,
  parts: readonly DrawnPart[],
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
        const color = parts.find((part) => nameOf(part) === label)?.color ?? OTHER_COLOR;
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
  const write = formatterFor([0.123], { unit: "share", locale });
  const { labels, room } = columnOf(drawn, { top, inside, width: width * 0.28, write });
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
  const { about, theme: look, width, parts, kind, locale } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, columns: 1, gap: 0, legend: [], rows: [] };
  if (parts.length === 0) return { ...page, panels: [noData(Plot, about.label, inner)] };
  const drawn = partsOf(view);
  const rows = drawn.map(({ label, value, from, to }) => ({ label, value, share: to - from }));
  if (kind === "lorenz") return { ...page, rows, panels: [lorenzPanel(Plot, view, inner)] };
  const write = formatterFor([0.123], { unit: "share", locale });
  const { panel, unnamed } = barPanel(Plot, { parts: drawn, width: inner, write });
  return {
    ...page,
    rows,
    // What found no room at the bar has its name here.
    legend: unnamed.map((part) => ({ label: nameOf(part), color: part.color, key: "square" })),
    panels: [panel],
  };
}
