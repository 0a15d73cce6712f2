import type { LegendItem } from "../chart.ts";
import { drawnSeries } from "../series_colors.ts";
import type { FigureBody, Look } from "../look.ts";
import { type Line, type LinePoint, pointRows, pointsOf, sumBy } from "../read/lines.ts";
import { theme } from "../theme.ts";
import { textColor } from "../page/dark.ts";
import { textWidth } from "../text/layout.ts";
import { axisFor } from "./axes.ts";
import type { LinesPlan } from "./line_plan.ts";
import { Plot } from "./observable_plot.ts";
import { placeRuleNames, ruleMarks } from "./panel_lines.ts";
import { inPixels, planeOf } from "./plane.ts";

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

/** Bars that are closer than this, in pixels, have neither borders nor gaps, and totals are a line. */
const CLOSE = 9;
/** Bars that are closer than this, in pixels, are an area with steps. */
const DENSE = 3;
/** The width of a bar as a fraction of the distance between dates. */
const BAR = 0.86;
/** The smallest height of a part that has its name beside the last bar, in pixels. Thinner parts are in the legend. */
const NAMED = 12;
const SIZE = { bottom: 44, right: 14 };
/** The space above the plot area, without and with the names of an axis or of vertical lines. */
const TOP = [12, 34] as const;

/** Returns the shortest time between two successive dates, or a month if there is only one date. */
function stepOf(places: readonly number[]): number {
  const steps = places.slice(1).map((at, index) => at - places[index]!);
  return steps.length === 0 ? 30 * 86_400_000 : Math.min(...steps);
}

