import { fileURLToPath } from "node:url";

/** The notebook API of Deno. */
interface Jupyter {
  broadcast(type: string, content: Record<string, unknown>): Promise<void>;
}

/** Returns Deno's notebook API. Outside a notebook, where access to the API throws an error, returns null. */
export function jupyterOf(): Jupyter | null {
  try {
    return typeof Deno.jupyter.broadcast === "function" ? Deno.jupyter : null;
  } catch {
    return null;
  }
}

/** Maximum time for which an output holds the end of its cell, in milliseconds. */
const LONGEST = 3_000;
/** The same where the states of threads cannot be read. */
const LONGEST_BLIND = 50;
/** Interval at which the states are read. */
const EVERY = 2;
/** Threads that start each other can all sleep for a moment, so they have to sleep several times in a row. */
const IN_A_ROW = 3;

/** Whether another thread of this process runs or waits for a processor; null if the system does not say. */
function othersRun(): boolean | null {
  const running = (id: string) => {
    try {
      return /\) [RD]/.test(Deno.readTextFileSync(`/proc/self/task/${id}/stat`));
    } catch {
      return false; // the thread has ended
    }
  };
  try {
    const threads = [...Deno.readDirSync("/proc/self/task")];
    return threads.filter(({ name }) => running(name)).length > 1;
  } catch {
    return null;
  }
}

/** Blocks until the thread of the kernel that sends outputs has nothing left to do. */
function waitUntilSent(): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const start = performance.now();
  for (let quiet = 0; quiet < IN_A_ROW;) {
    Atomics.wait(cell, 0, 0, EVERY);
    const running = othersRun();
    quiet = running === false ? quiet + 1 : 0;
    if (performance.now() - start > (running === null ? LONGEST_BLIND : LONGEST)) return;
  }
}

/**
 * Returns an output that a cell displays, and keeps the cell from ending until the kernel has sent the output. Without
 * this, Deno's kernel can send the end of the cell first, and nbconvert drops outputs that arrive after the end.
 */
export function heldOutput<Output>(output: Output): Output {
  if (jupyterOf() === null) return output;
  // The kernel takes the output some microtasks later, and ends the cell when no microtask is left.
  let microtasks = 50;
  const wait = () => microtasks-- > 0 ? queueMicrotask(wait) : waitUntilSent();
  wait();
  return output;
}

/**
 * Escapes the dollar signs of a text in Markdown, which Jupyter would read as the ends of a formula. Code keeps its
 * backslashes, so it stays as it is.
 */
export function withoutMath(markdown: string): string {
  return markdown.replace(
    /(```[^]*?```|`[^`\n]*`)|(?<!\\)\$/g,
    (_, code?: string) => code ?? "\\$",
  );
}

/** Adds members to an object by which consoles print it as a text, and notebooks display it. */
export function displayedAs<Value extends object>(
  value: Value,
  text: () => string,
  bundle: () => Record<string, string> | Promise<Record<string, string>>,
): Value {
  return Object.defineProperties(value, {
    [Symbol.for("Deno.customInspect")]: { value: text },
    [Symbol.for("nodejs.util.inspect.custom")]: { value: text },
    [Symbol.for("Jupyter.display")]: {
      value: async () => heldOutput({ ...await bundle(), "text/plain": text() }),
    },
  });
}

/** A line of a stack, as V8 gives it. */
interface CallSite {
  getFileName(): string | null;
  toString(): string;
}

/** How V8 writes the stack of an error. */
type StackWriter = (error: Error, sites: readonly CallSite[]) => string;

const FOLDER = new URL("../", import.meta.url);

/**
 * Returns how stacks are written in a notebook: an error that chainframe throws has its message and one line, the line
 * of the cell that called it, if there is one. All other errors have all lines.
 */
export function notebookStack(folder: URL): StackWriter {
  const own = folder.protocol === "file:" ? fileURLToPath(folder) : folder.href;
  const isOwn = (site: CallSite) => site.getFileName()?.startsWith(own) === true;
  return (error, sites) => {
    const [first] = sites;
    const shown = first === undefined || !isOwn(first)
      ? sites
      : sites.filter((site) => !isOwn(site)).slice(0, 1);
    return [String(error), ...shown.map((site) => `    at ${site}`)].join("\n");
  };
}

const stacks = Error as unknown as { prepareStackTrace?: StackWriter | undefined };
if (jupyterOf() !== null) stacks.prepareStackTrace ??= notebookStack(FOLDER);
