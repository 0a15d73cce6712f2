/**
 * Prints the number of tokens of code in `lib` and in each of its folders. A text is one token, and comments do not
 * count. Without `--no-lock`, the compiler would become a package that every user downloads.
 *
 *     deno run --no-lock --allow-read --allow-env .ci/tokens.ts [FOLDER]
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

const root = (Deno.args[0] ?? "lib").replace(/\/$/, "");
const counts = new Map<string, number>([[root, 0]]);
for (const path of [...files(root)].sort()) {
  const file = ts.createSourceFile(path, Deno.readTextFileSync(path), ts.ScriptTarget.Latest, true);
  const below = path.slice(root.length + 1).split("/");
  const folders = below.length > 1 ? [root, `${root}/${below[0]}`] : [root];
  for (const folder of folders) {
    counts.set(folder, (counts.get(folder) ?? 0) + tokensIn(file, file));
  }
}
for (const [folder, count] of counts) console.log(String(count).padStart(8), folder);
