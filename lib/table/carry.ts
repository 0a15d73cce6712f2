import { annotate, annotationOf } from "./annotation.ts";
import type { DataFrame } from "./polars.ts";
import { show } from "./show.ts";

/**
 * Hands the provenance and the entity errors of one frame on to a frame computed from it, so that
 * `provenanceOf` and `errorsOf` know the result, and gives the result its display.
 * A source without provenance hands on none.
 */
export function carry(from: DataFrame, to: DataFrame): DataFrame {
  const annotation = annotationOf(from);
  if (annotation !== undefined) annotate(to, annotation);
  return show(to);
}
