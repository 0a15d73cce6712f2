import type { Mismatch, Reader } from "../../lib/table/columns/cell_values.ts";

/** What {@linkcode rejecting} throws. */
export class Rejected extends Error {
  constructor(readonly mismatch: Mismatch) {
    super(`${mismatch.row} ${mismatch.field}: ${mismatch.expected}`);
  }
}

/** Throws the mismatch, so that a test can read it; texts that say there is not a number pass. */
export const rejecting: Reader = {
  reject: (mismatch) => {
    throw new Rejected(mismatch);
  },
  noNumber: () => {},
  note: () => {},
};
