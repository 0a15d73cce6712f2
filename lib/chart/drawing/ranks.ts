import { extentOf } from "../extent.ts";
import type { Look } from "../look.ts";
import { inkOn } from "../page/dark.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { incompleteLine } from "./line_marks.ts";
import { type DrawnLine, lineAxes, linePlaces, type LinesPlan } from "./line_plan.ts";
import { Plot } from "./observable_plot.ts";
import { FAINT, placeRuleNames, rowsOfLines, ruleMarks, ruleNotes } from "./panel_lines.ts";
import { inPixels, planeOf } from "./plane.ts";

const RADIUS = 9;
/** The distance between two ranks, in pixels, and if a name has two lines. */
const [STEP, WIDE_STEP] = [27, 31];
const [TOP, BOTTOM] = [16, 36];
/** The space for names of vertical lines, in pixels. */
const NAMES = 14;
/** A narrower chart writes each name once. */
const NARROW = 420;
/** Names take this part of the width at each end, or more in a narrow chart. */
const [PART, NARROW_PART] = [0.24, 0.36];

/** Draws the ranks of lines. Names and ranks are at both ends. */
export function rankPanel(plan: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { x, y } = lineAxes(plan, look, lines);
  const isNarrow = look.inner < NARROW;
  const width = look.inner * (isNarrow ? NARROW_PART : PART);
  const places = linePlaces(lines);
  const ends = [...new Set(extentOf(places))].map((x) =>
    lines.flatMap((line) => {
      const point = line.points.find((point) => point.x === x && point.y !== null);
      const names = wrapText(line.label, { ...theme.label, width, lines: 2 });
      return point === undefined ? [] : [{ ...line, ...point, names }];
    })
  );
  // In a narrow chart, names are at the right only, except those of lines that end earlier.
  const once = isNarrow && ends.length > 1;
  const last = new Set(ends.at(-1)!.map(({ id }) => id));
  const namedAt = ends.map((names, side) =>
    names.filter(({ id }) => !once || side > 0 || !last.has(id))
  );
  const [left = 16, right = left] = namedAt.map((names) =>
    Math.max(
      0,
      ...names.flatMap(({ names }) => names).map((text) => textWidth(text, theme.label)),
    ) +
    RADIUS + 10
  );
  const step = namedAt.flat().some(({ names }) => names.length > 1) ? WIDE_STEP : STEP;
  const rules = plan.rules ?? [];
  const names = rules.some(({ label }) => label !== "") ? NAMES : 0;
  const size = {
    width: look.inner,
    height: (look.height ?? TOP + BOTTOM + Math.floor(y.axis.domain[0]) * step) + names,
    top: TOP + names,
    bottom: BOTTOM,
    left: ends.length > 1 ? left : 16,
    right,
    x,
    y,
  };
  const { lift } = placeRuleNames(rules, planeOf(size));
  const plane = planeOf({ ...size, height: size.height + lift, lift });
  const rows = (strong: boolean) =>
    rowsOfLines(lines.filter(({ highlighted }) => highlighted === strong), plan);
  const curve = "bump-x";
  type End = typeof ends[number][number];
  const disk = ({ highlighted, color }: End) => highlighted ? color : theme.paper;
  const at = { x: inPixels(({ x }: End) => plane.xOf(x)), y: "y" };
  return {
    notes: ruleNotes(rules, plane, look.locale),
    panels: [plane.panel([
      ...ruleMarks(rules, plane),
      incompleteLine(rows(false), { ...FAINT, curve, strokeWidth: 1.5 }),
      incompleteLine(rows(true), { curve, strokeWidth: 2.5, dots: false }),
      Plot.dot(ends.flat(), {
        ...at,
        r: RADIUS,
        fill: disk,
        stroke: "color",
        ariaDescription: "rank",
      }),
      Plot.text(ends.flat(), {
        ...at,
        text: "text",
        fill: ({ highlighted, color }: End) => highlighted ? inkOn(color) : theme.muted,
        stroke: disk,
        strokeWidth: 2,
        fontWeight: "bold",
        ariaDescription: "rank text",
      }),
      ...namedAt.map((names, side) => {
        const last = side === ends.length - 1;
        return Plot.text(names, {
          ...at,
          text: ({ names }: End) => names.join("\n"),
          lineHeight: theme.label.line / theme.label.size,
          textAnchor: last ? "start" : "end",
          dx: (last ? 1 : -1) * (RADIUS + 6),
          fill: ({ highlighted }: End) => highlighted ? theme.ink : theme.muted,
          ariaDescription: "line label",
        });
      }),
    ])],
  };
}
