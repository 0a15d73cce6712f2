/**
 * Prints the number of tokens of code in `lib` and in each of its folders. A text is one token, and comments do not
 * count. With `--check`, ends with 1 if a number is above its budget in `.ci/budget.json`, or more than 2% below it.
 * Without `--no-lock`, the compiler would become a package that every user downloads.
 *
 *     deno run --no-lock --allow-read --allow-env .ci/tokens.ts [--check | FOLDER]
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

const isCheck = Deno.args[0] === "--check";
const root = (isCheck ? "lib" : Deno.args[0] ?? "lib").replace(/\/$/, "");
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

/** How far a budget can be above its tokens. */
const SLACK = 1.02;

if (isCheck) {
  const url = new URL("budget.json", import.meta.url);
  const budgets: Record<string, number> = JSON.parse(Deno.readTextFileSync(url));
  const wrong = [...new Set([...counts.keys(), ...Object.keys(budgets)])].flatMap((folder) => {
    const [count, budget] = [counts.get(folder) ?? 0, budgets[folder] ?? 0];
    const has = `${folder} has ${count} tokens, the budget is ${budget}`;
    return count > budget
      ? `${has}: make something smaller, or raise the budget in this commit and say in the message what it buys`
      : budget > SLACK * count
      ? `${has}: lower the budget in .ci/budget.json to ${count}`
      : [];
  });
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) Deno.exit(1);
}
