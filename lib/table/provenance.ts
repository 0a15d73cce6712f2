import type { Fields } from "../schema/records.ts";
import { sha256 } from "../platform/machine.ts";
import { type Columns, servedColumns, setColumns } from "./frame_columns.ts";
import type { DataFrame, Frame } from "./polars.ts";

/**
 * The source of a frame. A provenance never contains the token.
 *
 * @category Frames
 */
export interface Provenance {
  /** The operation that was called. */
  readonly operation: keyof Fields;
  /** Source of the response: `"service"`, `"cache"`, or `"sample"` for the embedded service. */
  readonly source: "service" | "cache" | "sample";
  /**
   * Whether the data is sample data, either from the embedded service or from another service that marks its data as
   * sample data.
   */
  readonly sample: boolean;
  /** The URL of the request, or of the first of several requests. */
  readonly url: string;
  /** The query of the call. */
  readonly query: Readonly<Record<string, unknown>>;
  /**
   * The time at which the response arrived. If there are several responses, the time at which the last response
   * arrived.
   */
  readonly retrieved_at: Date;
  /** The number of responses that were merged into the frame. */
  readonly requests: number;
  /**
   * Entities that the service returned under another name: `from` is the requested path, and `to` is the path of the
   * response.
   */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** SHA-256 of the response body, in hex. For several responses, the SHA-256 of their digests in order. */
  readonly sha256: string;
  /**
   * The last day of the data, as the service states it. If there are several responses, this is the earliest of their
   * last days, so that the frame is complete up to this day. Null if a response does not state its last day.
   */
  readonly data_through: Date | null;
  /**
   * The first day of the data, as the service states it. If there are several responses, this is the latest of their
   * first days, so that the frame is complete from this day on. Null if a response does not state its first day.
   */
  readonly data_since: Date | null;
  /** Notes on unknown members of the response, on trimmed ids, and on values that were read as null. */
  readonly notes: readonly string[];
  /**
   * The steps that made this frame from the response, in order, such as `filter`, `groupBy`, `agg` or `rankBy`. Empty
   * for the frame of an operation. If several frames were combined, only the combination and later steps are listed.
   */
  readonly steps: readonly string[];
  /**
   * If the frame was combined from several frames, the provenance of each original frame; otherwise empty. For a
   * combined frame, `source` is `"sample"` if any original frame has this source; the operation, URL and query are
   * taken from the first original frame.
   */
  readonly inputs: readonly Provenance[];
}

/** The metadata that chainframe stores for a frame. */
export interface Annotation {
  readonly provenance: Provenance;
  /** The entity errors: `code`, `field`, `value`. */
  readonly errors: DataFrame;
}

/** The history of a frame: the frames of operations from which it was made, and the steps since then. */
interface Trail {
  readonly origins: readonly Annotation[];
  readonly steps: readonly string[];
  /** The metadata of the frame, computed on first access. */
  annotation?: Annotation;
}

// The key under which frames, lazy frames and groupings store their trail.
const TRAIL = Symbol("trail");

function trailOf(made: object): Trail | undefined {
  return (made as { [TRAIL]?: Trail } | null)?.[TRAIL];
}

/** Returns the origins of a trail. If there is only one origin, its provenance lists the steps of the trail. */
function originsOf({ origins, steps }: Trail): readonly Annotation[] {
  const [origin, ...others] = origins;
  if (origin === undefined || others.length > 0 || steps.length === 0) return origins;
  return [{ ...origin, provenance: { ...origin.provenance, steps } }];
}

/**
 * Returns the trail of a result that was made from several inputs. An origin that several inputs share is listed once.
 */
function joined(made: readonly Trail[]): Trail | undefined {
  const [first, ...others] = made;
  const known = new Set(first?.origins.map(({ errors }) => errors));
  const foreign = others.flatMap(originsOf).filter(({ errors }) =>
    known.has(errors) ? false : known.add(errors)
  );
  if (first === undefined || foreign.length === 0) return first;
  return { origins: [...originsOf(first), ...foreign], steps: [] };
}

/**
 * Attaches metadata to a frame and returns the frame. By default, the columns are described as fields of the service.
 */
export function annotate<Given extends DataFrame>(
  frame: Given,
  annotation: Annotation,
  columns: Columns = servedColumns(frame.columns),
): Given {
  const { steps } = annotation.provenance;
  const trail = { origins: [annotation], steps };
  return setColumns(Object.assign(frame, { [TRAIL]: trail }), columns);
}

/**
 * Marks a frame that was not made from a response, such as the dictionary. Frames that are made from a marked frame are
 * marked, too.
 */
