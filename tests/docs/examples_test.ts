import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { joined, NOTEBOOK_NAMES, readNotebook } from "../notebooks/notebook.ts";
import { inFolder, runCommand, runScript } from "../scripts/run_script.ts";
import { serveLocally } from "../service/serve_locally.ts";

const ROOT = new URL("../../", import.meta.url);

/** A block of TypeScript of a page or of a doc comment. */
interface Block {
  readonly file: string;
  /** The line of the file before the code. */
  readonly line: number;
  readonly code: string;
}

const PAGE_BLOCK = /^```ts\n(?<code>[^]*?)^```$/gm;
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
  let text = await Deno.readTextFile(new URL(file, ROOT));
  // Examples of older releases use the names of their time.
  if (file === "CHANGELOG.md") text = text.split(/^## 0\.2\.0/m)[0]!;
  const pattern = file.endsWith(".md") ? PAGE_BLOCK : COMMENT_BLOCK;
  return [...text.matchAll(pattern)].map(({ index, groups }) => ({
    file,
    line: text.slice(0, index).split("\n").length,
    code: groups!.code!.replace(/^ *\* ?/gm, groups!.margin === undefined ? "$&" : ""),
  }));
}

const blocks = (await Promise.all((await files()).map(blocksOf))).flat();

Deno.test("the documentation imports by one name, which an init folder and the project both know", () => {
  const others = blocks.flatMap(({ file, line, code }) =>
    [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from!)
      .filter((from) =>
        !/^(@chainframe\/chainframe(\/(service|marks|declarations))?|npm:@observablehq\/plot@0\.6\.\d+|node:.*)$/
          .test(from)
      )
      .map((from) => `${file}:${line} ${from}`)
  );
  deepStrictEqual(others, []);
});

/** Writes a module for each block, whose line numbers are those of its file. Returns their paths. */
async function writeBlocks(folder: string): Promise<string[]> {
  return await Promise.all(blocks.map(async ({ file, line, code }) => {
    const path = `${folder}/${file}/${line}.ts`;
    await Deno.mkdir(`${folder}/${file}`, { recursive: true });
    await Deno.writeTextFile(path, `${"\n".repeat(line)}${code}export {};\n`);
    return path;
  }));
}

/** Writes the code of each notebook as one module. Returns their paths. */
async function writeNotebooks(folder: string): Promise<string[]> {
  return await Promise.all(NOTEBOOK_NAMES.map(async (name) => {
    const { cells } = await readNotebook(name);
    const code = cells.filter(({ cell_type }) => cell_type === "code")
      .map(({ source }) => joined(source)).join("\n\n")
      .replaceAll('from "../', `from "${ROOT.pathname}`);
    const path = `${folder}/${name.replace(/ipynb$/, "ts")}`;
    await Deno.writeTextFile(path, code);
    return path;
  }));
}

/** Runs modules in one process, one after the other. Prints the error of each that fails. */
async function runModules(paths: readonly string[], cwd: string, flags: readonly string[]) {
  const lines = paths.map((path) =>
    `await import("${path}").catch((error) => { console.error(error); Deno.exitCode = 1; });\n`
  );
  const vendors = `import "${ROOT.pathname}tests/docs/vendors.ts";\n`;
  await Deno.writeTextFile(`${cwd}/main.ts`, [vendors, ...lines].join(""));
  const { code, stderr } = await runCommand(
    [Deno.execPath(), "run", "-A", "--no-check", ...flags, "main.ts"],
    { cwd },
  );
  strictEqual(code, 0, stderr);
}

Deno.test("every example of a page or a doc comment and every notebook compiles and runs", async (test) =>
  await inFolder(async (folder) => {
    const [mine, notebooks] = [`${folder}/mine`, `${folder}/notebooks`];
    await runScript("init.ts", [mine]);
    await Deno.mkdir(notebooks);
    await Deno.symlink(`${ROOT.pathname}notebooks/published`, `${notebooks}/published`);
    const [examples, code] = [await writeBlocks(mine), await writeNotebooks(notebooks)];
    ok(examples.length > 100, `${examples.length} examples`);
    const config = `--config=${ROOT.pathname}deno.json`;
    await test.step("types", async () => {
      // One command, because most of its time goes into the library itself.
      const command = [Deno.execPath(), "check", "--quiet", config, ...examples, ...code];
      const { code: exit, stderr } = await runCommand(command, { cwd: folder });
      strictEqual(exit, 0, stderr);
    });
    await test.step("examples, in a folder made by init.ts", async () => {
      // The .env of a developer is not read: its service would get a request with its token.
      await using foreign = await serveLocally(await createService());
      const lines = [`CHAINFRAME_BASE_URL=${foreign.url}`, "CHAINFRAME_TOKEN=foreign"];
      await Deno.writeTextFile(`${mine}/.env`, lines.join("\n"));
      await runModules(examples, mine, ["--deny-read=.env"]);
      strictEqual(foreign.requests(), 0);
    });
    await test.step("notebooks, cell by cell", () => runModules(code, notebooks, [config]));
  }));
