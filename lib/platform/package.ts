import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Returns the specifier for this runtime. Node supports neither `npm:` nor a version in a specifier. */
function specifierFor(specifier: `npm:${string}`): string {
  const isDeno = "Deno" in globalThis;
  return isDeno ? specifier : specifier.replace(/^npm:((?:@[^/]+\/)?[^/@]+)@[^/]+/, "$1");
}

/**
 * Loads a package on first use. The specifier is `npm:name@1.2.3`, and can end with the path of a file in the package.
 *
 * Deno downloads packages of this function on first use. It downloads packages whose specifier is a literal in an
 * `import` before the program starts.
 */
export function loadPackage<Module>(specifier: `npm:${string}`): Promise<Module> {
  return import(specifierFor(specifier));
}

/** Loads a package as {@linkcode loadPackage} does, but synchronously. */
export function requirePackage<Module>(specifier: `npm:${string}`): Module {
  const file = fileURLToPath(import.meta.resolve(specifierFor(specifier)));
  return createRequire(file)(file);
}

/**
 * Returns the folder of the file that a specifier names, so that other files of the package can be read. The specifier
 * is `npm:name@1.2.3`, and can end with the path of a file in the package.
 */
export async function packageFolder(specifier: `npm:${string}`): Promise<string> {
  const file = specifierFor(specifier);
  await (file.endsWith(".json") ? import(file, { with: { type: "json" } }) : import(file));
  return fileURLToPath(new URL(".", import.meta.resolve(file)));
}
