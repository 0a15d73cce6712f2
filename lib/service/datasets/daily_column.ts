/**
 * How a metric behaves over days:
 *
 * - `flow`: adds up; a day without facts is zero from the first day on that there is one.
 * - `users`: distinct addresses of a day, which do not add up; a day without facts is zero likewise.
 * - `level`: a state, read once a day; a day without a fact is null.
 */
export type MetricKind = "flow" | "users" | "level";

/** A daily column to be aggregated: its name, how it behaves, and what one US dollar or unit is. */
export interface DailyColumn {
  readonly name: string;
  readonly kind: MetricKind;
  /** How many of the column's units make one of the answer's: 100 for cents. */
  readonly per: number;
}
