import type { Span } from "./window_value.ts";

/**
 * Levels as the facts state them: one row per day and component (a product on a chain, a project or a chain). Null
 * means unknown.
 */
interface StatedLevels {
  /** SQL of the rows. */
  readonly from: string;
  /** Column that names the component. */
  readonly key: string;
  readonly levels: readonly string[];
}

/** How levels are filled forward. */
export interface CarryOptions {
  /** Number of days for which the last value of a component is used if there is no fact. */
  readonly carryDays: number;
  readonly span: Span;
}

// A stated level is repeated until the next stated level, for at most `carryDays` days and not beyond the last day.
function carriedLevel(
  { from, key }: StatedLevels,
  level: string,
  { carryDays, span }: CarryOptions,
): string {
  const days = `unnest(range(least(${carryDays + 1}, next_day - day)))`;
  return `SELECT ${key}, day + CAST(${days} AS INTEGER) AS day, ${level}
  FROM (
    SELECT ${key}, day, ${level},
      lead(day, 1, DATE '${span.last_day}' + 1) OVER (PARTITION BY ${key} ORDER BY day) AS next_day
    FROM ${from} WHERE ${level} IS NOT NULL
  ) AS stated`;
}

/**
 * Returns SQL of levels, with the last value of each component filled forward over missing days, so that a
 * late fact does not lower a sum.
 *
 * After `carryDays` days the component counts as ended. One row per component and day; unknown levels are
 * null.
 */
export function carriedLevels(stated: StatedLevels, options: CarryOptions): string {
  const { key, levels } = stated;
  return `SELECT ${key}, day, ${levels.map((level) => `max(${level}) AS ${level}`).join(", ")}
FROM (
  ${levels.map((level) => carriedLevel(stated, level, options)).join("\n  UNION ALL BY NAME\n  ")}
) AS levels
GROUP BY ${key}, day`;
}
