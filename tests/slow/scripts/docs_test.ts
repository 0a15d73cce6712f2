import { ok, strictEqual } from "node:assert/strict";
import { liveService } from "../../scripts/live_service.ts";
import { inFolder, runCommand, runScript } from "../../scripts/run_script.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;

Deno.test("the commands of docs/scripts.md run, in a shell, one after the other", async () => {
  const text = await Deno.readTextFile(`${ROOT}docs/scripts.md`);
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!);
  ok(blocks.length > 4);
  const { env, close } = await liveService();
  try {
    await inFolder(async (folder) => {
      await runScript("init.ts", [folder]);
      await Deno.mkdir(`${folder}/path`);
      await Deno.symlink(Deno.execPath(), `${folder}/path/deno`);
      const options = {
        cwd: folder,
        env: { ...env, PATH: `${folder}/path:${Deno.env.get("PATH")}` },
      };
      const { code, stderr } = await runCommand(
        [
          "bash",
          "-euo",
          "pipefail",
          "-c",
          blocks.join("\n").replace(/^scripts\//gm, `${ROOT}scripts/`),
        ],
        options,
      );
      strictEqual(code, 0, stderr);
      for (
        const name of [
          "out/cohorts.parquet",
          "out/missing.csv",
          "out/fees.ndjson",
          "out/retention.svg",
          "out/chains.png",
        ]
      ) {
        ok((await Deno.stat(`${folder}/${name}`)).size > 0);
        ok((await Deno.stat(`${folder}/${name}.provenance.json`)).size > 0);
      }
    });
  } finally {
    await close();
  }
});
