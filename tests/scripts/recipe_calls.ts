import { ok, strictEqual } from "node:assert/strict";
import { frameDigest, recipeOf } from "../../lib/output/recipe.ts";
import * as chainframe from "../../mod.ts";
import { type Chart, type DataFrame, openFrame, pl, save } from "../../mod.ts";
import { parseRecipe, runRecipe } from "../../scripts/recipe/run_recipe.ts";
import { draws, STEPS } from "../../scripts/recipe/steps.ts";
import { frameCases } from "../frame_cases.ts";
import { inFolder } from "../in_folder.ts";

export const NAMES = { entity: ["protocol"], date: "date", code: "code" };

// deno-lint-ignore no-explicit-any -- recipes have no static type
type Any = any;

/** Runs a recipe after JSON. */
export function again(recipe: unknown, tables: string): Promise<DataFrame | Chart> {
  return runRecipe(parseRecipe(JSON.stringify(recipe)), { connection: null, tables });
}

/** Returns the recipe of a frame. */
export function written(frame: DataFrame) {
  const { recipe, why } = recipeOf(frame);
  strictEqual(why, null);
  return recipe!;
}

/**
 * Calls each function that is a step, and compares the result with that of its recipe after JSON: frames by digest, charts
 * by their picture. Returns the number of calls.
 */
export async function compareCalls(
  { charts, calls }: { readonly charts: boolean; readonly calls: number },
): Promise<number> {
  let count = 0;
  await inFolder(async (folder) => {
    for (const [name, { frame: made, options: all }] of Object.entries(frameCases(NAMES))) {
      if (!STEPS.has(name) || (!charts && draws(name))) continue;
      const file = `${folder}/${name}.parquet`;
      await save(made, file);
      if (name === "withSource") await Deno.remove(`${file}.provenance.json`);
      const frame = await openFrame(file);
      let results = 0;
      for (const given of all.slice(0, calls) as Any[]) {
        // The format of numbers can be a function, and has no schema. The source is that of the frame.
        const { format: _, source: __, dots, ...options } = given;
        const call = { ...options, ...dots && { dots: frame } };
        const args = Object.keys(call).length === 0 ? [] : [call];
        let result: Any;
        try {
          result = (chainframe as Any)[name](frame, ...args);
        } catch {
          // Some cases are errors.
          continue;
        }
        results++;
        if (pl.DataFrame.isDataFrame(result)) {
          const other = await again(written(result), folder);
          strictEqual(frameDigest(other as DataFrame), frameDigest(result), name);
          continue;
        }
        const recipe = written(frame);
        const step = [name, { ...options, ...dots && { dots: { recipe } } }];
        const chart = await again({ ...recipe, steps: [...recipe.steps, step] }, folder) as Chart;
        strictEqual(await chart.svg(), await result.svg(), name);
      }
      ok(results > 0, `${name}: no call succeeds`);
      count += results;
    }
  });
  return count;
}
