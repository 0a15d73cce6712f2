// Measures what the transport costs. Run it with `deno run --allow-all tests/http/transport_bench.ts`.
import { ask } from "./ask.ts";
import { askEach } from "./ask.ts";
import { connect } from "../../lib/http/connect.ts";
import type { ApiRequest } from "../../lib/http/request.ts";
import { QUESTION } from "./question.ts";

const TOKEN = "t0ken-of-a-bench";

function question(params: ApiRequest["params"]): ApiRequest {
  return { ...QUESTION, params };
}

/** The median and the fastest of many runs, in milliseconds. */
async function time(runs: number, work: () => Promise<unknown>): Promise<[number, number]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return [times[Math.floor(runs / 2)]!, times[0]!];
}

async function bare(url: string): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
  return JSON.parse(new TextDecoder().decode(await response.arrayBuffer()));
}

const worker = new Worker(new URL("slow_server.ts", import.meta.url), { type: "module" });
const port = await new Promise<number>((resolve) => worker.onmessage = ({ data }) => resolve(data));
const baseUrl = `http://127.0.0.1:${port}`;
const free = { baseUrl, token: TOKEN, requestsPerMinute: Infinity } as const;

console.log("one request, median (fastest) in ms: bare fetch + JSON.parse, ask, difference");
const connection = connect(free);
for (const [rows, runs] of [[1, 2_000], [100, 1_000], [10_000, 60], [300_000, 9]] as const) {
  const asked = question({ rows: String(rows) });
  const url = `${baseUrl}${asked.path}?rows=${rows}`;
  const [answer] = await ask(asked, connection);
  const body = answer?.body() ?? "";
  for (let warm = 0; warm < runs / 4; warm++) {
    await Promise.all([bare(url), ask(asked, connection)]);
  }
  const [plain, plainBest] = await time(runs, () => bare(url));
  const [ours, oursBest] = await time(runs, () => ask(asked, connection));
  const shown = (ms: number) => ms.toFixed(3);
  console.log(
    `${body.length} bytes: ${shown(plain)} (${shown(plainBest)}), ${shown(ours)} (${
      shown(oursBest)
    }), ${shown(ours - plain)}`,
  );
}

console.log("500 ids, 50 ms each, in s");
for (const concurrency of [1, 4, 8, 16]) {
  const parallel = connect({ ...free, concurrency });
  const questions = Array.from(
    { length: 500 },
    (_, id) => question({ wait: "50", id: String(id) }),
  );
  const start = performance.now();
  await askEach(questions, parallel);
  console.log(`concurrency ${concurrency}: ${((performance.now() - start) / 1_000).toFixed(2)}`);
}
worker.terminate();
