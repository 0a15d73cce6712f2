import type { Operation } from "../schema/vocabulary.ts";
import { sha256 } from "../platform/machine.ts";
import type { DataFrame } from "./polars.ts";

/**
 * Where an answer came from: a live service, the cache, or the embedded service's sample data.
 *
 * @category Frames
 */
export type Source = "service" | "cache" | "sample";

/**
 * A request for one path that the service answered under another.
 *
 * @category Frames
 */
interface Rename {
  /** The path or identifier that was asked for. */
  readonly from: string;
  /** The path or identifier that answered. */
  readonly to: string;
}

/**
 * Where a frame came from. It holds no token.
 *
 * @category Frames
 */
export interface Provenance {
  /** The operation that was asked. */
  readonly operation: Operation;
  /** Who answered: `"service"`, `"cache"` or `"sample"`. */
  readonly source: Source;
  /** Whether the data are sample data, of the embedded service or of another that states it. */
  readonly sample: boolean;
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
  /**
   * The steps from the response to this frame, in order: `filter`, `groupBy`, `agg`, `rankBy`. Empty for the
   * response itself. For a frame made from several, the steps since they were combined.
   */
  readonly steps: readonly string[];
  /**
   * Of a frame made from several answers, the provenance of each; empty for all others. Then `source` is
   * `"sample"` if that of any is, and operation, URL and query are those of the first.
   */
  readonly inputs: readonly Provenance[];
}

/** What travels beside a frame: polars frames have no metadata of their own. */
export interface Annotation {
  readonly provenance: Provenance;
  /** The entity errors: `code`, `field`, `value`. */
  readonly errors: DataFrame;
}

/** A step, and those before it: a list that grows at its end without being copied. */
interface Step {
  readonly name: string;
  readonly before: Step | null;
}

/** How a frame came to be: the answers that it was made from, and what was done to them. */
interface Trail {
  readonly origins: readonly Annotation[];
  readonly steps: Step | null;
  /** What it amounts to, when somebody has asked. */
  annotation?: Annotation;
}

// A member of what remembers: frames, lazy frames and groupings. Nothing in a trail leads back to them.
const TRAIL = Symbol("trail");

function trailOf(made: object): Trail | undefined {
  return (made as { [TRAIL]?: Trail })[TRAIL];
}

function namesOf(last: Step | null): string[] {
  const names: string[] = [];
  for (let step = last; step !== null; step = step.before) names.push(step.name);
  return names.reverse();
}

/** The origins of a trail, each with the steps that were taken from it alone. */
function originsOf({ origins, steps }: Trail): readonly Annotation[] {
  const [origin, ...others] = origins;
  if (origin === undefined || others.length > 0 || steps === null) return origins;
  return [{ ...origin, provenance: { ...origin.provenance, steps: namesOf(steps) } }];
}

/** The trail of what was made from several: frames of one and the same answer count once. */
function joined(made: readonly Trail[]): Trail | undefined {
  const [first, ...others] = made;
  const known = new Set(first?.origins.map(({ errors }) => errors));
  const foreign = others.flatMap(originsOf).filter(({ errors }) =>
    known.has(errors) ? false : known.add(errors)
  );
  if (first === undefined || foreign.length === 0) return first;
  return { origins: [...originsOf(first), ...foreign], steps: null };
}

/** Notes where a frame came from, and gives the frame back. */
export function annotate(frame: DataFrame, annotation: Annotation): DataFrame {
  return Object.assign(frame, { [TRAIL]: { origins: [annotation], steps: null } });
}

/** Notes that one thing was made from others, by a step of this name; null where it is the same thing. */
export function noteStep(from: readonly object[], to: object, name: string | null): void {
  const known = from.map(trailOf).filter((trail) => trail !== undefined);
  const trail = joined(known);
  if (trail === undefined) return;
  const { origins, steps } = trail;
  const made = name === null ? trail : { origins, steps: { name, before: steps } };
  Object.assign(to, { [TRAIL]: made });
}

const SOURCES = ["service", "cache", "sample"] as const;

function earliest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((a, b) => a === null || b === null ? null : a < b ? a : b);
}

function latest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((a, b) => a === null || b === null ? null : a > b ? a : b);
}

function provenanceOfSeveral(inputs: readonly Provenance[], steps: readonly string[]): Provenance {
  const sources = inputs.map(({ source }) => SOURCES.indexOf(source));
  return {
    ...inputs[0]!,
    source: SOURCES[Math.max(...sources)]!,
    sample: inputs.some(({ sample }) => sample),
    retrieved_at: latest(inputs.map(({ retrieved_at }) => retrieved_at))!,
    requests: inputs.reduce((sum, { requests }) => sum + requests, 0),
    renamed: inputs.flatMap(({ renamed }) => renamed),
    sha256: sha256(inputs.map(({ sha256 }) => sha256).join("")),
    data_through: earliest(inputs.map(({ data_through }) => data_through)),
    data_since: latest(inputs.map(({ data_since }) => data_since)),
    notes: inputs.flatMap(({ notes }) => notes),
    steps,
    inputs,
  };
}

function annotationFrom({ origins, steps }: Trail): Annotation {
  const [origin, ...others] = origins as [Annotation, ...Annotation[]];
  if (others.length === 0 && steps === null) return origin;
  const names = namesOf(steps);
  if (others.length === 0) return { ...origin, provenance: { ...origin.provenance, steps: names } };
  const inputs = origins.map(({ provenance }) => provenance);
  const provenance = provenanceOfSeveral(inputs, names);
  const errors = origins.map(({ errors }) => errors).filter(({ width }) => width > 0);
  const stacked = errors.slice(1).reduce(
    (all, each) => all.vstack(each),
    errors[0] ?? origin.errors,
  );
  return { provenance, errors: annotate(stacked, { provenance, errors: stacked }) };
}

/** What is known about a frame; undefined for a frame that nothing is known about. */
export function annotationOf(frame: DataFrame): Annotation | undefined {
  const trail = trailOf(frame);
  return trail && (trail.annotation ??= annotationFrom(trail));
}

function known(frame: DataFrame, asker: string): Annotation {
  const annotation = annotationOf(frame);
  if (annotation !== undefined) return annotation;
  throw new RangeError(
    `${asker}: nothing is known of this frame: it was made from no frame of an operation; ask one that was`,
  );
}

/**
 * Returns the entities that the service did not find: `code`, `field`, `value` (String).
 *
 * One row per entity; no rows if all were found. For a frame made from several, the entities of all.
 *
 * It knows the frames that the operations returned, and all that polars or the analysis functions make from
 * them.
 *
 * @throws {RangeError} for a frame of another origin: it never answers "no errors" for one that it does not
 * know.
 * @category Frames
 */
export function errorsOf(frame: DataFrame): DataFrame {
  return known(frame, "errorsOf").errors;
}

/**
 * Returns the source of a frame: operation, query, URL, time, sample data, and the steps since.
 *
 * It knows the frames that the operations returned, and all that polars or the analysis functions make from
 * them.
 *
 * @throws {RangeError} for a frame of another origin.
 * @category Frames
 */
export function provenanceOf(frame: DataFrame): Provenance {
  return known(frame, "provenanceOf").provenance;
}
