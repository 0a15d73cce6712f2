import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { NOT_LOCKED } from "../.ci/lock.ts";

const ROOT = new URL("..", import.meta.url).pathname;

async function* modules(path: string): AsyncGenerator<string> {
  if (path.endsWith(".ts")) return yield path;
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory || name.endsWith(".ts")) yield* modules(join(path, name));
  }
}

Deno.test("the lock file lists what lib and scripts import, and nothing that only tests need", async () => {
  const imported = new Set<string>();
  const isLocked = (specifier: string) =>
    !NOT_LOCKED.some((name) => specifier.startsWith(`npm:${name}@`));
  for (const top of ["mod.ts", "lib", "scripts"]) {
    for await (const path of modules(join(ROOT, top))) {
      const found = (await Deno.readTextFile(path)).matchAll(/"(npm:(?:@[^/"]+\/)?[^/"]+)[^"]*"/g);
      for (const [, specifier] of found) imported.add(specifier!);
    }
  }
  const text = await Deno.readTextFile(join(ROOT, "deno.lock"));
  const { specifiers, workspace = null } = JSON.parse(text);
  // After a run that wrote a PDF or Excel file, `deno task lock` removes their packages again.
  deepStrictEqual(Object.keys(specifiers).sort(), [...imported].filter(isLocked).sort());
  strictEqual([...imported].length - [...imported].filter(isLocked).length, NOT_LOCKED.length);
  deepStrictEqual(workspace, null);
});

Deno.test("no lock file lists binaries for musl, which Deno would download on every system", async () => {
  for (const path of ["deno.lock", "tests/deno.lock", "tests/engines/deno.lock"]) {
    const { npm } = JSON.parse(await Deno.readTextFile(join(ROOT, path)));
    const names = Object.entries(npm as Record<string, { optionalDependencies?: string[] }>)
      .flatMap(([name, { optionalDependencies = [] }]) => [name, ...optionalDependencies]);
    deepStrictEqual(names.filter((name) => name.includes("musl")), [], path);
    // The binaries of the other systems are there: Deno downloads only those of its own.
    strictEqual(
      names.some((name) => name.startsWith("@duckdb/node-bindings-win32-x64")),
      true,
    );
  }
});
