import { terminalLines } from "./terminal_text.ts";

/** The notebook that runs this code; null outside of one, where asking throws. */
export function jupyterOf(): typeof Deno.jupyter | null {
  try {
    return typeof Deno.jupyter.broadcast === "function" ? Deno.jupyter : null;
  } catch {
    return null;
  }
}

/**
 * Tells the user something that is no error: on stderr, and in a notebook in the cell, as a display,
 * so that the cell does not look as if it had failed.
 */
export function notify(message: string): void {
  const text = terminalLines(message);
  const jupyter = jupyterOf();
  if (jupyter === null) return console.error(text);
  const content = { data: { "text/plain": text }, metadata: {}, transient: {} };
  // The kernel's types promise a promise, its broadcast returns none.
  Promise.try(() => jupyter.broadcast("display_data", content)).catch(() => console.error(text));
}

/** Tells the user something, once; of several messages with the same key, the first. */
export type Warn = (message: string, key?: string) => void;

/** Makes a teller that tells nothing twice. */
export function createWarn(): Warn {
  const told = new Set<string>();
  return (message, key = message) => {
    if (told.has(key)) return;
    told.add(key);
    notify(message);
  };
}
