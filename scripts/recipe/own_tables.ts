import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { formatOf } from "../../lib/output/encode.ts";
import { openFile } from "../../lib/output/open_frame.ts";
import { frameDigest, type OwnSource } from "../../lib/output/recipe.ts";
import { statOf } from "../../lib/platform/file.ts";
import { fileSha256 } from "../../lib/platform/machine.ts";
import { type DataFrame, pl } from "../../mod.ts";

/** A table of the folder that differs from the one of the page. */
export class ChangedTable extends Error {
  override readonly name = "ChangedTable";
}

/** Returns whether a name is that of a file in a folder, not of another folder, that `openFrame` can open. */
function isTable(name: string): boolean {
  return basename(name) === name && !/[/\\]/.test(name) && !name.endsWith(".provenance.json") &&
    !["markdown", "xlsx", undefined].includes(formatOf(name));
}

/** Returns whether a path exists, and no link leads from it out of a folder. */
async function isInside(dir: string, path: string): Promise<boolean> {
  try {
    const [folder, target] = await Promise.all([realpath(dir), realpath(path)]);
    return target.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
  } catch {
    return false;
  }
}

/** Returns whether a table and its side-car are files of a folder. A folder of others can have links to any file. */
async function isOwn(dir: string, path: string): Promise<boolean> {
  const sideCar = `${path}.provenance.json`;
  const isThere = await lstat(sideCar).then(() => true, () => false);
  return await isInside(dir, path) && (!isThere || await isInside(dir, sideCar)) &&
    (await statOf(path))?.isFile() === true;
}

/** The names of columns and cells that identify data which a program made, without a source. */
function withoutSource(frame: DataFrame): DataFrame {
  return pl.DataFrame(frame.getColumns());
}

/**
 * Returns a function that opens own data: the file that a recipe names, or else the file that has its values.
 *
 * The function throws a `ChangedTable` for a file with another digest, and a `RangeError` if no file has the values. A link
 * that leads out of the folder is no file of it, except `given`, the file that the user named.
 */
export function ownTables(dir: string, given?: string): (source: OwnSource) => Promise<DataFrame> {
  return async ({ file = null, sha256: digest = null, frame_sha256, options }) => {
    const read = (path: string) => openFile(path, options as never, { hasRecipe: true });
    if (file !== null) {
      const path = join(dir, file);
      // A recipe can name any file: whether a file outside the folder exists must not be seen, either.
      const isFile = isTable(file) && (file === given || await isOwn(dir, path));
      if (!isFile) throw new RangeError(`${dir} has no file ${file}`);
      if (digest !== null && fileSha256(path) !== digest) {
        throw new ChangedTable(`${file} differs from the file of the recipe`);
      }
      const frame = await read(path);
      if (frame_sha256 === undefined) return frame;
      const bare = withoutSource(frame);
      if (frameDigest(bare) === frame_sha256) return bare;
      throw new RangeError(
        `openFrame reads other values from ${file}: options of reading are not recorded`,
      );
    }
    for (const name of (await readdir(dir)).filter(isTable)) {
      const path = join(dir, name);
      if (!await isOwn(dir, path)) continue;
      try {
        const bare = withoutSource(await read(path));
        if (frameDigest(bare) === frame_sha256) return bare;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    throw new RangeError(`no file of ${dir} has the values of this frame`);
  };
}
