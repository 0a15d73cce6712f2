import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { lstat, open, readFile as readBytes, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Returns whether an error has one of the given system error codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes(String((error as { code?: unknown }).code));
}

/** Creates an error with a system error code, such as `EEXIST`. */
function fileError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Options for writing a file. */
interface WriteOptions {
  /** Whether an existing file is replaced. */
  readonly force?: boolean;
  /**
   * Whether a link is kept and its target is replaced. If false, the link itself is replaced by a file.
   *
   * @default {true}
   */
  readonly followLinks?: boolean;
}

/**
 * Returns the `Stats` (type, size and times) of a file or folder, or null if the path does not exist.
 *
 * @throws {RangeError} for a link to a missing file, because such a path must not be written.
 */
export async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  if (!(await lstat(path).catch(() => null))?.isSymbolicLink()) return null;
  throw new RangeError(`path: is a link to a missing file; got ${path}`);
}

/**
 * Throws for a path that must not be written: an existing file if `force` is not true, a folder, a device, or a path in
 * a missing folder.
 *
 * @throws {Error} with the code `EEXIST` for an existing file, or `ENOENT` for a missing folder.
 * @throws {RangeError} for a folder, a device, or a link to a missing file.
 */
export async function checkPath(path: string, options: WriteOptions = {}): Promise<void> {
  const { force = false, followLinks = true } = options;
  const there = followLinks ? await statOf(path) : await lstat(path).catch(() => null);
  if (there !== null && !there.isFile() && !there.isSymbolicLink()) {
    throw new RangeError(`path: must be a file, not a folder or device; got ${path}`);
  }
  if (there !== null && !force) {
    throw fileError("EEXIST", `path: exists; pass force to replace it; got ${path}`);
  }
  const folder = dirname(path);
  if (there === null && !(await statOf(folder))?.isDirectory()) {
    throw fileError("ENOENT", `path: the folder ${folder} does not exist; got ${path}`);
  }
}

/**
 * Writes a file completely or not at all.
 *
 * Writes a temporary file in the same folder, syncs it to disk, and renames it. If the path is a link, the link is
 * kept and its target is replaced, unless `followLinks` is false.
 *
 * @throws {Error} with the code `EEXIST` when the file exists and `force` is not true, or with the code `ENOENT` when
 * the folder does not exist.
 * @throws {RangeError} for a folder, a device, or a link to a missing file.
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  await checkPath(path, options);
  const { followLinks = true } = options;
  const target = !followLinks || await statOf(path) === null ? path : await realpath(path);
  const temporary = join(dirname(target), `.${basename(target)}.${crypto.randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await checkPath(path, options);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Writes a text file completely or not at all, and replaces an existing file. It can run while the process ends. */
export function replaceSync(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.tmp`);
  try {
    const file = openSync(temporary, "wx");
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Appends bytes to a file, and creates the file if it is missing. A link is replaced by a new file.
 *
 * @throws {Error} with the code `ENXIO` for a pipe, because writing to a pipe could block forever.
 */
export async function appendBytes(path: string, bytes: Uint8Array): Promise<void> {
  // The last two flags do not exist on Windows.
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const opened = () => open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  const file = await opened().catch(async (error) => {
    if (!hasCode(error, "ELOOP")) throw error;
    await rm(path);
    return await opened();
  });
  try {
    await file.appendFile(bytes);
  } finally {
    await file.close();
  }
}

/**
 * Reads a file. Returns null if the file is missing. Also returns null for a path that is not a regular file, because
 * reading a pipe could block forever.
 */
export async function readFile(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    // Uses the synchronous function, because it is five times as fast as the asynchronous function.
    if (!statSync(path).isFile()) return null;
    return await readBytes(path) as Uint8Array<ArrayBuffer>;
  } catch (error) {
    // ELOOP: the path is a link to itself.
    if (!hasCode(error, "ENOENT", "ELOOP")) throw error;
    return null;
  }
}
