// deno-lint-ignore-file no-import-prefix -- only this script bundles
/**
 * Writes the tarball for npm to `out/`.
 *
 * `deno pack` transpiles the modules and writes their declarations. esbuild then bundles the modules: a program that
 * imports 200 files starts slower. The manifest has ranges in place of pins, and packages that few users need are
 * optional peers.
 */
import { basename, join } from "node:path";
import { build, stop } from "npm:esbuild@0.28.2";
import { NAME, REPOSITORY, VERSION } from "./package.ts";

const ROOT = new URL("../", import.meta.url).pathname;
/** The versions that `lib/platform/node.ts` accepts. */
const NODE = ">=22.15";

/** The packages that npm does not install by default. Those of one list are installed by one command. */
const OPTIONAL: readonly (readonly string[])[] = [
  ["@duckdb/node-api", "@hono/node-server", "@hono/zod-openapi", "hono", "lru-cache", "papaparse"],
  ["@modelcontextprotocol/server"],
  ["pdfkit", "svg-to-pdfkit"],
  ["write-excel-file"],
  ["vega", "vega-embed", "vega-lite"],
];
/** The declarations import types of these packages. */
const TYPES = ["@types/d3", "@types/node"];

/** The modules of the exports, and of the command. */
const ENTRIES: Readonly<Record<string, string>> = {
  mod: "mod.js",
  marks: "lib/chart/marks.js",
  declarations: "lib/declarations.js",
  service_parts: "lib/service/mod.js",
  service: "lib/service/entry.js",
  chainframe: "scripts/chainframe.js",
};

/** Exports of the package: the module in `dist`, and its declarations. */
const EXPORTS = [
  [".", "mod", "mod"],
  ["./declarations", "declarations", "lib/declarations"],
  ["./marks", "marks", "lib/chart/marks"],
  ["./service", "service", "lib/service/mod"],
] as const;

const IN_BROWSER =
  "chainframe runs in Deno, Node and Bun; for a page, use the files that save() writes";

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
async function pins(): Promise<ReadonlyMap<string, string>> {
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
  return new Map([...found].sort());
}

/** Returns the members of package.json that depend on packages. */
async function dependencies() {
  const all = await pins();
  const optional = OPTIONAL.flat();
  const peers = [...optional, ...TYPES];
  const isNeeded = (name: string) => !name.startsWith("@types/") && !optional.includes(name);
  const install = OPTIONAL.flatMap((names) => {
    const command = `npm install ${names.map((name) => `${name}@${all.get(name)}`).join(" ")}`;
    return names.map((name) => [name, command]);
  });
  return {
    dependencies: Object.fromEntries(
      [...all].filter(([name]) => isNeeded(name)).map(([name, pin]) => [name, `^${pin}`]),
    ),
    // Any version, so that npm never refuses to install beside a version that a user has.
    peerDependencies: Object.fromEntries(peers.map((name) => [name, "*"])),
    peerDependenciesMeta: Object.fromEntries(peers.map((name) => [name, { optional: true }])),
    // An error of a missing package prints its command.
    chainframe: { install: Object.fromEntries(install) },
  };
}

/** Names the modules of computed imports, so that they are bundled too: each becomes a file that loads when needed. */
function withLiteralImports(code: string): string {
  return code.replace(
    /import\(new URL\("(\.[^"]+?)(?:\.ts)?", import\.meta\.url\)\.href/g,
    (_, path: string) => `import("${path.endsWith(".json") ? path : `${path}.js`}"`,
  );
}

/** Returns the module of the export `service`. An import of a missing package would fail without our error. */
function serviceEntry(names: readonly string[]): string {
  return `import { createRequire } from "node:module";
import { installCommand } from "../platform/package.js";
function load() {
  try {
    return createRequire(import.meta.url)("./service_parts.js");
  } catch (cause) {
    const command = installCommand(cause);
    if (command === undefined) throw cause;
    throw new Error(\`the service needs packages that npm does not install by default: \${command}\`, { cause });
  }
}
export const { ${names.join(", ")} } = load();
`;
}

/** Returns the names that a module exports. */
async function namesOf(path: string): Promise<string[]> {
  return Object.keys(await import(`file://${join(ROOT, path)}`)).sort();
}

