import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { formatOf } from "../../lib/output/encode.ts";
import type { OwnOrigin } from "../../lib/output/recipe.ts";
import { hasCode, readFile } from "../../lib/platform/file.ts";
import { sha256 } from "../../lib/platform/machine.ts";
import { type DataFrame, openFrame, provenanceOf, withSource } from "../../mod.ts";

/** A table of the folder that differs from the one of the page. */
export class ChangedTable extends Error {
  override readonly name = "ChangedTable";
}

/** A table as it is opened, with the source that the page states, and the digest of its values. */
interface Table {
  readonly frame: DataFrame;
  readonly frame_sha256: string | undefined;
}

async function opened(path: string, { source }: OwnOrigin): Promise<Table> {
  const frame = await openFrame(path);
  const stated = provenanceOf(frame).kind === "unknown"
    ? withSource(frame, (source ?? { citation: path }) as Parameters<typeof withSource>[1])
    : frame;
  const provenance = provenanceOf(stated);
  const frame_sha256 = provenance.kind === "given" ? provenance.frame_sha256 : undefined;
  // A frame without a stated source has none in the page, either.
  return { frame: source === null ? frame : stated, frame_sha256 };
}

/** Returns whether a name is that of a file in a folder, not of another folder, that `openFrame` can open. */
function isTable(name: string): boolean {
  return basename(name) === name && !/[/\\]/.test(name) && !name.endsWith(".provenance.json") &&
    !["markdown", "xlsx", undefined].includes(formatOf(name));
}

/**
 * Returns a function that opens own data: the file that the page names, or else the file that has the values of the page.
 *
 * The function throws a `ChangedTable` for a file with another digest, and a `RangeError` if no file has the values.
 */
export function ownTables(dir: string): (origin: OwnOrigin) => Promise<DataFrame> {
  return async (origin) => {
    const { file, file_sha256, frame_sha256 } = origin;
    if (file !== null) {
      const path = join(dir, file);
      // A page can name any file: whether a file outside the folder exists must not be seen, either.
      const bytes = isTable(file) ? await readFile(path) : null;
      if (bytes === null) throw new RangeError(`${dir} has no file ${file}`);
      if (sha256(bytes) !== file_sha256) {
        throw new ChangedTable(`${file} differs from the file of the page`);
      }
      const table = await opened(path, origin);
      if (frame_sha256 === null || table.frame_sha256 === frame_sha256) return table.frame;
      throw new RangeError(
        `openFrame reads other values from ${file}: options of reading are not recorded`,
      );
    }
    for (const name of (await readdir(dir)).filter(isTable)) {
      try {
        const table = await opened(join(dir, name), origin);
        if (table.frame_sha256 === frame_sha256) return table.frame;
      } catch (error) {
        if (!(error instanceof RangeError || hasCode(error, "EISDIR"))) throw error;
      }
    }
    throw new RangeError(`no file of ${dir} has the values of this frame`);
  };
}
