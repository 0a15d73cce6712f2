/** Runs code and returns the lines that it writes to stderr. */
export async function hearing(code: () => unknown): Promise<string[]> {
  const told: string[] = [];
  const { error } = console;
  console.error = (...parts: unknown[]) => told.push(parts.join(" "));
  try {
    await code();
  } finally {
    console.error = error;
  }
  return told;
}
