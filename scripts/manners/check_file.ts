import { dirname, extname } from "node:path";
import { FRAME_ENDINGS } from "../../mod.ts";
import { UsageError } from "./usage_error.ts";

const DRAWINGS = [".svg", ".png", ".html"];

/** What may be written to a file. */
export type Content = "frame" | "frame or drawing" | "anything";

function endingsOf(content: Content): readonly string[] {
  return content === "frame" ? FRAME_ENDINGS : [...DRAWINGS, ...FRAME_ENDINGS];
}

/** Whether the ending of a path asks for a drawing. */
export function isDrawing(path: string): boolean {
  return DRAWINGS.includes(extname(path).toLowerCase());
}

async function statOf(path: string): Promise<Deno.FileInfo | null> {
  return await Deno.stat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  });
}

/**
 * Refuses a path that cannot be written to, before the work begins: it has an ending that says nothing,
 * exists and `--force` is missing, or there is no such folder.
 *
 * @throws {UsageError}
 */
export async function checkFile(
  option: string,
  path: string,
  force: boolean,
  content: Content,
): Promise<void> {
  const endings = endingsOf(content);
  if (content !== "anything" && !endings.includes(extname(path).toLowerCase())) {
    throw new UsageError(
      `--${option}: must end in ${endings.join(", ")}: ${path}`,
    );
  }
  for (const each of [path, `${path}.provenance.json`]) {
    if (!force && await statOf(each) !== null) {
      throw new UsageError(
        `--${option}: the file exists and is kept; --force replaces it: ${each}`,
      );
    }
  }
  if (!(await statOf(dirname(path)))?.isDirectory) {
    throw new UsageError(`--${option}: there is no folder ${dirname(path)}: ${path}`);
  }
}
