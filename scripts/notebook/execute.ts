import { fileURLToPath } from "node:url";

/** Makes nbconvert keep the outputs that Deno's kernel sends late. */
const CONFIG = new URL("../../notebooks/nbconvert_config.py", import.meta.url);

/** What a notebook is turned into. */
export type NotebookForm = "notebook" | "html";

/** The last line that says what went wrong, of a Python traceback. */
function reasonIn(stderr: string): string {
  // deno-lint-ignore no-control-regex -- tracebacks are coloured
  const lines = stderr.replace(/\x1b\[[\d;]*m/g, "").split("\n").map((line) => line.trim());
  const told =
    lines.filter((line) => /^[A-Za-z_.]*(Error|Exception|Warning|NoSuchKernel)\b.*:/.test(line))
      .at(-1) ?? lines.filter((line) => line !== "").at(-1) ?? "it said nothing";
  const hint = told.includes("NoSuchKernel") ? " (deno jupyter --install adds Deno's)" : "";
  return `${told}${hint}`;
}

function spawn(
  form: NotebookForm,
  folder: string,
  signal: AbortSignal,
): Deno.ChildProcess {
  try {
    return new Deno.Command("jupyter", {
      args: [
        "nbconvert",
        "--config",
        fileURLToPath(CONFIG),
        "--stdin",
        "--stdout",
        "--execute",
        "--to",
        form,
      ],
      cwd: folder,
      signal,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new Error("jupyter is not on the PATH (in Debian: apt-get install jupyter-nbconvert)", {
      cause,
    });
  }
}

/**
 * Runs a notebook in Jupyter, in a folder, and gives back the executed notebook or an HTML page.
 *
 * @throws {Error} that says why a cell failed; its cause holds all that Jupyter said.
 */
export async function execute(
  notebook: string,
  form: NotebookForm,
  folder: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const jupyter = spawn(form, folder, signal);
  const writer = jupyter.stdin.getWriter();
  const [{ success, stdout, stderr }] = await Promise.all([
    jupyter.output(),
    writer.write(new TextEncoder().encode(notebook)).then(() => writer.close()),
  ]);
  signal.throwIfAborted();
  if (success) return stdout;
  const told = new TextDecoder().decode(stderr);
  throw new Error(`the notebook failed: ${reasonIn(told)}`, { cause: told });
}
