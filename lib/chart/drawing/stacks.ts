import type { FigureRow } from "../chart.ts";
import { drawnSeries } from "../colors.ts";
import type { FigureBody, Look } from "../look.ts";
import type { Line } from "../series.ts";
import { theme } from "../theme.ts";
import { type Axis, axisFor } from "./axes.ts";
import { type LinesPlan, ruleMarks } from "./lines.ts";
import { Plot } from "./observable_plot.ts";
import { planeOf } from "./plane.ts";

/** Values of several groups over dates, stacked. */
interface StacksPlan {
  /** The groups, starting at the axis. */
  readonly lines: readonly Line[];
  readonly y: LinesPlan["y"];
  /** Whether the groups have an order, as cohorts do. Their colors then follow the order. */
  readonly ordered?: boolean;
  /** The ends of the vertical axis. By default they depend on the values. */
  readonly domain?: readonly [low: number, high: number];
  /** A line of totals over the bars. */
  readonly total?: Line;
  /** A date from which the bars cannot be compared with earlier bars, and the reason. */
  readonly from?: { readonly x: number; readonly label: string };
}

/** The width of a bar as a fraction of the distance between dates. */
const BAR = 0.86;
/** Parts with fewer pixels than this have no border. */
const THIN = 3;
/** Maximum number of groups in the legend. */
const MOST_NAMED = 12;
const SIZE = { top: 34, bottom: 44, right: 14 };

interface Part {
  readonly label: string;
  readonly color: string;
  readonly x1: Date;
  readonly x2: Date;
  readonly y1: number;
  readonly y2: number;
  readonly complete: boolean;
}

/** Returns bars that are stacked from zero. Negative values are stacked downwards. */
function partsOf(lines: readonly (Line & { readonly color: string })[], width: number): Part[] {
  const ends = new Map<string, number>();
  return lines.flatMap(({ label, color, points }) =>
    points.flatMap(({ x, y, complete }): Part[] => {
      if (y === null || y === 0) return [];
      const side = `${x} ${y > 0}`;
      const from = ends.get(side) ?? 0;
      ends.set(side, from + y);
      const [x1, x2] = [new Date(x - width / 2), new Date(x + width / 2)];
      return [{ label, color, x1, x2, y1: from, y2: from + y, complete }];
    })
  );
}

/** Returns the shortest time between two dates, or a month if there is only one date. */
function stepOf(places: readonly number[]): number {
  const steps = places.slice(1).map((at, index) => at - places[index]!);
  return steps.length === 0 ? 30 * 86_400_000 : Math.min(...steps);
}

function rowsOf({ lines, total }: StacksPlan): FigureRow[] {
  return [...lines, ...total === undefined ? [] : [total]].flatMap(({ label, points }) =>
    points.map(({ x, y }) => ({ group: label, date: new Date(x), value: y }))
  );
}

/** Draws stacked bars over dates. */
export function stacksFigure(plan: StacksPlan, look: Look): FigureBody {
  const { y, ordered = false, domain, total } = plan;
  const { highlight, colors } = look;
  const lines = drawnSeries(plan.lines, { highlight, colors, ordered });
  const places = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))]
    .toSorted((a, b) => a - b);
  const step = stepOf(places);
  const parts = partsOf(lines, step * BAR);
  const across = axisFor([places[0]! - step / 2, places.at(-1)! + step / 2], { dates: true });
  const heights = parts.flatMap(({ y1, y2 }) => [y1, y2]);
  const up: Axis = domain === undefined
    ? axisFor(heights, { zero: true, scale: "linear" })
    : { type: "linear", domain };
  const plane = planeOf({
    ...SIZE,
    height: look.height ?? 400,
    width: look.inner,
    x: { axis: across, style: { unit: "count", locale: look.locale }, name: "" },
    y: {
      axis: up,
      style: { unit: y.unit, locale: look.locale, format: look.format },
      name: y.name,
    },
  });
  const sums = (total?.points ?? []).filter((point) => point.y !== null)
    .map((point) => ({ x: new Date(point.x), y: point.y }));
  const named = lines.length <= MOST_NAMED
    ? lines
    : [lines[0]!, lines[Math.floor(lines.length / 2)]!, lines.at(-1)!];
  return {
    panels: [plane.panel([
      Plot.rect(parts, {
        x1: "x1",
        x2: "x2",
        y1: "y1",
        y2: "y2",
        fill: "color",
        fillOpacity: ({ complete }: Part) => complete ? 1 : 0.45,
        stroke: theme.paper,
        // A thin part has no border, because the border would cover it.
        strokeWidth: ({ y1, y2 }: Part) => Math.abs(plane.yOf(y1) - plane.yOf(y2)) < THIN ? 0 : 0.5,
        ariaDescription: "part",
      }),
      ...ruleMarks(plan.from === undefined ? [] : [plan.from], plane),
      // The wide line in the color of the paper separates the line from dark bars.
      Plot.line(sums, { x: "x", y: "y", stroke: theme.paper, strokeWidth: 4 }),
      Plot.line(sums, { x: "x", y: "y", stroke: theme.ink, strokeWidth: 1.5 }),
      Plot.dot(sums, {
        x: "x",
        y: "y",
        r: 4,
        fill: theme.ink,
        stroke: theme.paper,
        ariaDescription: "total",
      }),
    ])],
    legend: [
      ...named.map(({ label, color }) => ({ label, color, key: "square" as const })),
      ...total === undefined
        ? []
        : [{ label: total.label, color: theme.ink, key: "line" as const }],
    ],
    rows: rowsOf(plan),
  };
}
