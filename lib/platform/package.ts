import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Returns a specifier for this runtime: in Node without `npm:` and the version, which Node does not support. */
function specifierFor(specifier: `npm:${string}`): string {
  const isDeno = "Deno" in globalThis;
  return isDeno ? specifier : specifier.replace(/^npm:((?:@[^/]+\/)?[^/@]+)@[^/]+/, "$1");
}

/**
 * Loads a package on first use. The specifier is `npm:name@1.2.3`, and can end with the path of a file in the package.
 *
 * In Deno, this function also downloads the package. If the specifier were a literal in an `import`, Deno would
 * download the package before the program starts.
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
 * Returns a folder of a package, so that its files can be read: the folder of the file that the specifier names. The
 * specifier is `npm:name@1.2.3`, and can end with the path of a file in the package.
 */
export async function packageFolder(specifier: `npm:${string}`): Promise<string> {
  const file = specifierFor(specifier);
  await (file.endsWith(".json") ? import(file, { with: { type: "json" } }) : import(file));
  return fileURLToPath(new URL(".", import.meta.resolve(file)));
}
