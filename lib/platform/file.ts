import { basename, dirname, join } from "node:path";
import { boolean, checkOptions } from "./check_options.ts";

/**
 * Options for writing a file.
 *
 * @category Output
 */
export interface WriteOptions {
  /**
   * Whether to replace an existing file.
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
  // The path does not exist, or is a link to a missing file, which must not be written.
  if (!(await Deno.lstat(path).catch(() => null))?.isSymlink) return null;
  throw new RangeError(`path: is a link to a missing file; got ${path}`);
}

/**
 * Throws for a path that must not be written: an existing one without `force`, a folder or device, or one in
 * a missing folder.
 *
 * @throws {Deno.errors.AlreadyExists
 *  Deno.errors.NotFound
 *  RangeError}
 */
export async function checkPath(path: string, options: WriteOptions = {}): Promise<void> {
  const { force = false } = options;
  const there = await statOf(path);
  if (there !== null && !there.isFile) {
    throw new RangeError(`path: must be a file, not a folder or device; got ${path}`);
  }
  if (there !== null && !force) {
    throw new Deno.errors.AlreadyExists(
      `path: must not exist without force; got ${path}`,
    );
  }
  const folder = dirname(path);
  if (there === null && !(await statOf(folder))?.isDirectory) {
    throw new Deno.errors.NotFound(`path: the folder ${folder} does not exist; got ${path}`);
  }
}

/**
 * Writes a file completely or not at all.
 *
 * Writes a temporary file beside it, syncs it and renames it. Links are kept, and their target is replaced.
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
  checkOptions(options, { force: boolean }, "writeWhole");
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

/** Returns the target name of a temporary file of {@linkcode writeWhole}; null for other files. */
export function targetOfTemporary(name: string): string | null {
  return TEMPORARY.exec(name)?.[1] ?? null;
}

/**
 * Reads a file; null if it is missing or is not a regular file, because reading a pipe could block forever.
 */
export async function readFile(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    // The synchronous call takes a fifth of the time of the asynchronous one.
    return Deno.statSync(path).isFile ? await Deno.readFile(path) : null;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // A link to a missing file is an error.
    await statOf(path);
    return null;
  }
}
