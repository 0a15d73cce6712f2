import { openFrame } from "../../lib/output/open_frame.ts";
import type { TableOptions } from "../../lib/output/table_options.ts";
import type { Frame } from "../../lib/table/columns/polars.ts";
import { hearing } from "../http/hearing.ts";
import { inFolder } from "../in_folder.ts";

/** Opens a file with the given content. Returns the frame and the notices. */
export async function openText(
  content: string | Uint8Array,
  options: TableOptions = {},
  name = "table.csv",
): Promise<{ readonly frame: Frame; readonly told: readonly string[] }> {
  const frames: Frame[] = [];
  const told = await inFolderHearing(async (folder) => {
    await Deno.writeFile(
      `${folder}/${name}`,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    frames.push(await openFrame(`${folder}/${name}`, options));
  });
  return { frame: frames[0]!, told };
}

async function inFolderHearing(work: (folder: string) => Promise<void>): Promise<string[]> {
  let told: string[] = [];
  await inFolder(async (folder) => {
    told = await hearing(() => work(folder));
  });
  return told;
}

/** Returns the cells of a frame by column. */
export function cellsOf(frame: Frame): Record<string, unknown[]> {
  return Object.fromEntries(
    frame.columns.map((name) => [name, frame.getColumn(name).toArray() as unknown[]]),
  );
}
