import { Buffer } from "node:buffer";
import type { DataFrame, Series } from "../table/columns/polars.ts";
import {
  type Annotation,
  fromSource,
  historyOf,
  INNER_FRAME,
  type Step,
  type Trail,
  UNWRITABLE,
} from "../table/track/provenance.ts";
import { checkedExpression } from "./recipe_expressions.ts";
import { methodArguments, METHODS } from "./recipe_methods.ts";
import { type Lost, rowOrder } from "./row_order.ts";
import { trackedPolars as pl } from "../table/track/tracked_polars.ts";

export { frameDigest } from "../table/track/frame_digest.ts";

/** A step: the name of a public function or of a method of frames, and its arguments besides the frame. */
export type RecipeStep = readonly [name: string, ...args: unknown[]];

/** A response to a query. The operation `timeline` is that function. */
export interface ResponseSource {
  readonly operation: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly retrieved_at?: string;
}

/** Own data: a file or an address, its digest, and the options of `openFrame`. */
export interface OwnSource {
  /** The name of the file. Null for data of a program, which only the digest of its values identifies. */
  readonly file?: string | null;
  readonly address?: string;
  /** SHA-256 of the bytes. */
  readonly sha256?: string | null;
  /** SHA-256 of the values: see `frameDigest`. */
  readonly frame_sha256?: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** How a result is made again: from a source, by steps. Frames among the arguments are `{ recipe }`. */
export interface Recipe {
  readonly source: ResponseSource | OwnSource;
  readonly steps: readonly RecipeStep[];
}

/** The largest recipe: levels of frames within frames, steps in all, and characters of JSON. */
export const MOST = { levels: 8, steps: 50, characters: 1_000_000 } as const;

/** Thrown for a step that a recipe cannot have. */
class NoRecipe extends Error {
  override readonly name = "NoRecipe";
}

function refuse(step: string, why: string): never {
  throw new NoRecipe(`${step}: ${why}`);
}

/** The dtypes of lists that a recipe can have, besides times. */
const LISTS = /^(?:Bool(?:ean)?|U?Int\d+|Float\d+|String|Utf8)$/;
const LARGE = "whole numbers above 2^53 cannot be written";

/** Returns a list of dates or times: dates as `2025-01-01`, times as `2025-01-01T00:00:00.000Z`. */
function plainTimes(column: Series, variant: string, step: string): unknown {
  const times = column.toArray() as unknown as (Date | null)[];
  if (variant === "Date") {
    return {
      dtype: variant,
      values: times.map((time) => time?.toISOString().slice(0, 10) ?? null),
    };
  }
  const { inner } = column.dtype as unknown as { readonly inner: readonly [string, string?] };
  const [unit, zone] = inner;
  if (zone && zone !== "UTC") refuse(step, "times of a zone other than UTC cannot be written");
  const texts = column.cast(pl.Utf8).toArray() as unknown as (string | null)[];
  if (texts.some((text) => /\.\d{3}\d*[1-9]/.test(text ?? ""))) {
    refuse(step, "times shorter than a millisecond cannot be written");
  }
  return {
    dtype: variant,
    unit,
    ...zone && { zone },
    values: times.map((time) => time?.toISOString() ?? null),
  };
}

/** Returns the literal of an expression without bytes: changed bytes of Arrow end a process that reads them. */
function plainList(bytes: number[], step: string): unknown {
  const [column] = pl.readIPCStream(Buffer.from(bytes)).getColumns() as unknown as [Series];
  const dtype = (column.dtype as unknown as { readonly variant: string }).variant;
  if (dtype === "Date" || dtype === "Datetime") return plainTimes(column, dtype, step);
  if (!LISTS.test(dtype)) refuse(step, `a list of ${dtype} cannot be written`);
  const isWhole = dtype.includes("Int");
  const values = (column.toArray() as unknown[]).map((value) => {
    if (!isWhole || value === null) return plain(value, step);
    return Number.isSafeInteger(Number(value)) ? Number(value) : refuse(step, LARGE);
  });
  return { dtype, values };
}

/** Returns a node of an expression as it is written. `kind` is the name of the node, for numbers. */
function plainNode(node: unknown, step: string, kind = ""): unknown {
  if (typeof node === "number" && !/^Float/.test(kind) && !Number.isSafeInteger(node)) {
    if (Number.isInteger(node)) refuse(step, LARGE);
  }
  if (node === null && /^Float/.test(kind)) {
    refuse(step, "NaN and infinite numbers cannot be written");
  }
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => plainNode(each, step, kind));
  return Object.fromEntries(
    Object.entries(node).map(([name, each]) => {
      const isList = kind === "Scalar" && name === "List" && Array.isArray(each);
      return [name, isList ? plainList(each, step) : plainNode(each, step, name)];
    }),
  );
}

function plainExpression(expr: ReturnType<typeof pl.col>, step: string): unknown {
  let text: string;
  try {
    text = String(expr.serialize("json"));
  } catch {
    return refuse(step, "the function of polars cannot be written");
  }
  return { expr: plainNode(JSON.parse(text), step) };
}

/** Returns an argument as JSON. `frameOf` writes a frame. */
function plain(
  value: unknown,
  step: string,
  frameOf: (trail: Trail | undefined) => unknown = () => refuse(step, "a frame cannot be written"),
): unknown {
  if (pl.Expr.isExpr(value)) return plainExpression(value, step);
  if (Array.isArray(value)) return value.map((each) => plain(each, step, frameOf));
  if (typeof value === "object" && value !== null) {
    if (INNER_FRAME in value) return frameOf(value[INNER_FRAME] as Trail | undefined);
    if (UNWRITABLE in value) return refuse(step, `${value[UNWRITABLE]} cannot be written`);
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([name, each]) => [name, plain(each, step, frameOf)]));
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    refuse(step, "NaN and infinite numbers cannot be written");
  }
  const isPlain = ["string", "number", "boolean"].includes(typeof value) || value === null;
  return isPlain ? value : refuse(step, `a value of type ${typeof value} cannot be written`);
}

