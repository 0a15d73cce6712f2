import { ok } from "node:assert/strict";
import { JUPYTER, jupyterPython } from "./jupyter.ts";
import { makeWorkspace } from "./workspace.ts";

async function hasKernelTests(): Promise<boolean> {
  if (JUPYTER === null) return false;
  const { success } = await new Deno.Command(await jupyterPython(), {
    args: ["-c", "import jupyter_kernel_test"],
    stderr: "null",
  }).output();
  return success;
}

Deno.test({
  name: "Deno's kernel with the module imported passes Jupyter's tests of kernels",
  ignore: !await hasKernelTests(),
  fn: async () => {
    await using workspace = await makeWorkspace();
    const { success, stderr } = await new Deno.Command(await jupyterPython(), {
      args: [new URL("kernel_test.py", import.meta.url).pathname],
      cwd: workspace.notebooks,
      env: workspace.env,
      stdout: "null",
      signal: AbortSignal.timeout(60_000),
    }).output();
    ok(success, new TextDecoder().decode(stderr));
  },
});
