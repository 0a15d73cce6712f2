import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { firstLine, inFolder, runCommand } from "../../scripts/run_script.ts";

const PATH = new URL("../../../scripts/", import.meta.url).pathname;

Deno.test("a script that is installed with deno install -g runs from any folder", () =>
  inFolder(async (folder) => {
    const [, ...permissions] = firstLine("fetch.ts");
    const install = ["install", "-g", "--root", folder, "-n", "chainframe-fetch", ...permissions];
    const installed = await runCommand([Deno.execPath(), ...install, `${PATH}fetch.ts`]);
    strictEqual(installed.code, 0, installed.stderr);
    await Deno.mkdir(`${folder}/elsewhere`);
    // The installed script calls `deno`: this one.
    const PATH_ = `${folder}/path:${Deno.env.get("PATH")}`;
    await Deno.mkdir(`${folder}/path`);
    await Deno.symlink(Deno.execPath(), `${folder}/path/deno`);
    const options = { cwd: `${folder}/elsewhere`, env: { PATH: PATH_ } };
    const { code, stdout } = await runCommand(
      [`${folder}/bin/chainframe-fetch`, "blockchain_comparison", "--limit", "1"],
      options,
    );
    deepStrictEqual([code, stdout.split("\n").length], [0, 3]);
  }));
