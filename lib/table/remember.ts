import { bundleOf, plainOf } from "./display.ts";
import { type DataFrame, pl as polars } from "./polars.ts";
import { noteStep } from "./provenance.ts";

/** What polars works with: a frame, a lazy frame, or a grouping. */
type Stage = Record<PropertyKey, unknown>;
type Method = (...args: unknown[]) => unknown;

const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const DENO_INSPECT = Symbol.for("Deno.customInspect");
const JUPYTER_DISPLAY = Symbol.for("Jupyter.display");

// From what polars made to what remembers it, and back. Members, and not maps beside: maps keyed by
// frames cost more than all the rest, when they are collected.
const REMEMBERS = Symbol("remembers");
const BARE = Symbol("bare");
const METHODS = Symbol("methods");

/** Steps that say nothing about the data. */
const UNTOLD = new Set(["lazy", "collect", "collectSync", "clone", "rechunk"]);

/** Whether polars goes on from here: a frame, a lazy frame, or a grouping, which is a bag of methods. */
function isStage(value: unknown): value is Stage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const tag = (value as Stage)[Symbol.toStringTag];
  if (tag !== undefined) return tag === "DataFrame" || tag === "LazyDataFrame";
  return Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).some((member) => typeof member === "function");
}

function stageBefore(bare: Stage): Stage | undefined {
  return (bare[REMEMBERS] as (() => Stage) | undefined)?.();
}

function bareOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(bareOf) : (value as Stage)[BARE] ?? value;
}

function objectsIn(args: readonly unknown[]): object[] {
  return args.flat().filter((arg) => typeof arg === "object" && arg !== null) as object[];
}

/** What a step gives, told where it came from; what is no frame stays as it is. */
function remembered(result: unknown, from: readonly object[], name: string): unknown {
  if (result instanceof Promise) return result.then((each) => remembered(each, from, name));
  if (Array.isArray(result)) {
    return isStage(result[0]) ? result.map((each) => remembered(each, from, name)) : result;
  }
  if (!isStage(result)) return result;
  const before = stageBefore(result);
  if (before !== undefined) return before;
  const stage = stageOf(result);
  noteStep(from, stage, UNTOLD.has(name) ? null : name);
  return stage;
}

/** A method that remembers: it works on what polars made, and its results know where they came from. */
function methodOf(target: Stage, method: Method, name: string): Method {
  return (...args) => {
    const bare = target[BARE] as Stage;
    const self = target[REMEMBERS] as Stage;
    const from = [self, ...objectsIn(args)];
    const result = method.apply(bare, args.map(bareOf));
    if (name === "extend" || (name === "hstack" && args[1] === true)) noteStep(from, self, name);
    return remembered(result, from, name);
  };
}

/**
 * What stands in the place of what polars made: it answers as that does, but for its display, and for
 * methods, whose results remember in turn.
 */
const handler: ProxyHandler<Stage> = {
  get(target, name) {
    const bare = target[BARE] as Stage;
    if (typeof name === "symbol") return target[name] ?? bare[name];
    const value = bare[name];
    if (typeof value !== "function") return value;
    const methods = (target[METHODS] ??= new Map()) as Map<unknown, Method>;
    const before = methods.get(value);
    if (before !== undefined) return before;
    const made = methodOf(target, value as Method, name);
    methods.set(value, made);
    return made;
  },
  set(target, name, value) {
    if (typeof name === "symbol") target[name] = value;
    else (target[BARE] as Stage)[name] = bareOf(value);
    return true;
  },
  has: (target, name) => name in (target[BARE] as Stage),
  ownKeys: (target) => Reflect.ownKeys(target[BARE] as Stage),
  getOwnPropertyDescriptor(target, name) {
    const descriptor = Reflect.getOwnPropertyDescriptor(target[BARE] as Stage, name);
    // What the target does not have must not be said to be fixed.
    return descriptor && { ...descriptor, configurable: true };
  },
};

function bundle(this: Stage): unknown {
  return bundleOf(this[REMEMBERS] as DataFrame);
}

function plain(this: Stage): string {
  return plainOf(this[REMEMBERS] as DataFrame);
}

/** The target is an object of its own: polars' frames are Proxies that no other may stand over. */
function frameOf(bare: Stage): Stage {
  const target: Stage = { [BARE]: bare };
  target[JUPYTER_DISPLAY] = bundle;
  target[DENO_INSPECT] = target[INSPECT] = plain;
  const stage = new Proxy(target, handler);
  target[REMEMBERS] = stage;
  // polars asks what is set whether it is a column, which a function is not at once.
  Reflect.set(bare, REMEMBERS, () => stage);
  return stage;
}

/** Lazy frames and groupings are plain objects, and stay so: notebooks complete the names of their members. */
function bagOf(bare: Stage): Stage {
  const bag: Stage = {};
  for (const name of Object.keys(bare)) {
    // The one member that costs something to read.
    if (name === "columns") {
      Object.defineProperty(bag, name, { get: () => bare[name], enumerable: true });
      continue;
    }
    const value = bare[name];
    bag[name] = typeof value === "function" ? methodOf(bag, value as Method, name) : value;
  }
  bag[BARE] = bare;
  bag[REMEMBERS] = bag;
  bag[INSPECT] = bare[INSPECT];
  if (bare[Symbol.toStringTag] !== undefined) bag[Symbol.toStringTag] = bare[Symbol.toStringTag];
  return bag;
}

function stageOf(bare: Stage): Stage {
  return bare[Symbol.toStringTag] === "DataFrame" ? frameOf(bare) : bagOf(bare);
}

/**
 * A frame that follows its own steps: whatever polars makes from it by `filter`, `join`,
 * `groupBy().agg()`, `lazy()…collect()` and all its other methods knows where it came from, and shows it.
 * What is known of the frame itself is known of the one that remembers.
 */
export function remember(frame: DataFrame): DataFrame {
  const bare = frame as unknown as Stage;
  if (bare[BARE] !== undefined) return frame;
  return (stageBefore(bare) ?? stageOf(bare)) as unknown as DataFrame;
}

/**
 * The polars that made the frames: use it to filter, join and build on them.
 *
 * @category Frames
 */
export const pl: typeof polars = {
  ...polars,
  concat: ((items: readonly object[], ...options: []) => {
    const made = polars.concat(bareOf(items) as [], ...options);
    return items.some((item) => (item as Stage)[BARE] !== undefined)
      ? remembered(made, items, "concat")
      : made;
  }) as typeof polars.concat,
};
