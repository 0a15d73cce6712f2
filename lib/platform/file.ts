import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { lstat, open, readFile as readBytes, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

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
  /** Names in the same folder whose old temporary files are removed, besides those of the path. */
  readonly siblings?: RegExp;
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

const DAY = 86_400_000;
const TEMPORARY = /^\.(.+)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

function temporaryOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.tmp`);
}

/** The temporary files of each folder when this process first wrote into it, with the names of their files. */
const leftFiles = new Map<string, Map<string, string>>();

function temporariesIn(folder: string): Map<string, string> {
  const left = new Map<string, string>();
  try {
    for (const file of readdirSync(folder)) {
      const [, name] = TEMPORARY.exec(file) ?? [];
      if (name !== undefined) left.set(file, name);
    }
  } catch {
    // A folder that must not be listed can be written.
  }
  return left;
}

/** Removes temporary files of a path that killed processes left more than a day ago. */
function removeLeft(path: string, siblings?: RegExp): void {
  const folder = resolve(dirname(path));
  const left = leftFiles.get(folder) ?? temporariesIn(folder);
  leftFiles.set(folder, left);
  for (const [file, name] of left) {
    if (name !== basename(path) && !siblings?.test(name)) continue;
    left.delete(file);
    try {
      const stats = lstatSync(join(folder, file));
      if (stats.isFile() && Date.now() - stats.mtimeMs > DAY) unlinkSync(join(folder, file));
    } catch {
      // Another process may have removed it.
    }
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
  const { followLinks = true, siblings } = options;
  const target = !followLinks || await statOf(path) === null ? path : await realpath(path);
  removeLeft(target, siblings);
  const temporary = temporaryOf(target);
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
  removeLeft(path);
  const temporary = temporaryOf(path);
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

/** Removes a path if it is a link. In a foreign folder, a link can lead to any other file. */
export function removeLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(path);
}

/**
 * Appends bytes to a file, and creates the file if it is missing. A link is replaced by a new file. It can run while
 * the process ends.
 *
 * @throws {Error} with the code `ENXIO` for a pipe, because writing to a pipe could block forever.
 */
export function appendSync(path: string, content: Uint8Array | string): void {
  removeLink(path);
  // The last two flags do not exist on Windows. `appendFileSync` ignores the umask in Deno, and follows links.
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  try {
    writeFileSync(file, content);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a text file that `appendSync` wrote. Returns null if it is missing, and for a link, which is removed.
 *
 * @throws {RangeError} for a folder, a pipe or a device.
 */
export function readAppended(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false }) as Stats | undefined;
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) {
    try {
      unlinkSync(path);
    } catch {
      // Without write permission, it stays, and is not read.
    }
    return null;
  }
  if (!stats.isFile()) throw new RangeError(`must be a file, not a folder or device; got ${path}`);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
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
