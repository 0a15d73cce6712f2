#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write
/**
 * Creates a folder for your work: an import map, a first notebook, a first script.
 *
 * @module
 */
import { lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { hasCode } from "../lib/platform/file.ts";
import { isMain, type Main, print, runProcess, script, tell } from "./cli/script.ts";

const REGISTRY = `/${config.name}/${config.version}/`;

/**
 * Returns the import specifier of an export of this project. If this script was loaded from the registry, this is a
 * registry specifier. Otherwise, it is the URL of the file.
 */
function at(name: keyof typeof config.exports): string {
  if (import.meta.url.includes(REGISTRY)) {
    return `jsr:${config.name}@^${config.version}${name.slice(1)}`;
  }
  return new URL(`../${config.exports[name]}`, import.meta.url).href;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * Returns the options of `deno run` in the first line of a script, for a shell. Without such a line, all permissions. A
 * script of the registry has no configuration of its own, which is a file.
 */
async function flagsOf(name: string): Promise<string> {
  const path = config.exports[name as keyof typeof config.exports];
  if (path === undefined) return "-A";
  const url = new URL(`../${path}`, import.meta.url);
  const isFile = url.protocol === "file:";
  const text = isFile ? await readFile(url, "utf8") : await (await fetch(url)).text();
  const [line] = text.split("\n", 1);
  const plain = line!.replace(/ "\$0" "\$@"'$/, "").replace(
    /-c "\$\{0%\/\*\}\/(\S+)" /,
    (_, file: string) => isFile ? `-c "${slashed(fileURLToPath(new URL(file, url)))}" ` : "",
  );
  const [, flags] = /^#!.* deno run (.*)/.exec(plain) ?? [];
  // A shell would expand the pattern of variables.
  return flags?.replace(/\S+\*\S*/, '"$&"') ?? "-A";
}

/** A backslash of Windows is an escape in a task. */
function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** The file that keeps the colors of ids, so that all charts of the folder agree. */
const COLORS = "colors.json";

/** The tasks of the folder: the name of an export, a description, and options. */
const TASKS: readonly (readonly [name: string, about: string, ...options: string[]])[] = [
  ["first", "Run first.ts: a table, and a chart in out/"],
  ["notebook", "Open the notebooks of this folder in Jupyter"],
  ["fetch", "Fetch one operation"],
  ["pipe", "Run a file or an operation through any analysis and chart"],
  ["compare", "Rank chains, or the rows of a table", `--colors ${COLORS}`],
  ["retention", "Draw and test retention", `--colors ${COLORS}`],
  ["timeline", "Draw values over time", `--colors ${COLORS}`],
  ["report", "Write a report as one HTML file", `--colors ${COLORS}`],
  ["check", "Find values that make no sense"],
  ["verify", "Compute the numbers of a page or report again"],
  ["mcp", "Serve operations, analyses and charts to agents"],
];

/** Returns the tasks of deno.json. A script runs with the options of its first line, and first.ts with all permissions. */
async function tasks() {
  const entries = TASKS.map(async ([name, description, ...options]) => {
    const script = name === "first" ? "first.ts" : at(`./${name}` as keyof typeof config.exports);
    const command = ["deno run", await flagsOf(`./${name}`), script, ...options].join(" ");
    return [name, { description, command }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function readme(): string {
  const lines = TASKS.map(([name, about]) => `- \`deno task ${name}\`: ${about}\n`);
  return `# Research with chainframe\n\n${lines.join("")}\n` +
    "`--help` after a task lists its options. Without a token in `.env`, the data is sample data.\n";
}

async function denoJson(): Promise<string> {
  return json({
    chainframe: config.version,
    imports: {
      [config.name]: at("."),
      [`${config.name}/service`]: at("./service"),
      [`${config.name}/marks`]: at("./marks"),
      [`${config.name}/declarations`]: at("./declarations"),
    },
    // Without this setting, Deno resolves packages in another way if this folder or a parent has a package.json.
    nodeModulesDir: "none",
    tasks: await tasks(),
  });
}

const FIRST =
  `import { blockchainComparison, colors, plotComparison, save, setColors, where } from "@chainframe/chainframe";

// colors.json keeps the color of each chain, project and sector for all charts of this folder.
setColors(JSON.parse(await Deno.readTextFile("colors.json")));
const chains = await blockchainComparison({
  order_by: "ecosystem_fees_30d_sum",
  order_direction: "desc",
});
const paid = where(chains, { ecosystem_fees_30d_sum: { from: 100 } });
console.log(paid.select("chain_name", "ecosystem_fees_30d_sum", "ecosystem_fees_30d_trend"));
await save(plotComparison(chains), "out/fees.svg", { force: true });
await Deno.writeTextFile("colors.json", JSON.stringify(colors(), null, 2));
console.log("written: out/fees.svg. For more, see help() in first.ipynb");
`;

/** The cells of the first notebook. */
const CELLS: readonly (readonly ["markdown" | "code", string])[] = [
  [
    "markdown",
    "# Do users stay?\n\nRun the cells one by one (Shift+Enter). Without an address and a token in `.env`, the " +
    "data are **sample data**: invented names and numbers.",
  ],
  [
    "code",
    'import * as cf from "@chainframe/chainframe";\n' +
    'cf.setColors(JSON.parse(await Deno.readTextFile("colors.json")));\n\n' +
    "const curves = (await cf.cohortAnalysis()).pipe(cf.retentionCurves);\n" +
    'const sectors = curves.pipe(cf.pooledRetention, { by: "market_sector_id" });\n' +
    "cf.plotRetention(sectors);",
  ],
  ["markdown", "The numbers of the chart after six months:"],
  [
    "code",
    'cf.where(sectors, { month: 6 })\n  .select("market_sector_name", "retention", "lower", "upper", "size");',
  ],
  ["markdown", "Keep the colors of chains, projects and sectors for the next notebook:"],
  ["code", 'await Deno.writeTextFile("colors.json", JSON.stringify(cf.colors(), null, 2));'],
  ["markdown", "All functions. In a cell, Tab after `cf.` completes their names:"],
  ["code", "cf.help();"],
];

function notebook(): string {
  const cells = CELLS.map(([cell_type, source], index) => ({
    cell_type,
    id: `cell-${index}`,
    metadata: {},
    ...(cell_type === "code" ? { execution_count: null, outputs: [] } : {}),
    source: source.split("\n").map((line, at, lines) => at < lines.length - 1 ? `${line}\n` : line),
  }));
  const kernelspec = { display_name: "Deno", language: "typescript", name: "deno" };
  const metadata = { kernelspec, language_info: { file_extension: ".ts", name: "typescript" } };
  return json({ cells, metadata, nbformat: 4, nbformat_minor: 5 });
}

const ENV = `# The address of the service and your token. Without them: sample data.
# CHAINFRAME_BASE_URL=https://your.service
# CHAINFRAME_TOKEN=
`;

interface File {
  readonly name: string;
  readonly text: string;
  readonly mode?: number;
}

/** Returns the files of a new folder. */
async function filesOf(): Promise<File[]> {
  return [
    { name: "deno.json", text: await denoJson() },
    { name: "README.md", text: readme() },
    { name: "first.ipynb", text: notebook() },
    { name: "first.ts", text: FIRST },
    { name: COLORS, text: "{}\n" },
    { name: ".gitignore", text: ".env\nout/\n*.part\n" },
    { name: ".env.example", text: ENV },
    { name: ".env", text: ENV, mode: 0o600 },
  ];
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(() => true, () => false);
}

/** Returns the path of the nearest package.json: in the folder or in a parent folder. Undefined if no folder has one. */
async function packageJsonAbove(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder);; at = dirname(at)) {
    const path = join(at, "package.json");
    if (await exists(path)) return path;
    if (at === dirname(at)) return undefined;
  }
}

export const main: Main = script({
  name: "init.ts",
  about:
    "Makes a folder to work in, where every example of the documentation runs: deno.json with " +
    "the import and tasks, a first notebook, a first script, a folder out for files, colors.json for the colors of ids, and a " +
    ".env file for the token that git ignores. Existing files are kept.",
  usage: "FOLDER",
  options: [],
  examples: [["my-research", "A folder for one question, or for all of them"]],
  async run(given, io) {
    const folder = given.operand("FOLDER", "such as my-research");
    await mkdir(join(folder, "out"), { recursive: true });
    for (const { name, text, mode } of await filesOf()) {
      const path = join(folder, name);
      try {
        await writeFile(path, text, { flag: "wx", ...(mode ? { mode } : {}) });
        tell(io, `written: ${path}`);
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error;
        tell(io, `kept: ${path}`);
      }
    }
    const above = await packageJsonAbove(folder);
    if (above !== undefined) {
      tell(
        io,
        `${above}: Deno also reads this file. The deno.json of this folder sets "nodeModulesDir": "none"; a ` +
          "script outside the folder needs the same.",
      );
    }
    await print(
      io,
      `cd ${folder} && deno task first   # then: deno task notebook, and first.ipynb\n`,
    );
  },
});

if (isMain(import.meta)) await runProcess(main);
