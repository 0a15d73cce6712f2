/** The days that the data covers, both ends included, as `YYYY-MM-DD`. */
export interface Span {
  /** The first day, `YYYY-MM-DD`. */
  readonly first_day: string;
  /** The last day, `YYYY-MM-DD`. */
  readonly last_day: string;
}

const DAY_MS = 86_400_000;

/** The day that is so many days after another; negative is before. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days lie between two days, both included. */
export function daysBetween(start: string, end: string): number {
  return (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;
}
