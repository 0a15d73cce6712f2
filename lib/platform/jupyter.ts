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

/** The time that Deno's kernel needs to send an output, in milliseconds. */
const SENDING = 50;

/**
 * Returns an output that a cell displays, and keeps the cell from ending until the kernel has sent the output. Without
 * this, Deno's kernel can send the end of the cell first, and nbconvert drops outputs that arrive after the end.
 */
export function heldOutput<Output>(output: Output): Output {
  if (jupyterOf() === null) return output;
  // The kernel takes the output some microtasks later, and ends the cell when no microtask is left.
  let microtasks = 50;
  const wait = () => {
    if (microtasks-- > 0) return queueMicrotask(wait);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SENDING);
  };
  wait();
  return output;
}
