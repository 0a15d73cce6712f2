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

Deno.test("the code of every notebook is well typed, which the kernel does not look at", async () => {
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
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
