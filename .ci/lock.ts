/**
 * Rewrites the lock files after a change of a dependency. Deno downloads all packages of a lock file at the first run,
 * so it has only those that most users load, and no binaries for musl.
 */

/** Packages that load on first use, and that few users load. Their pin is the version of the specifier. */
export const NOT_LOCKED: readonly string[] = [
  "@modelcontextprotocol/server",
  "pdfkit",
  "svg-to-pdfkit",
  "write-excel-file",
];

/** Packages that the server for agents never loads. It has a lock of its own, because few users load its SDK. */
export const NOT_FOR_AGENTS: readonly string[] = [
  "@types/d3-array",
  "@types/d3-color",
  "@types/d3-path",
  "@types/d3-scale",
  "markdown-it",
  "pdfkit",
  "svg-to-pdfkit",
  "vega",
  "vega-embed",
  "vega-lite",
  "write-excel-file",
];

interface Package {
  dependencies?: string[];
  optionalDependencies?: string[];
  optionalPeers?: string[];
}

interface Lock {
  specifiers: Record<string, string>;
  npm: Record<string, Package>;
}

const isMusl = (name: string) => /-musl(@|$)/.test(name);

/** Returns the key of the package that a dependency names: with its version, if the lock has several. */
function keyOf(dependency: string, { npm }: Lock): string {
  if (npm[dependency] !== undefined) return dependency;
  return Object.keys(npm).find((key) => key.startsWith(`${dependency}@`)) ?? dependency;
}

/** Removes musl binaries, the given packages, and all that only they need. */
function slim(lock: Lock, left: readonly string[]): void {
  const isLeft = (specifier: string) => left.some((name) => specifier.startsWith(`npm:${name}@`));
  for (const specifier of Object.keys(lock.specifiers).filter(isLeft)) {
    delete lock.specifiers[specifier];
  }
  for (const one of Object.values(lock.npm)) {
    for (const list of ["optionalDependencies", "optionalPeers"] as const) {
      const kept = one[list]?.filter((name) => !isMusl(name));
      if (kept === undefined) continue;
      one[list] = kept;
      if (kept.length === 0) delete one[list];
    }
  }
  const needed = new Set<string>();
  const need = (key: string) => {
    if (needed.has(key)) return;
    needed.add(key);
    const { dependencies = [], optionalDependencies = [] } = lock.npm[key] ?? {};
    for (const each of [...dependencies, ...optionalDependencies]) need(keyOf(each, lock));
  };
  for (const [specifier, version] of Object.entries(lock.specifiers)) {
    need(`${specifier.replace(/^npm:/, "").replace(/(?<=.)@.*$/, "")}@${version}`);
  }
  for (const key of Object.keys(lock.npm)) if (!needed.has(key)) delete lock.npm[key];
}

if (import.meta.main) {
  for (
    const [path, left] of [
      ["deno.lock", NOT_LOCKED],
      ["scripts/mcp/deno.lock", NOT_FOR_AGENTS],
      ["tests/deno.lock", []],
      ["tests/engines/deno.lock", []],
    ] as const
  ) {
    const file = new URL(`../${path}`, import.meta.url);
    const lock: Lock = JSON.parse(await Deno.readTextFile(file));
    slim(lock, left);
    // As Deno writes it.
    const text = JSON.stringify(lock, null, 2).replace(
      /"(os|cpu)": \[\s+(\S+)\s+\]/g,
      '"$1": [$2]',
    );
    await Deno.writeTextFile(file, `${text}\n`);
  }
}
