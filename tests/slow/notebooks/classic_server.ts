import type { Workspace } from "./workspace.ts";

/** A classic notebook server on loopback, which ends, with its kernels, when it is disposed of. */
export interface ClassicServer extends AsyncDisposable {
  /** The address of a notebook. */
  readonly address: (name: string) => string;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Starts the server in the folder of the workspace's notebooks, and waits until it responds. */
export async function startClassicServer({ notebooks, env }: Workspace): Promise<ClassicServer> {
  const [port, token] = [freePort(), crypto.randomUUID()];
  const server = new Deno.Command("jupyter", {
    args: [
      "notebook",
      "--no-browser",
      "--allow-root",
      "--ip=127.0.0.1",
      `--port=${port}`,
      "--port-retries=0",
      `--NotebookApp.token=${token}`,
    ],
    cwd: notebooks,
    env,
    stdout: "null",
    stderr: "null",
  }).spawn();
  const stop = async () => {
    server.kill("SIGTERM");
    await server.status;
  };
  const base = `http://127.0.0.1:${port}`;
  for (let attempt = 0; !await answers(`${base}/api/status?token=${token}`); attempt += 1) {
    if (attempt === 100) {
      await stop();
      throw new Error("the notebook server does not answer");
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    address: (name) => `${base}/notebooks/${name}?token=${token}`,
    [Symbol.asyncDispose]: stop,
  };
}
