/** Tells a line. */
export type Tell = (line: string) => void;

const encoder = new TextEncoder();

/** Writes all of a text; returns how much of it was written before it could be no more. */
function written(bytes: Uint8Array, write: (bytes: Uint8Array) => number): number {
  let done = 0;
  try {
    while (done < bytes.length) done += write(bytes.subarray(done));
  } catch {
    // Whatever the reason, a full disk or a reader that went away: requests are answered all the same.
  }
  return done;
}

/**
 * A log that a full disk does not stop: a line that cannot be written is dropped and counted, and the
 * count is told before the next line that can be.
 */
export function createLog(
  write: (bytes: Uint8Array) => number = (bytes) => Deno.stderr.writeSync(bytes),
): Tell {
  let lost = 0;
  // Half a line may be out already: the next one begins on a line of its own.
  let open = false;
  const line = (text: string): boolean => {
    const bytes = encoder.encode(`${open ? "\n" : ""}${text}\n`);
    const done = written(bytes, write);
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
