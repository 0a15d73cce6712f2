import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { firstLine, inFolder, optionsRun, runScript } from "./run_script.ts";

const NOTEBOOK = "run_notebook.ts";

async function hasJupyter(): Promise<boolean> {
  try {
    return (await new Deno.Command("jupyter", { args: ["nbconvert", "--version"] }).output())
      .success;
  } catch {
    return false;
  }
}

function cell(source: string, tags: readonly string[] = []) {
  return { cell_type: "code", metadata: { tags }, execution_count: null, outputs: [], source };
}

const PARAMETERS = cell('const chain_ids = ["alder"];\nlet horizon = 24;', ["parameters"]);
const SHOW = cell(
  'if (horizon === 13) throw new TypeError("unlucky");\n' +
    "console.log(JSON.stringify({ chain_ids, horizon, cwd: Deno.cwd() }));",
);

function notebookOf(...cells: readonly unknown[]): string {
  return JSON.stringify({
    cells,
    metadata: { kernelspec: { display_name: "Deno", language: "typescript", name: "deno" } },
    nbformat: 4,
    nbformat_minor: 4,
  });
}

/** A folder with a notebook and with a Deno kernel of this very Deno. */
function inNotebookFolder(
  work: (folder: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/kernels/deno`, { recursive: true });
    const argv = [Deno.execPath(), "jupyter", "--kernel", "--conn", "{connection_file}"];
    await Deno.writeTextFile(
      `${folder}/kernels/deno/kernel.json`,
      JSON.stringify({ argv, display_name: "Deno", language: "typescript" }),
    );
    await Deno.writeTextFile(`${folder}/nb.ipynb`, notebookOf(PARAMETERS, SHOW));
    await work(folder, { JUPYTER_PATH: folder });
  });
}

Deno.test({
  name:
    "run_notebook.ts runs a notebook with other parameters, in its own folder, to .ipynb and .html",
  ignore: !await hasJupyter(),
  fn: () =>
    inNotebookFolder(async (folder, env) => {
      const set = ["--set", "chain_ids=basalt,cinder", "--set", "horizon=36"];
      const before = await Deno.readTextFile(`${folder}/nb.ipynb`);
      const { code, stdout, stderr } = await runScript(
        NOTEBOOK,
        [`${folder}/nb.ipynb`, ...set, "--out", `${folder}/run.ipynb`],
        { env },
      );
      deepStrictEqual([code, stdout, stderr], [0, "", ""]);
      strictEqual(await Deno.readTextFile(`${folder}/nb.ipynb`), before);
      const [parameters, show] = JSON.parse(await Deno.readTextFile(`${folder}/run.ipynb`)).cells;
      strictEqual(
        [parameters.source].flat().join(""),
        'const chain_ids = ["basalt", "cinder"];\nlet horizon = 36;',
      );
      deepStrictEqual(JSON.parse([show.outputs[0].text].flat().join("")), {
        chain_ids: ["basalt", "cinder"],
        horizon: 36,
        cwd: folder,
      });
      await Deno.writeTextFile(`${folder}/report.html`, "old");
      const report = await runScript(
        NOTEBOOK,
        [`${folder}/nb.ipynb`, "--out", `${folder}/report.html`, "--force"],
        { env },
      );
      deepStrictEqual([report.code, report.stderr], [0, ""]);
      match(await Deno.readTextFile(`${folder}/report.html`), /<html[^]*alder/);
    }),
});

Deno.test({
  name: "run_notebook.ts makes a report of the first notebook of init.ts",
  ignore: !await hasJupyter(),
  fn: () =>
    inNotebookFolder(async (folder, env) => {
      await runScript("init.ts", [`${folder}/mine`]);
      const args = [`${folder}/mine/first.ipynb`, "--out", `${folder}/report.html`];
      const { code, stderr } = await runScript(NOTEBOOK, args, { env });
      strictEqual(code, 0, stderr);
      const report = await Deno.readTextFile(`${folder}/report.html`);
      for (const told of ["SAMPLE DATA", "image/svg+xml", "rankBy"]) {
        ok(report.includes(told), told);
      }
    }),
});

Deno.test({
  name: "run_notebook.ts ends with 1 and the reason when a cell fails, and keeps the old report",
  ignore: !await hasJupyter(),
  fn: () =>
    inNotebookFolder(async (folder, env) => {
      await Deno.writeTextFile(`${folder}/report.html`, "old");
      const args = [
        `${folder}/nb.ipynb`,
        "--set",
        "horizon=13",
        "--force",
        "--out",
        `${folder}/report.html`,
      ];
      const { code, stderr } = await runScript(NOTEBOOK, args, { env });
      deepStrictEqual([code, stderr], [
        1,
        "run_notebook.ts: the notebook failed: TypeError: unlucky\n",
      ]);
      strictEqual(await Deno.readTextFile(`${folder}/report.html`), "old");
    }),
});

Deno.test("run_notebook.ts says in one line what was asked wrongly, and runs nothing", () =>
  inNotebookFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/bare.ipynb`, notebookOf(SHOW));
    await Deno.writeTextFile(`${folder}/none.ipynb`, "{}");
    const cases: readonly (readonly [args: string, told: string])[] = [
      ["", "NOTEBOOK: is required, the path of an .ipynb file"],
      ["a.ipynb b.ipynb", "NOTEBOOK: must be one; got more: b.ipynb"],
      ["nb.ipynb", "--out: is required, an .ipynb or .html file"],
      ["nb.ipynb --out a.pdf", "--out: must end in .ipynb or .html: a.pdf"],
      [
        "nb.ipynb --out nb.ipynb",
        "--out: the file exists and is kept; --force replaces it: nb.ipynb",
      ],
      ["no.ipynb --out a.html", "NOTEBOOK: there is no such file: no.ipynb"],
      ["none.ipynb --out a.html", "NOTEBOOK: is no Jupyter notebook: none.ipynb"],
      ["nb.ipynb --out a.html --set horizon", "--set: must be NAME=VALUE: horizon"],
      [
        "nb.ipynb --out a.html --set horizon=1 --set horizon=2",
        "--set horizon: was given more than once",
      ],
      [
        "nb.ipynb --out a.html --set chains=a",
        "--set chains: is no parameter of this notebook (nearest: chain_ids; it has chain_ids, horizon)",
      ],
      [
        "bare.ipynb --out a.html --set horizon=1",
        "--set: needs one code cell tagged parameters, and this notebook has 0: bare.ipynb",
      ],
    ];
    for (const [args, told] of cases) {
      const words = args === "" ? [] : args.split(" ");
      const { code, stdout, stderr } = await runScript(NOTEBOOK, words, { cwd: folder });
      deepStrictEqual([code, stdout, stderr], [2, "", `run_notebook.ts: ${told}\n`], args);
    }
    const debug = await runScript(NOTEBOOK, ["--debug"], { cwd: folder });
    match(debug.stderr, /\nUsageError: .*\n\s+at /);
  }));

Deno.test({
  name: "run_notebook.ts needs every permission of its first line",
  ignore: !await hasJupyter(),
  fn: () =>
    inNotebookFolder(async (folder, env) => {
      const [run, noPrompt, ...permissions] = firstLine(NOTEBOOK);
      deepStrictEqual([run, noPrompt], ["run", "--no-prompt"]);
      for (const without of permissions) {
        const args = [`${folder}/nb.ipynb`, "--out", `${folder}/a.ipynb`];
        const { code } = await runScript(NOTEBOOK, args, { env, without });
        strictEqual(code, 1, `${without} is not needed`);
      }
    }),
});

Deno.test("every option of run_notebook.ts was run", async () => {
  const { stdout } = await runScript(NOTEBOOK, ["--help"]);
  await runScript(NOTEBOOK, ["--version"]);
  const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name!);
  ok(options.length > 5);
  deepStrictEqual(options.filter((name) => !optionsRun(NOTEBOOK).has(name)), []);
});
