import type { Span } from "./window_value.ts";

/** Levels as given by the facts: one row per component and day; null is unknown. */
interface StatedLevels {
  /** SQL of the rows. */
  readonly from: string;
  /** Column that names the component. */
  readonly key: string;
  readonly levels: readonly string[];
}

/** How levels are filled forward. */
export interface CarryOptions {
  /** Number of days for which the last value of a component is used. */
  readonly carryDays: number;
  readonly span: Span;
}

// Only days followed by a gap are processed: few, if facts are complete.
function carriedLevel(
  { from, key }: StatedLevels,
  level: string,
  { carryDays, span }: CarryOptions,
): string {
  const known = `SELECT ${key}, day, ${level} FROM ${from} WHERE ${level} IS NOT NULL`;
  return `${known}
  UNION ALL BY NAME
  SELECT ${key}, carried_to AS day, arg_max(${level}, stated_on) AS ${level}
  FROM (
    SELECT ${key}, ${level}, stated_on, stated_on + CAST(back AS INTEGER) AS carried_to
    FROM (SELECT ${key}, day AS stated_on, ${level} FROM ${from} WHERE ${level} IS NOT NULL) AS last
      ANTI JOIN (${known}) AS next ON next.${key} = last.${key} AND next.day = stated_on + 1,
      range(1, ${carryDays + 1}) AS backs(back)
  ) AS carried
  ANTI JOIN (${known}) AS stated ON stated.${key} = carried.${key} AND stated.day = carried_to
  WHERE carried_to <= DATE '${span.last_day}'
  GROUP BY ${key}, carried_to`;
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
