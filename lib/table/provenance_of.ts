import { annotationOf } from "./annotation.ts";
import type { DataFrame } from "./polars.ts";
import type { Provenance } from "./provenance.ts";

/**
 * Where a frame came from: operation, query, URL, time, and whether it is live, cached or sample data.
 *
 * It knows the frames that the operations returned and those that the analysis functions made from them.
 *
 * @throws {RangeError} for any other frame, such as a `filter` of yours: ask the original.
 */
export function provenanceOf(frame: DataFrame): Provenance {
  const annotation = annotationOf(frame);
  if (annotation === undefined) {
    throw new RangeError(
      "provenanceOf: this frame came from no operation; polars makes a new frame at every step, so ask the frame that the operation returned",
    );
  }
  return annotation.provenance;
}
