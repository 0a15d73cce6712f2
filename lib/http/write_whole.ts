const ENDING = ".tmp";
const HOUR = 3_600_000;

/**
 * Writes a file so that whoever reads it finds all of it or nothing: under a temporary name first, and
 * then renamed.
 */
export async function writeWhole(path: string, content: Uint8Array): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}${ENDING}`;
  try {
    await Deno.writeFile(temporary, content, { createNew: true });
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

/** Removes what writers left that were killed more than an hour ago. */
export async function removeLeftovers(dir: string, now: number): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(dir)) {
    if (!isFile || !name.endsWith(ENDING)) continue;
    const path = `${dir}/${name}`;
    const written = (await Deno.stat(path).catch(() => null))?.mtime?.getTime() ?? now;
    if (now - written > HOUR) await Deno.remove(path).catch(() => {});
  }
}
