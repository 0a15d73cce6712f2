/**
 * Writes the tarball for npm to `out/`.
 *
 * `deno pack` transpiles the modules and writes their declarations. But it declares dependencies as version ranges,
 * and misses packages that the code loads by a computed name. This script therefore rewrites package.json and the
 * computed specifiers.
 */
import { join } from "node:path";
import { NAME, REPOSITORY, VERSION } from "./package.ts";

const ROOT = new URL("../", import.meta.url).pathname;
/** The versions that `lib/platform/node.ts` accepts. */
const NODE = ">=22.15";

/** Files that run only in Deno. They are left out of the tarball. */
const DENO_ONLY = [
  "scripts/demo.ts",
  ...["init", "notebook"].flatMap((name) => [`scripts/${name}.js`, `scripts/${name}.d.ts`]),
];

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args: [...args], cwd }).output();
  if (!success) throw new Error(`${command} ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(join(folder, name));
    else yield join(folder, name);
  }
}

/** Returns the packages that the sources import, with their pinned versions. */
async function dependencies(): Promise<Record<string, string>> {
  const found = new Map<string, string>();
  for (const folder of ["lib", "scripts"]) {
    for await (const path of filesIn(join(ROOT, folder))) {
      if (!path.endsWith(".ts")) continue;
      const text = await Deno.readTextFile(path);
      for (const [, name, version] of text.matchAll(/"npm:((?:@[^/"]+\/)?[^/@"]+)@([^/"]+)/g)) {
        found.set(name!, version!);
      }
    }
  }
  return Object.fromEntries([...found].sort());
}

/** Replaces the ending `.ts` by `.js` in the computed specifiers of this package's own modules. */
function withComputedSpecifiers(code: string): string {
  return code.replace(
    /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g,
    'new URL("$1.js", import.meta.url)',
  );
}

/** Completes an unpacked tarball: rewrites package.json and the modules, and removes files that run only in Deno. */
async function complete(folder: string): Promise<void> {
  const path = join(folder, "package.json");
  const { exports: entries, ...manifest } = JSON.parse(await Deno.readTextFile(path));
  const exports = Object.fromEntries(
    [".", "./declarations", "./marks", "./service"].map((name) => [name, entries[name]]),
  );
  const bin = "scripts/cli/chainframe.js";
  const text = JSON.stringify(
    {
      ...manifest,
      description:
        "Crypto metrics as polars DataFrames, with the tests and intervals that a publication needs",
      repository: { type: "git", url: `git+${REPOSITORY}.git` },
      exports: { ...exports, "./package.json": "./package.json" },
      bin: { chainframe: bin },
      engines: { node: NODE },
      // The type declarations of Plot import types of d3.
      dependencies: { ...await dependencies(), "@types/d3": "7.4.3" },
    },
    null,
    2,
  );
  await Deno.writeTextFile(path, `${text}\n`);
  for await (const file of filesIn(folder)) {
    if (!file.endsWith(".js")) continue;
    const code = withComputedSpecifiers(await Deno.readTextFile(file));
    // Removes Deno's shebang. The command gets the shebang of Node instead.
    const shebang = file.endsWith(bin) ? "#!/usr/bin/env node\n" : "";
    await Deno.writeTextFile(file, shebang + code.replace(/^#!.*\n/, ""));
  }
  for (const name of DENO_ONLY) await Deno.remove(join(folder, name), { recursive: true });
  // The package reads its version from this file.
  const config = { name: NAME, version: VERSION };
  await Deno.writeTextFile(join(folder, "deno.json"), `${JSON.stringify(config, null, 2)}\n`);
}

const out = join(ROOT, "out");
const temporary = await Deno.makeTempDir();
try {
  await Deno.mkdir(out, { recursive: true });
  const tarball = join(temporary, "deno.tgz");
  await run(Deno.execPath(), ["pack", "--allow-dirty", "--no-source-maps", "-o", tarball], ROOT);
  await run("tar", ["-xzf", tarball], temporary);
  const folder = join(temporary, "package");
  await complete(folder);
  await run("npm", ["pack", "--silent", "--pack-destination", out], folder);
} finally {
  await Deno.remove(temporary, { recursive: true });
}
