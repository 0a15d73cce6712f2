/** The months of a cohort's life that a cohort record holds: 0 is the month it was born in. */
export const COHORT_MONTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const;

/** A month of a cohort's life. */
export type CohortMonth = typeof COHORT_MONTHS[number];
