import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Returns the specifier for this runtime. Node supports neither `npm:` nor a version in a specifier. */
function specifierFor(specifier: `npm:${string}`): string {
  const isDeno = "Deno" in globalThis;
  return isDeno ? specifier : specifier.replace(/^npm:((?:@[^/]+\/)?[^/@]+)@[^/]+/, "$1");
}

/**
 * Loads a package on first use, by `npm:name@1.2.3` or the path of a file in it.
 *
 * Deno downloads packages with a literal specifier before anything runs, and other packages on first use.
 */
export function loadPackage<Module>(specifier: `npm:${string}`): Promise<Module> {
  return import(specifierFor(specifier));
}

/** Loads a package synchronously, otherwise as {@linkcode loadPackage} does. */
export function requirePackage<Module>(specifier: `npm:${string}`): Module {
  const file = fileURLToPath(import.meta.resolve(specifierFor(specifier)));
  return createRequire(file)(file);
}

/**
 * Returns the folder of the file that a specifier names, to read other files of the package. The specifier is
 * `npm:name@1.2.3`, or the path of a file in that package.
 */
export async function packageFolder(specifier: `npm:${string}`): Promise<string> {
  const file = specifierFor(specifier);
  await (file.endsWith(".json") ? import(file, { with: { type: "json" } }) : import(file));
  return fileURLToPath(new URL(".", import.meta.resolve(file)));
}
