import { jupyterOf } from "./jupyter.ts";

/**
 * Tells the user something that is no error: on stderr, and in a notebook in the cell, as a display,
 * so that the cell does not look as if it had failed.
 */
export function notify(message: string): void {
  const jupyter = jupyterOf();
  if (jupyter === null) return console.error(message);
  jupyter.broadcast("display_data", {
    data: { "text/plain": message },
    metadata: {},
    transient: {},
  }).catch(() => console.error(message));
}
