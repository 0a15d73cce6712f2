const TRIES = 3;

/**
 * Runs code that starts its own kernel. Once in some hundred runs Jupyter and Deno's kernel wait for each other
 * forever: after a `TimeoutError` the run is repeated with a new kernel and a note. Other errors are not repeated.
 */
export async function withNewKernel<T>(run: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1;; left--) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "TimeoutError" || left === 0) throw error;
      console.error(`${error.message}\nand is begun again`);
    }
  }
}
