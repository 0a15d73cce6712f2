import { join } from "node:path";
import { JUPYTER } from "./jupyter.ts";
import { type Notebook, NOTEBOOKS } from "./notebook.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Jupyter finds free ports for a kernel and lets go of them again: at times another program takes one
 * before the kernel listens, and it dies before any cell ran.
 */
const PORT_TAKEN = /AddrInUse[^]*Kernel died before replying to kernel_info/;
const TRIES = 3;

/**
 * Runs a notebook from top to bottom in Jupyter, and gives it back with its outputs. An error in a cell
 * becomes an output of that cell. From Jupyter's start to its end it may take `limit` milliseconds.
 */
export async function executeNotebook(
  { notebooks, env }: Workspace,
  name: string,
  notebook: Notebook,
  limit = 30_000,
): Promise<Notebook> {
  await Deno.writeTextFile(join(notebooks, name), JSON.stringify(notebook));
  const command = new Deno.Command(JUPYTER!, {
    args: [
      "nbconvert",
      `--config=${new URL("nbconvert_config.py", NOTEBOOKS).pathname}`,
      "--to=notebook",
      "--execute",
      "--allow-errors",
      `--output=executed-${name}`,
      name,
    ],
    cwd: notebooks,
    env,
    stdout: "null",
    signal: AbortSignal.timeout(limit),
  });
  for (let left = TRIES - 1;; left--) {
    const { success, stderr } = await command.output();
    if (success) break;
    const told = new TextDecoder().decode(stderr);
    if (left === 0 || !PORT_TAKEN.test(told)) throw new Error(`${name}: nbconvert failed: ${told}`);
  }
  return JSON.parse(await Deno.readTextFile(join(notebooks, `executed-${name}`)));
}