/** Draws stacked bars over dates, as areas with steps if the bars are narrow. */
export function stacksFigure(plan: StacksPlan, look: Look): FigureBody {
  const { y: { unit, name }, order, total, left = 0, rules = [] } = plan;
  const { locale, format, inner: width, height = 400 } = look;
  const lines = drawnSeries(plan.lines, { ...look, ordered: order !== undefined });
  const all = total === undefined ? plan.lines : [...plan.lines, total];
  const places = [...new Set(pointsOf(lines).map(({ x }) => x))].toSorted((a, b) => a - b);
  const step = stepOf(places);
  const open = new Set(pointsOf(lines).flatMap(({ x, complete }) => complete ? [] : [x]));
  const parts = pointRows(lines, false).filter(({ y }) => y !== null && y !== 0);
  const signed = parts.some(({ y }) => y! < 0);
  const sides = Map.groupBy(parts, ({ x, y }) => `${x} ${y! > 0}`);
  const heightsOf = (settled: boolean) =>
    [...sides.values()].filter(([part]) => open.has(Number(part!.x)) !== settled)
      .map((side) => sumBy(side, ({ y }) => y));
  const heights = heightsOf(true);
  const ends = [places[0]! - step / 2, places.at(-1)! + step / 2];
  const size = {
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
        ? { type: "linear", domain: [0, 1] } as const
        : axisFor(heights, { zero: true, scale: "linear", open: heightsOf(false) }),
      style: { unit, locale, format },
      name,
    },
  } as const;
  const { lift } = placeRuleNames(rules, planeOf(size));
  const { yOf } = planeOf({ ...size, lift });
  // Parts that are stacked on one side have their names beside the last bar.
  let sum = 0;
  const narrow = places.length * CLOSE > width;
  const end = narrow ? places.findLast((x) => !open.has(x)) : places.at(-1);
  const last = parts.filter(({ x }) => x === end);
  const names = signed || order !== undefined || lines.length === 1
    ? []
    : last.flatMap(({ y, label, color }) => {
      const [from, to] = [yOf(sum), yOf(sum += y!)];
      const room = textWidth(label, theme.label) <= width * 0.28;
      return from - to >= NAMED && room ? [{ label, color, at: (from + to) / 2 }] : [];
    });
  const widest = Math.max(0, ...names.map(({ label }) => textWidth(label, theme.label)));
  const plane = planeOf({ ...size, lift, right: Math.max(SIZE.right, widest + 8) });
  const apart = plane.xOf(places[0]! + step) - plane.xOf(places[0]!);
  const dense = apart < DENSE;
  const half = step / 2 * (apart < CLOSE ? 1 : BAR);
  const sums = total === undefined || !signed
    ? []
    : pointRows([total], true).filter(({ y }) => y !== null);
  const named = new Set(names.map(({ label }) => label));
  const legend: LegendItem[] = order === undefined
    ? lines.filter(({ label }) => !named.has(label))
      .map(({ label, color }) => ({ label, color, key: "square" }))
    : [{
      from: `${order} ${lines[0]!.label}`,
      label: lines.at(-1)!.label,
      color: lines[0]!.color,
      key: "ramp",
      colors: lines.map(({ color }) => color),
    }];
  if (sums.length > 0) {
    legend.push({ label: total!.label, color: theme.ink, key: apart < CLOSE ? "line" : "dot" });
  }
  // In an area, a missing part has the height 0, and missing dates end the area and the line of the totals.
  const gaps = places.flatMap((x, at) =>
    (places[at + 1] ?? x) - x > 1.5 * step ? [x + step, places[at + 1]! - step] : []
  );
  const area = lines.flatMap(({ points, ...line }) => {
    const known = new Map(points.map(({ x, y }) => [x, open.has(x) ? 0 : y ?? 0]));
    return [...places, ...gaps].toSorted((a, b) => a - b)
      .map((x) => ({ ...line, x: new Date(x), y: known.get(x) ?? 0 }));
  });
  const broken = [...sums, ...gaps.map((x) => ({ x: new Date(x), y: null }))]
    .toSorted((a, b) => Number(a.x) - Number(b.x));
  return {
    panels: [plane.panel([
      Plot.areaY(dense ? area : [], {
        x: "x",
        y: "y",
        z: "label",
        fill: "color",
        curve: "step",
        ariaDescription: "part",
      }),
      Plot.rectY(parts.filter(({ x }) => !dense || open.has(Number(x))), {
        x1: ({ x }: LinePoint) => new Date(x - half),
        x2: ({ x }: LinePoint) => new Date(x + half),
        y: "y",
        fill: "color",
        fillOpacity: ({ x }: LinePoint) => open.has(x) ? 0.45 : 1,
        stroke: theme.paper,
        // A thin part has no border, because the border would cover it.
        strokeWidth: ({ y }: LinePoint) =>
          apart < CLOSE || Math.abs(plane.yOf(0) - plane.yOf(y!)) < 3 ? 0 : 0.5,
        ariaDescription: "part",
      }),
      ...ruleMarks(rules, plane),
      apart < CLOSE
        ? [3, 1.25].map((strokeWidth, ring) =>
          Plot.line(sums.length > 0 ? broken : [], {
            x: "x",
            y: "y",
            strokeWidth,
            stroke: ring === 0 ? theme.paper : theme.ink,
            ariaDescription: ring === 0 ? "ring" : "total",
          })
        )
        // A ring in the page color separates the dots from dark bars. The dot of an incomplete period is hollow.
        : Plot.dot(sums, {
          x: "x",
          y: "y",
          r: 4.5,
          strokeWidth: 1.5,
          stroke: ({ complete }: LinePoint) => complete ? theme.paper : theme.ink,
          fill: ({ complete }: LinePoint) => complete ? theme.ink : theme.paper,
          ariaDescription: "total",
        }),
      Plot.text(names, {
        x: inPixels(() => plane.xOf(ends[1]!)),
        y: inPixels("at"),
        dx: 4,
        text: "label",
        textAnchor: "start",
        fill: ({ color }: { color: string }) => textColor(color),
        ariaDescription: "part name",
      }),
    ])],
    legend,
    rows: pointRows(all, true).map(({ label, x, y }) => ({ group: label, date: x, value: y })),
  };
}
