import { join } from "node:path";
import { createService } from "../../../lib/service/mod.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;

/** A copy of the project that notebooks may write in, and a Jupyter that knows this Deno's kernel. */
export interface Workspace extends AsyncDisposable {
  /** The folder of the notebooks; `../mod.ts` is the project's. */
  readonly notebooks: string;
  /** The environment of Jupyter: nothing of the user's is read or written. */
  readonly env: Record<string, string>;
}

/** Writes the kernelspec of this Deno into a data folder of Jupyter. */
export async function installKernel(data: string): Promise<void> {
  const folder = join(data, "kernels", "deno");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(
    join(folder, "kernel.json"),
    JSON.stringify({
      argv: [Deno.execPath(), "jupyter", "--kernel", "--conn", "{connection_file}"],
      display_name: "Deno",
      language: "typescript",
    }),
  );
}

/** Makes a workspace, which is gone when it is disposed of. */
export async function makeWorkspace(env: Record<string, string> = {}): Promise<Workspace> {
  // Builds the sample data, so that no notebook says that it builds them.
  await (await createService()).close();
  const root = await Deno.makeTempDir();
  const notebooks = join(root, "notebooks");
  const data = join(root, "jupyter", "data");
  await Deno.mkdir(notebooks);
  await installKernel(data);
  for (const name of ["mod.ts", "lib", "deno.json"]) {
    await Deno.symlink(join(ROOT, name), join(root, name));
  }
  for (const folder of ["published", "real"]) {
    await Deno.mkdir(join(notebooks, folder));
    for (const { name } of Deno.readDirSync(join(ROOT, "notebooks", folder))) {
      await Deno.copyFile(join(ROOT, "notebooks", folder, name), join(notebooks, folder, name));
    }
  }
  await Deno.copyFile(join(ROOT, "deno.lock"), join(root, "deno.lock"));
  return {
    notebooks,
    env: {
      JUPYTER_DATA_DIR: data,
      JUPYTER_CONFIG_DIR: join(root, "jupyter", "config"),
      JUPYTER_RUNTIME_DIR: join(root, "jupyter", "runtime"),
      IPYTHONDIR: join(root, "jupyter", "ipython"),
      CHAINFRAME_BASE_URL: "",
      CHAINFRAME_TOKEN: "",
      CHAINFRAME_CACHE: "",
      NO_COLOR: "1",
      ...env,
    },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}
