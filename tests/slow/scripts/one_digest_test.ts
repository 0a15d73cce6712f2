import { match, strictEqual } from "node:assert/strict";
import { frameDigest, recipeOf } from "../../../lib/output/recipe.ts";
import {
  cell,
  connect,
  type DataFrame,
  md,
  openFrame,
  report,
  save,
  shares,
  timeline,
  where,
} from "../../../mod.ts";
import { TOOLS } from "../../../scripts/mcp/tools.ts";
import { runRecipe } from "../../../scripts/recipe/run_recipe.ts";
import { liveService } from "../../scripts/live_service.ts";
import { inFolder, runScript } from "../../scripts/run_script.ts";

const QUERY = {
  metric_ids: ["fees"],
  group_by: "chains",
  every: "month",
  from: "2025-01",
  to: "2025-06",
} as const;

Deno.test("one question has one digest by TypeScript, pipe, the tool and verify", () =>
  inFolder(async (folder) => {
    const service = await liveService();
    const cache = { dir: `${folder}/cache` };
    const { CHAINFRAME_BASE_URL: baseUrl, CHAINFRAME_TOKEN: token } = service.env;
    const connection = connect({ baseUrl, token, cache });
    try {
      const here = where(shares(await timeline(QUERY, connection), { field: "fees_sum" }), {
        data_id: ["alder", "basalt"],
      });
      const digest = frameDigest(here);
      const source = [
        ...["timeline", "--metric-ids", "fees", "--group-by", "chains", "--every", "month"],
        ...["--from", "2025-01", "--to", "2025-06", "--cache", cache.dir],
      ];
      const steps = ["+", "shares", "--field", "fees_sum", "+", "where", "data_id=alder,basalt"];
      const options = { env: service.env, cwd: folder };
      const piped = await runScript(
        "pipe.ts",
        [...source, ...steps, "--out", "s.parquet"],
        options,
      );
      strictEqual(piped.code, 0, piped.stderr);
      strictEqual(frameDigest(await openFrame(`${folder}/s.parquet`)), digest);
      const tool = await TOOLS.pipe!.run({
        source: { operation: "timeline", query: QUERY },
        steps: [{ shares: { field: "fees_sum" } }, { where: { data_id: ["alder", "basalt"] } }],
      }, connection) as DataFrame;
      strictEqual(frameDigest(tool), digest);
      const text = md`${cell(here, "share", { row: { data_id: "alder", date: "2025-06-01" } })}`;
      await save(report({ title: "Shares", parts: [text] }), `${folder}/page.html`);
      const args = [`${folder}/page.html`, "--cache", cache.dir];
      const verified = await runScript("verify.ts", args, options);
      match(verified.stdout, /^1 of 1 as computed again$/m);
      strictEqual(verified.code, 0);
      const offline = connect({ baseUrl, token, cache: { ...cache, mode: "offline" } });
      const { recipe } = recipeOf(here);
      const again = await runRecipe(recipe, { connection: () => offline, tables: null });
      strictEqual(frameDigest(again as DataFrame), digest);
    } finally {
      await service.close();
    }
  }));
