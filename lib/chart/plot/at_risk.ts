import type { Curve } from "../curves.ts";
import { formatCount } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { Markish, ObservablePlot } from "./observable_plot.ts";

/** The room below an axis that the numbers at risk take. */
export const AT_RISK_ROOM = 40;

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
export function usersAtRisk(lines: readonly Curve[]): ReadonlyMap<number, number> | null {
  const users = new Map<number, number>();
  for (const { points } of lines) {
    for (const { month, size, retention } of points) {
      if (size === null || retention === null) continue;
      users.set(month, (users.get(month) ?? 0) + size);
    }
  }
  return users.size === 0 || lines.length > 12 ? null : users;
}

/** Where the numbers at risk stand. */
interface AtRiskPlan {
  readonly users: ReadonlyMap<number, number>;
  readonly ticks: readonly number[];
  /** The distance of two ticks in pixels. */
  readonly apart: number;
  /** The space left of the panel, and what the axis takes below it. */
  readonly left: number;
  readonly below: number;
  readonly several: boolean;
  readonly locale: string;
}

/** The users that each month rests on, below the axis, as Kaplan-Meier plots have them. */
export function atRiskMarks({ text }: ObservablePlot, plan: AtRiskPlan): Markish[] {
  const { users, ticks, apart, left, below, several, locale } = plan;
  const known = ticks.flatMap((month) =>
    users.has(month) ? [{ month, users: formatCount(users.get(month)!, locale) }] : []
  );
  // Where months are near, some numbers are left out.
  const widest = Math.max(...known.map(({ users }) => textWidth(users, theme.label)));
  const step = Math.max(1, Math.ceil((widest + 6) / apart));
  return [
    text([several ? "Users observed, all groups" : "Users observed"], {
      ...{ frameAnchor: "bottom-left", textAnchor: "start", dx: -left, dy: below + FIRST_LINE },
      fill: theme.muted,
    }),
    text(known.filter((_, index) => index % step === 0), {
      ...{ x: "month", text: "users", frameAnchor: "bottom", dy: below + SECOND_LINE },
      ...{ fill: theme.muted, ariaDescription: "at risk" },
    }),
  ];
}
