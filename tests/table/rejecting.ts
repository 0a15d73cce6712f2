import type { Mismatch, Reject } from "../../lib/table/columns.ts";

/** What {@linkcode rejecting} throws. */
export class Rejected extends Error {
  constructor(readonly mismatch: Mismatch) {
    super(`${mismatch.row} ${mismatch.field}: ${mismatch.expected}`);
  }
}

/** Throws the mismatch, so that a test can read it. */
export const rejecting: Reject = (mismatch) => {
  throw new Rejected(mismatch);
};
