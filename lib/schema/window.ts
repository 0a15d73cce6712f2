/** The trailing windows of the blockchain comparison fields (INTERFACE 2.4). */
export const WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"] as const;

/** A trailing window that ends with the last day of the data. */
export type Window = typeof WINDOWS[number];
