/**
 * A soak: requests of good clients to every route of serve.ts, while its file of data is swapped, 50 slow clients come
 * and go, and other clients send bad requests: 23 hostile kinds. At the end, 90 greedy connections request large bodies
 * of the same process. Run it by hand for four minutes, with a swap every 30 seconds, and 30 seconds of greed:
 *
 *     deno run --config tests/deno.json -A tests/slow/service/soak.ts 240 30 30
 *
 * The test of it is short.
 */
import { buildData, createService, writeSample } from "../../../lib/service/mod.ts";
import { scriptCommand, SERVE_TOKEN } from "../../service/run_script.ts";
import { type Greed, greed as greedOf } from "./greedy_clients.ts";
import { seededRandom } from "../../service/seeded_random.ts";

/** The result of a soak. */
export interface SoakResult {
  readonly requests: number;
  /** Failures of requests of good clients. */
  readonly failures: readonly string[];
  /** Good answers with a body that neither file of data has. */
  readonly wrong: number;
  /** Bad requests that were sent, each of which must be refused with 4xx or a closed connection. */
  readonly refused: number;
  /** Of 100 answers to good clients, 99 took at most so many milliseconds, over the whole soak. */
  readonly p99_ms: number;
  /** Figures of each minute, or of each second of a short soak. Memory is resident, in MB. */
  readonly parts: readonly {
    readonly requests: number;
    readonly wrong: number;
    readonly p99_ms: number;
    readonly lowest_mb: number;
  }[];
  /** Number of replacements of the file of data, and of versions that responses came from. */
  readonly swaps: number;
  readonly versions: number;
  /** Slow clients that the service dropped, and those that left by themselves. */
  readonly dropped: number;
  readonly left: number;
  /** What other clients noticed of the greedy connections. Null if there were none. */
  readonly greed: Greed | null;
  /** Exit code and signal of the service. */
  readonly code: number;
}

const PER_SECOND = 50;
/** The requests of good clients in the shortest soak. */
const LEAST = 200;
const GOOD_CLIENTS = 20;
const SLOW_CLIENTS = 50;
const bearer = { authorization: `Bearer ${SERVE_TOKEN}` };
const BREAKDOWN = '{"metric_ids":["fees","active_users"],"interval":"30d","group_by":"projects"}';

const ROUTES: readonly [path: string, init: RequestInit][] = [
  ["/v2/datasets/blockchain_comparison", { headers: bearer }],
  ["/v2/datasets/blockchain_comparison", { headers: { ...bearer, accept: "text/csv" } }],
  ["/v2/datasets/project_contracts?order_by=gas_used_1d_sum&limit=20", { headers: bearer }],
  ["/v2/datasets/cohort_analysis", { headers: bearer }],
  ["/v2/projects/tidewater", { headers: bearer }],
  ["/v2/metric-aggregations?project_ids=tidewater", { headers: bearer }],
  ["/v2/metric-aggregations", { headers: { ...bearer, "accept-encoding": "gzip" } }],
  ["/v2/metric-breakdown", {
    method: "POST",
    headers: { ...bearer, "content-type": "application/json" },
    body: BREAKDOWN,
  }],
  ["/healthz", {}],
  ["/openapi.json", {}],
  ["/reference", {}],
];

const LONG = "x".repeat(2_000_000);
const BAD: readonly [path: string, init: RequestInit][] = [
  ["/v2/datasets/blockchain_comparison", {}],
  ["/v2/datasets/blockchain_comparison", { headers: { authorization: "Bearer wrong" } }],
  ["/v2/datasets/blockchain_comparison?order_by=' or 1=1 --", { headers: bearer }],
  ["/v2/datasets/project_contracts?limit=-1", { headers: bearer }],
  [`/v2/projects/${"%00".repeat(50)}`, { headers: bearer }],
  [`/v2/metric-aggregations?project_ids=${"a,".repeat(20_000)}`, { headers: bearer }],
  ["/v2/%ff", { headers: bearer }],
  ["/v2/datasets/cohort_analysis", { method: "DELETE", headers: bearer }],
  ...["{", "[".repeat(100_000), BREAKDOWN.replace("projects", "x"), `"${LONG}"`].map((
    body,
  ): [string, RequestInit] => [
    "/v2/metric-breakdown",
    { method: "POST", headers: { ...bearer, "content-type": "application/json" }, body },
  ]),
];

