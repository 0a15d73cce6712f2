import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Returns a specifier for this runtime: in Node without `npm:` and the version, which Node does not support. */
function specifierFor(specifier: `npm:${string}`): string {
  const isDeno = "Deno" in globalThis;
  return isDeno ? specifier : specifier.replace(/^npm:((?:@[^/]+\/)?[^/@]+)@[^/]+/, "$1");
}

/**
 * Returns the command that installs the package that an import did not find. Undefined for any other error. npm leaves
 * out packages that few users need, and the manifest of the npm package has a command for each.
 */
export function installCommand(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : "";
  const [, name] = /^Cannot find (?:package|module) ['"]((?:@[^/'"]+\/)?[^/'"]+)/.exec(message) ??
    [];
  if (name === undefined || "Deno" in globalThis) return undefined;
  const manifest = createRequire(import.meta.url)("@chainframe/chainframe/package.json");
  return manifest.chainframe?.install[name];
}

/** Throws an error, or the error that names the command if a package is not installed. */
function refuse(error: unknown): never {
  const command = installCommand(error);
  if (command === undefined) throw error;
  throw new Error(`needs packages that npm does not install by default: ${command}`, {
    cause: error,
  });
}

/**
 * Loads a package on first use. The specifier is `npm:name@1.2.3`, and can end with the path of a file in the package.
 *
 * In Deno, this function also downloads the package. If the specifier were a literal in an `import`, Deno would
 * download the package before the program starts.
 */
export function loadPackage<Module>(specifier: `npm:${string}`): Promise<Module> {
  return import(specifierFor(specifier)).catch(refuse);
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
  await (file.endsWith(".json") ? import(file, { with: { type: "json" } }) : import(file))
    .catch(refuse);
  return fileURLToPath(new URL(".", import.meta.resolve(file)));
}
