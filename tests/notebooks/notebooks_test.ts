import { deepStrictEqual, ok } from "node:assert/strict";
import { executeNotebook } from "./execute_notebook.ts";
import { JUPYTER } from "./jupyter.ts";
import { joined, type Notebook, NOTEBOOK_NAMES, NOTEBOOKS, readNotebook } from "./notebook.ts";
import { differences, stableOutputs } from "./stable_outputs.ts";
import { withNewKernel } from "./with_new_kernel.ts";
import { makeWorkspace } from "./workspace.ts";

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

/** Runs the notebooks, two at a time. */
async function runAll(): Promise<Map<string, Notebook>> {
  await using workspace = await makeWorkspace();
  const left = [...NOTEBOOK_NAMES];
  const runs = new Map<string, Notebook>();
  const run = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const notebook = await readNotebook(name);
      runs.set(name, await withNewKernel(() => executeNotebook(workspace, { name, notebook })));
    }
  };
  await Promise.all([run(), run()]);
  return runs;
}

Deno.test({
  name: "every notebook runs in Jupyter and puts out what is kept in it",
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

for (const name of NOTEBOOK_NAMES) {
  Deno.test(`${name} is kept with outputs that read well: no error, nothing on stderr, small`, async () => {
    const { cells, metadata, nbformat, nbformat_minor } = await readNotebook(name);
    deepStrictEqual(
      [metadata.kernelspec.name, metadata.language_info.name, nbformat, nbformat_minor],
      ["deno", "typescript", 4, 5],
    );
    const ids = cells.map(({ id }) => id);
    deepStrictEqual(ids, [...new Set(ids)]);
    const noise = cells.flatMap(({ id, outputs = [] }) =>
      outputs.filter(({ output_type, name }) => output_type === "error" || name === "stderr")
        .map((output) => `${id}: ${output.evalue ?? joined(output.text ?? "")}`)
    );
    deepStrictEqual(noise, []);
    const code = cells.filter(({ cell_type }) => cell_type === "code");
    deepStrictEqual(
      code.map(({ execution_count }) => execution_count),
      code.map((_, index) => index + 1),
    );
    const { size } = await Deno.stat(new URL(name, NOTEBOOKS));
    ok(size < 500_000, `${name} has ${size} bytes`);
  });
}
