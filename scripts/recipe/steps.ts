/**
 * The steps that a recipe may have, and the check of their arguments: public functions of the categories Analysis and
 * Charts, `where` and `withSource`, and methods of frames.
 *
 * @module
 */
import { didYouMean, isObject } from "../../lib/platform/check_options.ts";
import { shown } from "../../lib/platform/terminal.ts";
import { isOnly, methodArguments, METHODS, type Placing } from "../../lib/output/recipe_methods.ts";
import { loadEntries } from "../../lib/help/entries.ts";
import type { RecipeStep } from "../../lib/output/recipe.ts";
import * as chainframe from "../../mod.ts";
import { type Declared, declaredOptions, type Schema } from "../cli/declared_options.ts";

/** Functions of these categories that are no steps, and why. */
export const NO_STEPS: ReadonlyMap<string, string> = new Map([
  ["figure", "it takes several charts"],
  ["drawPlot", "it takes no frame"],
  ["drawVega", "it takes no frame"],
  ["colors", "it reads the colors of the process"],
  ["setColors", "it changes the colors of the process"],
]);

const { names: ENTRIES } = await loadEntries();

/** The names of the public functions that are steps. */
export const STEPS: ReadonlySet<string> = new Set(
  ENTRIES.filter(({ name, kind, category }) =>
    kind === "function" && !NO_STEPS.has(name) &&
    (["Analysis", "Charts"].includes(category) || ["where", "withSource"].includes(name))
  ).map(({ name }) => name),
);

/** Returns the function of a step. */
export function functionOf(
  name: string,
): (frame: chainframe.DataFrame, options?: unknown) => unknown {
  return (chainframe as unknown as Record<string, never>)[name]!;
}

/** Returns whether a step draws a chart. It is then the last one. */
export function draws(name: string): boolean {
  return ENTRIES.find((entry) => entry.name === name)?.category === "Charts";
}

/** Returns why a value does not fit a schema, or null if it does. A function checks the rest itself. */
export function problemOf(value: unknown, schema: Schema): string | null {
  const { type, anyOf, items, properties, additionalProperties } = schema;
  const words = schema.enum as readonly unknown[] | undefined;
  if (value === null) return null;
  if (anyOf !== undefined) {
    const all = (anyOf as Schema[]).map((each) => problemOf(value, each));
    return all.includes(null) ? null : all.join(", or ");
  }
  if (words !== undefined) {
    const list = words.length === 1 ? words[0] : `one of ${words.join(", ")}`;
    return words.includes(value) ? null : `must be ${list}`;
  }
  if (type === "array") {
    const list = Array.isArray(value) ? value : [value];
    return list.map((each) => problemOf(each, items as Schema)).find((each) => each !== null) ??
      null;
  }
  const is: string = typeof value;
  if (type !== "object") return is === type ? null : `must be a ${type}`;
  if (!isObject(value)) return "must be an object";
  for (const [name, each] of Object.entries(value)) {
    const known = properties as Readonly<Record<string, Schema>> | undefined;
    const inner = known === undefined
      ? additionalProperties as Schema
      : Object.hasOwn(known, name)
      ? known[name]!
      : null;
    const problem = inner === null
      ? `is unknown; known: ${Object.keys(known!).join(", ")}`
      : problemOf(each, inner);
    if (problem !== null) return `${name}: ${problem}`;
  }
  return null;
}

/** Checks the options of a function by their schemas. Returns them with frames in place of recipes. */
function functionOptions(name: string, args: readonly unknown[], found: Placing): unknown[] {
  const [options = {}, ...others] = args;
  if (others.length > 0 || !isObject(options)) {
    throw new RangeError(`${name}: expected one object of options; got ${shown(args)}`);
  }
  if (name === "where") return [options];
  const all: readonly Declared[] = declaredOptions(name);
  return [Object.fromEntries(
    Object.entries(options).map(([member, value]) => {
      const known = all.filter(({ schema, isFrame }) => schema !== null || isFrame);
      const option = known.find((each) => each.name === member);
      if (option === undefined) {
        throw new RangeError(`${name}: ${didYouMean(member, known.map((each) => each.name))}`);
      }
      if (option.isFrame && isOnly(value, "recipe")) return [member, found.frame(value.recipe)];
      const problem = option.schema === null ? "must be a frame" : problemOf(value, option.schema);
      if (problem === null) return [member, value];
      throw new RangeError(`${name}: ${member}: ${problem}; got ${shown(value)}`);
    }),
  )];
}

/**
 * Checks a step. Returns its arguments, with frames and expressions in place of their JSON.
 *
 * @throws {RangeError} for a name that is no step, and for an argument that is not permitted.
 */
export function stepArguments([name, ...args]: RecipeStep, found: Placing): unknown[] {
  if (STEPS.has(name)) return functionOptions(name, args, found);
  if (METHODS.has(name)) return methodArguments(name, args, found);
  const why = NO_STEPS.get(name);
  const rule = why === undefined
    ? didYouMean(name, [...STEPS, ...METHODS.keys()])
    : `${name}: ${why}`;
  throw new RangeError(`${rule}; it is not a step`);
}
