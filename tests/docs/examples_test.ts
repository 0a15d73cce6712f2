import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { inFolder, runScript } from "../scripts/run_script.ts";
import { serveLocally } from "../service/serve_locally.ts";
import { BLOCKS, runModules, writeBlocks } from "./blocks.ts";

Deno.test("the documentation imports by one name, which an init folder and the project both know", () => {
  const others = BLOCKS.flatMap(({ file, line, code }) =>
    [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from!)
      .filter((from) =>
        !/^(@chainframe\/chainframe(\/(service|marks|declarations))?|npm:@observablehq\/plot@0\.6\.\d+|node:.*)$/
          .test(from)
      )
      .map((from) => `${file}:${line} ${from}`)
  );
  deepStrictEqual(others, []);
});

// printed_test.ts and cookbook_test.ts run the others.
const own = BLOCKS.filter(({ file, printed }) =>
  printed === undefined && file !== "docs/cookbook.md"
);

Deno.test("examples run in a folder made by init.ts", () =>
  inFolder(async (folder) => {
    await runScript("init.ts", [folder]);
    // The .env of a developer is not read: its service would get a request with its token.
    await using foreign = await serveLocally(await createService());
    const lines = [`CHAINFRAME_BASE_URL=${foreign.url}`, "CHAINFRAME_TOKEN=foreign"];
    await Deno.writeTextFile(`${folder}/.env`, lines.join("\n"));
    const paths = await writeBlocks(folder, own);
    ok(paths.length > 100, `${paths.length} examples`);
    await runModules(paths, folder, ["--deny-read=.env"]);
    strictEqual(foreign.requests(), 0);
  }));
