import { formatCount } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { covered, type TextBox } from "./covered.ts";
import type { DrawnLine, LinesPlan } from "./line_plan.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { inPixels, type Plane } from "./plane.ts";

/** Periods without a value between two values of a line. */
interface Gap {
  readonly line: DrawnLine;
  readonly missing: readonly number[];
  readonly before: { readonly x: number; readonly y: number };
  readonly after: { readonly x: number; readonly y: number };
}

interface GapLabel {
  readonly text: string;
  readonly width: number;
  readonly x: number;
  readonly y: number;
}

/** Height of the line of a label. */
const LINE = 13;

/** Returns the gaps of lines. Periods before the first value of a line and after its last value are no gaps. */
function gapsOf(lines: readonly DrawnLine[]): Gap[] {
  return lines.flatMap((line) => {
    const gaps: Gap[] = [];
    let missing: number[] = [];
    let before: Gap["before"] | undefined;
    for (const { x, y, predicted = null } of line.points) {
      const value = y ?? predicted;
      if (value === null) missing.push(x);
      else {
        const here = { x, y: value };
        if (before !== undefined && missing.length > 0) {
          gaps.push({ line, missing, before, after: here });
        }
        before = here;
        missing = [];
      }
    }
    return gaps;
  });
}

/** Names missing periods as in `Jun, Jul` or `Jun to Sep`. The axis has the year. */
function namesOf(missing: readonly number[], write: (x: number) => string): string {
  const names = missing.map((x) => write(x).replace(/ \d{4}$/, ""));
  return names.length < 3 ? names.join(", ") : `${names[0]} to ${names.at(-1)}`;
}

/** Returns whether two labels meet. Equal labels of lines that share a gap are one label. */
function meets(a: GapLabel, b: GapLabel): boolean {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < LINE;
}

/**
 * Places labels such as `no data Jun, Jul` in the gaps of lines, where they cover neither other lines nor the texts `taken`. A
 * label that has no room is shorter, or left out. Returns the labels, and the number of missing values without a label.
 */
export function gapLabels(
  lines: readonly DrawnLine[],
  { x }: LinesPlan,
  { plane, taken }: { readonly plane: Plane; readonly taken: readonly TextBox[] },
) {
  const { xOf, yOf } = plane;
  const labels: GapLabel[] = [];
  let unnamed = 0;
  for (const { line, missing, before, after } of gapsOf(lines)) {
    const [left, right] = [xOf(before.x), xOf(after.x)];
    const middle = (yOf(before.y) + yOf(after.y)) / 2;
    const others = lines.filter((other) => other !== line);
    const named = x.write === undefined ? [] : [`no data ${namesOf(missing, x.write)}`];
    const found = [...named, "no data"].flatMap((text) => {
      const width = textWidth(text, theme.caption) + 8;
      if (width > right - left) return [];
      return [middle, middle - 15, middle + 15].flatMap((y) => {
        const label = { text, width, x: (left + right) / 2, y };
        const box = { left: label.x - width / 2, right: label.x + width / 2, at: y };
        const isFree = covered(box, others, plane) === 0 &&
          taken.every((other) =>
            other.right < box.left || other.left > box.right || Math.abs(other.at - y) >= LINE
          );
        return isFree ? [label] : [];
      });
    })[0];
    if (found === undefined || labels.some((label) => meets(label, found))) {
      unnamed += missing.length;
    } else labels.push(found);
  }
  return { labels, unnamed };
}

/** Returns the number of missing values between others. */
export function missingIn(lines: readonly DrawnLine[]): number {
  return gapsOf(lines).reduce((sum, { missing }) => sum + missing.length, 0);
}

/** Returns a note on missing values that have no label in the plot. */
export function gapNote(
  unnamed: number,
  lines: readonly DrawnLine[],
  empty = "no value",
): string[] {
  const all = lines.reduce((sum, { points }) => sum + points.length, 0);
  return unnamed === 0 ? [] : [
    `Empty: ${empty} (${formatCount(unnamed)} of ${formatCount(all)}).`,
  ];
}

/** Draws the labels of gaps. */
export function gapMarks(labels: readonly GapLabel[]): Markish {
  return Plot.text(labels, {
    x: inPixels("x"),
    y: inPixels("y"),
    text: "text",
    fontSize: theme.caption.size,
    fill: theme.muted,
    ariaDescription: "gap",
  });
}
