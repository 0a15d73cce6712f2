import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { LOCKED } from "../.ci/audit.ts";
import { NOT_FOR_AGENTS, NOT_LOCKED } from "../.ci/lock.ts";

const ROOT = new URL("..", import.meta.url).pathname;

async function* modules(path: string): AsyncGenerator<string> {
  if (path.endsWith(".ts")) return yield path;
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory || name.endsWith(".ts")) yield* modules(join(path, name));
  }
}

/** The packages that lib and scripts import. */
async function imported(): Promise<string[]> {
  const names = new Set<string>();
  for (const top of ["mod.ts", "lib", "scripts"]) {
    for await (const path of modules(join(ROOT, top))) {
      const found = (await Deno.readTextFile(path)).matchAll(/"(npm:(?:@[^/"]+\/)?[^/"]+)[^"]*"/g);
      for (const [, specifier] of found) names.add(specifier!);
    }
  }
  return [...names].sort();
}

interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
  readonly workspace?: unknown;
}

async function lockOf(path: string): Promise<Lock> {
  return JSON.parse(await Deno.readTextFile(join(ROOT, path)));
}

Deno.test("the lock files of users and of agents list what lib and scripts import, but what few of them load", async () => {
  const all = await imported();
  for (
    const [path, left] of [
      ["deno.lock", NOT_LOCKED],
      ["scripts/mcp/deno.lock", NOT_FOR_AGENTS],
    ] as const
  ) {
    const isLocked = (specifier: string) =>
      !left.some((name) => specifier.startsWith(`npm:${name}@`));
    const { specifiers, workspace } = await lockOf(path);
    // After a run that wrote a PDF or Excel file, `deno task lock` removes their packages again.
    deepStrictEqual(Object.keys(specifiers).sort(), all.filter(isLocked), path);
    strictEqual(all.length - all.filter(isLocked).length, left.length, path);
    strictEqual(workspace, undefined);
  }
});

Deno.test("the lock of the server for agents has the versions and digests of the one of users", async () => {
  const [users, agents] = [await lockOf("deno.lock"), await lockOf("scripts/mcp/deno.lock")];
  const others = Object.entries(agents.npm).filter(([name, { integrity }]) =>
    users.npm[name]?.integrity !== integrity
  );
  deepStrictEqual(others.map(([name]) => name.replace(/(?<=.)@.*/, "")), [
    "@modelcontextprotocol/core",
    "@modelcontextprotocol/server",
  ]);
});

Deno.test("no lock file lists binaries for musl, which Deno would download on every system", async () => {
  for (const path of LOCKED.map((folder) => `${folder}deno.lock`)) {
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