export function annotateWithoutResponse(frame: DataFrame): DataFrame {
  return Object.assign(frame, { [TRAIL]: { origins: [], steps: [] } });
}

/** Records that the step `name` made `frame` from `inputs`. If `name` is null, no new step is added. */
export function noteStep(inputs: readonly object[], frame: object, name: string | null): void {
  const known = inputs.map(trailOf).filter((trail) => trail !== undefined);
  const trail = joined(known);
  if (trail === undefined) return;
  const { origins, steps } = trail;
  const made = name === null ? trail : { origins, steps: [...steps, name] };
  Object.assign(frame, { [TRAIL]: made });
}

/** The sources of responses. The source of a combination is the last one of its inputs. */
export const SOURCES = ["service", "cache", "sample"] as const;

/** Returns the earliest of several dates. Returns null if a date is null, or if there are no dates. */
export function earliest([first = null, ...others]: readonly (Date | null)[]): Date | null {
  return others.reduce((a, b) => a === null || b === null ? null : a < b ? a : b, first);
}

/** Returns the latest of several dates. Returns null if a date is null, or if there are no dates. */
export function latest([first = null, ...others]: readonly (Date | null)[]): Date | null {
  return others.reduce((a, b) => a === null || b === null ? null : a > b ? a : b, first);
}

/** Maximum number of inputs that a provenance lists. */
export const MOST_INPUTS = 1_000;

/** Returns the original inputs of inputs as one flat list. `inner` returns the inputs of an input. */
export function flatInputs<Input>(
  inputs: readonly Input[],
  inner: (input: Input) => readonly Input[],
): Input[] {
  const flat: Input[] = [];
  const open = inputs.toReversed();
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const within = inner(each);
    if (within.length === 0) flat.push(each);
    for (const input of within.toReversed()) open.push(input);
  }
  return flat;
}

function provenanceOfSeveral(several: readonly Provenance[], steps: readonly string[]): Provenance {
  // A file to which a job appends is itself a combination. The same response is listed once.
  const inputs = [
    ...new Map(
      flatInputs(several, ({ inputs }) => inputs).map((each) => [
        JSON.stringify([each.operation, each.query, each.sha256, each.retrieved_at, each.steps]),
        each,
      ]),
    ).values(),
  ];
  const sources = inputs.map(({ source }) => SOURCES.indexOf(source));
  const notes = new Set(several.flatMap(({ notes }) => notes));
  if (inputs.length > MOST_INPUTS) notes.add(`inputs: only the last ${MOST_INPUTS} are listed`);
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
    notes: [...notes],
    steps,
    inputs: inputs.slice(-MOST_INPUTS),
  };
}

function annotationFrom(trail: Trail): Annotation {
  const [origin, ...others] = originsOf(trail) as [Annotation, ...Annotation[]];
  if (others.length === 0) return origin;
  const origins = [origin, ...others];
  const provenance = provenanceOfSeveral(
    origins.map(({ provenance }) => provenance),
    trail.steps,
  );
  const [first = origin.errors, ...more] = origins.map(({ errors }) => errors)
    .filter(({ width }) => width > 0);
  const errors = more.reduce((all, each) => all.vstack(each), first);
  return { provenance, errors: annotate(errors, { provenance, errors }) };
}

/** Returns the metadata of a frame, or undefined if it is unknown. */
export function annotationOf(frame: DataFrame): Annotation | undefined {
  const trail = trailOf(frame);
  if (trail === undefined || trail.origins.length === 0) return undefined;
  return trail.annotation ??= annotationFrom(trail);
}

/** Returns whether the frame was made from a response, or is marked as not made from a response. */
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
 * The result has one row per entity, and no rows if all entities were found. If the given frame was made from several
 * frames, the result has the missing entities of all these frames.
 *
 * This function works for the frames of the operations, and for frames that polars or the analysis functions make from
 * such frames.
 *
 * @throws {RangeError} for a frame of unknown origin, because an empty result would wrongly mean "no errors".
 * @category Frames
 */
export function errorsOf(frame: DataFrame): Frame {
  return known(frame, "errorsOf").errors as Frame;
}

/**
 * Returns the source of a frame. The source contains the operation, the query, the URL, the time of the response,
 * whether the data is sample data, and the steps that made the frame from the response.
 *
 * This function works for the frames of the operations, and for frames that polars or the analysis functions make from
 * such frames.
 *
 * @throws {RangeError} for a frame of unknown origin.
 * @category Frames
 */
export function provenanceOf(frame: DataFrame): Provenance {
  return known(frame, "provenanceOf").provenance;
}
