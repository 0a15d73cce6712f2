import { deepStrictEqual } from "node:assert/strict";
import { connect, save } from "../../../mod.ts";
import { TOOLS } from "../../../scripts/mcp/tools.ts";
import { runRecipe } from "../../../scripts/recipe/run_recipe.ts";
import { STEPS } from "../../../scripts/recipe/steps.ts";
import { frameCases } from "../../frame_cases.ts";
import { hearing } from "../../http/hearing.ts";
import { inFolder } from "../../in_folder.ts";
import { NAMES } from "../../scripts/recipe_calls.ts";
import { OF_TYPE, stepOptions, valueOf } from "../../scripts/tool_schemas.ts";

Deno.test("mcp: each step of pipe takes a value of the schema of each option", () =>
  inFolder(async (folder) => {
    const problems: string[] = [];
    for (const [name, { frame, options: [plain] }] of Object.entries(frameCases(NAMES))) {
      if (!STEPS.has(name) || name === "where" || name === "withSource") continue;
      const { dots: _, ...given } = plain as Record<string, unknown>;
      await save(frame, `${folder}/${name}.parquet`);
      for (const [option, schema] of Object.entries(stepOptions(name))) {
        const step = [name, { ...given, [option]: valueOf(schema) }];
        const recipe = { source: { file: `${name}.parquet` }, steps: [step] };
        await runRecipe(recipe, { connection: null, tables: folder }).catch((error) => {
          if (OF_TYPE.test(error.message)) problems.push(`${name} ${option}: ${error.message}`);
        });
      }
    }
    deepStrictEqual(problems, []);
  }));

const MONTHS = {
  metric_ids: ["fees"],
  group_by: "chains",
  every: "month",
  from: "2026-01",
  to: "2026-04",
};
/** The arguments that a tool needs. */
const NEEDED: Readonly<Record<string, object>> = {
  catalog: { kind: "chains" },
  metric_breakdown: { metric_ids: ["fees"], interval: "30d", group_by: "chains" },
  project: { project_id: ["tidewater"] },
  timeline: MONTHS,
  compare_retention: { by: ["market_sector_id"] },
  compare_chains: { field: "ecosystem_fees_30d_sum" },
  growth_rates: { ...MONTHS, field: ["fees_sum"] },
  contributions: { ...MONTHS, field: "fees_sum" },
  counterfactual: { ...MONTHS, starts: { alder: "2026-03" } },
  event_study: { ...MONTHS, starts: { alder: "2026-03" } },
};

Deno.test("mcp: each tool takes a value of the schema of each argument", async () => {
  const problems: string[] = [];
  const connection = connect({ envFile: false });
  await hearing(async () => {
    for (const [name, { properties, run }] of Object.entries(TOOLS)) {
      if (name === "pipe") continue;
      for (const [option, schema] of Object.entries(properties)) {
        const args = { ...NEEDED[name], [option]: valueOf(schema) };
        try {
          await run(args, connection);
        } catch (error) {
          const { message } = error as Error;
          if (OF_TYPE.test(message)) problems.push(`${name} ${option}: ${message}`);
        }
      }
    }
  });
  deepStrictEqual(problems, []);
});
