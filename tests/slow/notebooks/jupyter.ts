import { delimiter, join } from "node:path";

/** Returns the path of a program; null if it is not on the PATH. */
export function onPath(program: string): string | null {
  for (const folder of (Deno.env.get("PATH") ?? "").split(delimiter)) {
    const path = join(folder, program);
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** The path of Jupyter; null if it is not installed. */
export const JUPYTER: string | null = onPath("jupyter");

/** The Python that Jupyter runs on, which need not be the first on the PATH. */
export async function jupyterPython(): Promise<string> {
  const text = await Deno.readTextFile(JUPYTER!);
  return /^#!\s*(\S+python\S*)/.exec(text)?.[1] ?? "python3";
}
