import type { OPERATIONS } from "../schema/vocabulary.ts";
import { sha256 } from "../platform/machine.ts";
import type { DataFrame } from "./polars.ts";

/**
 * The source of a frame. It has no token.
 *
 * @category Frames
 */
export interface Provenance {
  /** The operation that was called. */
  readonly operation: typeof OPERATIONS[number];
  /** Source of the response: `"service"`, `"cache"` or `"sample"`. */
  readonly source: "service" | "cache" | "sample";
  /** Whether the data are sample data, of the embedded service or of another service that states it. */
  readonly sample: boolean;
  /** The URL of the request; of several, the first. */
  readonly url: string;
  /** The query of the call. */
  readonly query: Readonly<Record<string, unknown>>;
  /** When the response arrived; of several, the last one. */
  readonly retrieved_at: Date;
  /** The number of responses that were merged into the frame. */
  readonly requests: number;
  /** Entities that the service returned under another name: the requested path, and that of the response. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** SHA-256 of the response's bytes, in hex; of several, of their digests in order. */
  readonly sha256: string;
  /**
   * The last day of the data, as the service states it. Of several responses the earliest, so that the frame is
   * complete up to it. Null if a response does not state it.
   */
  readonly data_through: Date | null;
  /**
   * The first day of the data, as the service states it. Of several responses the latest, so that the frame is
   * complete from it on. Null if a response does not state it.
   */
  readonly data_since: Date | null;
  /** Notes: other members of the response besides data and errors, and values read as null. */
  readonly notes: readonly string[];
  /**
   * The steps from the response to this frame, in order: `filter`, `groupBy`, `agg`, `rankBy`. Empty for the
   * response itself. For a frame made from several, the steps since they were combined.
   */
  readonly steps: readonly string[];
  /**
   * For a frame made from several responses, the provenance of each; else empty. Then `source` is `"sample"` if any of
   * them is, and operation, URL and query are those of the first.
   */
  readonly inputs: readonly Provenance[];
}

/** Metadata of a frame, because polars frames have none of their own. */
export interface Annotation {
  readonly provenance: Provenance;
  /** The entity errors: `code`, `field`, `value`. */
  readonly errors: DataFrame;
}

/** A step with its predecessors: a linked list, so that appending copies nothing. */
interface Step {
  readonly name: string;
  readonly before: Step | null;
}

/** The history of a frame: its original responses, and the steps since. */
interface Trail {
  readonly origins: readonly Annotation[];
  readonly steps: Step | null;
  /** The resulting metadata, computed on first access. */
  annotation?: Annotation;
}

// A member of frames, lazy frames and groupings. A trail has no reference to them.
const TRAIL = Symbol("trail");

function trailOf(made: object): Trail | undefined {
  return (made as { [TRAIL]?: Trail })[TRAIL];
}

function namesOf(last: Step | null): string[] {
  const names: string[] = [];
  for (let step = last; step !== null; step = step.before) names.push(step.name);
  return names.reverse();
}

/** The origins of a trail, each with its own steps. */
function originsOf({ origins, steps }: Trail): readonly Annotation[] {
  const [origin, ...others] = origins;
  if (origin === undefined || others.length > 0 || steps === null) return origins;
  return [{ ...origin, provenance: { ...origin.provenance, steps: namesOf(steps) } }];
}

/** The trail of a result from several inputs. Frames of the same response count once. */
function joined(made: readonly Trail[]): Trail | undefined {
  const [first, ...others] = made;
  const known = new Set(first?.origins.map(({ errors }) => errors));
  const foreign = others.flatMap(originsOf).filter(({ errors }) =>
    known.has(errors) ? false : known.add(errors)
  );
  if (first === undefined || foreign.length === 0) return first;
  return { origins: [...originsOf(first), ...foreign], steps: null };
}

/** Attaches metadata to a frame and returns the frame. */
export function annotate(frame: DataFrame, annotation: Annotation): DataFrame {
  return Object.assign(frame, { [TRAIL]: { origins: [annotation], steps: null } });
}

/** Marks a frame that has no response by its nature, such as the dictionary, and what is made from it. */
export function annotateWithoutResponse(frame: DataFrame): DataFrame {
  return Object.assign(frame, { [TRAIL]: { origins: [], steps: null } });
}

/** Records that a result was made from inputs, by a step of this name; null if it is the same object. */
export function noteStep(inputs: readonly object[], frame: object, name: string | null): void {
  const known = inputs.map(trailOf).filter((trail) => trail !== undefined);
  const trail = joined(known);
  if (trail === undefined) return;
  const { origins, steps } = trail;
  const made = name === null ? trail : { origins, steps: { name, before: steps } };
  Object.assign(frame, { [TRAIL]: made });
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

/** The metadata of a frame; undefined if unknown. */
export function annotationOf(frame: DataFrame): Annotation | undefined {
  const trail = trailOf(frame);
  if (trail === undefined || trail.origins.length === 0) return undefined;
  return trail.annotation ??= annotationFrom(trail);
}

/** Whether a frame was made from a response, or has none by its nature. */
export function hasKnownOrigin(frame: DataFrame): boolean {
  return trailOf(frame) !== undefined;
}

function known(frame: DataFrame, fn: string): Annotation {
  const annotation = annotationOf(frame);
  if (annotation !== undefined) return annotation;
  throw new RangeError(
    `${fn}: provenance unknown: the frame was not made from a frame of an operation`,
  );
}

/**
 * Returns the entities that the service did not find: `code`, `field`, `value` (String).
 *
 * One row per entity; no rows if all were found. For a frame made from several, the entities of all.
 *
 * Works for the frames of the operations, and for frames that polars or the analysis functions make from them.
 *
 * @throws {RangeError} for a frame of unknown origin, so that "no errors" is never returned by mistake.
 * @category Frames
 */
export function errorsOf(frame: DataFrame): DataFrame {
  return known(frame, "errorsOf").errors;
}

/**
 * Returns the source of a frame: operation, query, URL, time, sample data, and the steps since.
 *
 * Works for the frames of the operations, and for frames that polars or the analysis functions make from them.
 *
 * @throws {RangeError} for a frame of unknown origin.
 * @category Frames
 */
export function provenanceOf(frame: DataFrame): Provenance {
  return known(frame, "provenanceOf").provenance;
}
