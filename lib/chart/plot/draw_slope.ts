import type { PlotFigure } from "../chart.ts";
import { FAINT_OPACITY } from "../colors.ts";
import { formatterFor, formatValue } from "../format.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, placeOn, valueAlong } from "./axes.ts";
import { type DrawnLine, drawnLines, type LinesView, rowsOf } from "./draw_lines.ts";
import { endLabels } from "./end_labels.ts";
import { loadPlot, type ObservablePlot, type PlotOptions } from "./observable_plot.ts";
import { heightOf, type PlaneAxis, planeAxis, planeScale } from "./plane_axes.ts";

const TOP = 46;

/** How much larger the value at the right is; nothing where that is not to be said in per cent. */
function changeOf([from, to]: DrawnLine["points"]): string {
  if (!(from!.value! > 0 && to!.value! >= 0)) return "";
  const percent = Math.round((to!.value! / from!.value! - 1) * 100);
  return `  ${formatValue(percent / 100, "change")}`;
}

/** Names and values beside the ends of the lines, on one side; those that do not fit are left out. */
function sideLabels(
  Plot: ObservablePlot,
  lines: readonly DrawnLine[],
  { side, y, inside, length, room, write }: {
    side: 0 | 1;
    y: PlaneAxis;
    inside: number;
    /** From one side to the other, in pixels. */
    length: number;
    room: number;
    write: (value: number) => string;
  },
) {
  const textOf = ({ label, points }: DrawnLine) => {
    const value = write(points[side]!.value!);
    const [name = ""] = wrapText(label, { ...theme.label, width: room, lines: 1 });
    return side === 0 ? `${name}  ${value}` : `${value}  ${name}${changeOf(points)}`;
  };
  const heights = new Map(
    lines.map((line) => [textOf(line), TOP + heightOf(y, line.points[side]!.value!, inside)]),
  );
  const ends = [...heights].map(([label, y]) => ({ label, y, optional: true }));
  const labels = endLabels(ends, { top: TOP - 8, bottom: TOP + inside + 12, width: 1000 });
  return (labels?.labels ?? []).flatMap(({ label, at, y: end }) => {
    const line = lines.find((line) => textOf(line) === label && line.points[side] !== undefined)!;
    const sign = side === 0 ? -1 : 1;
    const value = line.points[side]!.value!;
    const moved = valueAlong(y, placeOn(y, value) - (at - end) / inside);
    const leader = Plot.link([{ value, moved }], {
      ...{ x1: () => side + sign * 6 / length, x2: () => side + sign * 14 / length },
      ...{ y1: "value", y2: "moved", stroke: line.color, strokeWidth: 0.75 },
      ariaDescription: "leader",
    });
    const text = Plot.text([{ at: side, value }], {
      ...{ x: "at", y: "value", text: () => label, dx: sign * 16, dy: at - end },
      ...{ textAnchor: side === 0 ? "end" : "start", ariaDescription: "side label" },
      fill: line.prominent ? theme.ink : theme.muted,
    });
    return Math.abs(at - end) < 2 ? [text] : [leader, text];
  });
}

/** The figure of a slope chart. */
export async function slopeFigure(
  view: LinesView & {
    readonly sides: readonly [string, string];
    readonly scale: "auto" | "linear" | "log";
  },
): Promise<PlotFigure> {
  const { about, theme: look, width: whole, height, words, locale, format, sides, scale } = view;
  const Plot = await loadPlot();
  const width = whole - 2 * theme.padding;
  const page = { ...about, width: whole, theme: look, columns: 1, gap: 0, legend: [] };
  if (view.lines.length === 0) {
    return { ...page, rows: [], panels: [noData(Plot, about.label, width)] };
  }
  const lines = drawnLines(view);
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value!));
  const write = formatterFor(values, { unit: words.unit, locale, format });
  // There is no axis to read: the lines take all of the room.
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = high > low
    ? { ...planeAxis(values, { scale }), domain: [low, high] as const }
    : planeAxis(values, { scale: "linear" });
  const inside = height - TOP - 16;
  const widest = Math.max(...lines.map(({ label }) => textWidth(label, theme.label)));
  const [left, right] = [80, 125].map((room) => Math.min(widest + room + 6, width * 0.36));
  const side = { y, inside, length: width - left! - right!, write };
  const panel: PlotOptions = {
    ...{ width, height, marginTop: TOP, marginBottom: 16, marginLeft: left!, marginRight: right! },
    x: { type: "linear", domain: [0, 1], axis: null },
    y: planeScale(y),
    marks: [
      Plot.ruleX([0, 1], { stroke: theme.faint }),
      Plot.text(sides, {
        ...{ x: (_: string, index: number) => index, frameAnchor: "top", dy: -30 },
        ...{ fontWeight: "bold", ariaDescription: "side" },
      }),
      Plot.text(y.type === "log" ? ["log scale"] : [], {
        ...{ frameAnchor: "bottom", dy: 14, fill: theme.muted, ariaDescription: "scale" },
      }),
      ...lines.toSorted((a, b) => Number(a.prominent) - Number(b.prominent)).flatMap((line) => [
        Plot.line(line.points, {
          ...{ x: "at", y: "value", stroke: line.color, strokeWidth: line.prominent ? 2 : 1 },
          strokeOpacity: line.prominent ? 1 : FAINT_OPACITY,
          ariaDescription: "series",
        }),
        Plot.dot(line.points, {
          ...{ x: "at", y: "value", fill: line.color, symbol: line.symbol, r: 3.5 },
          ariaDescription: "value",
        }),
      ]),
      ...sideLabels(Plot, lines, { ...side, side: 0, room: left! - 76 }),
      ...sideLabels(Plot, lines, { ...side, side: 1, room: right! - 121 }),
    ],
  };
  return { ...page, rows: rowsOf(lines, false), panels: [panel] };
}
