import process from "node:process";
import { setTimeout } from "node:timers";

/** Time in milliseconds for which the listener stays active after a call, because the interrupt can arrive late. */
const LINGER_MS = 2_000;

/** Maximum pause, in milliseconds, between two calls that count as calls of the same cell. */
const SAME_CELL_MS = 100;

let running = 0;
let endedAt = -Infinity;
let isInterrupted = false;
let controller = new AbortController();
let timer: ReturnType<typeof setTimeout> | null = null;

function onInterrupt(): void {
  // The cell was interrupted, but then made another call. A second interrupt now ends the kernel, as if no listener
  // were active.
  if (isInterrupted && running > 0) return unlisten(true);
  // If no call is running, the cell has probably ended. A second interrupt soon after the first must not end the
  // kernel.
  isInterrupted = true;
  controller.abort(new DOMException("The cell was interrupted", "AbortError"));
}

function unlisten(interrupt = false): void {
  process.off("SIGINT", onInterrupt);
  if (timer !== null) clearTimeout(timer);
  timer = null;
  if (interrupt) process.kill(process.pid, "SIGINT");
}

/**
 * Listens for an interrupt of the notebook cell during a call. Call `end` in a `finally` block. Without a listener, an
 * interrupt would end the kernel, and the notebook's variables would be lost.
 */
export function listenForInterrupt() {
  if (running++ === 0) {
    if (performance.now() - endedAt > SAME_CELL_MS) isInterrupted = false;
    controller = new AbortController();
    if (timer === null) process.on("SIGINT", onInterrupt);
    else clearTimeout(timer);
    timer = null;
  }
  return {
    /** Fires when the cell is interrupted. */
    signal: controller.signal,
    end: () => {
      if (--running > 0) return;
      endedAt = performance.now();
      timer = setTimeout(unlisten, LINGER_MS);
      timer.unref();
    },
  };
}
