/** One row of what a chart draws. */
export type DrawnRow = Readonly<Record<string, string | number | Date | boolean | null>>;
