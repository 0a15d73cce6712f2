import type { Fields } from "../../schema/records.ts";
import { type Columns, servedColumns, setColumns } from "./descriptions.ts";
import { type DataFrame, type Frame, pl } from "../columns/polars.ts";

/** What every origin states. */
interface Origin {
  /** Whether the data is sample data: from the embedded service, or marked as sample data. */
  readonly sample: boolean;
  /**
   * The steps that made this frame, in order, such as `filter`, `groupBy`, `agg` or `rankBy`. If several frames were
   * combined, the steps after the combination.
   */
  readonly steps: readonly string[];
}

/**
 * The origin of a frame that a response of the service contained. A provenance never contains the token.
 *
 * @category Frames
 */
export interface ResponseProvenance extends Origin {
  /** Tells the four kinds of provenance apart. */
  readonly kind: "response";
  /** The operation that was called. */
  readonly operation: keyof Fields;
  /** Source of the response: `"service"`, `"cache"`, or `"sample"` for the embedded service. */
  readonly source: "service" | "cache" | "sample";
  /** The URL of the request, or of the first of several requests. */
  readonly url: string;
  /** The query of the call. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The time at which the response arrived. If there are several responses, the time of the last response. */
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
  /** Notes on unknown members of the response, and on values that were read as null. */
  readonly notes: readonly string[];
}

/** The members of a provenance of another kind: `kind` tells the kinds apart. */
type Without<Names extends string> = { readonly [Name in Names]?: undefined };
type Times = "url" | "retrieved_at" | "data_through" | "data_since";
type OnlyOfResponse = "operation" | "source" | "query" | "sha256" | "requests" | "renamed";

/**
 * The origin of a frame that {@linkcode withSource} states.
 *
 * @category Frames
 */
export interface GivenProvenance extends Origin, Without<OnlyOfResponse> {
  /** Tells the four kinds of provenance apart. */
  readonly kind: "given";
  /** The name of the source, as in a list of references. */
  readonly citation: string;
  /** The address of the source, or null if `withSource` did not get one. */
  readonly url: string | null;
  /** The day on which the data was read, or null if `withSource` did not get one. */
  readonly retrieved_at: Date | null;
  /** The license of the data, or null if `withSource` did not get one. */
  readonly license: string | null;
  /** The names of the columns, sorted. */
  readonly columns: readonly string[];
  /** SHA-256 of the values of the frame, whatever the order of its columns and rows. */
  readonly frame_sha256: string;
  /** The name of the file that has exactly these rows. Null if the frame was not read from a file, or was changed since. */
  readonly file: string | null;
  /** SHA-256 of the bytes of this file, in hex, or null. For several pages, the SHA-256 of their digests in order. */
  readonly file_sha256: string | null;
  /** Notes on values that were read as null, and on members beside the rows. */
  readonly notes?: readonly string[] | undefined;
  /** The last day that the data covers, or null if `withSource` did not get one. */
  readonly data_through: Date | null;
  /** Not known: the first day of the data. */
  readonly data_since?: undefined;
}

/**
 * The origin of a frame that a function of `pl` made, or that `openFrame` read from a file without a side-car.
 *
 * @category Frames
 */
export interface UnknownProvenance extends Origin, Without<OnlyOfResponse | Times> {
  /** Tells the four kinds of provenance apart. */
  readonly kind: "unknown";
  /** The name of the file. Null if the frame was not read from a file. */
  readonly file: string | null;
  /** SHA-256 of the bytes of the file, in hex. Null if the frame was not read from a file. */
  readonly file_sha256: string | null;
  /** Notes on values that were read as null, and on members beside the rows. */
  readonly notes?: readonly string[] | undefined;
}

/**
 * The origin of a frame that was made from several frames.
 *
 * @category Frames
 */
