import { heldOutput } from "../../platform/jupyter.ts";
import { nearest } from "../../platform/check_options.ts";
import { shown } from "../../platform/terminal.ts";
import { bundleOf, plainOf } from "../show/display.ts";
import { COMPLETED, MEMBERS, refuseForeign, USES } from "./member_names.ts";
import { dtypeNames } from "../columns/dtypes.ts";
import { type DataFrame, type Frame, pl } from "../columns/polars.ts";
import { BARE, type Columns, setColumns } from "./descriptions.ts";
import { annotationOf, noteStep, type Step, UNWRITABLE } from "./provenance.ts";
import { noteRows } from "./kept_rows.ts";
import { columnsNear } from "../read/requirements.ts";
import { columnsAfter } from "./units_after_steps.ts";

/** An object of polars: a frame, a lazy frame, or a grouping. */
export type Stage = Record<PropertyKey, unknown>;
export type Method = (...args: unknown[]) => unknown;

const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const DENO_INSPECT = Symbol.for("Deno.customInspect");
const JUPYTER_DISPLAY = Symbol.for("Jupyter.display");

/** Steps that are not recorded, because they do not change the data. */
const UNRECORDED = new Set(["lazy", "collect", "collectSync", "clone", "rechunk"]);

/** Methods of frames, lazy frames and groupings whose arguments are recorded. */
const RECORDED: ReadonlySet<string> = new Set(
  `select drop rename withColumn withColumns filter sort head tail limit slice unique groupBy agg
  join fillNull dropNulls unpivot withRowIndex`.split(/\s+/),
);

/** Arguments of lazy frames that mean something else for frames, as frames take them. */
const LAZY_ARGUMENTS: Readonly<Record<string, (args: readonly unknown[]) => readonly unknown[]>> = {
  fillNull: ([value]) => [typeof value === "string" ? pl.lit(value) : value],
  groupBy: ([by, kept = true]) => [by, Object(kept).maintainOrder ?? kept],
  join: ([other, options]) => [other, { suffix: "right", ...Object(options) }],
};

/** Returns the step of a method, with its arguments if they are recorded. */
function stepOf(target: Stage, name: string, args: readonly unknown[]): Step {
  // `where` is also a public function, with other arguments.
  const known = name === "where" ? "filter" : name;
  if (!RECORDED.has(known)) return { name };
  // Frames group by this value. In a recipe, a boolean says whether groups keep their order.
  if (known === "groupBy" && !isLazy(target) && typeof args.at(-1) === "boolean") {
    return { name, args: [{ [UNWRITABLE]: "a boolean in place of a column" }] };
  }
  const change = isLazy(target) ? LAZY_ARGUMENTS[known] : undefined;
  return { name: known, args: change?.(args) ?? args };
}

/**
 * Returns whether a value is a frame, a lazy frame or a grouping. polars represents a grouping as a plain object with
 * methods.
 */
export function isStage(value: unknown): value is Stage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const tag = (value as Stage)[Symbol.toStringTag];
  if (tag !== undefined) return tag === "DataFrame" || tag === "LazyDataFrame";
  return Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).some((member) => typeof member === "function");
}

export function isLazy(stage: object): boolean {
  return (stage as Stage)[Symbol.toStringTag] === "LazyDataFrame";
}

export function bareOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(bareOf) : (value as Stage)[BARE] ?? value;
}

function objectsIn(args: readonly unknown[]): object[] {
  return args.flat().filter((arg) => typeof arg === "object" && arg !== null) as object[];
}

const NOT_FOUND = /not found: (?:unable to find column )?"(.*?)"(?:.*; valid columns: \[(.*?)\])?/;

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
  const [, dates] = name === "describe" ? /failed to vstack column '(.*?)'/.exec(told) ?? [] : [];
  if (dates !== undefined) {
    const left = JSON.stringify(dates);
    throw new RangeError(
      `describe: column ${dates}: polars describes no dates; leave it out: frame.drop(${left}).describe()`,
      { cause },
    );
  }
  const [, missing, valid] = NOT_FOUND.exec(told) ?? [];
  if (missing === undefined) throw cause;
  const columns = valid === undefined
    ? namesOf(stage[BARE] as Stage)
    : [...valid.matchAll(/"([^"]*)"/g)].map(([, column]) => column!);
  const hint = missing.endsWith("_name") && !columns.some((each) => each.endsWith("_name"))
    ? "; catalog() has the names of ids"
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
export function tracked(
  result: unknown,
  inputs: readonly object[],
  { name, args, columns }: Step & { readonly columns: () => Columns },
): unknown {
  const each = (one: unknown) => tracked(one, inputs, { name, columns });
  if (result instanceof Promise) return result.then(each);
  if (Array.isArray(result)) return isStage(result[0]) ? result.map(each) : result;
  if (!isStage(result)) return result;
  const stage = stageOf(result);
  noteStep(inputs, stage, UNRECORDED.has(name) ? null : { name, ...args && { args } });
  const described = columns();
  if (result[Symbol.toStringTag] !== "DataFrame") {
    noteRows(name, inputs[0]!, stage);
    return setColumns(stage, described);
  }
  // A scanned file is read now, so now its digest is computed.
  if (inputs.some(isLazy)) void annotationOf(stage as unknown as DataFrame)?.provenance;
  setColumns(stage, new Map(namesOf(result).map((name) => [name, described.get(name)])));
  noteRows(name, inputs[0]!, stage);
  return stage;
}

/** Methods that change a frame in place, which would leave its provenance behind. */
const IN_PLACE = new Set(["extend", "insertAtIdx", "replaceAtIdx"]);

