import { OTHER_COLOR, SLATE } from "../colors.ts";
import { formatterFor } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import type { Part } from "../series.ts";
import { theme } from "../theme.ts";
import type { Axis } from "./axes.ts";
import { endLabelMarks, placeEndLabels } from "./end_labels.ts";
import { Plot } from "./observable_plot.ts";
import { frameText, pixels, type Plane, planeOf } from "./plane.ts";
import { barPanel, type DrawnPart, nameOf, partsOf } from "./shares_bar.ts";

/** The parts of a total. */
interface SharesPlan {
  /** The parts, largest first. */
  readonly parts: readonly Part[];
  readonly as: "bar" | "lorenz";
  /** The Gini coefficient. */
  readonly gini: number;
}

/** The distance from the curve to the column of parts, and the width of this column, in pixels. */
const COLUMN = { from: 26, width: 10 };

/**
 * Returns the names of the parts, for the right side of a column. The largest part is at the top. Names that do not fit
 * are left out.
 */
function columnNames(parts: readonly DrawnPart[], { locale, inner }: Look, plane: Plane) {
  const { yOf } = plane;
  const write = formatterFor([0.123], { unit: "share", locale });
  const named = parts.length < 2 || parts.every(({ label }) => label === "") ? [] : parts;
  const most = Math.min(named.length, Math.floor(plane.inside / theme.label.line));
  const room = { top: yOf(1) - 6, bottom: yOf(0) + 6, width: inner * 0.28, farthest: 60 };
  const endOf = (label: string, { color, from, to }: Pick<DrawnPart, "color" | "from" | "to">) => (
    { label, color, symbol: "square" as const, y: yOf(1 - (from + to) / 2) }
  );
  // Shows the names that fit, and the number of the other names.
  for (let count = most; count > 0; count--) {
    const ends = named.slice(0, count).map((part) => endOf(nameOf(part), part));
    const rest = named.slice(count);
    const { from } = rest[0] ?? { from: 1 };
    const more = `${rest.length} more ${write(1 - from)}`;
    const other = rest.length === 0 ? [] : [endOf(more, { color: OTHER_COLOR, from, to: 1 })];
    const labels = placeEndLabels([...ends, ...other], room);
    if (labels !== null) return labels;
  }
  return null;
}

/** Draws the Lorenz curve of the parts, and the line of equal shares. */
function lorenzPanel({ parts, gini }: SharesPlan, drawn: readonly DrawnPart[], look: Look) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  let sum = 0;
  const points = [
    { groups: 0, share: 0 },
    ...parts.toReversed().map(({ value }, index) => {
      sum += value;
      return { groups: (index + 1) / parts.length, share: Math.min(1, sum / total) };
    }),
  ];
  const axis: Axis = { type: "linear", domain: [0, 1] };
  const style = { unit: "share" as const, locale: look.locale };
  const size = {
    top: 30,
    bottom: 44,
    height: look.height ?? 420,
    width: look.inner,
    x: { axis, style, name: "Groups, smallest first (%)" },
    y: { axis, style, name: "Share of the whole (%)" },
  };
  const labels = columnNames(drawn, look, planeOf({ ...size, right: 0 }));
  const right = Math.max(20, labels === null ? 0 : COLUMN.from + labels.room);
  const plane = planeOf({ ...size, right });
  const { yOf } = plane;
  // The column shows the total, divided into its parts.
  const column = plane.xOf(1) + COLUMN.from;
  const at = { x: "groups", y: "share" };
  return plane.panel([
    Plot.areaY(points, {
      x: "groups",
      y1: "groups",
      y2: "share",
      fill: SLATE,
      fillOpacity: 0.12,
      ariaDescription: "gap",
    }),
    Plot.line([{ groups: 0, share: 0 }, { groups: 1, share: 1 }], {
      ...at,
      stroke: theme.muted,
      strokeDasharray: "4 3",
      ariaDescription: "equal shares",
    }),
    Plot.text([{ groups: 0.5, share: 0.5 }], {
      ...at,
      text: () => "equal shares",
      textAnchor: "end",
      dx: -8,
      dy: -8,
      fill: theme.muted,
    }),
    frameText(`Gini ${gini.toFixed(2)}`, "top-left", {
      dx: 10,
      dy: 12,
      fill: theme.ink,
      fontWeight: "bold",
      ariaDescription: "gini",
    }),
    Plot.line(points, { ...at, stroke: SLATE, strokeWidth: 2, ariaDescription: "lorenz" }),
    Plot.dot(points.slice(1), { ...at, fill: SLATE, r: 3, ariaDescription: "value" }),
    ...labels === null ? [] : [
      Plot.rect(drawn, {
        x1: pixels(() => column - COLUMN.width),
        x2: pixels(() => column),
        y1: pixels<DrawnPart>(({ from }) => yOf(1 - from)),
        y2: pixels<DrawnPart>(({ to }) => yOf(1 - to)),
        fill: "color",
        stroke: theme.paper,
        strokeWidth: 0.75,
        ariaDescription: "part",
      }),
      ...endLabelMarks(labels, column),
    ],
  ]);
}

/** Draws the shares of a total as one bar or as a Lorenz curve. */
export function sharesFigure(plan: SharesPlan, look: Look): FigureBody {
  const drawn = partsOf(plan.parts, look);
  const rows = drawn.map(({ label, value, from, to }) => ({ label, value, share: to - from }));
  if (plan.as === "lorenz") return { rows, panels: [lorenzPanel(plan, drawn, look)] };
  const write = formatterFor([0.123], { unit: "share", locale: look.locale });
  const { panel, unnamed } = barPanel(drawn, { width: look.inner, write });
  return {
    rows,
    legend: unnamed.map((part) => ({ label: nameOf(part), color: part.color, key: "square" })),
    panels: [panel],
  };
}
