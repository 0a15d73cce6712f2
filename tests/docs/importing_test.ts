import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { inFolder, runCommand, runScript } from "../scripts/run_script.ts";
import { BLOCKS } from "./blocks.ts";

const [block] = BLOCKS.filter(({ file, code }) =>
  file === "docs/importing.md" && code.includes('https://api.llama.fi/overview/fees"')
);

const DAY = 86_400;
const FIRST = Date.UTC(2026, 0, 1) / 1_000;

Deno.test("importing.md: in a folder of init without a key, the page makes a chart of a table with its source, cached and locked", () =>
  inFolder(async (folder) => {
    let factor = 1;
    const requests: string[] = [];
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      ({ url }) => {
        requests.push(new URL(url).pathname);
        const totalDataChart = Array.from({ length: 90 }, (_, day) => [
          FIRST + day * DAY,
          factor * (1_000 + day),
        ]);
        return Response.json({ chain: null, allChains: [], protocols: [], totalDataChart });
      },
    );
    try {
      await runScript("init.ts", [folder]);
      const code = block!.code.replace(
        "https://api.llama.fi",
        `http://127.0.0.1:${server.addr.port}`,
      );
      await Deno.writeTextFile(`${folder}/fees.ts`, code);
      const run = () => runCommand([Deno.execPath(), "run", "-A", "fees.ts"], { cwd: folder });

      const first = await run();
      strictEqual(first.code, 0, first.stderr);
      match(first.stderr, /lock: 0 of 0 responses and own data as locked; 0 differ; 1 added/);
      const svg = await Deno.readTextFile(`${folder}/out/fees.svg`);
      match(svg, /<title>Fees, Jan 2026 to Mar 2026<\/title>/);
      match(
        first.stdout,
        /last complete values: .*\$33\.3K[^]*Source: DefiLlama, fees of all chains/,
      );
      ok(!/sample/i.test(svg + first.stdout + first.stderr), first.stderr);

      const second = await run();
      strictEqual(second.code, 0, second.stderr);
      match(second.stderr, /lock: 1 of 1 responses and own data as locked; 0 differ/);
      deepStrictEqual(requests, ["/overview/fees"]);

      factor = 1.5;
      await Deno.remove(`${folder}/out/cache`, { recursive: true });
      const changed = await run();
      strictEqual(changed.code, 3, changed.stderr);
      match(changed.stderr, /lock: own data differs from .*DefiLlama, fees of all chains/);
    } finally {
      await server.shutdown();
    }
  }));

Deno.test("recipes.md: each block declares one table in at most 15 lines", () => {
  const recipes = BLOCKS.filter(({ file }) => file === "docs/recipes.md");
  ok(recipes.length > 6, `${recipes.length}`);
  for (const { code, line } of recipes) {
    const found = [...code.matchAll(/^const [A-Z]+ = \{\n[^]*?^\} satisfies TableOptions;$/gm)];
    strictEqual(found.length, 1, `line ${line}`);
    ok(found[0]![0].split("\n").length <= 15, `line ${line}`);
  }
});
