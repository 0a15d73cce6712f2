/**
 * Prints the number of tokens of code in `lib` and in each of its folders, beside those of the last release. A text is
 * one token, and comments do not count. `--release` writes the numbers to `.ci/released_size.json`.
 * Without `--no-lock`, the compiler would become a package that every user downloads.
 *
 *     deno run --no-lock --allow-read --allow-env .ci/tokens.ts [--release | FOLDER]
 *
 * @module
 */
// deno-lint-ignore no-import-prefix -- the project must not declare a package that only this script needs
import ts from "npm:typescript@5.9.3";

function tokensIn(node: ts.Node, file: ts.SourceFile): number {
  if (ts.isJSDoc(node)) return 0;
  const children = node.getChildren(file);
  if (children.length === 0) return node.getText(file) === "" ? 0 : 1;
  return children.reduce((sum, child) => sum + tokensIn(child, file), 0);
}

function* files(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* files(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

const isRelease = Deno.args[0] === "--release";
const root = (isRelease ? "lib" : Deno.args[0] ?? "lib").replace(/\/$/, "");
const counts = new Map<string, number>([[root, 0]]);
for (const path of [...files(root)].sort()) {
  const file = ts.createSourceFile(path, Deno.readTextFileSync(path), ts.ScriptTarget.Latest, true);
  const below = path.slice(root.length + 1).split("/");
  const folders = below.length > 1 ? [root, `${root}/${below[0]}`] : [root];
  for (const folder of folders) {
    counts.set(folder, (counts.get(folder) ?? 0) + tokensIn(file, file));
  }
}

const RELEASED = new URL("released_size.json", import.meta.url);
if (isRelease) {
  const text = JSON.stringify(Object.fromEntries(counts), null, 2);
  Deno.writeTextFileSync(RELEASED, `${text}\n`);
}
const released: Record<string, number> = JSON.parse(Deno.readTextFileSync(RELEASED));
const column = (value: number | string) => String(value).padStart(9);
console.log(`${column("now")}${column("released")}`);
for (const folder of new Set([...counts.keys(), ...root === "lib" ? Object.keys(released) : []])) {
  console.log(`${column(counts.get(folder) ?? 0)}${column(released[folder] ?? "")}  ${folder}`);
}
