import { ok } from "node:assert/strict";
import { JUPYTER, jupyterPython } from "./jupyter.ts";
import { withNewKernel } from "./with_new_kernel.ts";
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
    await withNewKernel(async () => {
      const { success, signal, stderr } = await new Deno.Command(await jupyterPython(), {
        args: [new URL("kernel_test.py", import.meta.url).pathname],
        cwd: workspace.notebooks,
        env: workspace.env,
        stdout: "null",
        signal: AbortSignal.timeout(90_000),
      }).output();
      const told = new TextDecoder().decode(stderr);
      // Its own limits are of 15 and 30 seconds for one message of the kernel.
      if (signal !== null || /^(_queue\.|queue\.)?(Empty|TimeoutError)\b/m.test(told)) {
        throw new DOMException(`the tests of kernels did not end in time: ${told}`, "TimeoutError");
      }
      ok(success, told);
    });
  },
});
