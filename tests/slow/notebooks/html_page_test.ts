import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { JUPYTER } from "./jupyter.ts";
import {
  type Notebook,
  NOTEBOOK_NAMES,
  NOTEBOOKS,
  readNotebook,
} from "../../notebooks/notebook.ts";
import { makeWorkspace } from "./workspace.ts";

const IMAGE = /<img src="data:image\/(svg\+xml|png);base64,\w/g;

function chartsOf({ cells }: Notebook): number {
  const outputs = cells.flatMap(({ outputs = [] }) => outputs);
  return outputs.filter(({ data }) => data !== undefined && "image/png" in data).length;
}

Deno.test({
  name: "an HTML page of a notebook has every chart, without a configuration of nbconvert",
  ignore: JUPYTER === null,
  fn: async () => {
    await using workspace = await makeWorkspace();
    await new Deno.Command(JUPYTER!, {
      args: [
        "nbconvert",
        "--to=html",
        `--output-dir=${workspace.notebooks}`,
        ...NOTEBOOK_NAMES,
      ],
      cwd: NOTEBOOKS,
      env: workspace.env,
      stderr: "null",
    }).output();
    for (const name of NOTEBOOK_NAMES) {
      const page = join(workspace.notebooks, name.replace(/ipynb$/, "html"));
      const images = (await Deno.readTextFile(page)).match(IMAGE)?.length ?? 0;
      deepStrictEqual([name, images], [name, chartsOf(await readNotebook(name))]);
    }
  },
});
