import type { PlotFigure } from "../chart.ts";
import { isHighlighted, type Series, seriesColors } from "../colors.ts";
import { inkOn } from "../page/dark.ts";
import type { ColoredLook } from "../options.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData } from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";

/** Where a line stands in a period; null where it has no value. */
export interface RankPoint {
  readonly date: Date;
  readonly complete: boolean;
  readonly value: number | null;
  /** Equal values share the smaller rank. */
  readonly rank: number | null;
  /** Where it is drawn: each line has a place of its own. */
  readonly place: number | null;
}

/** A line of ranks. */
export interface RankedLine extends Series {
  readonly points: readonly RankPoint[];
}

/** A chart of ranks over time: what it says, its lines, and how it looks. */
export interface RanksView extends ColoredLook {
  /** By the number of places where it is not given. */
  readonly height: number | undefined;
  /** None when no value is known. */
  readonly lines: readonly RankedLine[];
  readonly dates: readonly Date[];
}

const TOP = 16;
const BOTTOM = 36;
const PLACE = 27;
const RADIUS = 9;
/** Nearer to each other than this the points have no room for their ranks. */
const NARROWEST = 22;

interface RanksPlan {
  readonly view: RanksView;
  readonly colors: readonly string[];
  readonly width: number;
  readonly left: number;
  readonly right: number;
}

/** The pieces between neighbouring periods that both have a rank. */
function piecesOf({ points }: RankedLine): [RankPoint, RankPoint][] {
  return points.slice(1).flatMap((to, index) => {
    const from = points[index]!;
    return from.place === null || to.place === null ? [] : [[from, to]];
  });
}

function lineMarks(
  Plot: ObservablePlot,
  { view, colors, width, left, right }: RanksPlan,
): Markish[] {
  const { lines, highlight, dates } = view;
  const room = (width - left - right) / Math.max(1, dates.length - 1);
  return lines.flatMap((line, index) => {
    const color = colors[index]!;
    const prominent = isHighlighted(line, highlight);
    const pieces = piecesOf(line);
    const ends = {
      x1: ([from]: [RankPoint, RankPoint]) => from.date,
      y1: ([from]: [RankPoint, RankPoint]) => from.place,
      x2: ([, to]: [RankPoint, RankPoint]) => to.date,
      y2: ([, to]: [RankPoint, RankPoint]) => to.place,
      ...{ stroke: color, strokeWidth: prominent ? 2.5 : 1.5, curve: "bump-x" as const },
    };
    const open = ([from, to]: [RankPoint, RankPoint]) => !(from.complete && to.complete);
    const points = line.points.filter(({ place }) => place !== null);
    const r = room < NARROWEST ? 3.5 : RADIUS;
    const at = { x: "date", y: "place", r, stroke: color, strokeWidth: 1.5 };
    const number = { x: "date", y: "place", text: ({ rank }: RankPoint) => String(rank) };
    return [
      Plot.link(pieces.filter((piece) => !open(piece)), { ...ends, ariaDescription: "line" }),
      Plot.link(pieces.filter(open), {
        ...{ ...ends, strokeDasharray: "4 3", ariaDescription: "not complete" },
      }),
      Plot.dot(points, {
        ...{ ...at, fill: ({ complete }: RankPoint) => complete ? color : theme.paper },
        ariaDescription: "rank",
      }),
      ...room < NARROWEST ? [] : [
        Plot.text(points.filter(({ complete }) => complete), {
          ...{ ...number, fill: inkOn(color), stroke: color, strokeWidth: 2, fontWeight: "bold" },
        }),
        Plot.text(points.filter(({ complete }) => !complete), { ...number, fill: theme.ink }),
      ],
    ];
  });
}

/** The names at the ends of the lines that reach it: in the first period, or in the last. */
function nameMarks(
  { text }: ObservablePlot,
  { view: { lines, highlight } }: RanksPlan,
  { period, room }: { period: 0 | -1; room: number },
): Markish[] {
  const side = period === 0 ? -1 : 1;
  const named = lines.flatMap((line) => {
    const point = line.points.at(period)!;
    if (point.place === null) return [];
    const [name = ""] = wrapText(line.label, { ...theme.label, width: room, lines: 1 });
    return [{ ...point, name, ink: isHighlighted(line, highlight) ? theme.ink : theme.muted }];
  });
  return [
    text(named, {
      ...{ x: "date", y: "place", text: "name", fill: "ink", dx: side * (RADIUS + 6) },
      ...{ textAnchor: side === 1 ? "start" : "end", ariaDescription: "line label" },
    }),
  ];
}

function roomFor(lines: readonly RankedLine[], period: 0 | -1, width: number): number {
  const names = lines.flatMap(({ label, points }) =>
    points.at(period)!.place === null ? [] : [textWidth(label, theme.label)]
  );
  return Math.min(width * 0.24, Math.max(0, ...names)) + RADIUS + 10;
}

function ranksPanel(Plot: ObservablePlot, plan: RanksPlan): PlotOptions {
  const { view: { lines, dates, height }, width, left, right } = plan;
  const places = lines.flatMap(({ points }) => points.flatMap(({ place }) => place ?? []));
  const last = Math.max(...places);
  const [from, to] = [dates[0]!, dates.at(-1)!];
  const day = 43_200_000;
  const single = dates.length < 2;
  return {
    ...{ width, height: height ?? TOP + BOTTOM + last * PLACE, marginTop: TOP },
    ...{ marginBottom: BOTTOM, marginLeft: left, marginRight: right },
    x: {
      ...{ type: "utc", axis: null },
      domain: single ? [new Date(+from - day), new Date(+from + day)] : [from, to],
    },
    y: { type: "linear", domain: [last + 0.5, 0.5], axis: null },
    color: { type: "identity" },
    marks: [
      Plot.axisX({
        ...single
          ? { ticks: [...dates], tickFormat: (date: Date) => date.toISOString().slice(0, 10) }
          : { ticks: Math.max(2, Math.floor((width - left - right) / 70)) },
        ...{ label: null, fill: theme.muted, stroke: theme.muted },
      }),
      ...lineMarks(Plot, plan),
      ...single ? [] : nameMarks(Plot, plan, { period: 0, room: left - RADIUS - 8 }),
      ...nameMarks(Plot, plan, { period: -1, room: right - RADIUS - 8 }),
    ],
  };
}

/** The figure of ranks over time. */
export async function ranksFigure(view: RanksView): Promise<PlotFigure> {
  const { about, theme: look, width, lines, dates } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const rows = lines.flatMap(({ label, points }) =>
    points.map(({ date, complete, value, rank }) => ({ group: label, date, complete, value, rank }))
  );
  const page = { ...about, width, theme: look, legend: [], columns: 1, gap: 0, rows };
  if (lines.length === 0) return { ...page, panels: [noData(Plot, about.label, inner)] };
  const colors = seriesColors(lines, { highlight: view.highlight, colors: view.colors });
  const left = dates.length < 2 ? 16 : roomFor(lines, 0, inner);
  const right = roomFor(lines, -1, inner);
  return { ...page, panels: [ranksPanel(Plot, { view, colors, width: inner, left, right })] };
}
