#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-run
/**
 * Opens Jupyter with a Deno kernel.
 *
 * @module
 */
import { isMain, type Main, runProcess, script, tell } from "./cli/script.ts";

/** Runs a command. Returns its stdout, or null if the command is missing or fails. */
async function output(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command(command, { args: [...args] }).output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Returns the state of the kernel named `deno`. */
async function kernelState(): Promise<"starts" | "broken" | "missing"> {
  const list = JSON.parse(await output("jupyter", ["kernelspec", "list", "--json"]) ?? "{}");
  const argv: readonly string[] | undefined = list.kernelspecs?.deno?.spec?.argv;
  if (argv === undefined) return "missing";
  return await output(argv[0] ?? "", ["--version"]) === null ? "broken" : "starts";
}

/** Installs the kernel if it is missing, and replaces it if it is broken. */
async function installKernel(): Promise<void> {
  const state = await kernelState();
  if (state === "starts") return;
  const force = state === "broken" ? ["--force"] : [];
  const installed = await output(Deno.execPath(), ["jupyter", "--install", ...force]);
  if (installed === null) throw new Error("deno jupyter --install failed; run it to see why");
}

export const main: Main = script({
  name: "notebook.ts",
  about: "Opens Jupyter in this folder. Installs Deno's kernel if none starts. " +
    "Uses JupyterLab if the classic notebook is missing.",
  usage: "[options]",
  options: [],
  examples: [["", "Open the notebooks of this folder"]],
  async run(given, io) {
    given.noOperands();
    const found = [];
    for (const name of ["notebook", "lab"]) {
      if (await output("jupyter", [name, "--version"]) !== null) found.push(name);
    }
    const [app] = found;
    if (app === undefined) {
      throw new Error(
        "neither jupyter notebook nor jupyter lab was found; install one: pip install notebook",
      );
    }
    await installKernel();
    tell(io, `jupyter ${app}`);
    const jupyter = new Deno.Command("jupyter", { args: [app], signal: io.signal }).spawn();
    return (await jupyter.status).code;
  },
});

if (isMain(import.meta)) await runProcess(main, { grace: 10_000 });