const HEAD = "HTTP/1.1\r\nHost: x\r\n";
const SLOW: readonly [text: string, drip: string | null][] = [
  ["", null],
  [`GET / ${HEAD}`, null],
  [`GET / ${HEAD}`, "a: b\r\n"],
  [`POST /v2/metric-breakdown ${HEAD}Content-Length: 100\r\n\r\nabc`, null],
  [
    `POST /v2/metric-breakdown ${HEAD}Authorization: Bearer ${SERVE_TOKEN}\r\n` +
    "Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n",
    "x",
  ],
  [`GET /healthz ${HEAD}\r\n`, null],
  [`GET /openapi.json ${HEAD}\r\n`.repeat(200), null],
  [`GET /healthz ${HEAD}a: ${"a".repeat(100_000)}\r\n\r\n`, null],
  [`POST /v2/metric-breakdown ${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, "0\r\n"],
  [
    `POST /v2/metric-breakdown ${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n` +
    `GET /v2/projects/tidewater ${HEAD}\r\n`,
    null,
  ],
  ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x00"],
];

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Connects, is slow until it is dropped or its time is over; true when it was dropped. */
async function slow(port: number, [text, drip]: (typeof SLOW)[number], ms: number) {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const encoder = new TextEncoder();
  const until = performance.now() + ms;
  let dropped = false;
  try {
    if (text !== "") await connection.write(encoder.encode(text));
    // A client that reads sees the end; another one must write to see it.
    const reads = !text.includes("bundle.js");
    if (reads) {
      void (async () => {
        while (await connection.read(new Uint8Array(1024)) !== null);
        dropped = true;
      })().catch(() => dropped = true);
    }
    while (!dropped && performance.now() < until) {
      await pause(250);
      if (drip !== null) await connection.write(encoder.encode(drip));
    }
  } catch {
    dropped = true;
  }
  const saw = dropped;
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
  return saw;
}

function p99(times: readonly number[]): number {
  return Math.round(
    times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN,
  );
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) / 1000;
}

/** Two files of data, of two samples that differ in size. */
async function buildTwo(folder: string): Promise<string[]> {
  const files = [];
  for (const scale of [0.1, 0.11]) {
    await writeSample({ out: `${folder}/facts${scale}`, scale });
    await buildData({ facts: `${folder}/facts${scale}`, out: `${folder}/${scale}.duckdb` });
    files.push(`${folder}/${scale}.duckdb`);
  }
  return files;
}

/** Returns the bodies that a route can have: one for each file. */
async function bodiesOf(files: readonly string[]): Promise<Set<string>[]> {
  const bodies = ROUTES.map(() => new Set<string>());
  for (const data of files) {
    const service = await createService({ tokens: [SERVE_TOKEN], data });
    for (const [index, [path, init]] of ROUTES.entries()) {
      const { "accept-encoding": _, ...headers } = init.headers as Record<string, string> ?? {};
      const request = new Request(`http://127.0.0.1${path}`, { ...init, headers });
      bodies[index]!.add(await (await service.fetch(request)).text());
    }
    await service.close();
  }
  return bodies;
}

/** Connections that request large bodies after the soak. */
const GREEDY_CLIENTS = 90;

/** The number of kinds of hostile clients. */
export const HOSTILE_KINDS: number = BAD.length + SLOW.length;

/**
 * Serves and asks for some seconds, with a swap of the data every so many. Then greedy clients request large bodies for
 * some seconds.
 */
