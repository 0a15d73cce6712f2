/** A user was active in a project on a day (`YYYY-MM-DD`). */
export interface Event {
  readonly project: string;
  readonly user: string | number;
  readonly day: string;
}

/** How many users a cohort began with, and how many of them were seen in each month after. */
export interface CountedCohort {
  readonly size: number;
  /** Null where the month is not over yet. */
  readonly retained: readonly (number | null)[];
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

function monthText(month: number): string {
  return `${Math.floor(month / 12)}-${String(month % 12 + 1).padStart(2, "0")}`;
}

/** The last month that is over when `lastDay` is. */
function lastWholeMonth(lastDay: string): number {
  const next = new Date(Date.parse(lastDay) + 86_400_000).toISOString();
  return monthNumber(next) - 1;
}

/**
 * Counts cohorts in the plainest way there is, by `project cohort`: the months in which each user of a
 * project was seen, the first of which is the user's cohort.
 */
export function cohortsByLoops(
  events: readonly Event[],
  lastDay: string,
): Map<string, CountedCohort> {
  const seen = new Map<string, Map<string | number, Set<number>>>();
  for (const { project, user, day } of events) {
    if (!seen.has(project)) seen.set(project, new Map());
    const users = seen.get(project)!;
    if (!users.has(user)) users.set(user, new Set());
    users.get(user)!.add(monthNumber(day));
  }
  const last = lastWholeMonth(lastDay);
  const cohorts = new Map<string, { size: number; retained: (number | null)[] }>();
  for (const [project, users] of seen) {
    for (const months of users.values()) {
      const first = Math.min(...months);
      const name = `${project} ${monthText(first)}`;
      if (!cohorts.has(name)) {
        const retained = Array.from({ length: 12 }, (_, k) => first + k <= last ? 0 : null);
        cohorts.set(name, { size: 0, retained });
      }
      const cohort = cohorts.get(name)!;
      cohort.size += 1;
      for (let k = 0; k < 12; k++) {
        if (cohort.retained[k] !== null && months.has(first + k)) cohort.retained[k]! += 1;
      }
    }
  }
  return cohorts;
}
