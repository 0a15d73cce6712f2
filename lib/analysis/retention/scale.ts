import { expit } from "../intervals.ts";

/** The scale on which a retention has a symmetric interval. */
export interface Scale {
  readonly of: (share: number) => number;
  readonly inverse: (value: number) => number;
  /** The derivative of the scale. */
  readonly slope: (share: number) => number;
  /** Whether users are trials: their variance is binomial if they are independent. */
  readonly trials: boolean;
}

const LOGIT = {
  of: (share: number) => Math.log(share / (1 - share)),
  inverse: expit,
  slope: (share: number) => 1 / (share * (1 - share)),
};

/** The scale of the share of users: the logit. */
export const USERS: Scale = { ...LOGIT, trials: true };
/** The scale of the share of the months in which users are active. Months of one user are no trials. */
export const ACTIVE_MONTHS: Scale = { ...LOGIT, trials: false };
/** The scale of amounts: the logarithm, because a ratio of amounts can exceed 1. */
export const AMOUNTS: Scale = {
  of: Math.log,
  inverse: Math.exp,
  slope: (share) => 1 / share,
  trials: false,
};