export async function soak(
  seconds: number,
  swapEvery: number,
  greedySeconds = 0,
): Promise<SoakResult> {
  const folder = await Deno.makeTempDir();
  const data = `${folder}/data.duckdb`;
  const files = await buildTwo(folder);
  const bodies = await bodiesOf(files);
  await Deno.copyFile(files[0]!, data);
  const serve = scriptCommand("serve", ["--data", data, "--port", "0"], {
    permissions: ["--allow-net=127.0.0.1"],
  }).spawn();
  void serve.stdout.cancel();
  const reader = serve.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (!told.includes("/reference)")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`serve.ts ended: ${told}`);
    told += value;
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  const port = Number(told.match(/:(\d+)\//)![1]);

  const began = performance.now();
  const until = began + seconds * 1000;
  const per = seconds >= 120 ? 60_000 : 1_000;
  const parts = Array.from({ length: Math.ceil(seconds * 1000 / per) }, () => ({
    times: [] as number[],
    wrong: 0,
    lowest: Infinity,
  }));
  const partNow = () => parts[Math.floor((performance.now() - began) / per)] ?? parts.at(-1)!;
  const failures: string[] = [];
  const versions = new Set<string>();
  let requests = 0;
  let swaps = 0;
  let dropped = 0;
  let left = 0;
  let refused = 0;

  const one = async (index: number) => {
    const [path, init] = ROUTES[index]!;
    const started = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...init,
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      const part = partNow();
      part.times.push(performance.now() - started);
      if (response.status !== 200) failures.push(`${path}: ${response.status} ${text}`);
      else if (!bodies[index]!.has(text)) part.wrong++;
      if (path.endsWith("cohort_analysis")) versions.add(text);
    } catch (error) {
      failures.push(`${path}: ${error}`);
    }
  };
  const good = async () => {
    // As many as there should be by now: a timer that is late is made up for.
    const start = performance.now();
    while (performance.now() < until || requests < LEAST) {
      if (requests < (performance.now() - start) / 1000 * PER_SECOND) {
        await one(requests++ % ROUTES.length);
      } else await pause(10);
    }
  };
  const hostile = async () => {
    // Each bad request is sent once, also where a busy machine needs seconds for each.
    for (let round = 0; round < BAD.length || performance.now() < until; round++) {
      const [path, init] = BAD[round % BAD.length]!;
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...init,
        signal: AbortSignal.timeout(30_000),
      }).catch(() => null);
      await answer?.body?.cancel();
      // A body that is too large closes the connection.
      if (answer === null || (answer.status >= 400 && answer.status < 500)) refused++;
      else failures.push(`bad request ${path.slice(0, 60)}: ${answer.status}`);
      await pause(200);
    }
  };
  const random = seededRandom(20_260_617);
  const bad = async () => {
    while (performance.now() < until) {
      const kind = SLOW[Math.floor(random() * SLOW.length)]!;
      const stay = Math.min(until - performance.now(), 1_000 + random() * 90_000);
      if (await slow(port, kind, stay)) dropped++;
      else left++;
    }
  };
  const swap = async () => {
    for (;;) {
      await pause(Math.min(swapEvery * 1000, until - performance.now()));
      if (performance.now() >= until) return;
      swaps++;
      await Deno.copyFile(files[swaps % 2]!, `${data}.new`);
      await Deno.rename(`${data}.new`, data);
    }
  };
  const watch = async () => {
    while (performance.now() < until) {
      const part = partNow();
      part.lowest = Math.min(part.lowest, await residentMegabytes(serve.pid));
      await pause(500);
    }
  };
  await Promise.all([
    swap(),
    watch(),
    hostile(),
    hostile(),
    ...Array.from({ length: GOOD_CLIENTS }, good),
    ...Array.from({ length: SLOW_CLIENTS }, bad),
  ]);
  const greed = greedySeconds === 0 ? null : await greedOf({ port, pid: serve.pid }, {
    count: GREEDY_CLIENTS,
    path: () => "/v2/metric-aggregations",
    reads: false,
    seconds: greedySeconds,
    token: SERVE_TOKEN,
  });
  serve.kill("SIGTERM");
  const { code } = await serve.status;
  await drained;
  await Deno.remove(folder, { recursive: true });
  return {
    requests,
    failures,
    wrong: parts.reduce((sum, { wrong }) => sum + wrong, 0),
    refused,
    p99_ms: p99(parts.flatMap(({ times }) => times)),
    parts: parts.map(({ times, wrong, lowest }) => ({
      requests: times.length,
      wrong,
      p99_ms: p99(times),
      lowest_mb: Math.round(lowest),
    })),
    swaps,
    versions: versions.size,
    dropped,
    left,
    greed,
    code,
  };
}

if (import.meta.main) {
  const { parts, failures, ...result } = await soak(
    Number(Deno.args[0] ?? 600),
    Number(Deno.args[1] ?? 30),
    Number(Deno.args[2] ?? 0),
  );
  const { greed, ...told } = result;
  console.table(parts);
  if (greed !== null) {
    const { health_ms, ...rest } = greed;
    const p95 = health_ms[Math.floor(0.95 * health_ms.length)];
    console.log({
      greedy: GREEDY_CLIENTS,
      health_p95: p95,
      health_worst: health_ms.at(-1),
      ...rest,
    });
  }
  console.log({
    hostile_kinds: HOSTILE_KINDS,
    ...told,
    failures: failures.length,
    first: failures.slice(0, 5),
  });
  Deno.exit(failures.length + result.wrong + result.code === 0 ? 0 : 1);
}
