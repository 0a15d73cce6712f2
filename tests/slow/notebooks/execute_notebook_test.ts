import { doesNotMatch, match, rejects } from "node:assert/strict";
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

Deno.test({
  name: "an error of chainframe in a cell has its message and the line of the cell",
  ignore: JUPYTER === null,
  fn: async () => {
    await using workspace = await makeWorkspace();
    const failing = notebookOf([
      'import { pl, rankBy } from "@chainframe/chainframe";',
      'rankBy(pl.DataFrame({ fees: [1] }), { field: "fee" });',
    ]);
    const run = { name: "failing.ipynb", notebook: failing };
    const told = JSON.stringify((await executeNotebook(workspace, run)).cells);
    match(told, /rankBy: [^"]*fee/);
    match(told, /" +at <anonymous>:1:\d+"\]/);
    doesNotMatch(told, /rank_by\.ts/);
  },
});
