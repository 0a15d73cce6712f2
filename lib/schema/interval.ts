/** The time spans that the metric breakdown accepts (INTERFACE 4.1). */
export const INTERVALS = ["24h", "7d", "30d", "90d", "180d", "365d", "ytd", "max"] as const;

/** A time span of the metric breakdown: `ytd` begins on 1 January, `max` with the data. */
export type Interval = typeof INTERVALS[number];
