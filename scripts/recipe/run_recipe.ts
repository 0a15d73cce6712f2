/**
 * Runs recipes: those of pages, files, agents and the command line.
 *
 * @module
 */
import { isObject } from "../../lib/platform/check_options.ts";
import { shown } from "../../lib/platform/terminal.ts";
import {
  MOST,
  type OwnSource,
  type Recipe,
  type RecipeStep,
  type ResponseSource,
} from "../../lib/output/recipe.ts";
import { expressionOf } from "../../lib/output/recipe_expressions.ts";
import { METHODS } from "../../lib/output/recipe_methods.ts";
import { openAddress } from "../../lib/output/open_address.ts";
import { OPERATIONS } from "../../lib/schema/vocabulary.ts";
import * as chainframe from "../../mod.ts";
import {
  CacheError,
  type Chart,
  type Connection,
  type DataFrame,
  pl,
  provenanceOf,
} from "../../mod.ts";
import { camelName } from "../cli/script.ts";
import { ChangedTable, ownTables } from "./own_tables.ts";
import { draws, functionOf, stepArguments } from "./steps.ts";
import { mostText } from "./text_size.ts";

/** Where the data of a recipe is. */
export interface Data {
  /** Returns the connection for a source of this time. Null: no source of the service, and no address. */
  readonly connection: ((asOf?: string) => Connection) | null;
  /** The folder of own files. Null: no files. */
  readonly tables: string | null;
  /** The name of the file in this folder that the user gave: it can be a link to another folder. */
  readonly given?: string | undefined;
  /** Changes the frame of a source before the steps, such as texts that are not safe. */
  readonly received?: (frame: DataFrame, operation: string) => DataFrame;
  /** Is called before each step, and can throw. */
  readonly before?: (step: RecipeStep, frame: DataFrame) => void;
}

/** The largest result of a step that can multiply rows. */
const MOST_CELLS = 50_000_000;

/** The operations and `timeline`. */
export const SOURCES: readonly string[] = [...OPERATIONS, "timeline"];

type Call = (query: unknown, connection: Connection) => Promise<DataFrame>;

/** Returns the function of an operation. */
export function operationOf(name: string): Call {
  return (chainframe as unknown as Record<string, Call>)[camelName(name)]!;
}

/** Checks that a value has the form of a recipe. Counts steps of all levels. */
function checkForm(
  recipe: unknown,
  level: number,
  count: { steps: number },
): asserts recipe is Recipe {
  if (level > MOST.levels) {
    throw new RangeError(`recipe: has at most ${MOST.levels} levels of frames`);
  }
  const { source, steps, ...others } = isObject(recipe) ? recipe : {} as Record<string, unknown>;
  const isForm = isObject(source) && Array.isArray(steps) && Object.keys(others).length === 0 &&
    steps.every((step) => Array.isArray(step) && typeof step[0] === "string");
  if (!isForm) throw new RangeError(`recipe: must be { source, steps }; got ${shown(recipe)}`);
  if ((count.steps += steps.length) > MOST.steps) {
    throw new RangeError(`recipe: has at most ${MOST.steps} steps; got ${count.steps}`);
  }
}

const SOURCE_MEMBERS = ["operation", "query", "retrieved_at"];
const OWN_MEMBERS = ["file", "address", "sha256", "frame_sha256", "options"];

function checkSource(source: Recipe["source"]): void {
  const names = Object.keys(source);
  const known = "operation" in source ? SOURCE_MEMBERS : OWN_MEMBERS;
  const other = names.find((name) => !known.includes(name));
  if (other !== undefined) {
    throw new RangeError(`source: ${other}: is unknown; known: ${known.join(", ")}`);
  }
  if ("operation" in source) {
    const { operation, query, retrieved_at } = source;
    if (!SOURCES.includes(operation)) {
      throw new RangeError(
        `source: operation: must be one of ${SOURCES.join(", ")}; got ${shown(operation)}`,
      );
    }
    if (!isObject(query)) {
      throw new RangeError(`source: query: must be an object; got ${shown(query)}`);
    }
    if (retrieved_at !== undefined && typeof retrieved_at !== "string") {
      throw new RangeError(`source: retrieved_at: must be a text; got ${shown(retrieved_at)}`);
    }
    return;
  }
  const { options = {}, ...texts } = source;
  const wrong = Object.entries(texts).find(([, each]) => each !== null && typeof each !== "string");
  if (wrong !== undefined) {
    throw new RangeError(`source: ${wrong[0]}: must be a text; got ${shown(wrong[1])}`);
  }
  if (!isObject(options)) {
    throw new RangeError(`source: options: must be an object; got ${shown(options)}`);
  }
  if (names.length === 0) throw new RangeError("source: must have operation, file or address");
}

/** Calls a function, and names the step in its error. */
function inStep<Result>(at: number, [name]: RecipeStep, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    // polars adds the plan of its query.
    const [told = ""] = cause.message.split(/\s*Resolved plan until failure/);
    const message = told.startsWith(`${name}: `) ? told : `${name}: ${told}`;
    throw new RangeError(`step ${at}, ${message}`, { cause });
  }
}