/** Writes modules that a bundler for pages finds in place of the real ones. They have all names, and throw. */
async function writeBrowserModules(folder: string): Promise<void> {
  await Deno.mkdir(join(folder, "browser"));
  for (
    const [name, path] of [
      ["mod", "mod.ts"],
      ["marks", "lib/chart/marks.ts"],
      ["service", "lib/service/mod.ts"],
    ] as const
  ) {
    const values = (await namesOf(path)).map((each) => `export const ${each} = refuse();\n`);
    const code = `const refuse = () => {\n  throw new Error("${IN_BROWSER}");\n};\n`;
    await Deno.writeTextFile(join(folder, "browser", `${name}.js`), code + values.join(""));
  }
}

/** Bundles the modules of a folder into `dist`: the entries, and files that they share or load when needed. */
async function bundle(folder: string): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: Object.entries(ENTRIES).map(([out, path]) => ({ in: path, out })),
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22.15",
    packages: "external",
    // The check of Node's version must run before any package is loaded.
    banner: { js: 'import "./node.js";' },
    logLevel: "error",
    plugins: [{
      name: "node",
      setup: ({ onResolve }) =>
        onResolve(
          { filter: /\/platform\/node\.js$/ },
          () => ({ path: "./node.js", external: true }),
        ),
    }],
  });
  await Deno.copyFile(join(folder, "lib/platform/node.js"), join(folder, "dist/node.js"));
  // The service reads the tables of the sample beside its own module.
  const tables = "lib/service/sample/tables";
  await Deno.mkdir(join(folder, "dist/tables"));
  for await (const { name } of Deno.readDir(join(ROOT, tables))) {
    await Deno.copyFile(join(ROOT, tables, name), join(folder, "dist/tables", name));
  }
}

/** Completes an unpacked tarball: bundles the modules, and rewrites package.json. */
async function complete(folder: string): Promise<void> {
  const path = join(folder, "package.json");
  const { name, version, type, license } = JSON.parse(await Deno.readTextFile(path));
  const exports = EXPORTS.map(([entry, module, types]) => [entry, {
    types: `./${types}.d.ts`,
    ...module === "declarations" ? {} : { browser: `./browser/${module}.js` },
    default: `./dist/${module}.js`,
  }]);
  const bin = "dist/chainframe.js";
  const manifest = {
    name,
    version,
    type,
    license,
    description:
      "Crypto metrics as polars DataFrames, with the tests and intervals that a publication needs",
    repository: { type: "git", url: `git+${REPOSITORY}.git` },
    main: "./dist/mod.js",
    types: "./mod.d.ts",
    exports: { ...Object.fromEntries(exports), "./package.json": "./package.json" },
    bin: { chainframe: bin },
    engines: { node: NODE },
    ...await dependencies(),
  };
  await Deno.writeTextFile(path, `${JSON.stringify(manifest, null, 2)}\n`);

  // `deno pack` leaves out what only computed imports reach, and deno.json and the entries are imported as JSON.
  const config = { name: NAME, version: VERSION };
  await Deno.writeTextFile(join(folder, "deno.json"), `${JSON.stringify(config)}\n`);
  for await (const file of filesIn(folder)) {
    if (!file.endsWith(".js")) continue;
    const code = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, withLiteralImports(code.replace(/^#!.*\n/, "")));
  }
  const entry = join(folder, ENTRIES.service!);
  await Deno.writeTextFile(entry, serviceEntry(await namesOf("lib/service/mod.ts")));
  await bundle(folder);
  const command = join(folder, bin);
  const code = await Deno.readTextFile(command);
  await Deno.writeTextFile(command, `#!/usr/bin/env node\n${code}`);
  await writeBrowserModules(folder);

  // Keeps the bundle and the declarations.
  await Deno.remove(join(folder, "scripts"), { recursive: true });
  await Deno.remove(join(folder, "deno.json"));
  for await (const file of filesIn(folder)) {
    const isOfBundle = ["dist", "browser"].some((each) => file.startsWith(join(folder, each)));
    const isKept = isOfBundle || file.endsWith(".d.ts") || basename(file) === "package.json" ||
      /\.md$|\/LICENSE$/.test(file);
    if (!isKept) await Deno.remove(file);
  }
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
  await stop();
}
