import { rejects } from "node:assert/strict";
import { executeNotebook } from "./execute_notebook.ts";
import { JUPYTER } from "./jupyter.ts";
import { notebookOf } from "../../notebooks/notebook.ts";
import { makeWorkspace } from "./workspace.ts";

Deno.test({
  name: "executeNotebook throws if a cell never ends",
  ignore: JUPYTER === null,
  fn: async () => {
    await using workspace = await makeWorkspace();
    const endless = notebookOf(["await new Promise((later) => setInterval(later, 1e9, 1));"]);
    const run = { name: "endless.ipynb", notebook: endless, limit: 8_000 };
    await rejects(executeNotebook(workspace, run), {
      name: "TimeoutError",
      message: /^endless.ipynb: nbconvert did not end in 8000 ms/,
    });
  },
});
