import { numbersOf, type NumberStyle } from "../numbers.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { DrawnLine, RuleLine } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { inPixels, type Plane } from "./plane.ts";

/** The space between the label of a reference and a line, in pixels. */
const FREE = 9;

/** The name of a reference with its value: `goal 25%`. */
export function referenceText(
  { label, value }: { readonly label: string; readonly value: number },
  style: NumberStyle,
): string {
  return `${label} ${numbersOf([value], style)(value)}`.trim();
}

/** Returns how many points of lines are near a text, in pixels. */
function covered(
  box: { readonly left: number; readonly right: number; readonly at: number },
  lines: readonly DrawnLine[],
  { xOf, yOf }: Plane,
): number {
  let count = 0;
  for (const { points } of lines) {
    points.forEach(({ x, y }, at) => {
      const next = points[at + 1];
      if (y === null) return;
      const [x1, y1] = [xOf(x), yOf(y)];
      const [x2, y2] = next === undefined || next.y === null
        ? [x1, y1]
        : [xOf(next.x), yOf(next.y)];
      const from = Math.max(x1, box.left);
      const to = Math.min(x2, box.right);
      if (from > to) return;
      const yAt = (place: number) => x2 === x1 ? y1 : y1 + (y2 - y1) * (place - x1) / (x2 - x1);
      const [a, b] = [yAt(from), yAt(to)];
      if (Math.min(a, b) - FREE < box.at && Math.max(a, b) + FREE > box.at) count++;
    });
  }
  return count;
}

/**
 * Draws the names and values of horizontal references, at the left, in the middle or at the right of the plot area, above
 * or below their line: where they cover neither lines nor the labels of lines.
 */
export function referenceMarks(
  rules: readonly RuleLine[],
  plane: Plane,
  { lines, labels }: {
    readonly lines: readonly DrawnLine[];
    readonly labels: readonly { readonly left: number; readonly at: number }[];
  },
): Markish[] {
  const { left, across, inset, top, inside } = plane;
  const texts = rules.flatMap(({ y, label, reference }) => {
    if (!reference || y === undefined) return [];
    const text = referenceText({ label, value: y }, plane.plan.y.style);
    const width = textWidth(text, theme.label);
    const room = across + inset - width - 8;
    const places = [0, 1, 0.5].flatMap((part) =>
      [-9, 9].map((down) => {
        const start = left + 4 + part * room;
        const box = { left: start, right: start + width, at: plane.yOf(y) + down };
        const near = labels.filter((label) =>
          label.left < box.right && Math.abs(label.at - box.at) < theme.label.line
        ).length;
        const outside = box.at < top || box.at > top + inside ? 100 : 0;
        return { ...box, text, cost: covered(box, lines, plane) + 10 * near + outside };
      })
    );
    return places.toSorted((a, b) => a.cost - b.cost).slice(0, 1);
  });
  return [
    Plot.text(texts, {
      x: inPixels("left"),
      y: inPixels("at"),
      text: "text",
      textAnchor: "start",
      fill: theme.ink,
      stroke: theme.paper,
      strokeWidth: 4,
      ariaDescription: "reference value",
    }),
  ];
}
