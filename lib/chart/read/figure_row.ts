/** One row of what a chart draws. */
export type FigureRow = Readonly<Record<string, string | number | Date | boolean | null>>;
