import { deepStrictEqual, ok } from "node:assert/strict";
import { executeNotebook } from "./execute_notebook.ts";
import { JUPYTER } from "./jupyter.ts";
import {
  type Notebook,
  NOTEBOOK_NAMES,
  NOTEBOOKS,
  readNotebook,
} from "../../notebooks/notebook.ts";
import { differences, stableOutputs } from "../../notebooks/stable_outputs.ts";
import { withNewKernel } from "./with_new_kernel.ts";
import { makeWorkspace, type Workspace } from "./workspace.ts";

/** `deno task notebooks` keeps what the notebooks put out now. */
const UPDATE = Deno.args.includes("--update");

/** Without the times at which each cell ran, which nbconvert writes beside it. */
function withoutTimes(notebook: Notebook): Notebook {
  return {
    ...notebook,
    cells: notebook.cells.map((cell) => {
      const { execution: _, ...metadata } = cell.metadata;
      return { ...cell, metadata };
    }),
  };
}

async function keep(name: string, notebook: Notebook): Promise<void> {
  const text = `${JSON.stringify(withoutTimes(notebook), null, 1)}\n`;
  await Deno.writeTextFile(new URL(name, NOTEBOOKS), text);
}

/** On a busy machine, nbconvert can drop outputs that arrive after the end of their cell. */
const MOST_RUNS = 4;

/** Runs a notebook, and again if an output that it stores was dropped. */
async function runWhole(workspace: Workspace, name: string): Promise<Notebook> {
  const notebook = await readNotebook(name);
  const stored = stableOutputs(notebook);
  for (let run = 1;; run++) {
    const made = await withNewKernel(() => executeNotebook(workspace, { name, notebook }));
    const lost = differences(stored, stableOutputs(made)).filter((each) =>
      /: is gone: /.test(each)
    );
    if (lost.length === 0 || run === MOST_RUNS) return made;
    console.log(`${name}: run ${run} lost ${lost.length} outputs`);
  }
}

/** Runs the notebooks, two at a time. */
async function runAll(): Promise<Map<string, Notebook>> {
  await using workspace = await makeWorkspace();
  const left = [...NOTEBOOK_NAMES];
  const runs = new Map<string, Notebook>();
  const run = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      runs.set(name, await runWhole(workspace, name));
    }
  };
  await Promise.all([run(), run()]);
  return runs;
}

Deno.test({
  name: "every notebook runs in Jupyter and produces its stored outputs",
  ignore: JUPYTER === null,
  fn: async (t) => {
    const runs = await runAll();
    for (const [name, run] of runs) {
      await t.step(name, async () => {
        const changed = differences(stableOutputs(await readNotebook(name)), stableOutputs(run));
        if (UPDATE && changed.length > 0) await keep(name, run);
        else deepStrictEqual(changed, []);
      });
    }
    ok(runs.size > 0, "there are notebooks");
  },
});
