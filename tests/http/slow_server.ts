/// <reference lib="webworker" />

// Runs in a worker of its own, so that its work is not counted as the client's.
const bodies = new Map<string, Uint8Array<ArrayBuffer>>();

function bodyOf(rows: string): Uint8Array<ArrayBuffer> {
  const row = { chain_id: "alder", chain_name: "Alder", ecosystem_fees_30d_sum: 12_345.678 };
  const data = Array.from({ length: Number(rows) }, () => row);
  const made = bodies.get(rows) ?? new TextEncoder().encode(JSON.stringify({ data }));
  bodies.set(rows, made);
  return made;
}

const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
  const { searchParams } = new URL(request.url);
  const wait = Number(searchParams.get("wait") ?? 0);
  if (wait > 0) await new Promise((done) => setTimeout(done, wait));
  return new Response(bodyOf(searchParams.get("rows") ?? "1"), {
    headers: { "content-type": "application/json" },
  });
});

self.postMessage(server.addr.port);
