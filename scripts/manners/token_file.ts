import { UsageError } from "./usage_error.ts";

/**
 * Reads a token from a file, which must hold nothing else and be its owner's alone.
 *
 * @throws {UsageError} that shows the path and never the token.
 */
export async function tokenFrom(path: string): Promise<string> {
  const refuse = (told: string): never => {
    throw new UsageError(`--token-file: ${told}: ${path}`);
  };
  const { mode, isFile } = await Deno.stat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return refuse("there is no such file");
    throw error;
  });
  if (!isFile) refuse("must be a file");
  if (mode !== null && (mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(3, "0");
    refuse(`others can read it (mode ${octal}); run chmod 600 ${path}`);
  }
  const token = (await Deno.readTextFile(path)).trim();
  return token === "" ? refuse("is empty") : token;
}