function refuseChange(what: string): never {
  throw new RangeError(
    `${what}: frames are not changed in place; use withColumns, rename or vstack`,
  );
}

/** Wraps a method of polars so that the result has the provenance of the inputs. */
function methodOf(target: Stage, method: Method, name: string): Method {
  return (...args) => {
    if (IN_PLACE.has(name) || (name === "hstack" && args[1] === true)) refuseChange(name);
    const bare = target[BARE] as Stage;
    let result: unknown;
    try {
      result = method.apply(bare, args.map(bareOf));
    } catch (error) {
      rethrow(error, target, { name, args });
    }
    if (result instanceof Promise) {
      result = result.catch((error) => rethrow(error, target, { name, args }));
    }
    return tracked(result, [target, ...objectsIn(args)], {
      ...stepOf(target, name, args),
      columns: () => columnsAfter(name, target, args),
    });
  };
}

/** Describes a frame of polars, whose own method fails on dates: their mean can have a time of day. */
function describe(this: DataFrame): unknown {
  const names = dtypeNames(this).flatMap((dtype, at) =>
    dtype === "Date" ? [this.columns[at]!] : []
  );
  const times = names.map((name) => pl.col(name).cast(pl.Datetime("ms")));
  return (times.length === 0 ? this : this.withColumns(...times)).describe();
}

/** Returns the value of a member of a frame. Methods are wrapped. */
function memberOf(frame: Stage, name: PropertyKey): unknown {
  const bare = frame[BARE] as Stage;
  const value: unknown = name === "describe" ? describe : bare[name];
  return typeof name === "symbol" || typeof value !== "function"
    ? value
    : methodOf(frame, value as Method, name as string);
}

/**
 * The last object in the prototype chain of all frames. It handles assignments, and reads of members that no other
 * object of the chain has.
 */
const rest = new Proxy({}, {
  get(_, name, frame: Stage) {
    if (name === BARE || frame[BARE] === undefined) return undefined;
    const value = memberOf(frame, name);
    if (value === undefined) refuseForeign(name, "frame", MEMBERS);
    return value;
  },
  set(_, name, value, frame: Stage) {
    if (typeof name !== "symbol") refuseChange(`frame.${name}`);
    return Reflect.defineProperty(frame, name, { value, writable: true, configurable: true });
  },
});

/** Returns the descriptor of a frame property that reads a member of the polars object. */
function propertyOf(name: string): PropertyDescriptor {
  return {
    get(this: Stage) {
      return this[BARE] === undefined ? undefined : memberOf(this, name);
    },
    set: () => refuseChange(`frame.${name}`),
  };
}

const plain = {
  value(this: Stage) {
    return plainOf(this as unknown as DataFrame);
  },
  writable: true,
};

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
  toString: plain,
  [DENO_INSPECT]: plain,
  [INSPECT]: plain,
});

const descriptors = new Map<string, PropertyDescriptor>();

/** Returns the property descriptor of a column. All frames with a column of this name share it. */
function columnProperty(name: string): PropertyDescriptor {
  const made = descriptors.get(name) ??
    { ...propertyOf(name), enumerable: true, configurable: true };
  if (descriptors.size < 10_000) descriptors.set(name, made);
  return made;
}

/**
 * Returns the columns of a frame. The own keys of a frame of polars are its columns. Reading them takes half of the time
 * of reading `columns`.
 */
function namesOf(bare: Stage): readonly string[] {
  return Reflect.ownKeys(bare) as readonly string[];
}

/** After this number of frames, `collectSoon` makes a buffer of this size in bytes. */
const [FRAMES, BUFFER] = [500, 128 * 2 ** 20];

let last = { frames: 0, buffer: null as ArrayBuffer | null };

/**
 * Makes the engine collect garbage soon. Objects of polars are outside the engine's heap, so the engine collects them
 * late. In Deno, this takes time with the square of their number: 40 000 objects stop a program for a second. The engine
 * counts the bytes of a buffer, but pages that are never written use no memory.
 */
function collectSoon(): void {
  if (++last.frames < FRAMES) return;
  try {
    last = { frames: 0, buffer: new ArrayBuffer(BUFFER) };
  } catch {
    // The address space of the process is limited.
    last = { frames: 0, buffer: null };
  }
}

/** Makes a frame: an ordinary object whose own members are its columns. */
function frameOf(bare: Stage): Stage {
  collectSoon();
  const frame: Stage = Object.create(prototype);
  Object.defineProperty(frame, BARE, { value: bare });
  for (const name of namesOf(bare)) {
    Object.defineProperty(frame, name, columnProperty(name));
  }
  return frame;
}

/** The prototype of lazy frames and groupings. */
const bags = new Proxy(Object.prototype, {
  get(target, name, bag) {
    if (!(name in target)) refuseForeign(name, "frame", MEMBERS);
    return Reflect.get(target, name, bag);
  },
});

/**
 * Wraps a lazy frame or a grouping. The result is a plain object, so that notebooks can complete the names of its
 * members.
 */
function bagOf(bare: Stage): Stage {
  const bag: Stage = Object.create(bags);
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

export function stageOf(bare: Stage): Stage {
  return bare[Symbol.toStringTag] === "DataFrame" ? frameOf(bare) : bagOf(bare);
}

/**
 * Wraps a frame so that results of `filter`, `join`, `groupBy().agg()`, `lazy()…collect()` and all other
 * polars methods keep its provenance and display.
 */
export function track(frame: DataFrame): Frame {
  const bare = frame as unknown as Stage;
  return (bare[BARE] === undefined ? stageOf(bare) : bare) as unknown as Frame;
}
