#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write --allow-run=jupyter
/**
 * Runs a notebook in Jupyter with other parameters, and keeps it executed, or as a report.
 *
 * @module
 */
import { dirname, extname } from "node:path";
import { writeWhole } from "../lib/platform/file.ts";
import { checkFile, tellWritten } from "./cli/output.ts";
import { type Arguments, UsageError } from "./cli/arguments.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { execute, type NotebookForm } from "./notebook/execute.ts";
import { withValues } from "./notebook/notebook.ts";

const FORMS: Readonly<Record<string, NotebookForm>> = { ".ipynb": "notebook", ".html": "html" };

function notebookOf({ operands }: Arguments): string {
  const [path, ...more] = operands;
  if (path === undefined) throw new UsageError("NOTEBOOK: is required, the path of an .ipynb file");
  if (more.length > 0) throw new UsageError(`NOTEBOOK: must be one; got more: ${more.join(" ")}`);
  return path;
}

async function textOf(path: string): Promise<string> {
  return await Deno.readTextFile(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(`NOTEBOOK: there is no such file: ${path}`);
  });
}

function valuesOf(given: Arguments): Map<string, string> {
  const values = new Map<string, string>();
  for (const text of given.all("set")) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(`--set: must be NAME=VALUE: ${text}`);
    }
    if (values.has(name)) throw new UsageError(`--set ${name}: was given more than once`);
    values.set(name, value);
  }
  return values;
}

async function outOf(given: Arguments): Promise<{ path: string; form: NotebookForm }> {
  const path = given.one("out");
  if (path === undefined) throw new UsageError("--out: is required, an .ipynb or .html file");
  const form = FORMS[extname(path).toLowerCase()];
  if (form === undefined) throw new UsageError(`--out: must end in .ipynb or .html: ${path}`);
  await checkFile("out", path, given.has("force"), "anything");
  return { path, form };
}

const SCRIPT: Script = {
  name: "run_notebook.ts",
  about: "Runs a notebook in Jupyter, in its own folder, with other values in the cell that is " +
    "tagged parameters, and keeps it executed (.ipynb) or as a report (.html).",
  usage: "NOTEBOOK --out FILE [options]",
  options: [
    {
      title: "What to run",
      options: [
        {
          name: "set",
          value: "NAME=VALUE",
          several: true,
          about:
            "Sets a parameter, by the type of its default: a text, a number, true or false, or " +
            "a list as a,b.",
        },
      ],
    },
    {
      title: "Where it goes",
      options: [
        {
          name: "out",
          value: "FILE",
          about: "The executed notebook (.ipynb) or a report (.html).",
        },
        { name: "force", about: "Replaces a file that exists." },
      ],
    },
  ],
  examples: [
    [
      "notebooks/your_own.ipynb --set chain_ids=alder,basalt --out report.html",
      "A report about two chains",
    ],
  ],
  async run(given, { signal }) {
    const notebook = notebookOf(given);
    const values = valuesOf(given);
    const { path, form } = await outOf(given);
    const text = withValues(await textOf(notebook), notebook, values);
    const executed = await execute(text, form, dirname(notebook), signal);
    await writeWhole(path, executed, { force: given.has("force") });
    tellWritten(path);
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
