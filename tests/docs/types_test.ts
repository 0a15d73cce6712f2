import { strictEqual } from "node:assert/strict";
import { writeNotebooks } from "../notebooks/notebook.ts";
import { inFolder, runCommand } from "../scripts/run_script.ts";
import { BLOCKS, CONFIG, writeBlocks } from "./blocks.ts";

Deno.test("every example of a page or a doc comment and every notebook compiles", () =>
  inFolder(async (folder) => {
    const paths = [...await writeBlocks(folder, BLOCKS), ...await writeNotebooks(folder)];
    // One command, because most of its time goes into the library itself.
    const command = [Deno.execPath(), "check", "--quiet", CONFIG, ...paths];
    const { code, stderr } = await runCommand(command, { cwd: folder });
    strictEqual(code, 0, stderr);
  }));
