import { drawnSeries, FAINT_OPACITY } from "../colors.ts";
import { formatterFor, formatValue, type Unit } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import type { Line } from "../series.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type Axis, axisFor, placeOn, scaleOptions, valueAlong } from "./axes.ts";
import { endLabelMarks, placeEndLabels } from "./end_labels.ts";
import { incompleteLine } from "./line_marks.ts";
import type { DrawnLine } from "./lines.ts";
import { type Markish, Plot } from "./observable_plot.ts";

/** Lines between two vertical sides. */
interface SlopePlan {
  readonly lines: readonly Line[];
  readonly sides: readonly [string, string];
  readonly unit: Unit;
  readonly scale: "auto" | "linear" | "log";
}

const TOP = 46;
/** Names with less space than this, in pixels, are at the left only. */
const NARROWEST_NAME = 40;
const BOTTOM = 16;
/** The approximate width of the numbers on each side. `APART` is the distance from the line to the text. */
const NUMBERS = [76, 121] as const;
const APART = 31;

/** Returns the relative change from left to right as text. Empty if the change has no percentage. */
function changeOf([from, to]: DrawnLine["points"]): string {
  if (!(from!.y! > 0 && to!.y! >= 0)) return "";
  return `  ${formatValue(Math.round((to!.y! / from!.y! - 1) * 100) / 100, "change")}`;
}

/** Returns the name and value of a line on one side. Names with too little space are left out on the right. */
function sideText(
  line: DrawnLine,
  { side, room, write }: { side: 0 | 1; room: number; write: (value: number) => string },
): string {
  const value = write(line.points[side]!.y!);
  const [name = ""] = wrapText(line.label, { ...theme.label, width: room, lines: 1 });
  if (side === 0) return `${name}  ${value}`;
  const bare = room < Math.min(NARROWEST_NAME, textWidth(line.label, theme.label));
  return `${bare ? value : `${value}  ${name}`}${changeOf(line.points)}`;
}

interface SidePlan {
  readonly side: 0 | 1;
  readonly axis: Axis;
  readonly inside: number;
  /** The distance between the sides, in pixels. */
  readonly length: number;
  /** The text of each line. */
  readonly texts: readonly string[];
}

/** Draws names and values beside the ends of the lines, on one side. Labels that do not fit are left out. */
function sideLabels(lines: readonly DrawnLine[], plan: SidePlan): Markish[] {
  const { side, axis, inside, length, texts } = plan;
  const ends = lines.map(({ points, color, symbol, highlighted }, index) => ({
    label: texts[index]!,
    y: TOP + (1 - placeOn(axis, points[side]!.y!)) * inside,
    optional: true,
    color,
    symbol,
    faint: !highlighted,
  }));
  const labels = placeEndLabels(ends, { top: TOP - 8, bottom: TOP + inside + 12, width: 1000 });
  return labels === null ? [] : endLabelMarks(labels, {
    after: (pixels) => side === 0 ? -pixels / length : 1 + pixels / length,
    valueAt: (y) => valueAlong(axis, 1 - (y - TOP) / inside),
    anchor: side === 0 ? "end" : "start",
  });
}

/** Draws lines between two sides. */
export function slopeFigure({ lines: all, sides, unit, scale }: SlopePlan, look: Look): FigureBody {
  const { inner: width, height = 420, locale, format, highlight, colors } = look;
  const lines = drawnSeries(all, { highlight, colors });
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y!));
  const write = formatterFor(values, { unit, locale, format });
  // There is no axis with round ends, so the lines use the full height.
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const axis = high > low
    ? { ...axisFor(values, { scale }), domain: [low, high] as const }
    : axisFor(values, { scale: "linear" });
  const inside = height - TOP - BOTTOM;
  const widest = Math.max(...lines.map(({ label }) => textWidth(label, theme.label)));
  const texts = ([0, 1] as const).map((side) => {
    const room = Math.min(widest, width * 0.36 - NUMBERS[side]);
    return lines.map((line) => sideText(line, { side, room, write }));
  });
  const [left, right] = texts.map((some) =>
    Math.ceil(Math.max(...some.map((text) => textWidth(text, theme.label)))) + APART
  );
  const side = { axis, inside, length: width - left! - right! };
  const rows = lines.map(({ points, label, color, symbol, highlighted }) =>
    points.map((point) => ({ ...point, id: label, label, color, symbol, highlighted }))
  ).flat();
  const panel = {
    width,
    height,
    marginTop: TOP,
    marginBottom: BOTTOM,
    marginLeft: left!,
    marginRight: right!,
    x: { type: "linear" as const, domain: [0, 1], axis: null },
    y: scaleOptions(axis),
    marks: [
      Plot.ruleX([0, 1], { stroke: theme.faint }),
      Plot.text(sides, {
        x: (_: string, index: number) => index,
        frameAnchor: "top",
        dy: -30,
        fontWeight: "bold",
        ariaDescription: "side",
      }),
      Plot.text(axis.type === "log" ? ["log scale"] : [], {
        frameAnchor: "bottom",
        dy: 14,
        fill: theme.muted,
        ariaDescription: "scale",
      }),
      incompleteLine(rows.filter((row) => !row.highlighted), {
        strokeWidth: 1,
        strokeOpacity: FAINT_OPACITY,
      }),
      incompleteLine(rows.filter((row) => row.highlighted)),
      ...sideLabels(lines, { ...side, side: 0, texts: texts[0]! }),
      ...sideLabels(lines, { ...side, side: 1, texts: texts[1]! }),
    ],
  };
  return {
    panels: [panel],
    rows: lines.flatMap(({ label, points }) =>
      points.map(({ x, y }) => ({ group: label, x: sides[x]!, value: y }))
    ),
  };
}
