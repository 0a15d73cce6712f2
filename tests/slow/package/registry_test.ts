import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import config from "../../../deno.json" with { type: "json" };
import { inFolder } from "../../scripts/run_script.ts";
import { installLines } from "./install_lines.ts";
import { dryRun, loopbackRegistry } from "./loopback_registry.ts";
import { run } from "./run.ts";

const SPECIFIER = `jsr:${config.name}@${config.version}`;

const { paths, report } = await dryRun();

/** The imports by a computed name: packages and own files that load on first use. */
const LAZY = [
  "lib/chart/chart_files.ts",
  "lib/chart/chart_files.ts",
  "lib/help/entries.ts",
  "lib/http/connect.ts",
  "lib/platform/package.ts",
  "lib/platform/package.ts",
  "lib/platform/package.ts",
];

Deno.test("deno publish warns of nothing but imports by a computed name", () => {
  const warnings = [...report.matchAll(/^warning\[([\w-]+)\]/gm)].map(([, code]) => code!);
  deepStrictEqual(warnings.filter((code) => code !== "unanalyzable-dynamic-import"), []);
  const places = [...report.matchAll(/^ *--> (\S+?):\d+:\d+$/gm)]
    .map(([, path]) => path!.replace(/^.*\/(?=lib\/|scripts\/)/, ""));
  deepStrictEqual(places.sort(), LAZY);
});

Deno.test("the package has the code and its texts, and no test, picture or notebook", async () => {
  const tops = new Set(paths.map((path) => path.split("/")[0]));
  deepStrictEqual(
    [...tops].sort(),
    ["CHANGELOG.md", "LICENSE", "README.md", "deno.json", "lib", "mod.ts", "scripts"],
  );
  deepStrictEqual(paths.filter((path) => !/\.(ts|md|json)$|^LICENSE$/.test(path)), []);
  let size = 0;
  for (const path of paths) {
    size += (await Deno.stat(new URL(`../../../${path}`, import.meta.url))).size;
  }
  ok(size < 3_000_000, `${size} bytes`);
});

Deno.test("installed by name from a registry, frame, chart, command and init folder work", () =>
  inFolder(async (folder) => {
    const registry = await loopbackRegistry(paths);
    try {
      const cache = `${folder}/cache`;
      await Deno.mkdir(cache);
      // npm packages come from the cache of this machine; the package itself comes from the registry.
      const machine = JSON.parse(await run([Deno.execPath(), "info", "--json"], folder, {}));
      await Deno.symlink(machine.npmCache, `${cache}/npm`);
      const env = { DENO_DIR: cache, JSR_URL: registry.url };
      const deno = (...args: string[]) => run([Deno.execPath(), ...args], `${folder}/user`, env);

      await Deno.mkdir(`${folder}/user`);
      await Deno.writeTextFile(`${folder}/user/deno.json`, "{}");
      for (const [program, ...args] of await installLines()) {
        if (program === "deno") await deno(...args);
      }
      await Deno.writeTextFile(
        `${folder}/user/own.ts`,
        `import { blockchainComparison, plotComparison } from "${config.name}";
        import { createService } from "${config.name}/service";
        const chains = await blockchainComparison({ limit: 3 });
        const svg: string = await plotComparison(chains).svg();
        console.log(chains.height, svg.slice(0, 4), typeof createService);`,
      );
      await deno("check", "own.ts");
      strictEqual(await deno("run", "-A", "own.ts"), "3 <svg function\n");
      const fetched = ["blockchain_comparison", "--limit", "1", "--out", "chains.csv"];
      await deno("run", "-A", `${SPECIFIER}/fetch`, ...fetched);
      match(await Deno.readTextFile(`${folder}/user/chains.csv`), /^chain_id,chain_name/);

      const mine = `${folder}/user/my-research`;
      const { imports, tasks } = JSON.parse(await Deno.readTextFile(`${mine}/deno.json`));
      strictEqual(imports[config.name], `jsr:${config.name}@^${config.version}`);
      ok(tasks.fetch.command.endsWith(`jsr:${config.name}@^${config.version}/fetch`));
      // The configuration of the server for agents is a file of a clone.
      match(tasks.mcp.command, /^deno run --no-prompt --allow-ffi [^$']*"-E=\S+" jsr:\S+\/mcp$/);
      match(await run([Deno.execPath(), "task", "first"], mine, env), /SAMPLE/);
    } finally {
      await registry.close();
    }
  }));
