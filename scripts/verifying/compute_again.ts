/**
 * Computes the numbers of a report again, from the responses of a cache.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { FILTERS, type Recipe } from "../../lib/output/recipe.ts";
import * as chainframe from "../../mod.ts";
import { CacheError, cell, type Connection, type DataFrame, pl, timeline } from "../../mod.ts";
import { CALLS } from "../cli/query.ts";
import { ChangedTable, type ownTables } from "./own_tables.ts";

/** The recipe of a number, and its place in the frame. */
type Place = Recipe & {
  readonly field: string;
  readonly keys: Readonly<Record<string, string | number | boolean>>;
};

/** Where the data of a page is. Null if this was not given. */
interface Data {
  /** Opens the cache as of a moment. */
  readonly connect: ((when: { readonly asOf?: string }) => Connection) | null;
  /** Opens own data. */
  readonly tables: ReturnType<typeof ownTables> | null;
}

/** What became of a number: the value, why it was not computed, or what changed in its data. */
type Again = { readonly value: unknown } | { readonly why: string } | { readonly changed: string };

/** The nodes of expressions that a page may contain. Others could run code of the machine. */
const NODES = new Set([
  ...["BinaryExpr", "Column", "Literal", "Scalar", "Function", "Boolean", "Dyn", "Int", "Float"],
  ...["String", "Float64", "Float32", "Int64", "Int32", "Date", "Null"],
]);

function isPermitted(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return true;
  return Object.entries(node).every(([name, each]) =>
    (!/^[A-Z]/.test(name) || NODES.has(name)) && isPermitted(each)
  );
}

function argumentOf(value: unknown): unknown {
  const { expr } = (value ?? {}) as { expr?: object };
  if (expr === undefined) return value;
  if (!isPermitted(expr)) throw new RangeError("the expression of a filter is not supported");
  return pl.Expr.deserialize(Buffer.from(JSON.stringify(expr)), "json");
}

type Step = (...args: readonly unknown[]) => DataFrame;

/** The analyses that a page can name. Other exports could write files or send requests. */
const ANALYSES = [
  "cohortLayers",
  "cohortTrend",
  "compareRetention",
  "concentration",
  "contractFlows",
  "contributions",
  "counterfactual",
  "decompose",
  "detectable",
  "eventStudy",
  "forecastRetention",
  "growthRates",
  "growthTable",
  "indexed",
  "long",
  "pooledRetention",
  "rankBy",
  "ratio",
  "retentionCurves",
  "retentionSummary",
  "rollingMean",
  "shares",
  "topN",
  "userFlows",
  "where",
] as const;

/** Returns the function of a step: an analysis or a filter. */
function stepOf(name: string): Step {
  const analysis = ANALYSES.find((each) => each === name);
  if (analysis !== undefined) return chainframe[analysis] as Step;
  if (!FILTERS.has(name)) throw new RangeError(`the step ${name} is not supported`);
  return (frame, ...args) => (frame as Record<string, Step>)[name]!(...args);
}

/** Returns the result of an operation as of the time of the page; else the newest one of the cache. */
async function responseTo(
  { operation, query, retrieved_at }: Extract<Recipe, { readonly operation: string }>,
  connect: NonNullable<Data["connect"]>,
): Promise<DataFrame> {
  const call = "every" in query ? timeline : CALLS[operation as keyof typeof CALLS];
  try {
    return await call(query as never, connect({ asOf: retrieved_at }));
  } catch (error) {
    if (!(error instanceof CacheError)) throw error;
    return await call(query as never, connect({}));
  }
}

/**
 * Computes numbers again. Numbers with the same recipe share a frame.
 *
 * @param recipes the recipes that `report` wrote into the page; null for numbers without one
 */
export async function computeAgain(
  recipes: readonly (string | null)[],
  { connect, tables }: Data,
): Promise<Again[]> {
  const frames = new Map<string, Promise<DataFrame>>();
  const originOf = async (recipe: Recipe): Promise<DataFrame> => {
    if ("operation" in recipe) {
      if (connect === null) throw new RangeError("needs --cache");
      return await responseTo(recipe, connect);
    }
    if (tables === null) throw new RangeError("needs --tables");
    return await tables(recipe);
  };
  const frameOf = async (recipe: Recipe) => {
    let frame = await originOf(recipe);
    for (const [name, ...args] of recipe.steps) {
      frame = stepOf(name)(frame, ...args.map(argumentOf));
    }
    return frame;
  };
  return await Promise.all(recipes.map(async (text) => {
    if (text === null) return { why: "it has several sources, or steps that are not recorded" };
    try {
      const { field, keys, ...recipe }: Place = JSON.parse(text);
      const made = JSON.stringify(recipe);
      const frame = frames.get(made) ?? frameOf(recipe);
      frames.set(made, frame);
      return { value: cell(await frame, field, { row: keys }).value };
    } catch (error) {
      if (error instanceof ChangedTable) return { changed: error.message };
      return { why: error instanceof Error ? error.message : String(error) };
    }
  }));
}
