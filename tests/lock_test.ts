import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";

const ROOT = new URL("..", import.meta.url).pathname;

async function* modules(path: string): AsyncGenerator<string> {
  if (path.endsWith(".ts")) return yield path;
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory || name.endsWith(".ts")) yield* modules(join(path, name));
  }
}

/** Only users of scripts/mcp.ts download it: the first run downloads everything in the lock file. */
const NOT_LOCKED = "npm:@modelcontextprotocol/sdk@1.32.2";

Deno.test("the lock file lists what lib and scripts import, and nothing that only tests need", async () => {
  const imported = new Set<string>();
  for (const top of ["mod.ts", "lib", "scripts"]) {
    for await (const path of modules(join(ROOT, top))) {
      const found = (await Deno.readTextFile(path)).matchAll(/"(npm:(?:@[^/"]+\/)?[^/"]+)[^"]*"/g);
      for (const [, specifier] of found) imported.add(specifier!);
    }
  }
  const { specifiers, workspace = null } = JSON.parse(
    await Deno.readTextFile(join(ROOT, "deno.lock")),
  );
  deepStrictEqual([...Object.keys(specifiers), NOT_LOCKED].sort(), [...imported].sort());
  deepStrictEqual(workspace, null);
});
