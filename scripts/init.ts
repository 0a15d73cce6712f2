#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write
/**
 * Makes a folder to work in: an import that works, a first notebook, a first script.
 *
 * @module
 */
import { dirname, join, resolve } from "node:path";
import config from "../deno.json" with { type: "json" };
import { type Arguments, UsageError } from "./cli/arguments.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { print, tell } from "./cli/terminal.ts";

function denoJson(): string {
  const at = (path: string) => new URL(`../${path}`, import.meta.url).href;
  return json({
    chainframe: config.version,
    imports: {
      [config.name]: at("mod.ts"),
      [`${config.name}/service`]: at("lib/service/mod.ts"),
    },
    // A package.json here or above would make Deno look for packages in another way.
    nodeModulesDir: "none",
    tasks: {
      first: {
        description: "Run first.ts, with the address and the token of .env",
        command: "deno run --env-file=.env -A first.ts",
      },
      notebook: {
        description: "Open the notebooks of this folder in Jupyter",
        command: "deno jupyter --install && jupyter notebook",
      },
    },
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const FIRST =
  `import { blockchainComparison, plotComparison, save, where } from "@chainframe/chainframe";

const chains = await blockchainComparison({ order_by: "ecosystem_fees_30d_sum" });
const paid = where(chains, { ecosystem_fees_30d_sum: { above: 100 } });
console.log(paid.select("chain_name", "ecosystem_fees_30d_sum", "ecosystem_fees_30d_trend"));
await Deno.mkdir("out", { recursive: true });
await save(plotComparison(chains), "out/fees.svg", { force: true });
console.log("out/fees.svg is written; what else there is: help(), in first.ipynb");
`;

/** The cells of the first notebook: Markdown, or code that the tests run. */
const CELLS: readonly (readonly ["markdown" | "code", string])[] = [
  [
    "markdown",
    "# A first look\n\nRun the cells one by one (Shift+Enter). Without an address and a token in `.env` the answers " +
    "are **sample data**: invented names, invented numbers.",
  ],
  [
    "code",
    'import { cohortAnalysis, help, plotRetention, pooledRetention, retentionCurves } from "@chainframe/chainframe";',
  ],
  ["markdown", "Who came in which month, and how many of them came back?"],
  ["code", "const cohorts = await cohortAnalysis();\ncohorts;"],
  [
    "code",
    'const pooled = pooledRetention(retentionCurves(cohorts), { by: "market_sector_id" });\nplotRetention(pooled);',
  ],
  ["markdown", "What is there besides?"],
  ["code", "help();"],
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

const ENV = `# The service to ask, and your token for it. Without them: sample data.
# CHAINFRAME_BASE_URL=https://your.service
# CHAINFRAME_TOKEN=
`;

/** The files of a folder, in the order in which they are told. */
function filesOf(): readonly { name: string; text: string; mode?: number }[] {
  return [
    { name: "deno.json", text: denoJson() },
    { name: "first.ipynb", text: notebook() },
    { name: "first.ts", text: FIRST },
    { name: ".gitignore", text: ".env\nout/\n" },
    { name: ".env.example", text: ENV },
    { name: ".env", text: ENV, mode: 0o600 },
  ];
}

function folderOf({ operands }: Arguments): string {
  const [folder, ...more] = operands;
  if (folder === undefined) throw new UsageError("FOLDER: is required, such as my-research");
  if (more.length > 0) throw new UsageError(`FOLDER: must be one; got more: ${more.join(" ")}`);
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** The package.json that is nearest above a folder, or in it. */
async function packageJsonAbove(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder);; at = dirname(at)) {
    const path = join(at, "package.json");
    if (await exists(path)) return path;
    if (at === dirname(at)) return undefined;
  }
}

async function write(folder: string): Promise<void> {
  for (const { name, text, mode } of filesOf()) {
    const path = join(folder, name);
    try {
      await Deno.writeTextFile(path, text, { createNew: true, ...(mode ? { mode } : {}) });
      tell(`written: ${path}`);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      tell(`kept, as it was there: ${path}`);
    }
  }
}

const SCRIPT: Script = {
  name: "init.ts",
  about: "Makes a folder to work in, where every example of the documentation runs as it stands: " +
    "deno.json with the import, a first notebook, a first script, and a place for the token that " +
    "is kept out of git. Files that exist are kept.",
  usage: "FOLDER",
  options: [],
  examples: [["my-research", "A folder for one question, or for all of them"]],
  async run(given) {
    const folder = folderOf(given);
    await Deno.mkdir(folder, { recursive: true });
    await write(folder);
    const above = await packageJsonAbove(folder);
    if (above !== undefined) {
      tell(
        `${above}: Deno reads it, too. The deno.json of this folder makes it look past it; a script ` +
          'outside the folder needs "nodeModulesDir": "none" in a deno.json of its own.',
      );
    }
    await print(`cd ${folder} && deno task first   # then: deno task notebook, and first.ipynb\n`);
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
