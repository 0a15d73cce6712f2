const NAMES = ["CHAINFRAME_BASE_URL", "CHAINFRAME_TOKEN", "CHAINFRAME_CACHE"] as const;

function set(name: string, value: string | undefined): void {
  if (value === undefined) Deno.env.delete(name);
  else Deno.env.set(name, value);
}

/** Runs code with these chainframe variables set and no other ones, and puts back what was there. */
export async function withEnvironment<T>(
  variables: Partial<Record<typeof NAMES[number], string>>,
  code: () => T | Promise<T>,
): Promise<T> {
  const before = NAMES.map((name) => Deno.env.get(name));
  try {
    for (const name of NAMES) set(name, variables[name]);
    return await code();
  } finally {
    NAMES.forEach((name, index) => set(name, before[index]));
  }
}
