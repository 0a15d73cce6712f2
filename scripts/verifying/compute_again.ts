/**
 * Computes the numbers of a report again, from the recipes in its page.
 *
 * @module
 */
import { isObject } from "../../lib/platform/check_options.ts";
import { cell, type DataFrame, pl } from "../../mod.ts";
import { ChangedTable } from "../recipe/own_tables.ts";
import { createRunner, type Data, parseRecipe } from "../recipe/run_recipe.ts";

/** What became of a number: the value, why it was not computed, or what changed in its data. */
type Again = { readonly value: unknown } | { readonly why: string } | { readonly changed: string };

/** A number of a page: its recipe, or why it has none. */
interface Number {
  readonly recipe: string | null;
  readonly why: string | null;
}

/** Returns the recipe of a page of version 0.5.0 in today's form. */
function today(made: Readonly<Record<string, unknown>>): unknown {
  if ("source" in made && "steps" in made && !("file" in made)) return made;
  const { operation, query, retrieved_at, file, file_sha256, frame_sha256, source, steps } = made;
  if (operation !== undefined) {
    const name = isObject(query) && "every" in query ? "timeline" : operation;
    return { source: { operation: name, query, retrieved_at }, steps };
  }
  const digest = typeof frame_sha256 === "string" ? { frame_sha256 } : {};
  const stated = isObject(source) ? [["withSource", source]] : [];
  return {
    source: { file, sha256: file_sha256, ...digest },
    steps: [...stated, ...Array.isArray(steps) ? steps : []],
  };
}

/** Computes numbers again. Numbers with the same recipe share a frame. */
export async function computeAgain(numbers: readonly Number[], data: Data): Promise<Again[]> {
  const run = createRunner(data);
  const frames = new Map<string, Promise<unknown>>();
  return await Promise.all(numbers.map(async ({ recipe: text, why }) => {
    if (text === null) {
      return { why: why ?? "it has several sources, or steps that are not recorded" };
    }
    try {
      const { field, keys, ...recipe } = parseRecipe(text) as Readonly<Record<string, unknown>>;
      const made = JSON.stringify(recipe);
      const computed = frames.get(made) ?? run(today(recipe));
      frames.set(made, computed);
      const frame = await computed;
      if (!pl.DataFrame.isDataFrame(frame)) throw new RangeError("the recipe draws a chart");
      return { value: cell(frame as DataFrame, field as string, { row: keys as never }).value };
    } catch (error) {
      if (error instanceof ChangedTable) return { changed: error.message };
      return { why: error instanceof Error ? error.message : String(error) };
    }
  }));
}
