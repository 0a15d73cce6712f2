import { stderr } from "../../lib/platform/terminal.ts";

/** Writes a line of the log. */
export type Tell = (line: string) => void;

/**
 * Creates a log that survives a full disk. A line that cannot be written is dropped. Before the next line, the number
 * of dropped lines is written.
 */
export function createLog(
  write: (bytes: Uint8Array) => number = stderr.writeSync,
): Tell {
  let lost = 0;
  // If a line was written partially, it is ended before the next line begins.
  let open = false;
  const line = (text: string): boolean => {
    const bytes = new TextEncoder().encode(`${open ? "\n" : ""}${text}\n`);
    let done = 0;
    try {
      while (done < bytes.length) done += write(bytes.subarray(done));
    } catch {
      // With a full disk or a closed log, requests are still served.
    }
    if (done > 0) open = done < bytes.length;
    return done === bytes.length;
  };
  return (text) => {
    if (lost > 0 && line(`log: ${lost} ${lost === 1 ? "line" : "lines"} could not be written`)) {
      lost = 0;
    }
    if (lost > 0 || !line(text)) lost++;
  };
}
