import { extentOf } from "../extent.ts";
import { formatCount } from "../format.ts";
import type { Line } from "../read/lines.ts";
import { everyNth, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type AxisSide, monthTicks } from "./axes.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { frameText, inPixels, type Plane } from "./plane.ts";

/** The height of the numbers at risk, in pixels. These numbers are below the name of the axis. */
export const AT_RISK_ROOM = 48;

const FIRST_LINE = 17;
const SECOND_LINE = 32;

/** Returns the number of users observed in each month. The map is empty if the numbers are unknown. */
export function usersAtRisk(lines: readonly Line[]): ReadonlyMap<number, number> {
  const users = new Map<number, number>();
  for (const { points } of lines) {
    for (const { x, y, size = null } of points) {
      if (size === null || y === null) continue;
      users.set(x, (users.get(x) ?? 0) + size);
    }
  }
  return users;
}

/**
 * Returns the distance, in pixels, of the first month from the left edge of the plot area. This distance keeps the
 * first number at risk away from the axis.
 */
export function atRiskInset(users: ReadonlyMap<number, number>, locale: string): number {
  const first = users.get(extentOf(users.keys())[0]);
  return first === undefined
    ? 0
    : Math.ceil(textWidth(formatCount(first, locale), theme.label) / 2);
}

/** Draws the number of users in each month below the axis, as in Kaplan-Meier plots. */
export function atRiskMarks(
  users: ReadonlyMap<number, number>,
  plane: Plane,
  { x: { axis, style }, below, name }: {
    readonly x: AxisSide;
    /** The height of the axis below the plot area, in pixels. */
    readonly below: number;
    readonly name: string;
  },
): Markish[] {
  const ticks = monthTicks(axis, plane.across);
  const known = ticks.filter((month) => users.has(month))
    .map((month) => ({ at: plane.xOf(month), text: formatCount(users.get(month)!, style.locale) }));
  // If months are close together, some numbers are left out.
  const step = everyNth(
    known.map(({ text }) => text),
    plane.xOf(ticks[1] ?? 1) - plane.xOf(ticks[0] ?? 0),
  );
  return [
    frameText(name, "bottom-left", { dx: -plane.left, dy: below + FIRST_LINE }),
    Plot.text(known.filter((_, index) => index % step === 0), {
      x: inPixels("at"),
      text: "text",
      frameAnchor: "bottom",
      fill: theme.muted,
      dy: below + SECOND_LINE,
      ariaDescription: "at risk",
    }),
  ];
}
