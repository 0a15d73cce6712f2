import { strictEqual } from "node:assert/strict";
import { runCommand } from "../scripts/run_script.ts";

export const ROOT = new URL("../../", import.meta.url);

/** A block of TypeScript of a page or of a doc comment. */
export interface Block {
  readonly file: string;
  /** The line of the file before the code. */
  readonly line: number;
  readonly code: string;
  /** The text block below the code: what it prints. */
  readonly printed: string | undefined;
}

const PAGE_BLOCK = /^```ts\n(?<code>[^]*?)^```$(?:\n\n```text\n(?<printed>[^]*?)^```$)?/gm;
const COMMENT_BLOCK = /^(?<margin> *\* )```ts\n(?<code>[^]*?)^\k<margin>```$/gm;

async function* filesIn(folder: string, ending: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`, ending);
    else if (name.endsWith(ending)) yield `${folder}/${name}`;
  }
}

async function files(): Promise<string[]> {
  const pages = await Array.fromAsync(filesIn("docs", ".md"));
  const code = await Promise.all(
    ["lib", "scripts"].map((folder) => Array.fromAsync(filesIn(folder, ".ts"))),
  );
  return ["README.md", "CHANGELOG.md", ...pages.sort(), "mod.ts", ...code.flat().sort()];
}

async function blocksOf(file: string): Promise<Block[]> {
  const text = await Deno.readTextFile(new URL(file, ROOT));
  const pattern = file.endsWith(".md") ? PAGE_BLOCK : COMMENT_BLOCK;
  return [...text.matchAll(pattern)].map(({ index, groups }) => ({
    file,
    line: text.slice(0, index).split("\n").length,
    code: groups!.code!.replace(/^ *\* ?/gm, groups!.margin === undefined ? "$&" : ""),
    printed: groups!.printed,
  }));
}

/** All blocks of the documentation. */
export const BLOCKS = (await Promise.all((await files()).map(blocksOf))).flat();

/** Writes a module for each block, whose line numbers are those of its file. Returns their paths. */
export async function writeBlocks(folder: string, blocks: readonly Block[]): Promise<string[]> {
  return await Promise.all(blocks.map(async ({ file, line, code }) => {
    const path = `${folder}/of/${file}/${line}.ts`;
    await Deno.mkdir(`${folder}/of/${file}`, { recursive: true });
    await Deno.writeTextFile(path, `${"\n".repeat(line)}${code}export {};\n`);
    return path;
  }));
}

/** The option for the imports of this project, for code in another folder. The lock of the tests has all packages. */
export const CONFIG = `--config=${ROOT.pathname}tests/deno.json`;

/**
 * Runs modules in one process, one after the other, and fails with the errors of all modules that throw. Returns what
 * each prints.
 */
export async function runModules(
  paths: readonly string[],
  cwd: string,
  flags: readonly string[] = [CONFIG],
): Promise<string[]> {
  const lines = paths.map((path) =>
    `await import("${path}").catch((error) => { console.error(error); Deno.exitCode = 1; });\n` +
    `console.log("\\0");\n`
  );
  const vendors = `import "${ROOT.pathname}tests/docs/vendors.ts";\n`;
  await Deno.writeTextFile(`${cwd}/main.ts`, [vendors, ...lines].join(""));
  const { code, stdout, stderr } = await runCommand(
    [Deno.execPath(), "run", "-A", "--no-check", ...flags, "main.ts"],
    { cwd },
  );
  strictEqual(code, 0, stderr);
  return stdout.split("\0\n").slice(0, -1);
}