/** Checks a whole recipe, before anything is read or computed. */
export function checkRecipe(
  recipe: unknown,
  level = 0,
  count = { steps: 0 },
): asserts recipe is Recipe {
  checkForm(recipe, level, count);
  checkSource(recipe.source);
  for (const [index, step] of recipe.steps.entries()) {
    inStep(index + 1, step, () => {
      stepArguments(step, {
        frame: (inner) => checkRecipe(inner, level + 1, count),
        expression: expressionOf,
      });
      if (draws(step[0]) && (level > 0 || index < recipe.steps.length - 1)) {
        throw new RangeError("draws a chart, which is the last step");
      }
    });
  }
}

/** Parses the text of a recipe. Long and deep texts are refused before they are parsed. */
export function parseRecipe(text: string): unknown {
  if (text.length > MOST.characters) {
    throw new RangeError(`recipe: has at most ${MOST.characters} characters; got ${text.length}`);
  }
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (bracket === "[" || bracket === "{") deepest = Math.max(deepest, ++depth);
    else if (bracket.length === 1) depth--;
  }
  if (deepest > MOST_BRACKETS) {
    throw new RangeError(`recipe: has at most ${MOST_BRACKETS} levels of brackets`);
  }
  return JSON.parse(text);
}

const MOST_BRACKETS = 1_000;

/** Returns the number of rows of a join. */
function joinedRows(
  left: DataFrame,
  right: DataFrame,
  options: Readonly<Record<string, unknown>>,
): number {
  const { on, leftOn = on, rightOn = on, how } = options;
  if (how === "semi" || how === "anti") return left.height;
  const counted = (frame: DataFrame, keys: unknown, name: string) => {
    const columns = [keys].flat().map((key, at) =>
      (typeof key === "string" ? pl.col(key) : key as ReturnType<typeof pl.col>).alias(`key ${at}`)
    );
    const selected = frame.select(...columns);
    return selected.groupBy(...selected.columns).agg(pl.len().cast(pl.Float64).alias(name));
  };
  const [one, other] = [counted(left, leftOn, "one"), counted(right, rightOn, "other")];
  const both = one.join(other, { on: one.columns.slice(0, -1), how: "inner" });
  const sum = both.select(pl.col("one").mul(pl.col("other")).sum().alias("rows"));
  const [rows] = sum.getColumn("rows").toArray();
  return left.height + right.height + Number(rows ?? 0);
}