export interface CombinedProvenance extends Origin, Without<OnlyOfResponse | "url"> {
  /** Tells the four kinds of provenance apart. */
  readonly kind: "combined";
  /** The provenance of each original frame. */
  readonly inputs: readonly Exclude<Provenance, CombinedProvenance>[];
  /** The notes of the inputs, and whether inputs are not listed. */
  readonly notes: readonly string[];
  /** The latest time of a response of the inputs. */
  readonly retrieved_at: Date | null;
  /** The earliest last day of the inputs that is known. */
  readonly data_through: Date | null;
  /** The latest first day of the inputs that is known. */
  readonly data_since: Date | null;
}

/**
 * The origin of a frame. `kind` tells the four kinds apart. `sample` is true if any input is sample data.
 *
 * @category Frames
 */
export type Provenance =
  | ResponseProvenance
  | GivenProvenance
  | UnknownProvenance
  | CombinedProvenance;

/** A provenance that is not a combination. */
export type Input = Exclude<Provenance, CombinedProvenance>;

/** Returns the provenance of each original frame. */
export function inputsOf(provenance: Provenance | undefined): readonly Input[] {
  if (provenance === undefined) return [];
  return provenance.kind === "combined" ? provenance.inputs : [provenance];
}

/** Returns the provenance of the first response from which a frame was made. */
export function responseOf(frame: DataFrame): ResponseProvenance | undefined {
  return inputsOf(annotationOf(frame)?.provenance)
    .find((each): each is ResponseProvenance => each.kind === "response");
}

/** The metadata that chainframe stores for a frame. */
export interface Annotation {
  readonly provenance: Provenance;
  /** The entity errors: `code`, `field`, `value`. */
  readonly errors: DataFrame;
  /** The file or address that `openFrame` read. */
  readonly opened?: OpenedData;
}

/** What `openFrame` read: a file or an address, the digest of its bytes, and the options of the call. */
interface OpenedData {
  readonly file?: string;
  readonly address?: string;
  readonly sha256: string;
  readonly options?: object | undefined;
}

/** Names that responses contained: by the column of their ids, such as `chain_id`, and by id. */
export type Names = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A step that made a frame. */
export interface Step {
  readonly name: string;
  /** The arguments besides the frame, without the data of other frames. Undefined if they are not recorded. */
  readonly args?: readonly unknown[];
}

/** A frame among the arguments of a step: its trail, or undefined if it has none. */
export const INNER_FRAME = Symbol("nested");
/** A value among the arguments of a step that JSON cannot hold: what it is. */
export const UNWRITABLE = Symbol("unwritable");

const DEEPEST = 20;

/** Returns an argument as it is recorded: a copy without the data of frames, because callers can change their options. */
function recorded(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || pl.Expr.isExpr(value)) return value;
  if (depth > DEEPEST) return { [UNWRITABLE]: "an object of many levels" };
  if (UNWRITABLE in value) return value;
  if (pl.Series.isSeries(value)) return { [UNWRITABLE]: "a Series" };
  if (trailOf(value) !== undefined || pl.DataFrame.isDataFrame(value)) {
    return { [INNER_FRAME]: trailOf(value) };
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime())
      ? { [UNWRITABLE]: "an invalid date" }
      : value.toISOString();
  }
  if (Array.isArray(value)) return value.map((each) => recorded(each, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return { [UNWRITABLE]: "an object" };
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, recorded(each, depth + 1)]),
  );
}

/** The history of a frame: the frames of operations from which it was made, and the steps since then. */
export interface Trail {
  readonly origins: readonly Annotation[];
  readonly steps: readonly Step[];
  /** The names of ids. A map grows when its connection fetches more names. */
  readonly names: readonly Names[];
  /** The trail before the first step, if this step made the frame from several frames, or stated its source. */
  readonly before?: Trail | undefined;
  /** The metadata of the frame, computed on first access. */
  annotation?: Annotation | undefined;
}

// The key under which frames, lazy frames and groupings store their trail.
const TRAIL = Symbol("trail");

function trailOf(made: object): Trail | undefined {
  return (made as { [TRAIL]?: Trail } | null)?.[TRAIL];
}

