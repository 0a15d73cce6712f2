import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { spawnScript } from "./run_script.ts";

/** A stand-in for Jupyter, which has one of the two apps and one kernel, and writes down what it is run with. */
function jupyter(app: "notebook" | "lab", kernel: string): string {
  return `#!/bin/sh
case "$*" in
  "${app} --version") echo 7.0 ;;
  "kernelspec list --json") echo '{ "kernelspecs": { ${kernel} } }' ;;
  "${app}") echo "opened ${app}" ;;
  *) exit 1 ;;
esac
`;
}

const spec = (program: string) => `"deno": { "spec": { "argv": ["${program}", "jupyter"] } }`;
const OWN = '{ "display_name": "my own" }';

/** Runs notebook.ts in a home with a kernelspec of the user's. */
async function notebook(app: "notebook" | "lab", kernel: string | null) {
  const home = await Deno.makeTempDir();
  try {
    const bin = join(home, "bin");
    const folder = join(home, "data", "jupyter", "kernels", "deno");
    const file = join(folder, "kernel.json");
    await Deno.mkdir(bin);
    if (kernel !== null) {
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeTextFile(file, OWN);
    }
    const text = jupyter(app, kernel === null ? "" : spec(kernel));
    await Deno.writeTextFile(join(bin, "jupyter"), text, { mode: 0o755 });
    const path = `${bin}:${Deno.env.get("PATH")}`;
    const env = { PATH: path, XDG_DATA_HOME: join(home, "data") };
    const { code, stdout, stderr } = await spawnScript("notebook.ts", [], { env });
    return { code, said: stdout + stderr, kernel: await Deno.readTextFile(file) };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

// Elsewhere Deno installs its kernel in another folder.
const test = Deno.build.os === "linux" ? Deno.test : Deno.test.ignore;

test("notebook.ts keeps a kernel that starts, and opens JupyterLab if only that is installed", async () => {
  const { code, said, kernel } = await notebook("lab", Deno.execPath());
  match(said, /opened lab/);
  deepStrictEqual([code, kernel], [0, OWN]);
});

test("notebook.ts installs the kernel if it is missing or does not start", async () => {
  for (const program of [null, "/nowhere/deno"]) {
    const { code, said, kernel } = await notebook("notebook", program);
    match(said, /opened notebook/);
    strictEqual(code, 0);
    match(kernel, /"jupyter",\s*"--kernel"/);
  }
});
