/** The first day of the sample data. */
export const SAMPLE_FIRST_DAY = "2025-01-01";

/** The last day of the sample data: in the middle of its 18th month, which is not over. */
export const SAMPLE_LAST_DAY = "2026-06-17";

/** How many calendar months the sample data touches. */
export const SAMPLE_MONTHS = 18;
