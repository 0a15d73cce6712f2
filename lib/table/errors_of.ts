import { annotationOf } from "./annotation.ts";
import type { DataFrame } from "./polars.ts";

/**
 * The entities that the service could not find, as a frame: `code`, `field`, `value` (String), one row
 * per entity, no rows when all were found.
 *
 * It knows the frames that the operations returned and those that the analysis functions made from them.
 *
 * @throws {RangeError} for any other frame, such as a `filter` of yours: it never answers "no errors"
 * for a frame that it does not know. Ask the original.
 */
export function errorsOf(frame: DataFrame): DataFrame {
  const annotation = annotationOf(frame);
  if (annotation === undefined) {
    throw new RangeError(
      "errorsOf: this frame came from no operation; polars makes a new frame at every step, so ask the frame that the operation returned",
    );
  }
  return annotation.errors;
}
