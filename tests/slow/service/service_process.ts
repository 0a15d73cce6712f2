import { ok } from "node:assert/strict";

/** A service that runs in a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Memory of the process after garbage collection, in MB. */
  memory(): Promise<{ heap: number; resident: number }>;
  /** Lets the process end, and gives back how it did and what it said of errors. */
  stop(): Promise<{ code: number; stderr: string }>;
}

/** Serves a file of data, or the sample, from another process. */
export async function startServiceProcess(data?: string): Promise<ServiceProcess> {
  const program = new URL("service_program.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--quiet",
      "--v8-flags=--expose-gc",
      program,
      ...data === undefined ? [] : [data],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stderr = new Response(child.stderr).text();
  const stdin = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const line = async () => {
    let told = "";
    while (!told.endsWith("\n")) {
      const { value, done } = await reader.read();
      ok(!done, "the service has ended");
      told += value;
    }
    return told;
  };
  const port = Number(await line());
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    async memory() {
      await stdin.write(new TextEncoder().encode("?\n"));
      const { heapUsed, rss } = JSON.parse(await line());
      return { heap: heapUsed / 1e6, resident: rss / 1e6 };
    },
    async stop() {
      await stdin.close();
      const { code } = await child.status;
      await reader.cancel();
      return { code, stderr: await stderr };
    },
  };
}
