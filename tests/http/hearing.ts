/** Runs code and gives what was told on stderr meanwhile. */
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
