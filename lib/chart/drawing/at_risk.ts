import type { Line } from "../series.ts";
import { formatCount } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type Markish, Plot } from "./observable_plot.ts";

/** The height of the numbers at risk, below the name of the axis. */
export const AT_RISK_ROOM = 40;

const FIRST_LINE = 9;
const SECOND_LINE = 24;

/** Returns ticks at whole months, as many as fit. */
export function monthTicks([first, last]: readonly [number, number], width: number): number[] {
  const room = Math.max(2, Math.floor(width / 27));
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => (last - first) / step <= room) ?? 240;
  const start = Math.ceil(first / step) * step;
  const count = Math.floor((last - start) / step) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => start + index * step);
}

/** Returns the number of users observed in each month. Empty if the numbers are unknown. */
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
 * Returns the distance of the first month from the left edge of the frame. It keeps the first number away from the
 * axis.
 */
export function atRiskInset(users: ReadonlyMap<number, number>, locale: string): number {
  const first = users.get(Math.min(...users.keys()))!;
  return Math.ceil(textWidth(formatCount(first, locale), theme.label) / 2);
}

/** The position of the numbers at risk. */
interface AtRiskPlan {
  readonly users: ReadonlyMap<number, number>;
  readonly ticks: readonly number[];
  /** The distance between two ticks in pixels. */
  readonly apart: number;
  /** The space at the left of the panel. */
  readonly left: number;
  /** The height of the axis below the panel. */
  readonly below: number;
  readonly several: boolean;
  readonly locale: string;
}

/** Draws the number of users in each month below the axis, as in Kaplan-Meier plots. */
export function atRiskMarks(plan: AtRiskPlan): Markish[] {
  const { users, ticks, apart, left, below, several, locale } = plan;
  const known = ticks.flatMap((month) =>
    users.has(month) ? [{ month, users: formatCount(users.get(month)!, locale) }] : []
  );
  // If months are close together, some numbers are left out.
  const widest = Math.max(0, ...known.map(({ users }) => textWidth(users, theme.label)));
  const step = Math.max(1, Math.ceil((widest + 6) / apart));
  return [
    Plot.text([several ? "Users observed, all groups" : "Users observed"], {
      frameAnchor: "bottom-left",
      textAnchor: "start",
      dx: -left,
      dy: below + FIRST_LINE,
      fill: theme.muted,
    }),
    Plot.text(known.filter((_, index) => index % step === 0), {
      x: "month",
      text: "users",
      frameAnchor: "bottom",
      fill: theme.muted,
      dy: below + SECOND_LINE,
      ariaDescription: "at risk",
    }),
  ];
}
