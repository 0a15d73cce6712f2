import { fileURLToPath } from "node:url";

/** The specifier that this runtime resolves: Node has no `npm:` and no version in it. */
function specifierFor(specifier: `npm:${string}`): string {
  const isDeno = "Deno" in globalThis;
  return isDeno ? specifier : specifier.replace(/^npm:((?:@[^/]+\/)?[^/@]+)@[^/]+/, "$1");
}

/**
 * Loads a package when it is first used, by `npm:name@1.2.3` or the path of a file in it.
 *
 * Deno downloads packages with a literal specifier before anything runs, and others when they are reached.
 */
export function loadPackage<Module>(specifier: `npm:${string}`): Promise<Module> {
  return import(specifierFor(specifier));
}

/**
 * Returns the folder of the file that a specifier leads to, `npm:name@1.2.3` or the path of a file in it: files
 * beside it are read.
 */
export async function packageFolder(specifier: `npm:${string}`): Promise<string> {
  const file = specifierFor(specifier);
  await (file.endsWith(".json") ? import(file, { with: { type: "json" } }) : import(file));
  return fileURLToPath(new URL(".", import.meta.resolve(file)));
}
