/**
 * Checks the version of Node.js. Every entry point imports this module first, and it has no imports of its own: in an
 * older version, later imports fail with an error that does not name the reason.
 *
 * @module
 */
/** The oldest version that tests run. It loads ES modules synchronously. */
const LEAST = [22, 15] as const;

const { process } = globalThis as {
  readonly process?: { readonly versions?: { readonly node?: string } };
};
const version = "Deno" in globalThis ? undefined : process?.versions?.node;
if (version !== undefined) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
    throw new Error(
      `chainframe needs Node.js ${LEAST.join(".")} or newer, or Deno; this is Node.js ${version}`,
    );
  }
}
