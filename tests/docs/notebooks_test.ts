import { NOTEBOOKS, writeNotebooks } from "../notebooks/notebook.ts";
import { inFolder } from "../scripts/run_script.ts";
import { runModules } from "./blocks.ts";

Deno.test("every notebook runs, cell by cell", () =>
  inFolder(async (folder) => {
    await Deno.symlink(new URL("published", NOTEBOOKS).pathname, `${folder}/published`);
    await runModules(await writeNotebooks(folder), folder);
  }));
