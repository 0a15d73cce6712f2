import { ok, strictEqual } from "node:assert/strict";
import { createService } from "../../../lib/service/mod.ts";
import { inFolder, runCommand } from "../../scripts/run_script.ts";
import { serveLocally } from "../../service/serve_locally.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const COPIED = ["mod.ts", "lib", "scripts", "tests", "notebooks", "deno.json", "deno.lock"];

/** Tests that use the default connection: in their process, and in a script's on a terminal. */
const TESTS = ["tests/help/help_test.ts", "tests/scripts/analyses_test.ts"];

Deno.test("neither tests nor the demo send a request to the service of a developer's .env", () =>
  inFolder(async (cwd) => {
    const service = await createService();
    await using server = await serveLocally(service);
    for (const name of COPIED) await runCommand(["cp", "-R", ROOT + name, cwd]);
    const file = { BASE_URL: server.url, TOKEN: service.tokens[0], CACHE: `${cwd}/kept` };
    const lines = Object.entries(file).map(([name, value]) => `CHAINFRAME_${name}=${value}\n`);
    await Deno.writeTextFile(`${cwd}/.env`, lines.join(""));
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCommand([Deno.execPath(), "run", "-A", ...args], {
        cwd,
      });
      strictEqual(code, 0, stdout + stderr);
      return server.requests();
    };
    strictEqual(await run("tests/run.ts", "fast", ...TESTS), 0);
    strictEqual(await run("scripts/demo.ts"), 0);
    // A script without these precautions does read the file.
    ok(await run("scripts/fetch.ts", "blockchain_comparison") > 0);
    ok((await Deno.stat(`${cwd}/kept`)).isDirectory);
  }));
