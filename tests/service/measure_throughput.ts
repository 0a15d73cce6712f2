/**
 * Requests per second and p99 of every route, against a bare `Deno.serve` that sends the same bytes.
 * Run it by hand: `deno run -A tests/service/measure_throughput.ts [seconds per route]`.
 */
import { scriptCommand, SERVE_TOKEN } from "./run_script.ts";

const SECONDS = Number(Deno.args[0] ?? 3);
const CONNECTIONS = 32;
const HEAD = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SERVE_TOKEN}\r\n`;
const QUESTION = '{"metric_ids":["fees","active_users"],"interval":"30d","group_by":"projects"}';
const ROUTES = [
  "GET /v2/datasets/blockchain_comparison",
  "GET /v2/datasets/project_contracts",
  "GET /v2/datasets/cohort_analysis",
  "GET /v2/projects/tidewater",
  "GET /v2/metric-aggregations?project_ids=tidewater",
  "GET /v2/metric-aggregations",
  "POST /v2/metric-breakdown",
  "GET /healthz",
  "GET /openapi.json",
  "GET /reference",
];

const BARE = `
const bodies = JSON.parse(await Deno.readTextFile(Deno.args[0]));
for (const key in bodies) bodies[key] = new TextEncoder().encode(bodies[key]);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.error("http://127.0.0.1:" + port + "/reference)") },
  (request) => new Response(bodies[request.method + " " + request.url.slice(request.url.indexOf("/", 8))],
    { headers: { "content-type": "application/json" } }));`;

function text(route: string): string {
  return route.startsWith("POST")
    ? `${route} ${HEAD}Content-Type: application/json\r\nContent-Length: ${QUESTION.length}\r\n\r\n${QUESTION}`
    : `${route} ${HEAD}\r\n`;
}

async function portOf(process: Deno.ChildProcess): Promise<number> {
  const reader = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (!told.includes("/reference)")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server ended: ${told}`);
    told += value;
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return Number(told.match(/:(\d+)\//)![1]);
}

/** Counts responses without reading them: the client must not be what is measured. */
async function load(port: number, request: string, seconds: number) {
  const times: number[] = [];
  const bytes = new TextEncoder().encode(request);
  const decoder = new TextDecoder("latin1");
  const until = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const buffer = new Uint8Array(1 << 18);
    while (performance.now() < until) {
      const started = performance.now();
      await connection.write(bytes);
      let read = await connection.read(buffer) ?? 0;
      const head = decoder.decode(buffer.subarray(0, Math.min(read, 1000)));
      if (!head.startsWith("HTTP/1.1 200")) throw new Error(head);
      const whole = head.indexOf("\r\n\r\n") + 4 + Number(/content-length: (\d+)/i.exec(head)![1]);
      while (read < whole) read += await connection.read(buffer) ?? 0;
      times.push(performance.now() - started);
    }
    connection.close();
  }));
  times.sort((a, b) => a - b);
  return { rate: times.length / seconds, p99: times[Math.floor(times.length * 0.99)]! };
}

const service = scriptCommand("serve", ["--port", "0", "--quiet"], {
  permissions: ["--allow-net=127.0.0.1"],
}).spawn();
const port = await portOf(service);
const bodies: Record<string, string> = {};
for (const route of ROUTES) {
  const [method, path] = route.split(" ") as [string, string];
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${SERVE_TOKEN}`, "content-type": "application/json" },
    ...(method === "POST" ? { body: QUESTION } : {}),
  });
  bodies[route] = await response.text();
}
const folder = await Deno.makeTempDir();
await Deno.writeTextFile(`${folder}/bodies.json`, JSON.stringify(bodies));
await Deno.writeTextFile(`${folder}/bare.js`, BARE);
const bare = new Deno.Command(Deno.execPath(), {
  args: ["run", "-A", `${folder}/bare.js`, `${folder}/bodies.json`],
  stderr: "piped",
}).spawn();
const barePort = await portOf(bare);

const rows = [];
for (const route of ROUTES) {
  await load(port, text(route), 0.5);
  await load(barePort, text(route), 0.5);
  const here = await load(port, text(route), SECONDS);
  const there = await load(barePort, text(route), SECONDS);
  rows.push({
    route,
    bytes: bodies[route]!.length,
    "service req/s": Math.round(here.rate),
    "bare req/s": Math.round(there.rate),
    ratio: (here.rate / there.rate).toFixed(2),
    "service p99 ms": here.p99.toFixed(1),
    "bare p99 ms": there.p99.toFixed(1),
  });
}
console.table(rows);
service.kill("SIGTERM");
bare.kill("SIGTERM");
await Promise.all([service.status, bare.status]);
await Deno.remove(folder, { recursive: true });
