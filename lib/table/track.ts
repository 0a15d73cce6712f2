import { heldOutput } from "../platform/jupyter.ts";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { nearest } from "../platform/check_options.ts";
import { sha256 } from "../platform/machine.ts";
import { shown } from "../platform/terminal.ts";
import { bundleOf, plainOf } from "./display.ts";
import { type DataFrame, type Frame, pl as polars } from "./polars.ts";
import { type Columns, columnsOf, setColumns } from "./frame_columns.ts";
import { columnsOfPlan } from "./plan_columns.ts";
import { annotateUnknown, noteStep, type Step } from "./provenance.ts";
import { columnsNear } from "./require_columns.ts";
import { checkedQuery } from "./sql_query.ts";
import { columnsAfter, combined } from "./step_columns.ts";

/** An object of polars: a frame, a lazy frame, or a grouping. */
type Stage = Record<PropertyKey, unknown>;
type Method = (...args: unknown[]) => unknown;

const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const DENO_INSPECT = Symbol.for("Deno.customInspect");
const JUPYTER_DISPLAY = Symbol.for("Jupyter.display");

// These members link an object of polars to its tracked object. A map keyed by frames is not used, because its garbage
// collection is slow.
const TRACKED = Symbol("tracked");
const BARE = Symbol("bare");
const METHODS = Symbol("methods");
/** chainframe's own members. They belong to a frame itself and are never inherited. */
const OWN: ReadonlySet<PropertyKey> = new Set([TRACKED, BARE, METHODS]);

/** Steps that are not recorded, because they do not change the data. */
const UNRECORDED = new Set(["lazy", "collect", "collectSync", "clone", "rechunk"]);

/** Steps that select rows. Their arguments are recorded. */
export const FILTERS: ReadonlySet<string> = new Set(["filter", "head", "tail", "limit", "slice"]);

/**
 * Returns whether a value is a frame, a lazy frame or a grouping. polars represents a grouping as a plain object with
 * methods.
 */
function isStage(value: unknown): value is Stage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const tag = (value as Stage)[Symbol.toStringTag];
  if (tag !== undefined) return tag === "DataFrame" || tag === "LazyDataFrame";
  return Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).some((member) => typeof member === "function");
}

function stageBefore(bare: Stage): Stage | undefined {
  return (bare[TRACKED] as (() => Stage) | undefined)?.();
}

function bareOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(bareOf) : (value as Stage)[BARE] ?? value;
}

function objectsIn(args: readonly unknown[]): object[] {
  return args.flat().filter((arg) => typeof arg === "object" && arg !== null) as object[];
}

const NOT_FOUND = /not found: (?:unable to find column )?"(.*?)"(?:.*; valid columns: \[(.*?)\])?/;

/** How to call the methods of polars whose errors do not name the argument. */
const CONDITION = 'a condition, such as pl.col("chain_id").eq(pl.lit("alder")); ' +
  'where(frame, { chain_id: "alder" }) takes values';
const USES: Readonly<Record<string, string>> = {
  filter: CONDITION,
  where: CONDITION,
  rename: 'rename({ fees_sum: "fees" })',
  sort: 'sort({ by: "fees_sum", descending: true })',
  withColumns: 'withColumns(pl.col("fees_sum").div(pl.lit(30)).alias("fees_daily"))',
  join: 'join(other, { on: "chain_id" }), or leftOn and rightOn instead of on',
  pivot: 'pivot({ index: "date", on: "chain_id", values: "fees_sum" })',
};

/** The messages of polars for arguments that it cannot read. Some are empty. */
const UNREAD =
  /^$|Failed to (?:get Array length|convert napi)|Cannot destructure|should pass the column to join|Unknown JS variables/;

/**
 * Throws the error of a polars method. If a column is missing, the message names the nearest column. If polars cannot
 * read the arguments of a method of `USES`, the message shows how to write them.
 */
function rethrow(cause: unknown, stage: Stage, { name, args }: Required<Step>): never {
  const told = String((cause as Error)?.message);
  if (Object.hasOwn(USES, name) && UNREAD.test(told)) {
    const got = args.length === 0 ? "nothing" : args.map(shown).join(", ");
    throw new RangeError(`${name}: expected ${USES[name]}; got ${got}`, { cause });
  }
  const [, missing, valid] = NOT_FOUND.exec(told) ?? [];
  if (missing === undefined) throw cause;
  const columns = valid === undefined
    ? namesOf(stage[BARE] as Stage)
    : [...valid.matchAll(/"([^"]*)"/g)].map(([, column]) => column!);
  const hint = missing.endsWith("_name") && !columns.some((each) => each.endsWith("_name"))
    ? "; named(frame) adds names"
    : name === "filter" && typeof args[0] !== "string" && nearest(missing, columns) === undefined
    ? `; to compare with a text, write pl.lit(${JSON.stringify(missing)})`
    : "";
  const got = columnsNear(missing, columns) + hint;
  const message = `${name}: column ${missing}: not found; got ${got}`;
  throw new RangeError(message, { cause });
}

