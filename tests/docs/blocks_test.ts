import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
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
        !/^(@chainframe\/chainframe(\/(service|marks))?|npm:@observablehq\/plot@0\.6\.\d+|node:.*)$/
          .test(from)
      )
      .map((from) => `${file}:${line} ${from}`)
  );
  deepStrictEqual(others, []);
});

/** Writes a module for each block, whose line numbers are those of its file. Returns their paths. */
async function writeModules(folder: string): Promise<string[]> {
  return await Promise.all(blocks.map(async ({ file, line, code }) => {
    const path = `${file}/${line}.ts`;
    await Deno.mkdir(`${folder}/${file}`, { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, `${"\n".repeat(line)}${code}export {};\n`);
    return path;
  }));
}

Deno.test("every example of a page or a doc comment compiles and runs, in a folder made by init.ts", () =>
  inFolder(async (folder) => {
    const cwd = `${folder}/mine`;
    await runScript("init.ts", [cwd]);
    const modules = await writeModules(cwd);
    // One process runs them one after the other, and tells each that fails.
    const main = modules.map((path) =>
      `await import("./${path}").catch((error) => { console.error(error); Deno.exitCode = 1; });\n`
    );
    await Deno.writeTextFile(`${cwd}/main.ts`, main.join(""));
    // The .env of a developer is not read: its service would get a request with its token.
    await using foreign = await serveLocally(await createService());
    const lines = [`CHAINFRAME_BASE_URL=${foreign.url}`, "CHAINFRAME_TOKEN=foreign"];
    await Deno.writeTextFile(`${cwd}/.env`, lines.join("\n"));
    const checked = await runCommand([Deno.execPath(), "check", "--quiet", ...modules], { cwd });
    strictEqual(checked.code, 0, checked.stderr);
    const run = ["run", "-A", "--deny-read=.env", "--no-check", "main.ts"];
    const ran = await runCommand([Deno.execPath(), ...run], { cwd });
    strictEqual(ran.code, 0, ran.stderr);
    deepStrictEqual(await foreign.sent(), []);
    ok(blocks.length > 100, `${blocks.length} examples`);
  }));
