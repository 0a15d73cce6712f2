import { OTHER_COLOR, SLATE } from "../colors.ts";
import { formatterFor } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { theme } from "../theme.ts";
import type { Axis } from "./axes.ts";
import { endLabelMarks, placeEndLabels } from "./end_labels.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { insideOf, type Plane, planeOf } from "./plane.ts";
import { barPanel, type DrawnPart, nameOf, partsOf, type SharePart } from "./shares_bar.ts";

/** The parts of a total. */
interface SharesPlan {
  /** The parts, largest first. */
  readonly parts: readonly SharePart[];
  readonly as: "bar" | "lorenz";
  /** The Gini coefficient. */
  readonly gini: number;
}

/** The position of the column of parts, to the right of the curve. */
const COLUMN = { from: 26, width: 10 };
const SIZE = { top: 30, bottom: 44 };

/** Returns the names of the parts to the right of a column, as far as they fit. The largest part is at the top. */
function columnNames(parts: readonly DrawnPart[], look: Look, inside: number) {
  const write = formatterFor([0.123], { unit: "share", locale: look.locale });
  const named = parts.length < 2 || parts.every(({ label }) => label === "") ? [] : parts;
  const most = Math.min(named.length, Math.floor(inside / theme.label.line));
  const endOf = (label: string, color: string, from: number, to: number) => (
    { label, color, symbol: "square" as const, y: SIZE.top + (from + to) / 2 * inside }
  );
  // Shows the names that fit, and the number of the other names.
  const labels = Array.from({ length: most }, (_, left) => most - left).map((count) => {
    const ends = named.slice(0, count).map((part) =>
      endOf(nameOf(part), part.color, part.from, part.to)
    );
    const rest = named.slice(count);
    const { from } = rest[0] ?? { from: 1 };
    const more = rest.length === 0
      ? []
      : [endOf(`${rest.length} more ${write(1 - from)}`, OTHER_COLOR, from, 1)];
    return placeEndLabels([...ends, ...more], {
      top: SIZE.top - 6,
      bottom: SIZE.top + inside + 6,
      width: look.inner * 0.28,
      farthest: 60,
    });
  }).find((labels) => labels !== null) ?? null;
  return labels === null || labels.labels.length === 0 ? null : labels;
}

/** Draws the total as a column to the right of the curve, divided into its parts. */
function columnMarks(
  parts: readonly DrawnPart[],
  labels: NonNullable<ReturnType<typeof columnNames>>,
  plane: Plane,
): Markish[] {
  const after = (pixels: number) => Number(plane.after(COLUMN.from + pixels));
  return [
    Plot.rect(parts, {
      x1: () => after(-COLUMN.width),
      x2: () => after(0),
      y1: ({ from }: { from: number }) => 1 - from,
      y2: ({ to }: { to: number }) => 1 - to,
      fill: "color",
      stroke: theme.paper,
      strokeWidth: 0.75,
      ariaDescription: "part",
    }),
    ...endLabelMarks(labels, { after, valueAt: plane.valueAt }),
  ];
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
  const size = { ...SIZE, height: look.height ?? 420 };
  const labels = columnNames(drawn, look, insideOf(size));
  const plane = planeOf({
    ...size,
    width: look.inner,
    right: Math.max(20, labels === null ? 0 : COLUMN.from + labels.room),
    x: { axis, style, name: "Groups, smallest first (%)" },
    y: { axis, style, name: "Share of the whole (%)" },
  });
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
    Plot.text([`Gini ${gini.toFixed(2)}`], {
      frameAnchor: "top-left",
      textAnchor: "start",
      dx: 10,
      dy: 12,
      fontWeight: "bold",
      ariaDescription: "gini",
    }),
    Plot.line(points, { ...at, stroke: SLATE, strokeWidth: 2, ariaDescription: "lorenz" }),
    Plot.dot(points.slice(1), { ...at, fill: SLATE, r: 3, ariaDescription: "value" }),
    ...labels === null ? [] : columnMarks(drawn, labels, plane),
  ]);
}

/** Draws the shares of a total as one bar or as a Lorenz curve. */
export function sharesFigure(plan: SharesPlan, look: Look): FigureBody {
  const drawn = partsOf(plan.parts, look);
  const rows = drawn.map(({ label, value, from, to }) => ({ label, value, share: to - from }));
  if (plan.as === "lorenz") return { rows, panels: [lorenzPanel(plan, drawn, look)] };
  const write = formatterFor([0.123], { unit: "share", locale: look.locale });
  const { panel, unnamed } = barPanel({ parts: drawn, width: look.inner, write });
  return {
    rows,
    legend: unnamed.map((part) => ({ label: nameOf(part), color: part.color, key: "square" })),
    panels: [panel],
  };
}
