import process from "node:process";

/** Returns the exit code with which the process would end now. `Deno.exit` sets only Deno's own code. */
export function exitCode(): number {
  return "Deno" in globalThis ? Deno.exitCode : Number(process.exitCode ?? 0);
}

/** Sets the exit code, also while the process ends. */
export function setExitCode(code: number): void {
  if ("Deno" in globalThis) Deno.exitCode = code;
  else process.exitCode = code;
}

/**
 * Calls a function when the process ends: normally, by `Deno.exit` or `process.exit`, or with an uncaught error. The function can set the exit code. In Deno, it is called again if the program goes on after the error.
 */
export function whenProcessEnds(end: () => void): void {
  if (!("Deno" in globalThis)) return void process.on("exit", end);
  // After an uncaught error, Deno ends with the code 1 and without the event `unload`.
  const endWithError = (event: ErrorEvent | PromiseRejectionEvent) => {
    if (event.defaultPrevented) return;
    end();
    if (exitCode() < 2) return;
    event.preventDefault();
    const error = "reason" in event ? event.reason : event.error ?? event.message;
    console.error("error: Uncaught", error);
    process.exit(exitCode());
  };
  addEventListener("unload", end);
  addEventListener("error", endWithError);
  addEventListener("unhandledrejection", endWithError);
}
