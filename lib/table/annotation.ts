import type { DataFrame } from "./polars.ts";
import type { Provenance } from "./provenance.ts";

/** What travels beside a frame: polars frames have no metadata of their own. */
export interface Annotation {
  readonly provenance: Provenance;
  /** The entity errors: `code`, `field`, `value`. */
  readonly errors: DataFrame;
}

const annotations = new WeakMap<DataFrame, Annotation>();

/** Notes where a frame came from, and gives the frame back. */
export function annotate(frame: DataFrame, annotation: Annotation): DataFrame {
  annotations.set(frame, annotation);
  return frame;
}

/** What was noted about a frame; undefined for a frame that nothing was noted about. */
export function annotationOf(frame: DataFrame): Annotation | undefined {
  return annotations.get(frame);
}
