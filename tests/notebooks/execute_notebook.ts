import { join } from "node:path";
import { JUPYTER } from "./jupyter.ts";
import { type Notebook, NOTEBOOKS } from "./notebook.ts";
import type { Workspace } from "./workspace.ts";

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
  const { success, stderr } = await new Deno.Command(JUPYTER!, {
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
  }).output();
  if (!success) throw new Error(`${name}: nbconvert failed: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(await Deno.readTextFile(join(notebooks, `executed-${name}`)));
}
