import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { inFolder, runCommand, runScript } from "../scripts/run_script.ts";

const ROOT = new URL("../../", import.meta.url);

/** A block of TypeScript, and where it stands. */
interface Block {
  readonly place: string;
  readonly code: string;
}

async function pages(): Promise<string[]> {
  const docs = await Array.fromAsync(Deno.readDir(new URL("docs/", ROOT)));
  const names = docs.filter(({ name }) => name.endsWith(".md")).map(({ name }) => `docs/${name}`);
  return ["README.md", "CHANGELOG.md", ...names.sort()];
}

async function blocksOf(page: string): Promise<Block[]> {
  const text = await Deno.readTextFile(new URL(page, ROOT));
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(({ 1: code, index }) => ({
    place: `${page}:${text.slice(0, index).split("\n").length}`,
    code: code!,
  }));
}

const blocks = (await Promise.all((await pages()).map(blocksOf))).flat();

Deno.test("the documentation imports by one name, which an init folder and the project both know", () => {
  const others = blocks.flatMap(({ place, code }) =>
    [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from!)
      .filter((from) => !/^(@chainframe\/chainframe(\/service)?|node:.*)$/.test(from))
      .map((from) => `${place} ${from}`)
  );
  deepStrictEqual(others, []);
});

Deno.test("every block of every page compiles and runs, as it stands, in a folder made by init.ts", () =>
  inFolder(async (folder) => {
    await runScript("init.ts", [`${folder}/mine`]);
    const cwd = `${folder}/mine`;
    const names = blocks.map((_, index) => `block_${index}.ts`);
    await Promise.all(
      blocks.map(({ code }, index) => Deno.writeTextFile(`${cwd}/${names[index]}`, code)),
    );
    // One process: each block is a module, and what went wrong is told with its place.
    const main = names.map((name, index) =>
      `await import("./${name}").catch((error) => {` +
      ` console.error(${JSON.stringify(blocks[index]!.place)}, error); Deno.exitCode = 1; });`
    );
    await Deno.writeTextFile(`${cwd}/main.ts`, main.join("\n"));
    const checked = await runCommand([Deno.execPath(), "check", ...names], { cwd });
    const place = checked.stderr.replace(
      /block_(\d+)\.ts/g,
      (_, index) => blocks[Number(index)]!.place,
    );
    strictEqual(checked.code, 0, place);
    const ran = await runCommand([Deno.execPath(), "run", "-A", "--no-check", "main.ts"], { cwd });
    strictEqual(ran.code, 0, ran.stderr);
    ok(blocks.length > 20);
  }));
