import { deepStrictEqual, ok } from "node:assert/strict";
import { createService } from "../../../lib/service/mod.ts";
import { serveLocally } from "../../service/serve_locally.ts";
import { executeNotebook } from "./execute_notebook.ts";
import { JUPYTER } from "./jupyter.ts";
import { joined, NOTEBOOK_NAMES, notebookOf, readNotebook } from "../../notebooks/notebook.ts";
import { stableOutputs } from "../../notebooks/stable_outputs.ts";
import { withNewKernel } from "./with_new_kernel.ts";
import { makeWorkspace } from "./workspace.ts";

/** The code cells of every notebook, one after the other. */
async function allCells(): Promise<string[]> {
  const notebooks = await Promise.all(NOTEBOOK_NAMES.map(readNotebook));
  return notebooks.flatMap(({ cells }) =>
    cells.filter(({ cell_type }) => cell_type === "code").map(({ source }) => joined(source))
  );
}

Deno.test({
  name: "every notebook runs on the service that the environment names, without a change",
  ignore: JUPYTER === null,
  fn: async () => {
    const service = await createService();
    await using server = await serveLocally(service);
    await using workspace = await makeWorkspace({
      CHAINFRAME_BASE_URL: server.url,
      CHAINFRAME_TOKEN: service.tokens[0]!,
    });
    // In one kernel, which takes a name that is declared again.
    const all = { name: "all.ipynb", notebook: notebookOf(await allCells()), limit: 120_000 };
    const run = await withNewKernel(() => executeNotebook(workspace, all));
    const outputs = stableOutputs(run);
    deepStrictEqual([...outputs].filter(([place]) => /error|stderr/.test(place)), []);
    const texts = [...outputs.values()];
    // The service sends Data-Sample, which frames show beside its address.
    ok(texts.some((text) => text.includes("SAMPLE DATA")));
    ok(JSON.stringify(run).includes(`SAMPLE DATA · live · 127.0.0.1:${server.port}`));
  },
});
