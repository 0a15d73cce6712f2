/** The texts that an interactive chart shows for a mark. */
export interface Tip {
  /** The name of the line or row. */
  readonly title: string;
  /** The position along the line or row, such as a month. */
  readonly at?: string;
  /** The values by name, few enough for a tooltip of three lines. The value at the position has the name `value`. */
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Returns a channel that Plot does not draw: a function for each row, which returns the texts of its mark. Only
 * interactive charts call these functions.
 */
export function tipChannel<Row>(tipOf: (row: Row) => Tip) {
  return { tip: (row: Row) => () => tipOf(row) };
}
