/** The notebook that runs this code; null outside of one, where asking throws. */
export function jupyterOf(): typeof Deno.jupyter | null {
  try {
    return typeof Deno.jupyter.broadcast === "function" ? Deno.jupyter : null;
  } catch {
    return null;
  }
}
