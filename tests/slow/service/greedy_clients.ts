/** Clients that request large bodies over many connections, and what other clients notice. */
import { TOKEN } from "../../service/call_service.ts";

/** What happened while greedy clients were connected. */
export interface Greed {
  /** The times of `/healthz`, sent every 150 ms whether the last one was answered or not, in ms, ascending. */
  readonly health_ms: readonly number[];
  /** The time of one breakdown, sent in the middle, in ms. */
  readonly breakdown_ms: number;
  /** The largest memory of the process above that before, in MB. */
  readonly more_mb: number;
  /** Bodies that arrived whole. */
  readonly whole: number;
}

/** How greedy clients behave: the path of each, and whether it reads the response. */
export interface Clients {
  readonly count: number;
  readonly path: (client: number) => string;
  readonly reads: boolean;
  readonly seconds: number;
  /** @default {the token of createService in tests} */
  readonly token?: string;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function residentMegabytes(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1_000;
}

async function greedy(port: number, path: string, { reads, until, token }: {
  readonly token: string;
  readonly reads: boolean;
  readonly until: number;
}): Promise<number> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const late = setTimeout(() => connection.close(), until - performance.now());
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
    `Authorization: Bearer ${token}\r\n\r\n`;
  let length = 0;
  try {
    await connection.write(new TextEncoder().encode(request));
    const buffer = new Uint8Array(65_536);
    for (let read = reads ? 0 : null; read !== null;) {
      read = await connection.read(buffer);
      length += read ?? 0;
    }
    if (!reads) await pause(until - performance.now());
  } catch {
    // The time is over.
  }
  clearTimeout(late);
  try {
    connection.close();
  } catch {
    // Closed when the time was over.
  }
  return length;
}

/** Connects greedy clients to a service, and measures other requests. */
export async function greed(
  { port, pid }: { readonly port: number; readonly pid: number },
  { count, path, reads, seconds, token = TOKEN }: Clients,
): Promise<Greed> {
  const url = `http://127.0.0.1:${port}`;
  const timed = async (init: RequestInit | null) => {
    const started = performance.now();
    const answer = await fetch(url + (init === null ? "/healthz" : "/v2/metric-breakdown"), {
      ...init,
      signal: AbortSignal.timeout(30_000),
    });
    await answer.bytes();
    return answer.ok ? performance.now() - started : Infinity;
  };
  await timed(null);
  const before = await residentMegabytes(pid);
  const until = performance.now() + 1_000 * seconds;
  const clients = Array.from(
    { length: count },
    (_, client) => greedy(port, path(client), { reads, until, token }),
  );
  let most = before;
  const health: Promise<number>[] = [];
  const start = performance.now();
  let breakdown: Promise<number> | undefined;
  while (performance.now() < until) {
    health.push(timed(null).catch(() => Infinity));
    most = Math.max(most, await residentMegabytes(pid));
    if (health.length === 3) {
      breakdown = timed({
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: '{"metric_ids":["fees"],"interval":"30d","group_by":"projects"}',
      });
    }
    await pause(Math.max(0, start + 150 * health.length - performance.now()));
  }
  const lengths = await Promise.all(clients);
  const health_ms = (await Promise.all(health)).sort((a, b) => a - b);
  return {
    health_ms,
    breakdown_ms: await breakdown!,
    more_mb: most - before,
    whole: lengths.filter((length) => length > 1_000_000).length,
  };
}
