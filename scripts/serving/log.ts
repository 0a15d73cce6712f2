import { stderr } from "../../lib/platform/terminal.ts";

/** A function that writes a line to the log. */
export type Tell = (line: string) => void;

/**
 * Creates a log that continues to work after a full disk. The log drops lines that cannot be written. Before the next
 * line, it writes the number of dropped lines.
 */
export function createLog(
  write: (bytes: Uint8Array) => number = stderr.writeSync,
): Tell {
  let lost = 0;
  // Whether the last line was written incompletely. If so, the next line begins with a line break.
  let open = false;
  const line = (text: string): boolean => {
    const bytes = new TextEncoder().encode(`${open ? "\n" : ""}${text}\n`);
    let done = 0;
    try {
      while (done < bytes.length) done += write(bytes.subarray(done));
    } catch {
      // Ignores errors, so that requests are served even if the disk is full or the log is closed.
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