/**
 * Adds the history of the inputs and the descriptions of columns to the result of a step, if the result is a frame, a
 * lazy frame or a grouping. Returns any other result unchanged.
 */
function tracked(
  result: unknown,
  inputs: readonly object[],
  { name, args, columns }: Step & { readonly columns: () => Columns },
): unknown {
  const each = (one: unknown) => tracked(one, inputs, { name, columns });
  if (result instanceof Promise) return result.then(each);
  if (Array.isArray(result)) return isStage(result[0]) ? result.map(each) : result;
  if (!isStage(result)) return result;
  const before = stageBefore(result);
  if (before !== undefined) return before;
  const stage = stageOf(result);
  noteStep(inputs, stage, UNRECORDED.has(name) ? null : { name, ...args && { args } });
  return setColumns(stage, columns());
}

/** Removes the description of a column of a frame that was replaced in place. */
function forget(frame: Stage, series: unknown): void {
  const { name } = Object(series) as { name?: string };
  setColumns(frame, new Map(columnsOf(frame)).set(String(name), undefined));
}

/** Wraps a method of polars so that the result has the provenance of the inputs. */
function methodOf(target: Stage, method: Method, name: string): Method {
  return (...args) => {
    const bare = target[BARE] as Stage;
    const inputs = [target, ...objectsIn(args)];
    const inPlace = name === "extend" || (name === "hstack" && args[1] === true);
    const changed = inPlace ? columnsAfter(name, target, args) : undefined;
    let result: unknown;
    try {
      result = method.apply(bare, args.map(bareOf));
    } catch (error) {
      rethrow(error, target, { name, args });
    }
    if (result instanceof Promise) {
      result = result.catch((error) => rethrow(error, target, { name, args }));
    }
    if (changed !== undefined) noteStep(inputs, setColumns(target, changed), { name });
    if (name === "insertAtIdx" || name === "replaceAtIdx") forget(target, args[1]);
    const step = FILTERS.has(name) ? { name, args } : { name };
    return tracked(result, inputs, { ...step, columns: () => columnsAfter(name, target, args) });
  };
}

/** Returns the value of a member of a frame. Methods are wrapped. */
function memberOf(frame: Stage, name: PropertyKey): unknown {
  const bare = frame[BARE] as Stage;
  const value = bare[name];
  if (typeof name === "symbol" || typeof value !== "function") return value;
  const methods = (frame[METHODS] ??= new Map()) as Map<unknown, Method>;
  const before = methods.get(value);
  if (before !== undefined) return before;
  const made = methodOf(frame, value as Method, name as string);
  methods.set(value, made);
  return made;
}

/** The members of a frame that editors and notebooks offer for completion. */
const COMPLETED = `height width shape columns dtypes schema
  add clear clone count describe div divideBy drop dropNulls explode extend fillNull filter
  findIdxByName fold frameEqual gatherEvery getColumn getColumnIndex getColumns groupBy
  groupByDynamic groupByRolling hashRows head hstack inner insertAtIdx interpolate isDuplicated
  isEmpty isUnique item join joinAsof lazy limit map max mean median min minus modulo mul
  multiplyBy nChunks nUnique nullCount partitionBy pivot plus product quantile rechunk rem rename
  replaceAtIdx reverse row rows sample select serialize shift shiftAndFill shrinkToFit slice sort
  std sub sum tail toDataResource toDummies toHTML toObject toRecords toSeries toStruct
  transpose unique unnest unpivot upsample var vstack where withColumn withColumnRenamed
  withColumns withRowIndex writeAvro writeCSV writeIPC writeIPCStream writeJSON writeParquet`.split(
  /\s+/,
);

/** Assigns a member of polars: new names of all columns, or a column. */
function assign(frame: Stage, name: string, value: unknown): void {
  const before = columnsOf(frame);
  if (name === "columns") {
    const names = [...value as string[]];
    const old = frame.columns as string[];
    setColumns(frame, new Map(names.map((each, index) => [each, before.get(old[index]!)])));
  } else if (before.has(name)) forget(frame, { name });
  (frame[BARE] as Stage)[name] = bareOf(value);
}

/**
 * The last object in the prototype chain of all frames. It handles assignments, and reads of members that no other
 * object of the chain has.
 */
const rest = new Proxy({}, {
  get: (_, name, frame: Stage) =>
    OWN.has(name) || frame[BARE] === undefined ? undefined : memberOf(frame, name),
  set(_, name, value, frame: Stage) {
    if (typeof name !== "symbol") assign(frame, name, value);
    else Object.defineProperty(frame, name, { value, writable: true, configurable: true });
    return true;
  },
});

