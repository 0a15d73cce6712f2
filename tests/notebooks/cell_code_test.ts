import { ok } from "node:assert/strict";
import { join } from "node:path";
import { joined, NOTEBOOK_NAMES, readNotebook } from "./notebook.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** The code of a notebook as one module. */
async function codeOf(name: string): Promise<string> {
  const { cells } = await readNotebook(name);
  return cells.filter(({ cell_type }) => cell_type === "code")
    .map(({ source }) => joined(source)).join("\n\n")
    .replaceAll('from "../', `from "${ROOT}`);
}

Deno.test("the code of every notebook is well typed and runs, cell by cell", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const paths = await Promise.all(NOTEBOOK_NAMES.map(async (name) => {
      const path = join(folder, name.replace(/ipynb$/, "ts"));
      await Deno.writeTextFile(path, await codeOf(name));
      return path;
    }));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", `--config=${ROOT}deno.json`, ...paths],
      env: { NO_COLOR: "1" },
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    // One process runs them one after the other, and tells each that fails.
    const main = paths.map((path) =>
      `await import("${path}").catch((error) => { console.error(error); Deno.exitCode = 1; });\n`
    );
    await Deno.writeTextFile(join(folder, "main.ts"), main.join(""));
    const ran = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", `--config=${ROOT}deno.json`, join(folder, "main.ts")],
      cwd: folder,
      env: { NO_COLOR: "1", CHAINFRAME_BASE_URL: "", CHAINFRAME_TOKEN: "", CHAINFRAME_CACHE: "" },
    }).output();
    ok(ran.success, new TextDecoder().decode(ran.stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
