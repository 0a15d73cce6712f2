import { FAINT_OPACITY } from "../colors.ts";
import { formatterFor, formatValue, type Unit } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { type Line, pointRows } from "../read/lines.ts";
import { drawnSeries } from "../series_colors.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { axisFor, labelOf, placeOn, scaleOptions } from "./axes.ts";
import { endLabelMarks, placeEndLabels } from "./end_labels.ts";
import { incompleteLine } from "./line_marks.ts";
import type { DrawnLine } from "./lines.ts";
import { Plot, type PlotOptions } from "./observable_plot.ts";
import { frameText } from "./plane.ts";

/** The data and options of a slope chart: lines between two vertical sides. */
interface SlopePlan {
  readonly lines: readonly Line[];
  readonly sides: readonly [string, string];
  readonly unit: Unit;
  readonly scale: "auto" | "linear" | "log";
}

const TOP = 46;
/** A name with less space than this, in pixels, is written only at the left. */
const NARROWEST_NAME = 40;
const BOTTOM = 16;
/** The maximum fraction of the width for the texts at the left and at the right. */
const MOST = [0.42, 0.36] as const;
/** The distance from the line to the text, in pixels. */
const APART = 31;

/**
 * Returns the relative change from left to right as text. The text is empty if the change cannot be stated as a
 * percentage.
 */
function changeOf([from, to]: DrawnLine["points"]): string {
  if (!(from!.y! > 0 && to!.y! >= 0)) return "";
  return `  ${formatValue(Math.round((to!.y! / from!.y! - 1) * 100) / 100, "change")}`;
}

/** Returns the name and value of a line on one side. On the right, a name with too little space is left out. */
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

/** Draws a slope chart. */
export function slopeFigure({ lines: all, sides, unit, scale }: SlopePlan, look: Look): FigureBody {
  const { inner: width, height = 420, locale, format } = look;
  const lines = drawnSeries(all, look);
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y!));
  const write = formatterFor(values, { unit, locale, format });
  // The axis is not drawn, so its ends need not be round numbers, and the lines can use the full height.
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const axis = high > low
    ? { ...axisFor(values, { scale }), domain: [low, high] as const }
    : axisFor(values, { scale: "linear" });
  const inside = height - TOP - BOTTOM;
  const widest = Math.max(...lines.map(({ label }) => textWidth(label, theme.label)));
  const sidesOf = ([0, 1] as const).map((side) => {
    const bare = lines.map((line) => sideText({ ...line, label: "" }, { side, room: 1, write }));
    const numbers = Math.max(...bare.map((text) => textWidth(text, theme.label)));
    const room = Math.min(widest, width * MOST[side] - APART - numbers);
    const ends = lines.map((line) => ({
      ...line,
      label: sideText(line, { side, room, write }),
      y: TOP + (1 - placeOn(axis, line.points[side]!.y!)) * inside,
      optional: true,
      faint: !line.highlighted,
    }));
    const texts = ends.map(({ label }) => textWidth(label, theme.label));
    // Labels that do not fit are left out.
    const labels = placeEndLabels(ends, { top: TOP - 8, bottom: TOP + inside + 12, width: 1000 });
    return { labels, margin: Math.ceil(Math.max(...texts)) + APART };
  });
  const [marginLeft, marginRight] = sidesOf.map(({ margin }) => margin);
  const [faint, strong] = [false, true].map((strong) =>
    pointRows(lines.filter(({ highlighted }) => highlighted === strong), false)
  );
  const panel: PlotOptions = {
    width,
    height,
    marginTop: TOP,
    marginBottom: BOTTOM,
    marginLeft: marginLeft!,
    marginRight: marginRight!,
    x: { type: "linear", domain: [0, 1], axis: null },
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
      frameText(labelOf(axis, ""), "bottom", { dy: 14, ariaDescription: "scale" }),
      incompleteLine(faint!, { strokeWidth: 1, strokeOpacity: FAINT_OPACITY }),
      incompleteLine(strong!),
      ...sidesOf.flatMap(({ labels }, right) => {
        const x = right ? width - marginRight! : marginLeft!;
        return labels === null ? [] : endLabelMarks(labels, x, right ? 1 : -1);
      }),
    ],
  };
  return {
    panels: [panel],
    rows: lines.flatMap(({ label, points }) =>
      points.map(({ x, y }) => ({ group: label, x: sides[x]!, value: y }))
    ),
  };
}
