import type { LegendItem } from "../chart.ts";
import { drawnSeries } from "../series_colors.ts";
import type { FigureBody, Look } from "../look.ts";
import { type Line, type LinePoint, pointRows, pointsOf, sumOf } from "../read/lines.ts";
import { theme } from "../theme.ts";
import { axisFor } from "./axes.ts";
import type { LinesPlan } from "./line_plan.ts";
import { Plot } from "./observable_plot.ts";
import { ruleMarks } from "./panel_lines.ts";
import { planeOf } from "./plane.ts";

/** The data and options of a chart of stacked bars over dates. */
interface StacksPlan {
  /** The groups, in the order in which they are stacked. The first group is next to the axis. */
  readonly lines: readonly Line[];
  readonly y: LinesPlan["y"];
  /** The order of the groups in a word, such as `Arrived`. Their colors then follow the order. */
  readonly order?: string;
  /** The totals, drawn over the bars as dots. */
  readonly total?: Line;
  /** The minimum space at the left, in pixels, to align the panels of several figures. */
  readonly left?: number;
  /** Vertical lines with names. */
  readonly rules?: LinesPlan["rules"];
}

/** The width of a bar as a fraction of the distance between dates. */
const BAR = 0.86;
/** Parts with a smaller height than this, in pixels, have no border. */
const THIN = 3;
const SIZE = { bottom: 44, right: 14 };
/** The space above the plot area, without and with the names of an axis or of vertical lines. */
const TOP = [12, 34] as const;

/** Returns the shortest time between two successive dates, or a month if there is only one date. */
function stepOf(places: readonly number[]): number {
  const steps = places.slice(1).map((at, index) => at - places[index]!);
  return steps.length === 0 ? 30 * 86_400_000 : Math.min(...steps);
}

/** Draws stacked bars over dates. */
export function stacksFigure(plan: StacksPlan, look: Look): FigureBody {
  const { y: { unit, name }, order, total, left = 0, rules = [] } = plan;
  const { locale, format, inner: width, height = 400 } = look;
  const lines = drawnSeries(plan.lines, { ...look, ordered: order !== undefined });
  const all = total === undefined ? plan.lines : [...plan.lines, total];
  const rows = pointRows(all, true);
  const places = [...new Set(pointsOf(lines).map(({ x }) => x))]
    .toSorted((a, b) => a - b);
  const step = stepOf(places);

  const parts = pointRows(lines, false).filter(({ y }) => y !== null && y !== 0);
  const sides = Map.groupBy(parts, ({ x, y }) => `${x} ${y! > 0}`);
  const heights = [...sides.values()].map((side) => sumOf(side, ({ y }) => y));
  const ends = [places[0]! - step / 2, places.at(-1)! + step / 2];
  const plane = planeOf({
    ...SIZE,
    top: TOP[name === "" && rules.length === 0 ? 0 : 1],
    width,
    height,
    left,
    x: {
      axis: { ...axisFor(ends, { dates: true }), dates: places },
      style: { unit: "count", locale },
      name: "",
    },
    y: {
      axis: unit === "fraction" && heights.every((height) => height <= 1 + 1e-9)
        ? { type: "linear", domain: [0, 1] }
        : axisFor(heights, { zero: true, scale: "linear" }),
      style: { unit, locale, format },
      name,
    },
  });
  const sums = pointRows(total === undefined ? [] : [total], true).filter(({ y }) => y !== null);
  const [first, last] = [lines[0]!, lines.at(-1)!];
  const legend: LegendItem[] = order === undefined
    ? lines.map(({ label, color }) => ({ label, color, key: "square" }))
    : [{
      from: `${order} ${first.label}`,
      label: last.label,
      color: first.color,
      key: "ramp",
      colors: lines.map(({ color }) => color),
    }];
  if (total !== undefined) {
    legend.push({ label: total.label, color: theme.ink, key: "dot" });
  }
  return {
    panels: [plane.panel([
      Plot.rectY(parts, {
        x1: ({ x }: LinePoint) => new Date(x - step * BAR / 2),
        x2: ({ x }: LinePoint) => new Date(x + step * BAR / 2),
        y: "y",
        fill: "color",
        fillOpacity: ({ complete }: LinePoint) => complete ? 1 : 0.45,
        stroke: theme.paper,
        // A thin part has no border, because the border would cover it.
        strokeWidth: ({ y }: LinePoint) => Math.abs(plane.yOf(0) - plane.yOf(y!)) < THIN ? 0 : 0.5,
        ariaDescription: "part",
      }),
      ...ruleMarks(rules, plane),
      // A ring in the page color separates the dots from dark bars. The dot of an incomplete period is hollow.
      Plot.dot(sums, { x: "x", y: "y", r: 5, fill: theme.paper }),
      Plot.dot(sums, {
        x: "x",
        y: "y",
        r: 3.25,
        fill: ({ complete }: LinePoint) => complete ? theme.ink : theme.paper,
        stroke: theme.ink,
        strokeWidth: 1.5,
        ariaDescription: "total",
      }),
    ])],
    legend,
    rows: rows.map(({ label, x, y }) => ({ group: label, date: x, value: y })),
  };
}
