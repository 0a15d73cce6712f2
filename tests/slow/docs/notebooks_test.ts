import { NOTEBOOKS, writeNotebooks } from "../../notebooks/notebook.ts";
import { inFolder } from "../../scripts/run_script.ts";
import { runModules } from "../../docs/blocks.ts";

Deno.test("every notebook runs, cell by cell", () =>
  inFolder(async (folder) => {
    for (const tables of ["published", "real"]) {
      await Deno.mkdir(`${folder}/${tables}`);
      for (const { name } of Deno.readDirSync(new URL(tables, NOTEBOOKS))) {
        await Deno.copyFile(new URL(`${tables}/${name}`, NOTEBOOKS), `${folder}/${tables}/${name}`);
      }
    }
    // This notebook sets the lock of its process.
    const isLocked = (path: string) => path.endsWith("/real_events.ts");
    const paths = await writeNotebooks(folder);
    await runModules(paths.filter((path) => !isLocked(path)), folder);
    await runModules(paths.filter(isLocked), folder);
  }));