/** Returns the origins of a trail. If there is only one origin, its provenance lists the steps of the trail. */
function originsOf(trail: Trail): readonly Annotation[] {
  const [origin, ...others] = trail.origins;
  if (origin === undefined || others.length > 0 || trail.steps.length === 0) return trail.origins;
  return [{
    // The provenance of a scanned file is not known before a frame is collected.
    get provenance() {
      return { ...origin.provenance, steps: stepNames(trail) };
    },
    get errors() {
      return origin.errors;
    },
    ...origin.opened && { opened: origin.opened },
  }];
}

function stepNames({ steps }: Trail): string[] {
  return steps.map(({ name }) => name);
}

/** Returns the trail of a frame. */
export function historyOf(frame: DataFrame): Trail | undefined {
  return trailOf(frame);
}

/**
 * Returns the first origin of a trail and all steps since then. The origin is null if it is not that of one response or
 * file.
 */
export function fromSource(trail: Trail): {
  readonly origin: Annotation | null;
  readonly steps: readonly Step[];
} {
  const parts = [trail.steps];
  let first = trail;
  while (first.before !== undefined) {
    first = first.before;
    parts.unshift(first.steps);
  }
  const { length } = first.origins;
  return { origin: length === 1 ? first.origins[0]! : null, steps: parts.flat() };
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
  const names = [...new Set(made.flatMap(({ names }) => names))];
  return { origins: [...originsOf(first), ...foreign], steps: [], names };
}

/**
 * Attaches metadata to a frame and returns the frame. By default, the columns are described as fields of the service.
 */
export function annotate<Given extends DataFrame>(
  frame: Given,
  annotation: Annotation,
  columns: Columns = servedColumns(frame.columns),
): Given {
  const steps = annotation.provenance.steps.map((name) => ({ name }));
  return setColumns(withTrail(frame, { origins: [annotation], steps, names: [] }), columns);
}

function withTrail<Given extends object>(frame: Given, trail: Trail): Given {
  return Object.assign(frame, { [TRAIL]: trail });
}

/** The errors of all frames that were not read from a file. Combinations list such frames once. */
const NO_ERRORS = pl.DataFrame({});

/**
 * Attaches the origin of a frame that is not known, and the file from which it was read. The file of a lazy frame is
 * read when a frame is collected.
 */
export function annotateUnknown<Given extends DataFrame>(
  frame: Given,
  fileOf: () => Pick<UnknownProvenance, "file" | "file_sha256" | "notes">,
  isLazy = false,
): Given {
  let made: UnknownProvenance | undefined;
  const provenance = () => made ??= { kind: "unknown", ...fileOf(), sample: false, steps: [] };
  const origin = {
    errors: !isLazy && provenance().file === null ? NO_ERRORS : pl.DataFrame({}),
    get provenance() {
      return provenance();
    },
  };
  return withTrail(frame, { origins: [origin], steps: [], names: [] });
}

/** Records what `openFrame` read, and returns the frame. Its recipe begins here. */
export function noteOpened<Given extends DataFrame>(frame: Given, opened: OpenedData): Given {
  const trail = trailOf(frame);
  const [origin] = trail?.origins ?? [];
  if (trail === undefined || origin === undefined) return frame;
  const options = recorded(opened.options) as object | undefined;
  const { steps, names } = trail;
  return withTrail(frame, {
    origins: [{ ...origin, opened: { ...opened, options } }],
    steps,
    names,
  });
}

/** Returns the names of ids that the origins of a frame have. */
export function namesOf(frame: DataFrame): readonly Names[] {
  return trailOf(frame)?.names ?? [];
}

/** Adds names of ids to a frame and returns the frame. Displays and charts show them. */
export function addNames<Given extends DataFrame>(frame: Given, ...more: readonly Names[]) {
  const { origins, steps, names } = trailOf(frame) ?? { origins: [], steps: [], names: [] };
  return withTrail(frame, { origins, steps, names: [...names, ...more] });
}

