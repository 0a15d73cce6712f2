// deno-lint-ignore-file no-import-prefix -- only the tests drive a browser
import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { chromium, type Page } from "npm:playwright-core@1.65.1";
import { hasChromium } from "../chart/browser.ts";
import { startClassicServer } from "./classic_server.ts";
import { JUPYTER, onPath } from "./jupyter.ts";
import { type Notebook, readNotebook } from "../../notebooks/notebook.ts";
import { differences, type StableOutputs, stableOutputs } from "../../notebooks/stable_outputs.ts";
import { withNewKernel } from "./with_new_kernel.ts";
import { makeWorkspace } from "./workspace.ts";

const NAME = "first_look.ipynb";

/** A notebook as its author first sees it: nothing has run. */
function withoutOutputs(notebook: Notebook): Notebook {
  return {
    ...notebook,
    cells: notebook.cells.map((cell) =>
      cell.cell_type === "code" ? { ...cell, outputs: [], execution_count: null } : cell
    ),
  };
}

/**
 * The outputs by their order. Under load Deno's kernel may be so late with an output that the next cell has
 * begun, and sends it in the name of that one; the order stays.
 */
function inOrder(notebook: Notebook): StableOutputs {
  const texts = [...stableOutputs(notebook).values()];
  return new Map(texts.map((text, index) => [`output ${index}`, text]));
}

/** Runs all cells from the menu, and returns the differences from the stored outputs. */
async function runFromMenu(page: Page, kept: Notebook): Promise<string[]> {
  await page.waitForFunction("globalThis.Jupyter?.notebook?.kernel?.is_connected()");
  await page.click("#celllink");
  await page.click("#run_all_cells");
  await page.waitForFunction(
    'Jupyter.notebook.get_cells().every((cell) => cell.cell_type !== "code" || cell.input_prompt_number > 0)',
  );
  let changed: string[] = [];
  // The last outputs may arrive after the kernel reports that it is idle.
  for (let look = 0; look < 50; look += 1) {
    const now = await page.evaluate<Notebook>("Jupyter.notebook.toJSON()");
    changed = differences(inOrder(kept), inOrder(now));
    if (changed.length === 0) break;
    await page.waitForTimeout(100);
  }
  return changed;
}

/** Runs the notebook in a Jupyter and a browser of its own, and gives what differs, and the charts. */
async function runOnce(kept: Notebook): Promise<{ changed: string[]; charts: number }> {
  await using workspace = await makeWorkspace();
  await Deno.writeTextFile(join(workspace.notebooks, NAME), JSON.stringify(withoutOutputs(kept)));
  await using server = await startClassicServer(workspace);
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(server.address(NAME));
    const changed = await runFromMenu(page, kept);
    return { changed, charts: await page.locator(".output_html img").count() };
  } finally {
    await browser.close();
  }
}

Deno.test({
  name: "the classic notebook runs a notebook from its menu and shows the stored outputs",
  ignore: JUPYTER === null || onPath("jupyter-notebook") === null || !hasChromium,
  fn: async () => {
    const kept = await readNotebook(NAME);
    deepStrictEqual(await withNewKernel(() => runOnce(kept)), { changed: [], charts: 1 });
  },
});
