import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The specifier that this runtime resolves: Node does not support `npm:` or a version. */
function specifierFor(specifier: `npm:${string}`): string {
  const isDeno = "Deno" in globalThis;
  return isDeno ? specifier : specifier.replace(/^npm:((?:@[^/]+\/)?[^/@]+)@[^/]+/, "$1");
}

/**
 * Loads a package on first use, by `npm:name@1.2.3` or the path of a file in it.
 *
 * Deno downloads packages with a literal specifier before anything runs, and others on first use.
 */
export function loadPackage<Module>(specifier: `npm:${string}`): Promise<Module> {
  return import(specifierFor(specifier));
}

/** Loads a package as {@linkcode loadPackage} does, for callers that cannot wait. */
export function requirePackage<Module>(specifier: `npm:${string}`): Module {
  const file = fileURLToPath(import.meta.resolve(specifierFor(specifier)));
  return createRequire(file)(file);
}

/**
 * Returns the folder of the file of a specifier, `npm:name@1.2.3` or the path of a file in it, to read other files
 * there.
 */
export async function packageFolder(specifier: `npm:${string}`): Promise<string> {
  const file = specifierFor(specifier);
  await (file.endsWith(".json") ? import(file, { with: { type: "json" } }) : import(file));
  return fileURLToPath(new URL(".", import.meta.resolve(file)));
}
