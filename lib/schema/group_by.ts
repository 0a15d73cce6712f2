/** The groupings that the metric breakdown accepts (INTERFACE 4.1). */
export const GROUP_BYS = [
  "projects",
  "chains",
  "chain-project",
  "chain-product",
  "chain-market-sector",
  "market-sector",
  "product",
] as const;

/** What one row of a metric breakdown stands for. */
export type GroupBy = typeof GROUP_BYS[number];
