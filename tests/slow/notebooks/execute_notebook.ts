import { join } from "node:path";
import { JUPYTER } from "./jupyter.ts";
import type { Notebook } from "../../notebooks/notebook.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Jupyter finds free ports for a kernel and lets go of them again: at times another program takes one
 * before the kernel listens, and it dies before any cell ran.
 */
const PORT_TAKEN = /AddrInUse[^]*Kernel died before replying to kernel_info/;

/** A notebook to run: its file name and its content. */
interface Run {
  readonly name: string;
  readonly notebook: Notebook;
  /**
   * How long it may take from Jupyter's start to its end, in milliseconds.
   * @default {60_000}
   */
  readonly limit?: number;
}

/** Time for Jupyter to end its kernel after a signal. */
const LAST_WORDS = 5_000;

/**
 * Waits until Jupyter has ended, and returns its exit and its output. On SIGINT it ends its kernel, which would
 * otherwise run forever and keep the pipe open, so output after Jupyter's end is ignored.
 */
async function endedWithin(
  child: Deno.ChildProcess,
  limit: number,
): Promise<{ success: boolean; isStopped: boolean; told: string }> {
  const told: string[] = [];
  const decoder = new TextDecoderStream();
  const lines = decoder.readable.pipeTo(
    new WritableStream({ write: (text) => void told.push(text) }),
  );
  const letGo = new AbortController();
  const pipe = child.stderr.pipeTo(decoder.writable, { signal: letGo.signal });
  let isStopped = false;
  const stop = setTimeout(() => {
    isStopped = true;
    child.kill("SIGINT");
  }, limit);
  const kill = setTimeout(() => child.kill("SIGKILL"), limit + LAST_WORDS);
  const { success } = await child.status;
  clearTimeout(stop);
  clearTimeout(kill);
  const release = setTimeout(() => letGo.abort(), 1_000);
  await Promise.allSettled([pipe, lines]);
  clearTimeout(release);
  return { success, isStopped, told: told.join("") };
}

/**
 * Runs a notebook from top to bottom in Jupyter, and gives it back with its outputs. An error in a cell
 * becomes an output of that cell.
 *
 * @throws {DOMException} `TimeoutError` when it did not end in time, or its kernel found a port taken.
 */
export async function executeNotebook(
  { notebooks, env }: Workspace,
  { name, notebook, limit = 60_000 }: Run,
): Promise<Notebook> {
  await Deno.writeTextFile(join(notebooks, name), JSON.stringify(notebook));
  const command = new Deno.Command(JUPYTER!, {
    args: [
      "nbconvert",
      "--to=notebook",
      "--execute",
      "--allow-errors",
      `--output=executed-${name}`,
      name,
    ],
    cwd: notebooks,
    env,
    stdout: "null",
    stderr: "piped",
  });
  const { success, isStopped, told } = await endedWithin(command.spawn(), limit);
  if (isStopped || PORT_TAKEN.test(told)) {
    const what = isStopped ? `did not end in ${limit} ms` : "found a port taken";
    throw new DOMException(`${name}: nbconvert ${what}: ${told}`, "TimeoutError");
  }
  if (!success) throw new Error(`${name}: nbconvert failed: ${told}`);
  return JSON.parse(await Deno.readTextFile(join(notebooks, `executed-${name}`)));
}
