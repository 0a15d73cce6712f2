import { basename, dirname, join } from "node:path";

/** How a file is written. */
export interface WriteOptions {
  /**
   * Replaces a file that exists.
   *
   * @default {false}
   */
  readonly force?: boolean;
}

async function statOf(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/**
 * Refuses a path that must not be written to: one that exists, without `force`; a folder or a device;
 * one in a folder that does not exist.
 *
 * @throws {Deno.errors.AlreadyExists | Deno.errors.NotFound | RangeError}
 */
export async function checkPath(path: string, options: WriteOptions = {}): Promise<void> {
  const { force = false } = options;
  const there = await statOf(path);
  if (there !== null && !there.isFile) {
    throw new RangeError(`the path must be that of a file, and this is none: ${path}`);
  }
  if (there !== null && !force) {
    throw new Deno.errors.AlreadyExists(`the file exists and is kept, unless forced: ${path}`);
  }
  const folder = dirname(path);
  if (there === null && !(await statOf(folder))?.isDirectory) {
    throw new Deno.errors.NotFound(`there is no folder ${folder} for the file: ${path}`);
  }
}

/**
 * Writes a file whole or not at all: to a temporary name beside it, which then takes its name. A file
 * of that name stays whole until the moment it is replaced. A link is followed.
 *
 * @throws {Deno.errors.AlreadyExists} when the file exists, without `force`.
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  await checkPath(path, options);
  const target = await statOf(path) === null ? path : await Deno.realPath(path);
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID()}.tmp`);
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true });
    for (let written = 0; written < bytes.length;) {
      written += await file.write(bytes.subarray(written));
    }
    await file.sync();
    await checkPath(path, options);
    await Deno.rename(temporary, target);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

const ENDING = ".tmp";
const HOUR = 3_600_000;

/**
 * Writes a file so that whoever reads it finds all of it or nothing: under a temporary name first, and
 * then renamed.
 */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
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

/** The SHA-256 digest of bytes, in hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
