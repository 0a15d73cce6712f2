/** A proxy before a shard, which counts what the shard answers and stops at a statement. */
export interface ShardProxy extends AsyncDisposable {
  readonly url: string;
  /** Number of bytes that the shard sent through it. */
  readonly received: () => number;
}

type OnText = (text: string) => Promise<void> | void;

async function passOn(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  onChunk: (chunk: Uint8Array) => Promise<void> | void,
): Promise<void> {
  try {
    for await (const chunk of from.readable) {
      await onChunk(chunk);
      for (let sent = 0; sent < chunk.length;) sent += await to.write(chunk.subarray(sent));
    }
  } catch {
    // One side broke off: so does the other.
  }
  for (const side of [from, to]) {
    try {
      side.close();
    } catch {
      // It is closed already.
    }
  }
}

/** Passes on what is sent to a shard, piece by piece, once `onText` has looked at the piece. */
export function startShardProxy(shard: string, onText: OnText = () => {}): ShardProxy {
  const { hostname, port } = new URL(shard);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Promise<void>>();
  const sides = new Set<Deno.TcpConn>();
  let received = 0;
  const serve = async (client: Deno.TcpConn) => {
    const server = await Deno.connect({ hostname, port: Number(port) }).catch(() => null);
    if (server === null) return client.close();
    sides.add(client).add(server);
    const decoder = new TextDecoder();
    await Promise.all([
      passOn(client, server, (chunk) => onText(decoder.decode(chunk, { stream: true }))),
      passOn(server, client, (chunk) => void (received += chunk.length)),
    ]);
    sides.delete(client);
    sides.delete(server);
  };
  const accepting = (async () => {
    for await (const client of listener) {
      const served = serve(client).finally(() => open.delete(served));
      open.add(served);
    }
  })().catch(() => {});
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    received: () => received,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await accepting;
      for (const side of sides) {
        try {
          side.close();
        } catch {
          // It is closed already.
        }
      }
      await Promise.all(open);
    },
  };
}
