import { deepStrictEqual, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
// deno-lint-ignore no-import-prefix -- the parser of .ci/tokens.ts, at the same version
import ts from "npm:typescript@5.9.3";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The longest that a function can be, from its opening brace on. */
const MOST_LINES = 120;

interface Measured {
  readonly name: string;
  readonly lines: number;
}

/** Returns the lines of each function of a module from its opening brace to its closing one. */
function functionsIn(code: string): Measured[] {
  const file = ts.createSourceFile("a.ts", code, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const found: Measured[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const body = node.body as ts.Node;
      const { parent } = node;
      const name = node.name ?? (ts.isVariableDeclaration(parent) ? parent.name : undefined);
      const lines = lineAt(body.end) - lineAt(body.getStart(file)) + 1;
      found.push({ name: name?.getText(file) ?? "(unnamed)", lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}

Deno.test("the parser measures functions from their opening brace, also nested ones", () => {
  deepStrictEqual(
    functionsIn("function a(\n  b: {\n    c: 1;\n  },\n) {\n  return 1;\n}\nconst d = () => 2;\n"),
    [{ name: "a", lines: 3 }, { name: "d", lines: 1 }],
  );
  deepStrictEqual(
    functionsIn("const e = {\n  f() {\n    return () => {\n      g();\n    };\n  },\n};\n"),
    [{ name: "f", lines: 5 }, { name: "(unnamed)", lines: 3 }],
  );
});

Deno.test("no function has more than 120 lines from its opening brace", () => {
  const all = ["lib", "scripts"].flatMap((folder) => [...sources(folder)]).flatMap((path) =>
    functionsIn(Deno.readTextFileSync(ROOT + path)).map((each) => ({ path, ...each }))
  );
  ok(all.length > 4_000, "the test reads the project");
  const long = all.filter(({ lines }) => lines > MOST_LINES);
  deepStrictEqual(long.map(({ path, name, lines }) => `${path}: ${name} has ${lines} lines`), []);
});
