import { closeSync, lstatSync, openSync, unlinkSync } from "node:fs";
import { hasCode, removeLink } from "./file.ts";
import { notify, terminalText } from "./terminal.ts";

/** After this time, the guard of a process that was killed is taken over, in runtimes without locks of the system. */
const STALE_MS = 10_000;
const WAIT_MS = 10;

function inodeOf(path: string): number | null | undefined {
  try {
    return Deno.lstatSync(path).ino;
  } catch {
    return undefined;
  }
}

/** Creates or opens the guard, not through a link. Returns null if another process has just removed it. */
function openedGuard(guard: string): Deno.FsFile | null {
  const options = { read: true, write: true };
  try {
    return Deno.openSync(guard, { ...options, createNew: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  try {
    // `Deno.openSync` follows links.
    removeLink(guard);
    return Deno.openSync(guard, options);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Opens and locks the guard. The system frees the lock when the process ends, also after a kill. */
function lockedGuard(guard: string): Disposable {
  for (;;) {
    const file = openedGuard(guard);
    if (file === null) continue;
    file.lockSync(true);
    // The process that had the lock before has removed the file.
    if (inodeOf(guard) === file.statSync().ino) return file;
    file.close();
  }
}

/** Creates the guard. A guard of a killed process stays, so an old guard is taken over. */
function createdGuard(guard: string): Disposable {
  for (;;) {
    try {
      closeSync(openSync(guard, "wx"));
      return { [Symbol.dispose]: () => {} };
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    const { mtimeMs = Date.now() } = lstatSync(guard, { throwIfNoEntry: false }) ?? {};
    // A file of a foreign folder can have a time in the future.
    if (Math.abs(Date.now() - mtimeMs) > STALE_MS) {
      unlinkSync(guard);
      notify(terminalText(`chainframe: took over ${guard}, which another process left`));
    } else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
}

/**
 * Runs work while no other process runs work with the same guard. The guard is a file that exists only meanwhile. All is
 * synchronous, so that it can run while the process ends.
 */
export function exclusively<Made>(guard: string, work: () => Made): Made {
  const file = "Deno" in globalThis ? lockedGuard(guard) : createdGuard(guard);
  try {
    return work();
  } finally {
    try {
      unlinkSync(guard);
    } catch {
      // A lock of the system does not need its file to be removed.
    }
    file[Symbol.dispose]();
  }
}