/** Records that a step made `frame` from `inputs`. If the step is null, no new step is added. */
export function noteStep(inputs: readonly object[], frame: object, step: Step | null): void {
  const known = inputs.map(trailOf).filter((trail) => trail !== undefined);
  const trail = joined(known);
  if (trail === undefined) return;
  if (step === null) {
    withTrail(frame, trail);
    return;
  }
  const first = trailOf(inputs[0]!);
  const { name, args } = step;
  // Without the history of the first frame, the arguments do not make the result again.
  const noted = first === undefined || args === undefined
    ? { name }
    : { name, args: args.map((arg) => recorded(arg)) };
  const before = trail === known[0] ? trail.before : first;
  withTrail(frame, { ...trail, annotation: undefined, steps: [...trail.steps, noted], before });
}

/** Records that `withSource` stated the source of a frame. The frame has a new origin, and keeps the steps before it. */
export function noteSource(input: DataFrame, frame: DataFrame, options: object): void {
  const before = trailOf(input);
  const stated = { name: "withSource", args: [recorded(options)] };
  const trail = trailOf(frame)!;
  const from = before ?? { origins: [], steps: [], names: [] };
  withTrail(frame, {
    ...trail,
    names: from.names,
    before: { ...from, annotation: undefined, steps: [...from.steps, stated] },
  });
}

/** The sources of responses. The source of a combination is the last one of its inputs. */
export const SOURCES = ["service", "cache", "sample"] as const;

/** Returns the earliest (0) or the latest (-1) of several dates. Null if a date is null, or if there are no dates. */
export function dateAt(place: 0 | -1, dates: readonly (Date | null)[]): Date | null {
  const known = dates.filter((date) => date !== null).sort((a, b) => a.getTime() - b.getTime());
  return known.length === dates.length ? known.at(place) ?? null : null;
}

/** Maximum number of inputs that a provenance lists. */
export const MOST_INPUTS = 1_000;

/** The members in which equal inputs are equal. A response can come from the service and from the cache. */
const IDENTITY = "operation query sha256 retrieved_at steps citation frame_sha256 file file_sha256"
  .split(" ");

/** Returns the provenance of a frame that was made from several inputs. The same input is listed once. */
export function combinedProvenance(
  several: readonly Provenance[],
  steps: readonly string[],
): CombinedProvenance {
  // A file to which a job appends is itself a combination.
  const inputs = [
    ...new Map(
      several.flatMap(inputsOf).map((each) => [
        JSON.stringify(IDENTITY.map((name) => each[name as keyof Input])),
        each,
      ]),
    ).values(),
  ];
  const notes = new Set(several.flatMap(({ notes = [] }) => notes));
  if (inputs.length > MOST_INPUTS) notes.add(`inputs: only the last ${MOST_INPUTS} are listed`);
  return {
    kind: "combined",
    sample: inputs.some(({ sample }) => sample),
    retrieved_at: dateAt(-1, inputs.flatMap(({ retrieved_at }) => retrieved_at ?? [])),
    data_through: dateAt(0, inputs.flatMap(({ data_through }) => data_through ?? [])),
    data_since: dateAt(-1, inputs.flatMap(({ data_since }) => data_since ?? [])),
    notes: [...notes],
    steps,
    inputs: inputs.slice(-MOST_INPUTS),
  };
}

function annotationFrom(trail: Trail): Annotation {
  const origins = originsOf(trail);
  const [origin] = origins as [Annotation];
  if (origins.length === 1) return origin;
  const provenance = combinedProvenance(
    origins.map(({ provenance }) => provenance),
    stepNames(trail),
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

function annotated(frame: DataFrame, fn: string): Annotation {
  const annotation = annotationOf(frame);
  const isUnknown = annotation?.provenance.kind === "unknown" && fn === "errorsOf";
  if (annotation !== undefined && !isUnknown) return annotation;
  throw new RangeError(
    `${fn}: origin unknown: the frame was not made from a frame of an operation`,
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
  return annotated(frame, "errorsOf").errors as Frame;
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
  return annotated(frame, "provenanceOf").provenance;
}
