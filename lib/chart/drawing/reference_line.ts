import { numbersOf, type NumberStyle } from "../numbers.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { covered, type TextBox } from "./covered.ts";
import type { DrawnLine, RuleLine } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { inPixels, type Plane } from "./plane.ts";

/** The name of a reference with its value: `goal 25%`. */
export function referenceText(
  { label, value }: { readonly label: string; readonly value: number },
  style: NumberStyle,
): string {
  return `${label} ${numbersOf([value], style)(value)}`.trim();
}

/** A position of a text. `cost` counts what the text would cover. */
interface Place extends TextBox {
  readonly cost: number;
}

/** What is drawn beside references. */
interface Drawn {
  readonly lines: readonly DrawnLine[];
  /** The labels of lines or parts. */
  readonly labels: readonly { readonly left: number; readonly at: number }[];
  /** The position to the right of bars, which would cover a text. */
  readonly beside?: number;
}

/** Returns positions for a text at a horizontal line: above or below it in the plot area, or beside bars. */
function placesOf(
  y: number,
  width: number,
  plane: Plane,
  { lines, labels, beside }: Drawn,
): Place[] {
  const { left, across, inset, top, inside } = plane;
  const isNear = (right: number, at: number) =>
    labels.some((label) => label.left < right && Math.abs(label.at - at) < theme.label.line);
  if (beside !== undefined) {
    return [0, -15, 15, -30, 30, -45, 45].map((down) => ({
      left: beside,
      right: beside + width,
      at: y + down,
      cost: isNear(Infinity, y + down) ? 1 : 0,
    }));
  }
  const room = across + inset - width - 8;
  return [0, 1, 0.5].flatMap((part) =>
    [-9, 9].map((down): Place => {
      const start = left + 4 + part * room;
      const box = { left: start, right: start + width, at: y + down };
      const outside = box.at < top || box.at > top + inside ? 100 : 0;
      const near = isNear(box.right, box.at) ? 10 : 0;
      return { ...box, cost: covered(box, lines, plane) + near + outside };
    })
  );
}

/** Returns the width that the labels of references need beside bars. */
export function referenceRoom(rules: readonly RuleLine[], style: NumberStyle): number {
  const widths = rules.flatMap(({ y, label, reference }) =>
    reference && y !== undefined
      ? [textWidth(referenceText({ label, value: y }, style), theme.label) + 10]
      : []
  );
  return Math.max(0, ...widths);
}

/**
 * Draws the names and values of horizontal references where they cover neither lines nor labels of lines: at the left, in
 * the middle or at the right of the plot area, or beside bars.
 */
export function referenceMarks(
  rules: readonly RuleLine[],
  plane: Plane,
  drawn: Drawn,
): Markish[] {
  const texts = rules.flatMap(({ y, label, reference }) => {
    if (!reference || y === undefined) return [];
    const text = referenceText({ label, value: y }, plane.plan.y.style);
    const places = placesOf(plane.yOf(y), textWidth(text, theme.label), plane, drawn);
    const [best] = places.toSorted((a, b) => a.cost - b.cost);
    return [{ ...best!, text }];
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
