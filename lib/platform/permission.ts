/** A permission of Deno that a function needs. */
type Permission =
  | { readonly name: "read" | "write"; readonly path: string }
  | { readonly name: "env"; readonly variable: string };

/** Returns whether a permission is granted. Never prompts. Returns true in runtimes without permissions. */
export function isGranted(permission: Permission): boolean {
  return !("Deno" in globalThis) || Deno.permissions.querySync(permission).state === "granted";
}

/** Gives up permissions of the process, also those of `node:fs`. */
export async function revoke(...names: readonly ("net" | "write")[]): Promise<void> {
  if (!("Deno" in globalThis)) return;
  for (const name of names) await Deno.permissions.revoke({ name });
}

/** Returns whether Deno threw an error because a permission is missing. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}

/**
 * Requests the permission to listen. If this permission is missing, `node:http` throws an error that callers cannot
 * catch.
 *
 * @throws {Deno.errors.NotCapable} when the permission is denied; never in Node.
 */
export async function requestListening(hostname: string, port: number): Promise<void> {
  if (!("Deno" in globalThis)) return;
  const host = hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
  const { state } = await Deno.permissions.request({ name: "net", host });
  if (state !== "granted") throw new Deno.errors.NotCapable(`Requires net access to "${host}"`);
}