/** Returns the descriptor of a frame property that reads and assigns a member of the polars object. */
function propertyOf(name: string): PropertyDescriptor {
  return {
    get(this: Stage) {
      return this[BARE] === undefined ? undefined : memberOf(this, name);
    },
    set(this: Stage, value: unknown) {
      assign(this, name, value);
    },
  };
}

function plain(this: Stage): string {
  return plainOf(this as unknown as DataFrame);
}

/**
 * The prototype of all frames. Notebooks offer the members of ordinary objects and their prototypes for completion, but
 * not the members of a Proxy. So this ordinary object has the members of frames, and its prototype is the Proxy.
 */
const prototype: Stage = Object.create(rest, {
  ...Object.fromEntries(COMPLETED.map((name) => [name, propertyOf(name)])),
  pipe: {
    value(this: Stage, fn: unknown, options?: unknown) {
      if (typeof fn !== "function") {
        throw new RangeError(`pipe: fn: must be a function, such as rankBy; got ${shown(fn)}`);
      }
      return options === undefined ? fn(this) : fn(this, options);
    },
  },
  [JUPYTER_DISPLAY]: {
    value(this: Stage) {
      return heldOutput(bundleOf(this as unknown as DataFrame));
    },
    writable: true,
  },
  toString: { value: plain, writable: true },
  [DENO_INSPECT]: { value: plain, writable: true },
  [INSPECT]: { value: plain, writable: true },
});

const descriptors = new Map<string, PropertyDescriptor>();

/** Returns the property descriptor of a column. All frames with a column of this name share it. */
function columnProperty(name: string): PropertyDescriptor {
  const made = descriptors.get(name) ??
    { ...propertyOf(name), enumerable: true, configurable: true };
  if (descriptors.size < 10_000) descriptors.set(name, made);
  return made;
}

/** Returns the columns of a frame, or an empty list for the wrapper that in-place methods of polars return. */
function namesOf(bare: Stage): readonly string[] {
  try {
    return bare.columns as readonly string[];
  } catch {
    return [];
  }
}

/** Minimum time between two buffers of `collectSoon`, in milliseconds, and their size in bytes. */
const [PAUSE, BUFFER] = [250, 128 * 2 ** 20];

let last = { at: -Infinity, buffer: null as ArrayBuffer | null };

/**
 * Makes the engine collect garbage soon. Objects of polars are outside the engine's heap, so the engine collects them
 * late. In Deno, this takes time with the square of their number: 40 000 objects stop a program for a second. The engine
 * counts the bytes of a buffer, but pages that are never written use no memory. The buffer depends on time and not on
 * the number of frames, so thousands of frames that stay alive cost nothing.
 */
function collectSoon(): void {
  const at = performance.now();
  if (at - last.at < PAUSE) return;
  try {
    last = { at, buffer: new ArrayBuffer(BUFFER) };
  } catch {
    // The address space of the process is limited.
    last = { at, buffer: null };
  }
}

/** Makes a frame: an ordinary object whose own members are its columns. */
function frameOf(bare: Stage): Stage {
  collectSoon();
  const frame: Stage = Object.create(prototype);
  for (const [name, value] of [[BARE, bare], [METHODS, undefined]] as const) {
    Object.defineProperty(frame, name, { value, writable: true });
  }
  for (const name of namesOf(bare)) {
    Object.defineProperty(frame, name, columnProperty(name));
  }
  // Stores a function that returns the frame, because polars inspects assigned objects to find out whether they are
  // columns.
  Reflect.set(bare, TRACKED, () => frame);
  return frame;
}

/**
 * Wraps a lazy frame or a grouping. The result is a plain object, so that notebooks can complete the names of its
 * members.
 */
function bagOf(bare: Stage): Stage {
  const bag: Stage = {};
  for (const name of Object.keys(bare)) {
    // Defines a getter for `columns`, because reading this member is slow.
    if (name === "columns") {
      Object.defineProperty(bag, name, { get: () => bare[name], enumerable: true });
      continue;
    }
    const value = bare[name];
    bag[name] = typeof value === "function" ? methodOf(bag, value as Method, name) : value;
  }
  bag[BARE] = bare;
  bag[INSPECT] = bare[INSPECT];
  if (bare[Symbol.toStringTag] !== undefined) bag[Symbol.toStringTag] = bare[Symbol.toStringTag];
  return bag;
}

function stageOf(bare: Stage): Stage {
  return bare[Symbol.toStringTag] === "DataFrame" ? frameOf(bare) : bagOf(bare);
}

/**
 * Wraps a frame so that results of `filter`, `join`, `groupBy().agg()`, `lazy()…collect()` and all other
 * polars methods keep its provenance and display.
 */
