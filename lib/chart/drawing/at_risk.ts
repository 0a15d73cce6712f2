import type { Line } from "../series.ts";
import { formatCount } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type Markish, Plot } from "./observable_plot.ts";

/** The room that the numbers at risk take: below the name of an axis, or between it and the ticks. */
export const AT_RISK_ROOM = { below: 40, between: 17 };

/** How far below the frame the numbers between ticks and name stand. */
const BETWEEN = 34;
const FIRST_LINE = 9;
const SECOND_LINE = 24;

/** Whole months, as many as there is room for. */
export function monthTicks([first, last]: readonly [number, number], width: number): number[] {
  const room = Math.max(2, Math.floor(width / 27));
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => (last - first) / step <= room) ?? 240;
  const start = Math.ceil(first / step) * step;
  const count = Math.floor((last - start) / step) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => start + index * step);
}

/** The users observed by month; null where they are not known, or there are too many lines for a sum to tell. */
export function usersAtRisk(lines: readonly Line[]): ReadonlyMap<number, number> | null {
  const users = new Map<number, number>();
  for (const { points } of lines) {
    for (const { x, y, size = null } of points) {
      if (size === null || y === null) continue;
      users.set(x, (users.get(x) ?? 0) + size);
    }
  }
  return users.size === 0 || lines.length > 12 ? null : users;
}

/** How far inside the frame the first month stands, so that its number does not begin left of the axis. */
export function atRiskInset(users: ReadonlyMap<number, number>, locale: string): number {
  const first = users.get(Math.min(...users.keys()))!;
  return Math.ceil(textWidth(formatCount(first, locale), theme.label) / 2);
}

/** Where the numbers at risk stand. */
interface AtRiskPlan {
  readonly users: ReadonlyMap<number, number>;
  readonly ticks: readonly number[];
  /** The distance of two ticks in pixels. */
  readonly apart: number;
  /** The space left of the panel; nothing where its neighbor has the names. */
  readonly left: number;
  /** What the axis takes below the panel; null where they stand between its ticks and its name. */
  readonly below: number | null;
  readonly several: boolean;
  readonly locale: string;
}

/** The users that each month rests on, below the axis, as Kaplan-Meier plots have them. */
export function atRiskMarks(plan: AtRiskPlan): Markish[] {
  const { users, ticks, apart, left, below, several, locale } = plan;
  const known = ticks.flatMap((month) =>
    users.has(month) ? [{ month, users: formatCount(users.get(month)!, locale) }] : []
  );
  // Where months are near, some numbers are left out.
  const widest = Math.max(0, ...known.map(({ users }) => textWidth(users, theme.label)));
  const step = Math.max(1, Math.ceil((widest + 6) / apart));
  const small = below === null;
  const name = small ? "users" : several ? "Users observed, all groups" : "Users observed";
  return [
    Plot.text(small && left === 0 ? [] : [name], {
      ...{ frameAnchor: "bottom-left", textAnchor: "start", dx: -left, fill: theme.muted },
      dy: small ? BETWEEN : below + FIRST_LINE,
    }),
    Plot.text(known.filter((_, index) => index % step === 0), {
      ...{ x: "month", text: "users", frameAnchor: "bottom", fill: theme.muted },
      ...{ dy: small ? BETWEEN : below + SECOND_LINE, ariaDescription: "at risk" },
    }),
  ];
}