/** Returns the source of an origin, and the number of the first steps that belong to the file. */
function sourceOf(
  { provenance, opened }: Annotation,
): { source: Recipe["source"]; within: number } {
  const within = provenance.steps.length;
  if (provenance.kind === "response" && (opened === undefined || within === 0)) {
    const { operation, query, retrieved_at } = provenance;
    return {
      source: {
        operation: "every" in query ? "timeline" : operation,
        query,
        retrieved_at: retrieved_at.toISOString(),
      },
      within: 0,
    };
  }
  if (opened === undefined) {
    return refuse("source", "a frame that openFrame or an operation did not make has no recipe");
  }
  const { options, ...where } = opened;
  const written = plain(options ?? {}, "openFrame") as OwnSource["options"];
  return { source: { ...where, ...options && { options: written! } }, within };
}

/** Returns the source of data that a program made, if `withSource` was its first step and states the digest. */
function statedSource(trail: Trail): OwnSource | null {
  for (let at: Trail | undefined = trail; at !== undefined; at = at.before) {
    const provenance = at.origins.length === 1 ? at.origins[0]!.provenance : undefined;
    if (provenance?.kind !== "given" || at.before?.before !== undefined) continue;
    if (at.before?.steps.length !== 1 || at.before.steps[0]!.name !== "withSource") continue;
    const { file, file_sha256, frame_sha256 } = provenance;
    return { file, sha256: file_sha256, frame_sha256 };
  }
  return null;
}

/** Refuses a method that cannot be run from a recipe. Functions have checked their options themselves. */
function checkMethod(name: string, args: readonly unknown[]): void {
  if (!METHODS.has(name)) return;
  const count = { nodes: 0, growing: 0 };
  try {
    methodArguments(name, args, {
      frame: (recipe) => recipe,
      expression: (node) => checkedExpression(node, count),
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    refuse(name, error.message.replace(`${name}: `, ""));
  }
}

interface Written {
  readonly recipe: Recipe;
  /** Where the rows lost their order. Null if they have one. */
  readonly lost: Lost | null;
}

/** Writes the steps of a recipe. `count` is the number of steps so far, in all. */
function written(trail: Trail, level: number, count: { steps: number }): Written {
  const { origin, steps } = fromSource(trail);
  const stated = origin?.opened === undefined && origin?.provenance.kind !== "response"
    ? statedSource(trail)
    : null;
  if (origin === null && stated === null) refuse("source", "it has several sources, or none");
  const { source, within } = stated === null ? sourceOf(origin!) : { source: stated, within: 0 };
  if (level > MOST.levels) {
    refuse("source", `frames within frames have more than ${MOST.levels} levels`);
  }
  const order = rowOrder();
  const made = steps.slice(within).map(({ name: text, args }): RecipeStep => {
    const name = text.split(" ")[0]!;
    if (++count.steps > MOST.steps) refuse(name, `more than ${MOST.steps} steps`);
    if (args === undefined) return refuse(name, "is not recorded");
    let foreign: Lost | null = null;
    const frameOf = (inner: Trail | undefined) => {
      if (inner === undefined) return refuse(name, "a frame without a recipe");
      const { recipe, lost } = written(inner, level + 1, count);
      foreign ??= lost;
      return { recipe };
    };
    const last = args.findLastIndex((arg) => arg !== undefined);
    const texts = args.slice(0, last + 1).map((arg) => plain(arg, name, frameOf));
    checkMethod(name, texts);
    const losing = order.conflict(name, texts);
    if (losing !== null) refuse(name, losing);
    order.add(name, texts, foreign);
    return [name, ...texts];
  });
  return { recipe: { source, steps: made }, lost: order.lost() };
}

/** Returns how a frame is made again, or why this cannot be written. */
export function recipeOf(
  frame: DataFrame,
): { readonly recipe: Recipe; readonly why: null } | {
  readonly recipe: null;
  readonly why: string;
} {
  const trail = historyOf(frame);
  try {
    if (trail === undefined) refuse("source", "the origin is unknown");
    const { recipe } = written(trail, 0, { steps: 0 });
    const { length } = JSON.stringify(recipe);
    if (length > MOST.characters) refuse("recipe", `has more than ${MOST.characters} characters`);
    return { recipe, why: null };
  } catch (error) {
    if (!(error instanceof NoRecipe)) throw error;
    return { recipe: null, why: error.message };
  }
}

/** Returns all steps since the source of a frame. Null for a frame without a history. */
export function allSteps(frame: DataFrame): readonly Step[] | null {
  const trail = historyOf(frame);
  return trail === undefined ? null : fromSource(trail).steps;
}

/** Returns a step with its arguments, such as `compareRetention {"month":6}`. Frames are shown as `…`. */
export function stepText({ name, args = [] }: Step): string {
  const textOf = (arg: unknown) => {
    if (pl.Expr.isExpr(arg)) return String(arg);
    try {
      return JSON.stringify(plain(arg, name));
    } catch {
      return "…";
    }
  };
  return [
    name,
    ...args.filter((arg) => arg !== undefined).map(textOf).filter((text) => text !== "{}"),
  ]
    .join(" ");
}
