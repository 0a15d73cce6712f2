// Measures a call that the cache answers against the same call to a service on loopback, in a process of its
// own, which also stored its response.
import { blockchainComparison, connect, projectContracts } from "../../mod.ts";
import { createService, listen } from "../../lib/service/mod.ts";
import { inTurn, type Measured } from "./measure.ts";

const HERE = import.meta.url;
const TOKEN = "t0ken-of-a-bench";

async function serve(data: string): Promise<void> {
  const service = await createService({ tokens: [TOKEN], data });
  const { hostname, port } = await listen(service, { port: 0 });
  console.log(`http://${hostname}:${port}`);
}

/** A service in a process of its own. */
async function startService(data: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", HERE, data],
    env: { NO_COLOR: "1" },
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the service did not start");
    said += value;
  }
  return {
    baseUrl: said.trim(),
    end: async () => {
      child.kill();
      await reader.cancel();
      await child.status;
    },
  };
}

/** Times a large and a small response from the cache and from the service. */
export async function cached(data: string, short: boolean): Promise<Measured[]> {
  const { baseUrl, end } = await startService(data);
  const dir = await Deno.makeTempDir();
  try {
    const options = { baseUrl, token: TOKEN, requestsPerMinute: Infinity };
    const live = connect(options);
    const kept = connect({ ...options, cache: { dir } });
    const fiveChains = (connection: typeof live) => blockchainComparison({ limit: 5 }, connection);
    const cases = [
      ["all contracts", 11, () => projectContracts({}, kept), () => projectContracts({}, live)],
      ["five chains", 200, () => fiveChains(kept), () => fiveChains(live)],
      [
        "five chains, new connection",
        200,
        // A connection that has made no frame of it yet.
        () => fiveChains(connect({ ...options, cache: { dir } })),
        () => fiveChains(connect(options)),
      ],
    ] as const;
    const measured: Measured[] = [];
    for (const [name, runs, fromCache, fromService] of cases) {
      const [ms, base] = await inTurn(short ? 2 : runs, [fromCache, fromService]);
      const reach = { ratio: 1 / 3 };
      measured.push({
        what: `${name}, cached`,
        against: "live on loopback",
        ms: ms!,
        base: base!,
        reach,
      });
    }
    return measured;
  } finally {
    await end();
    await Deno.remove(dir, { recursive: true });
  }
}

if (import.meta.main) await serve(Deno.args[0]!);
