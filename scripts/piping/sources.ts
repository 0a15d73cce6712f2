import { basename, dirname } from "node:path";
import { formatOf } from "../../lib/output/encode.ts";
import { mustBeOneOf } from "../../lib/platform/check_options.ts";
import type { Recipe, RecipeStep } from "../../lib/output/recipe.ts";
import { readFile, statOf } from "../../lib/platform/file.ts";
import { allFlags } from "../cli/declared_options.ts";
import { optionsFrom } from "../cli/option_values.ts";
import { checkTable } from "../cli/own_table.ts";
import { operationName, queryFlags, queryFrom } from "../cli/query.ts";
import {
  type Arguments,
  camelName,
  flagName,
  type Io,
  type Option,
  UsageError,
} from "../cli/script.ts";
import { checkRecipe, parseRecipe, SOURCES } from "../recipe/run_recipe.ts";

type Kind = "recipe" | "address" | "file" | "operation";

/** What the first word of a pipe names. */
export function kindOf(word: string): Kind {
  if (word.endsWith(".recipe.json")) return "recipe";
  if (/^https?:/i.test(word)) return "address";
  return formatOf(word) !== undefined || /[./\\]/.test(word) ? "file" : "operation";
}

/** Returns the operation that a word names. */
function operationIn(word: string): string {
  const name = operationName(word).replaceAll("-", "_");
  if (SOURCES.includes(name)) return name;
  throw new UsageError(
    `SOURCE: must be a file, an address, a recipe or an operation; of operations, it ${
      mustBeOneOf(SOURCES.map(flagName), word)
    }; got "${word}"`,
  );
}

/** Returns the options of a source. */
export function sourceOptions(word: string): readonly Option[] {
  const kind = kindOf(word);
  if (kind === "recipe") return [];
  return kind === "operation" ? queryFlags(camelName(operationIn(word))) : allFlags("openFrame");
}

/** The source of a recipe, its first steps, and the folder of its files. */
export interface Begun {
  readonly source: Recipe["source"];
  readonly steps: readonly RecipeStep[];
  readonly tables: string | null;
  /** The name of the file in `tables` that the user gave. */
  readonly file?: string;
}

async function operation(word: string, given: Arguments, io: Io): Promise<Begun> {
  const name = operationIn(word);
  const query = await queryFrom(camelName(name), given, { io });
  return { source: { operation: name, query }, steps: [], tables: null };
}

async function table(path: string, given: Arguments, isStated: boolean): Promise<Begun> {
  await checkTable(path, "SOURCE");
  const options = optionsFrom("openFrame", given);
  // The source of a table is its file, unless a side-car or the first step states it.
  const isDescribed = isStated || await statOf(`${path}.provenance.json`) !== null;
  const file = basename(path);
  const made = isDescribed ? options : { citation: file, ...options };
  const source = {
    file,
    ...Object.keys(made).length > 0 && { options: made },
  };
  return { source, steps: [], tables: dirname(path), file };
}

async function stored(path: string): Promise<Begun> {
  const bytes = await readFile(path);
  if (bytes === null) throw new UsageError(`SOURCE: no such file: ${path}`);
  let recipe: unknown;
  try {
    recipe = parseRecipe(new TextDecoder().decode(bytes));
    checkRecipe(recipe);
  } catch (cause) {
    throw new UsageError(`SOURCE: ${path}: ${(cause as Error).message}`, { cause });
  }
  return { ...recipe, tables: dirname(path) };
}

/** Returns the beginning of a recipe from the first part of a pipe. `isStated`: whether its first step states the source. */
export async function begun(
  word: string,
  given: Arguments,
  { io, isStated }: { readonly io: Io; readonly isStated: boolean },
): Promise<Begun> {
  const kind = kindOf(word);
  if (kind === "operation") return await operation(word, given, io);
  if (kind === "recipe") return await stored(word);
  if (kind === "file") return await table(word, given, isStated);
  if (!given.has("citation")) throw new UsageError("--citation: is required for an address");
  return {
    source: { address: word, options: optionsFrom("openFrame", given) },
    steps: [],
    tables: null,
  };
}
