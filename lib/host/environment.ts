/**
 * The value of an environment variable; undefined when it is not set, empty, or not to be read: a
 * script that may not read the environment is one that has not set it.
 */
export function environment(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
