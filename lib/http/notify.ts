import { jupyterOf } from "./jupyter.ts";

/**
 * Tells the user something that is no error: on stderr, and in a notebook in the cell, as a display,
 * so that the cell does not look as if it had failed.
 */
export function notify(message: string): void {
  const jupyter = jupyterOf();
  if (jupyter === null) return console.error(message);
  const content = { data: { "text/plain": message }, metadata: {}, transient: {} };
  // The kernel's types promise a promise, its broadcast returns none.
  Promise.try(() => jupyter.broadcast("display_data", content)).catch(() => console.error(message));
}
