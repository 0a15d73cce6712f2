import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { formatOf } from "../../lib/output/encode.ts";
import { openFile } from "../../lib/output/open_frame.ts";
import { frameDigest, type OwnSource } from "../../lib/output/recipe.ts";
import { hasCode, statOf } from "../../lib/platform/file.ts";
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

/** The names of columns and cells that identify data which a program made, without a source. */
function withoutSource(frame: DataFrame): DataFrame {
  return pl.DataFrame(frame.getColumns());
}

/**
 * Returns a function that opens own data: the file that a recipe names, or else the file that has its values.
 *
 * The function throws a `ChangedTable` for a file with another digest, and a `RangeError` if no file has the values.
 */
export function ownTables(dir: string): (source: OwnSource) => Promise<DataFrame> {
  return async ({ file = null, sha256: digest = null, frame_sha256, options }) => {
    const read = (path: string) => openFile(path, options as never, { hasRecipe: true });
    if (file !== null) {
      const path = join(dir, file);
      // A recipe can name any file: whether a file outside the folder exists must not be seen, either.
      const isFile = isTable(file) && (await statOf(path))?.isFile();
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
      try {
        const bare = withoutSource(await read(join(dir, name)));
        if (frameDigest(bare) === frame_sha256) return bare;
      } catch (error) {
        if (!(error instanceof RangeError || hasCode(error, "EISDIR"))) throw error;
      }
    }
    throw new RangeError(`no file of ${dir} has the values of this frame`);
  };
}
