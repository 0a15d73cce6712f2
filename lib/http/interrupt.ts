/** Time for which the listener stays after a call, because the interrupt can arrive late. */
const LINGER_MS = 2_000;

let running = 0;
let controller = new AbortController();
let timer: ReturnType<typeof setTimeout> | null = null;

function onInterrupt(): void {
  // A second interrupt of the same cell ends the kernel, as without a listener.
  if (controller.signal.aborted) return unlisten(true);
  controller.abort(new DOMException("The cell was interrupted", "AbortError"));
}

function unlisten(interrupt = false): void {
  Deno.removeSignalListener("SIGINT", onInterrupt);
  if (timer !== null) clearTimeout(timer);
  timer = null;
  if (interrupt) Deno.kill(Deno.pid, "SIGINT");
}

/**
 * Runs a call of a notebook with a signal that fires when the cell is interrupted. Without a listener an
 * interrupt would end the kernel and its variables.
 */
export async function interruptible<T>(
  call: (interrupted: AbortSignal) => Promise<T>,
): Promise<T> {
  if (running++ === 0) {
    controller = new AbortController();
    if (timer === null) Deno.addSignalListener("SIGINT", onInterrupt);
    else clearTimeout(timer);
    timer = null;
  }
  try {
    return await call(controller.signal);
  } finally {
    if (--running === 0) {
      timer = setTimeout(unlisten, LINGER_MS);
      Deno.unrefTimer(timer as unknown as number);
    }
  }
}