export function track(frame: DataFrame): Frame {
  const bare = frame as unknown as Stage;
  if (bare[BARE] !== undefined) return frame as Frame;
  return (stageBefore(bare) ?? stageOf(bare)) as unknown as Frame;
}

/** What polars returns for a query: a lazy frame, or an error as its member `_ldf`. */
export interface SqlPlan {
  readonly _ldf: unknown;
  collectSync(): DataFrame;
  describePlan(): string;
}

/** Returns the descriptions of the columns of a query. */
export function sqlColumns(plan: SqlPlan, tables: readonly object[]): Columns {
  return plan._ldf instanceof Error
    ? new Map()
    : columnsOfPlan(plan.describePlan(), combined(tables));
}

/** Makes an SQL context that keeps the provenance of its tables. */
function sqlContext(frames: Readonly<Record<string, object>> = {}): object {
  const context = polars.SQLContext(frames as never);
  const tables = new Map(Object.entries(frames));
  const tracking = {
    execute(query: string, options?: { readonly eager: boolean }) {
      const checked = checkedQuery(query, "SQLContext");
      const lazy = context.execute(checked) as unknown as SqlPlan;
      const inputs = [...tables.values()];
      const columns = () => sqlColumns(lazy, inputs);
      const made = options?.eager ? lazy.collectSync() : lazy;
      return tracked(made, inputs, { name: "sql", columns });
    },
    register(name: string, frame: object) {
      context.register(name, bareOf(frame) as never);
      tables.set(name, frame);
      return tracking;
    },
    registerMany(more: Readonly<Record<string, object>>) {
      for (const [name, frame] of Object.entries(more)) tracking.register(name, frame);
      return tracking;
    },
    unregister(names: string | string[]) {
      context.unregister(names);
      for (const name of [names].flat()) tables.delete(name);
      return tracking;
    },
    tables: () => context.tables(),
  };
  return tracking;
}

/** Returns the name and the digest of a file that polars reads, or null for other data. */
function fileOf(source: unknown): { file: string | null; file_sha256: string | null } {
  const path = typeof source === "string" && !source.includes("\n") ? source : null;
  try {
    if (path !== null) return { file: basename(path), file_sha256: sha256(readFileSync(path)) };
  } catch {
    // The text is not the path of a file, or the file must not be read.
  }
  return { file: null, file_sha256: null };
}

/** Wraps a function of polars that makes a frame, so that the frame is tracked. Its origin is unknown. */
function own<Fn>(make: Fn): Fn {
  return ((...args: unknown[]) => {
    const made = (make as Method)(...args.map(bareOf)) as Stage;
    const [from] = args as Stage[];
    if (isStage(from) && from[BARE] !== undefined) {
      return tracked(made, [from], { name: "clone", columns: () => columnsOf(from) });
    }
    return annotateUnknown(stageOf(made) as unknown as DataFrame, fileOf(from));
  }) as Fn;
}

const READERS = Object.fromEntries(
  ([
    "readCSV",
    "readJSON",
    "readParquet",
    "readIPC",
    "readIPCStream",
    "readAvro",
    "readRecords",
    "scanCSV",
    "scanJson",
    "scanParquet",
    "scanIPC",
  ] as const)
    .map((name) => [name, own(polars[name])]),
);

/** A prototype that throws for a name of other polars libraries, such as `read_csv`, and names the one of this library. */
const misspelled = new Proxy({}, {
  get(target, name) {
    const plainly = (text: string) => text.replaceAll("_", "").toLowerCase();
    const meant = typeof name === "string" &&
      Object.keys(polars).find((known) => plainly(known) === plainly(name));
    if (!meant) return Reflect.get(target, name);
    throw new RangeError(`pl.${String(name)}: did you mean pl.${meant}?`);
  },
});

/**
 * The polars library that makes all frames. Use `pl` for expressions, such as `pl.col("fees_sum")`, and to combine
 * frames. Frames that `pl.concat` and `pl.SQLContext` return keep the provenance of their inputs.
 *
 * @category Frames
 */
export const pl: typeof polars = Object.setPrototypeOf({
  ...polars,
  ...READERS,
  DataFrame: Object.assign(own(polars.DataFrame), polars.DataFrame),
  // `SQLContext` can be called with or without `new`, so this is not an arrow function.
  SQLContext: function (frames?: Record<string, object>) {
    return sqlContext(frames);
  } as unknown as typeof polars.SQLContext,
  concat: ((items: readonly object[], ...options: []) => {
    const made = polars.concat(bareOf(items) as [], ...options);
    return items.some((item) => (item as Stage)[BARE] !== undefined)
      ? tracked(made, items, { name: "concat", columns: () => combined(items) })
      : made;
  }) as typeof polars.concat,
}, misspelled);
