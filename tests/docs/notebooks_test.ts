import { writeNotebooks } from "../notebooks/notebook.ts";
import { inFolder } from "../scripts/run_script.ts";
import { runModules } from "./blocks.ts";

Deno.test("a notebook runs, cell by cell", () =>
  inFolder(async (folder) => {
    const paths = await writeNotebooks(folder);
    await runModules(paths.filter((path) => path.endsWith("/chain_comparison.ts")), folder);
  }));