/** Refuses a step whose result would have more cells than memory should hold. */
function checkSize(name: string, frame: DataFrame, args: readonly unknown[]): void {
  const frames = args.flat().filter((arg): arg is DataFrame => pl.DataFrame.isDataFrame(arg));
  if (!METHODS.has(name) || (frames.length === 0 && name !== "unpivot")) return;
  const width = frames.reduce((sum, each) => sum + each.width, frame.width);
  const rows = name === "join"
    ? joinedRows(frame, frames[0]!, Object(args[1]))
    : frames.reduce((sum, each) => sum + each.height, frame.height);
  if (rows * width <= MOST_CELLS) return;
  throw new RangeError(
    `${name}: its result has ${rows * width} cells; at most ${MOST_CELLS} are made`,
  );
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

/** Runs one step. The result is a frame, a chart, or a grouping of `groupBy`. */
function run(name: string, value: unknown, args: readonly unknown[]): unknown {
  const isGrouping = !pl.DataFrame.isDataFrame(value);
  if (name === "agg" && !isGrouping) throw new RangeError("must follow groupBy");
  if (isGrouping && !(METHODS.has(name) && typeof Object(value)[name] === "function")) {
    throw new RangeError("cannot follow groupBy; add agg");
  }
  if (!METHODS.has(name)) return functionOf(name)(value as DataFrame, ...args);
  checkSize(name, value as DataFrame, args);
  if (name === "concat") {
    const [others, ...options] = args;
    return pl.concat([value, ...others as DataFrame[]] as DataFrame[], ...options as []);
  }
  // A lazy frame keeps the order of groups.
  const isOrdered = name === "groupBy" && typeof args.at(-1) === "boolean";
  const on = isOrdered ? (value as DataFrame).lazy() : value;
  const made = (on as Methods)[name]!(...args);
  const isLazy = Object(made)[Symbol.toStringTag] === "LazyDataFrame";
  return isLazy ? (made as Methods).collectSync!() : made;
}

/** Texts of a frame in all, after a step that can make them longer. */
const MOST_TEXT = 20_000_000;
const GROWING = /"(?:Plus|ConcatHorizontal|Replace|ToString)"/;

/** Refuses a step that can make more texts than memory should hold, before it makes them. */
function checkMostText(step: RecipeStep, frames: readonly unknown[]): void {
  if (!GROWING.test(JSON.stringify(step))) return;
  const sum = mostText(
    step.slice(1),
    frames.filter((each): each is DataFrame => pl.DataFrame.isDataFrame(each)),
  );
  if (sum <= 5 * MOST_TEXT) return;
  throw new RangeError(`can make texts of ${sum} characters; at most ${MOST_TEXT}`);
}

function checkTexts(step: RecipeStep, made: unknown): void {
  if (!pl.DataFrame.isDataFrame(made) || !GROWING.test(JSON.stringify(step))) return;
  let sum = 0;
  for (const column of (made as DataFrame).getColumns()) {
    if (!/^(?:String|Utf8)$/.test((column.dtype as unknown as { variant: string }).variant)) {
      continue;
    }
    for (const text of column.toArray() as (string | null)[]) sum += text?.length ?? 0;
  }
  if (sum > MOST_TEXT) {
    throw new RangeError(`makes texts of ${sum} characters; at most ${MOST_TEXT}`);
  }
}

/**
 * Returns a function that runs recipes. Each recipe is checked as a whole first. Nothing is written, and only the request
 * of a source is sent. Equal sources and equal recipes are read and computed once.
 *
 * The function rejects with a `RangeError` that names the step, counted after the source, and with a `ChangedTable` if a
 * file is not that of the recipe.
 */
export function createRunner(
  { connection, tables, given, received = (frame) => frame, before }: Data,
): (
  recipe: unknown,
) => Promise<DataFrame | Chart> {
  const sources = new Map<string, Promise<DataFrame>>();
  const open = tables === null ? null : ownTables(tables, given);

  const respond = async ({ operation, query, retrieved_at }: ResponseSource) => {
    if (connection === null) throw new RangeError("needs --cache");
    const call = operationOf(operation);
    try {
      return await call(query, connection(retrieved_at));
    } catch (error) {
      if (!(error instanceof CacheError)) throw error;
      // The cache may have a later response only.
      return await call(query, connection());
    }
  };
  const read = async (source: OwnSource): Promise<DataFrame> => {
    if (source.address === undefined) {
      if (open === null) throw new RangeError("needs --tables");
      return await open(source);
    }
    if (connection === null) throw new RangeError("needs --cache");
    const { address, sha256, options = {} } = source;
    const more = { connection: connection(), ...sha256 ? { sha256 } : {} };
    const frame = await openAddress(address, options as never, more);
    const { file_sha256 } = provenanceOf(frame) as { readonly file_sha256?: string };
    if (sha256 && sha256 !== file_sha256) {
      throw new ChangedTable(`${address} differs from the response of the recipe`);
    }
    return frame;
  };
  const sourceOf = (source: Recipe["source"]): Promise<DataFrame> => {
    const key = JSON.stringify(source);
    const known = sources.get(key) ??
      ("operation" in source
        ? respond(source).then((frame) => received(frame, source.operation))
        : read(source));
    sources.set(key, known);
    return known;
  };
  const results = new Map<string, unknown>();
  const made = async ({ source, steps }: Recipe): Promise<unknown> => {
    const keyOf = (count: number) => JSON.stringify([source, steps.slice(0, count)]);
    let from = steps.length;
    // After a grouping, the frame before it is needed, too.
    const isKnown = (count: number) => {
      const key = keyOf(count);
      return results.has(key) &&
        (count === steps.length || pl.DataFrame.isDataFrame(results.get(key)));
    };
    while (from > 0 && !isKnown(from)) from--;
    let value: unknown = from === 0 ? await sourceOf(source) : results.get(keyOf(from));
    let frame: unknown = value;
    for (const [index, step] of steps.entries()) {
      if (index < from) continue;
      const frames: Promise<unknown>[] = [];
      const place = (found: unknown) => frames.push(made(found as Recipe)) - 1;
      const growing = { nodes: 0, growing: 0 };
      const args = inStep(index + 1, step, () =>
        stepArguments(step, {
          frame: (inner) => ({ [FRAME]: place(inner) }),
          expression: (node) => expressionOf(node, growing),
        }));
      const inner = await Promise.all(frames);
      value = inStep(index + 1, step, () => {
        if (pl.DataFrame.isDataFrame(value)) frame = value;
        before?.(step, value as DataFrame);
        checkMostText(step, [frame, ...inner]);
        // A chart is often asked for with its frame.
        if (draws(step[0])) results.set(keyOf(index), value);
        const result = run(step[0], value, args.map((arg) => placed(arg, inner)));
        checkTexts(step, result);
        return result;
      });
    }
    results.set(keyOf(steps.length), value);
    return value;
  };
  return async (recipe) => {
    checkRecipe(recipe);
    return await made(recipe) as DataFrame | Chart;
  };
}

/** The mark of a frame among arguments: its place in a list. */
const FRAME = Symbol("frame");

/** Returns an argument with its frames. */
function placed(value: unknown, frames: readonly unknown[]): unknown {
  if (typeof value !== "object" || value === null || pl.Expr.isExpr(value)) return value;
  if (FRAME in value) return frames[value[FRAME] as number];
  if (Array.isArray(value)) return value.map((each) => placed(each, frames));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, placed(each, frames)]),
  );
}

/** Runs one recipe: see {@linkcode createRunner}. */
export function runRecipe(recipe: unknown, data: Data): Promise<DataFrame | Chart> {
  return createRunner(data)(recipe);
}
