/**
 * Checks the types of every example of a page or a doc comment, and of every notebook.
 *
 *     deno run --config tests/deno.json --no-check --allow-all tests/docs/check_types.ts
 *
 * @module
 */
import { writeNotebooks } from "../notebooks/notebook.ts";
import { inFolder, runCommand } from "../scripts/run_script.ts";
import { BLOCKS, CONFIG, writeBlocks } from "./blocks.ts";

await inFolder(async (folder) => {
  const paths = [...await writeBlocks(folder, BLOCKS), ...await writeNotebooks(folder)];
  // One command, because most of its time goes into the library itself.
  const command = [Deno.execPath(), "check", "--quiet", CONFIG, ...paths];
  const { code, stderr } = await runCommand(command, { cwd: folder });
  if (code !== 0) console.error(stderr);
  Deno.exitCode = code;
});
