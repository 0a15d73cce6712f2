/** Tells something on stderr. A reader that went away is no reason to stop. */
export function tell(text: string): void {
  const bytes = new TextEncoder().encode(`${text}\n`);
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stderr.writeSync(bytes.subarray(written));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
