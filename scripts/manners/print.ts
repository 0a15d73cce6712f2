/** Writes to stdout, all of it. Rejects with `Deno.errors.BrokenPipe` when nobody reads any more. */
export async function print(content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let written = 0; written < bytes.length;) {
    written += await Deno.stdout.write(bytes.subarray(written));
  }
}
