const TRIES = 3;

/**
 * Runs what starts a kernel of its own. Once in some hundred runs Jupyter and Deno's kernel wait for each
 * other for ever: a run that ends with a `TimeoutError` is begun again with a new kernel, and says so.
 * What fails in another way has failed.
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
