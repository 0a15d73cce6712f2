import { commandOf, environmentOf } from "./run_script.ts";

/** Two tokens that a service accepts. */
export const TOKEN = "s3cret-t0ken-0f-sixteen";
export const OTHER = "another-of-sixteen";

/** A service that serve.ts serves, on a free port. */
export interface Served {
  readonly url: string;
  /** Its output until it listened. */
  readonly told: string;
  /** Sends SIGINT, and gives back the exit code and what it said since. */
  stop(): Promise<{ code: number; told: string }>;
}

/** Starts serve.ts as a process, with the permissions of its first line, and waits until it listens. */
export async function serve(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Served> {
  const [program, ...words] = commandOf("serve.ts", ["--port", "0", ...args]);
  const child = new Deno.Command(program!, {
    args: words,
    clearEnv: true,
    env: environmentOf(env),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.getReader();
  const decoder = new TextDecoder();
  let told = "";
  while (!told.includes("/reference)")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`serve.ts ended: ${told}`);
    told += decoder.decode(value);
  }
  return {
    url: /http:\S+\d/.exec(told)![0],
    told,
    stop: async () => {
      child.kill("SIGINT");
      let rest = "";
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        rest += decoder.decode(read.value);
      }
      return { code: (await child.status).code, told: rest };
    },
  };
}

/** Requests the chains of a service. */
export const requestChains = (url: string, token: string): Promise<Response> =>
  fetch(`${url}/v2/datasets/blockchain_comparison`, {
    headers: { authorization: `Bearer ${token}` },
  });
