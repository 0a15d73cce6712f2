import { annotationOf } from "../../table/annotation.ts";
import type { DataFrame } from "../../table/polars.ts";

const FROM = {
  service: "",
  cache: " (kept answer)",
  sample: "",
} as const;

/** Where the data of a chart came from, for its caption. Sample data says so first. */
export function sourceNote(frame: DataFrame): string {
  const annotation = annotationOf(frame);
  if (annotation === undefined) return "Source not recorded.";
  const { operation, source, retrieved_at } = annotation.provenance;
  const words = `${operation.replaceAll("_", " ")}, ${retrieved_at.toISOString().slice(0, 10)}${
    FROM[source]
  }.`;
  return source === "sample"
    ? `Sample data, invented: not facts about the world. Source: ${words}`
    : `Source: ${words}`;
}
