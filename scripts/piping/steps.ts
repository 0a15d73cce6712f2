/**
 * The parts of a command line between the words `+`: a source and steps.
 *
 * @module
 */
import { mustBeOneOf } from "../../lib/platform/check_options.ts";
import type { RecipeStep } from "../../lib/output/recipe.ts";
import type { DataFrame } from "../../mod.ts";
import { allFlags, declaredOptions } from "../cli/declared_options.ts";
import { optionsFrom, pairOf } from "../cli/option_values.ts";
import { type Arguments, camelName, flagName, type Option, UsageError } from "../cli/script.ts";
import { STEPS } from "../recipe/steps.ts";

/** Splits the words of a command line at `+`. */
export function partsOf(args: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const word of args) {
    if (word === "+") parts.push([]);
    else parts.at(-1)!.push(word);
  }
  return parts;
}

/** A method that takes words: how they are written, and the arguments that they become. */
interface WordStep {
  readonly words: string;
  readonly about: string;
  readonly options?: readonly Option[];
  readonly args: (words: readonly string[], given: Arguments) => readonly unknown[];
}

const namesIn = (words: readonly string[]) => words.flatMap((word) => word.split(","));

function wholeNumber(words: readonly string[]): readonly unknown[] {
  if (words.length === 0) return [];
  if (words.length === 1 && /^\d+$/.test(words[0]!)) return [Number(words[0])];
  throw new UsageError(`expected a number of rows; got ${words.join(" ")}`);
}

function renamed(words: readonly string[]): readonly unknown[] {
  const pairs = namesIn(words).map((word) => {
    const pair = pairOf(word);
    if (pair === null || pair[1] === "") throw new UsageError(`expected OLD=NEW; got ${word}`);
    return pair;
  });
  return [Object.fromEntries(pairs)];
}

const DESCENDING: Option = {
  name: "descending",
  about: "Largest first.",
  isBoolean: true,
};

/** The methods of frames that are steps of a command line. Expressions and joins are for TypeScript. */
export const WORD_STEPS: Readonly<Record<string, WordStep>> = {
  select: { words: "COLUMNS", about: "Keeps these columns.", args: (words) => namesIn(words) },
  drop: { words: "COLUMNS", about: "Removes these columns.", args: (words) => namesIn(words) },
  rename: { words: "OLD=NEW", about: "Renames columns.", args: renamed },
  sort: {
    words: "COLUMNS",
    about: "Sorts rows.",
    options: [DESCENDING],
    args: (words, given) => [{
      by: namesIn(words),
      ...given.has("descending") && { descending: given.one("descending") !== "false" },
    }],
  },
  head: { words: "ROWS", about: "Keeps the first rows.", args: wholeNumber },
  tail: { words: "ROWS", about: "Keeps the last rows.", args: wholeNumber },
};

/** Returns the name of a step from its word: `growth-rates` is `growthRates`. */
export function stepName(word: string): string {
  const name = camelName(word);
  const known = [...STEPS, ...Object.keys(WORD_STEPS)];
  if (known.includes(name)) return name;
  throw new UsageError(`step: ${mustBeOneOf(known.map(flagName), word)}; got "${word}"`);
}

/** Returns the options of a step. */
export function stepOptions(name: string): readonly Option[] {
  const method = WORD_STEPS[name];
  if (method !== undefined) return method.options ?? [];
  return name === "where" ? [] : allFlags(name);
}

/** Returns the value of a condition as its column has it. */
function cellOf(text: string, dtype: string): string | number | boolean | null {
  if (/^(?:Float|U?Int)/.test(dtype) && text !== "" && Number.isFinite(Number(text))) {
    return Number(text);
  }
  if (dtype.startsWith("Bool") && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}

/** Returns the conditions of `where`: `protocol=aave,lido`, `protocol!=aave`, `fees=100..`, `fees=100..200`. */
function conditionsOf(words: readonly string[], frame: DataFrame): Record<string, unknown> {
  const dtypes = new Map(frame.dtypes.map((dtype, at) => [
    frame.columns[at]!,
    (dtype as unknown as { readonly variant: string }).variant,
  ]));
  const conditions: Record<string, unknown> = {};
  for (const word of words) {
    const [, name, isNot, text] = /^([^=]*?)(!?)=([^]*)$/.exec(word) ?? [];
    if (!name || text === undefined) {
      throw new UsageError(
        `expected COLUMN=VALUES, COLUMN!=VALUES or COLUMN=FROM..TO; got "${word}"`,
      );
    }
    const cell = (value: string) => cellOf(value, dtypes.get(name) ?? "String");
    const [, from, to] = /^(.*?)\.\.(.*)$/.exec(text) ?? [];
    // An empty cell of CSV is null.
    const values = text === ""
      ? [null, ...dtypes.get(name) === "String" ? [""] : []]
      : text.split(",").map((each) => cell(each.trim()));
    conditions[name] = from !== undefined
      ? { ...from !== "" && { from: cell(from) }, ...to !== "" && { to: cell(to!) } }
      : isNot
      ? { not: values }
      : values.length === 1
      ? values[0]
      : values;
  }
  return conditions;
}

/**
 * Returns the step of a part. `frame` returns the frame before the step, whose columns decide whether a condition is a
 * text or a number.
 */
export async function stepOf(
  name: string,
  given: Arguments,
  frame: () => Promise<DataFrame>,
): Promise<RecipeStep> {
  const words = given.operands;
  if (name === "where") return [name, conditionsOf(words, await frame())];
  const method = WORD_STEPS[name];
  if (method !== undefined) {
    const isEmpty = words.length === 0 && !/^(?:head|tail)$/.test(name);
    if (isEmpty) throw new UsageError(`expected ${method.words} after the step`);
    return [name, ...method.args(words, given)];
  }
  if (words.length > 0) {
    const [option] = declaredOptions(name).toSorted((a, b) =>
      Number(b.required) - Number(a.required)
    )
      .filter(({ schema }) => schema !== null);
    const hint = option === undefined ? "" : `, such as --${flagName(option.name)}`;
    throw new UsageError(`takes options only${hint}; got ${words.join(" ")}`);
  }
  return [name, optionsFrom(name, given)];
}
