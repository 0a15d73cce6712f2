import { strictEqual } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { inFolder, runScript } from "../scripts/run_script.ts";
import { serveLocally } from "../service/serve_locally.ts";
import { type Block, runModules, writeBlocks } from "./blocks.ts";

/**
 * Returns whether the slow tests run an example: those of doc comments, of which each is near its own tests, and those
 * that write and build the facts of the sample.
 */
export function isSlow({ file, code }: Block): boolean {
  return file.startsWith("lib/") || /\bwriteSample\(/.test(code);
}

/** Runs examples in a folder made by init.ts. */
export function runExamples(examples: readonly Block[]): Promise<void> {
  return inFolder(async (folder) => {
    await runScript("init.ts", [folder]);
    // The .env of a developer is not read: its service would get a request with its token.
    await using foreign = await serveLocally(await createService());
    const lines = [`CHAINFRAME_BASE_URL=${foreign.url}`, "CHAINFRAME_TOKEN=foreign"];
    await Deno.writeTextFile(`${folder}/.env`, lines.join("\n"));
    const paths = await writeBlocks(folder, examples);
    await runModules(paths, folder, ["--deny-read=.env"]);
    strictEqual(foreign.requests(), 0);
  });
}
