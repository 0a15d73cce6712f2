import type { Operation } from "../schema/vocabulary.ts";
import type { DataFrame } from "./polars.ts";

/** Where an answer came from: a live service, the cache, or the embedded service's sample data. */
export type Source = "service" | "cache" | "sample";

/** A request for one path that the service answered under another. */
export interface Rename {
  /** The path or identifier that was asked for. */
  readonly from: string;
  /** The path or identifier that answered. */
  readonly to: string;
}

/** Where a frame came from. It holds no token. */
export interface Provenance {
  /** The operation that was asked. */
  readonly operation: Operation;
  /** Who answered: `"service"`, `"cache"` or `"sample"`. */
  readonly source: Source;
  /** The URL that was asked; of several, the first. */
  readonly url: string;
  /** The query as it was given. */
  readonly query: Readonly<Record<string, unknown>>;
  /** When the answer arrived; of several, when the last one did. */
  readonly retrieved_at: Date;
  /** How many answers were merged into the frame. */
  readonly requests: number;
  /** What the service answered under another name. */
  readonly renamed: readonly Rename[];
  /** SHA-256 of the answer's bytes, in hex; of several, of their digests in order. */
  readonly sha256: string;
  /**
   * The last day of the data, as the service states it; null where it does not. Of several answers the
   * earliest: up to it the frame is whole. null where one of them does not say.
   */
  readonly data_through: Date | null;
  /**
   * The first day of the data, as the service states it; null where it does not. Of several answers the
   * latest: from it on the frame is whole. null where one of them does not say.
   */
  readonly data_since: Date | null;
  /** What an answer said beside its data and errors, and what was read as null: a text for each thing. */
  readonly notes: readonly string[];
}

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

const SOURCES = { service: "live", cache: "from the cache", sample: "SAMPLE DATA" };

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** How fresh a frame is: the last day of its data, or, where the service does not say, when it came. */
function freshness({ data_through, retrieved_at }: Provenance): string {
  if (data_through === null) return retrieved_at.toISOString().replace(/\.\d+Z$/, "Z");
  const month = MONTHS[data_through.getUTCMonth()];
  return `data through ${data_through.getUTCDate()} ${month} ${data_through.getUTCFullYear()}`;
}

/**
 * One line that says where a frame came from, up to which day its data goes, and how many entities were
 * not found.
 */
export function sourceLine({ provenance, errors }: Annotation): string {
  const { operation, source, url, requests, renamed } = provenance;
  const host = source === "sample" ? null : new URL(url).host;
  const facts = [operation, SOURCES[source], host, freshness(provenance)];
  if (requests > 1) facts.push(`${requests} requests`);
  if (renamed.length > 0) facts.push(`${renamed.length} renamed`);
  if (errors.height > 0) {
    const count = errors.height === 1 ? "1 entity error" : `${errors.height} entity errors`;
    facts.push(`${count}: see errorsOf(frame)`);
  }
  return facts.filter((fact) => fact !== null).join(" · ");
}
