import type { DrawnLine } from "./line_plan.ts";
import type { Plane } from "./plane.ts";

/** A text of one line at a position in pixels. `at` is its vertical middle. */
export interface TextBox {
  readonly left: number;
  readonly right: number;
  readonly at: number;
}

/** The space between the middle of a text and a line that does not touch the text, in pixels. */
const FREE = 9;

/** Returns how many segments of lines a text would cover. */
export function covered(
  { left, right, at }: TextBox,
  lines: readonly DrawnLine[],
  { xOf, yOf }: Pick<Plane, "xOf" | "yOf">,
): number {
  let count = 0;
  for (const { points } of lines) {
    points.forEach(({ x, y }, index) => {
      if (y === null) return;
      const next = points[index + 1];
      const [x1, y1] = [xOf(x), yOf(y)];
      const [x2, y2] = next === undefined || next.y === null
        ? [x1, y1]
        : [xOf(next.x), yOf(next.y)];
      const [from, to] = [Math.max(x1, left), Math.min(x2, right)];
      if (from > to) return;
      const yAt = (place: number) => x2 === x1 ? y1 : y1 + (y2 - y1) * (place - x1) / (x2 - x1);
      const [a, b] = [yAt(from), yAt(to)];
      if (Math.min(a, b) - FREE < at && Math.max(a, b) + FREE > at) count++;
    });
  }
  return count;
}
