import { FAINT_OPACITY } from "../colors.ts";
import { formatterFor, formatValue, type Unit } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { unnamedNotes } from "../notes.ts";
import { type Line, pointRows, pointsOf } from "../read/lines.ts";
import { drawnSeries } from "../series_colors.ts";
import { wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { axisFor, cutText, isCut, labelOf, placeOn, scaleOptions } from "./axes.ts";
import { endLabelMarks, placeEndLabels } from "./end_labels.ts";
import { incompleteLine } from "./line_marks.ts";
import type { DrawnLine } from "./line_plan.ts";
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
const BOTTOM = 22;
/** The maximum fraction of the width for the texts at the left and at the right. */
const MOST = [0.42, 0.36] as const;
/** The height of a name with two lines, in pixels. */
const NAME = 29;
/** In a narrower chart, names are only at the left. */
const NARROW = 480;
/** The distance from the line to the text, in pixels. */
const APART = 29;

/**
 * Returns the relative change from left to right as text. The text is empty if the change cannot be stated as a
 * percentage.
 */
function changeOf([from, to]: DrawnLine["points"]): string {
  if (!(from!.y! > 0 && to!.y! >= 0)) return "";
  return ` ${formatValue(Math.round((to!.y! / from!.y! - 1) * 100) / 100, "change")}`;
}

/** Returns the name of a line, cut so that the value fits on the second line behind it. */
function nameOf({ label }: DrawnLine, room: number): string {
  return wrapText(label, { ...theme.label, width: 1.4 * room, lines: 1 })[0] ?? "";
}

/** Draws a slope chart. */
export function slopeFigure({ lines: all, sides, unit, scale }: SlopePlan, look: Look): FigureBody {
  const { inner: width, locale, format } = look;
  const { height = Math.max(420, TOP + BOTTOM + all.length * NAME) } = look;
  const lines = drawnSeries(all, look);
  const values = pointsOf(lines).map(({ y }) => y!);
  const write = formatterFor(values, { unit, locale, format });
  const round = axisFor(values, { scale, unit });
  // The axis is not drawn, so its ends need not be round numbers, and the lines can use the full height.
  const ends = round.type === "log" || isCut(round) ? values : [...values, 0];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const axis = high > low ? { ...round, domain: [low, high] as const } : round;
  const narrow = width < NARROW;
  const inside = height - TOP - BOTTOM;
  const sidesOf = ([0, 1] as const).map((side) => {
    const room = width * MOST[side] - APART;
    const ends = lines.map((line) => ({
      ...line,
      label: side === 0
        ? `${nameOf(line, room)} ${write(line.points[0]!.y!)}`
        : `${write(line.points[1]!.y!)}${changeOf(line.points)}${narrow ? "" : ` ${line.label}`}`,
      y: TOP + (1 - placeOn(axis, line.points[side]!.y!)) * inside,
      faint: !line.highlighted,
    }));
    const at = { top: TOP - 8, bottom: TOP + inside + 12, width: room };
    const labels = placeEndLabels(ends, at);
    return { labels, margin: Math.ceil(labels.room) + 2 };
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
      frameText(labelOf(axis, cutText(axis)), "bottom", { dy: 18, ariaDescription: "scale" }),
      incompleteLine(faint!, { strokeWidth: 1, strokeOpacity: FAINT_OPACITY }),
      incompleteLine(strong!),
      ...sidesOf.flatMap(({ labels }, right) => {
        const x = right ? width - marginRight! : marginLeft!;
        return endLabelMarks(labels, x, right ? 1 : -1);
      }),
    ],
  };
  const names = sidesOf[0]!.labels.labels.flatMap(({ ends }) => ends);
  return {
    panels: [panel],
    notes: unnamedNotes(lines.length - names.length, lines.length),
    rows: lines.flatMap(({ label, points }) =>
      points.map(({ x, y }) => ({ group: label, x: sides[x]!, value: y }))
    ),
  };
}
