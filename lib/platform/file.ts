import { basename, dirname, join } from "node:path";
import { aFlag, checkOptions } from "./check_options.ts";

/**
 * How a file is written.
 *
 * @category Output
 */
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
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  // Nothing is there, or a link that leads nowhere: it is followed, as every link, or not written to.
  if (!(await Deno.lstat(path).catch(() => null))?.isSymlink) return null;
  throw new RangeError(`the path must be that of a file, and this link leads to none: ${path}`);
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
 * Writes a file whole or not at all: to a temporary name beside it, synced, which then takes its name. A
 * file of that name stays whole until the moment it is replaced. A link is followed: it stays, and the
 * file that it leads to is replaced.
 *
 * @throws {Deno.errors.AlreadyExists} when the file exists, without `force`.
 * @throws {Deno.errors.NotFound} when there is no such folder.
 * @throws {RangeError} for a folder, a device, a link that leads nowhere, or an unknown option.
 * @category Output
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  checkOptions(options, { force: aFlag }, "writeWhole");
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

const TEMPORARY = /^\.?(.+)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** The name that a temporary file of {@linkcode writeWhole} was to take; null for a file of anybody else. */
export function targetOfTemporary(name: string): string | null {
  return TEMPORARY.exec(name)?.[1] ?? null;
}

/**
 * Reads a file; null where there is none, or where something else stands in its place: a pipe would be
 * waited for without an end.
 */
export async function readFile(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    // To have another thread look takes five times as long as to look.
    return Deno.statSync(path).isFile ? await Deno.readFile(path) : null;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // Where a link leads nowhere, that is said.
    await statOf(path);
    return null;
  }
}
