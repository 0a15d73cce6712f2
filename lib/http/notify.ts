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

/** The notebook that runs this code; null outside of one, where asking throws. */
function jupyterOf(): typeof Deno.jupyter | null {
  try {
    return typeof Deno.jupyter.broadcast === "function" ? Deno.jupyter : null;
  } catch {
    return null;
  }
}
