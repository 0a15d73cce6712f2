/** The behavior of a server on one connection, correct or faulty. */
export type Fault = (connection: Deno.TcpConn) => Promise<void>;

/** A server on loopback that misbehaves on purpose. */
export interface FaultServer extends AsyncDisposable {
  readonly url: string;
  /** Number of connections, which is the number of sent requests. */
  readonly count: () => number;
  /** Head and body of each received request, as far as the faults read them. */
  readonly received: readonly string[];
}

const encoder = new TextEncoder();
const received = new WeakMap<Deno.TcpConn, (text: string) => void>();

async function readRequest(connection: Deno.TcpConn): Promise<void> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const [head, body] = text.split("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(head ?? "")?.[1] ?? 0);
    if (body !== undefined && body.length >= length) break;
    const read = await connection.read(buffer);
    if (read === null) break;
    text += decoder.decode(buffer.subarray(0, read));
  }
  received.get(connection)?.(text);
}

async function write(connection: Deno.TcpConn, content: string | Uint8Array): Promise<void> {
  let bytes = typeof content === "string" ? encoder.encode(content) : content;
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

async function untilClosed(connection: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(1_024);
  while (await connection.read(buffer) !== null);
}

/** The head of a response; the length of the body is not added. */
export function head(status: number, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Played\r\nconnection: close\r\n${lines.join("")}\r\n`;
}

/** Answers as it should. */
export function answer(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return async (connection) => {
    await readRequest(connection);
    await write(connection, head(status, { "content-length": `${bytes.length}`, ...headers }));
    await write(connection, bytes);
  };
}

/** Sends these bytes and closes the connection in good order. */
export function send(content: string): Fault {
  return async (connection) => {
    await readRequest(connection);
    await write(connection, content);
  };
}

/** Sends these bytes and resets: closing while some of the request is unread makes the system do so. */
export function reset(content: string): Fault {
  return async (connection) => {
    await connection.read(new Uint8Array(1));
    await write(connection, content);
  };
}

/** Sends these bytes and then nothing, until the client disconnects. */
export function stall(content: string): Fault {
  return async (connection) => {
    await readRequest(connection);
    await write(connection, content);
    await untilClosed(connection);
  };
}

/** Sends a head and then one byte at a time, for as long as the client stays. */
export function drip(content: string): Fault {
  return async (connection) => {
    await readRequest(connection);
    await write(connection, content);
    const closed = untilClosed(connection).then(() => true, () => true);
    const pause = () => new Promise<boolean>((done) => setTimeout(() => done(false), 5));
    while (!await Promise.race([closed, pause()])) await write(connection, " ");
  };
}

/** Sends a head and so many bytes after it, or as many as the client takes. */
export function flood(content: string, bytes: number): Fault {
  return async (connection) => {
    await readRequest(connection);
    await write(connection, content);
    const block = new Uint8Array(1_048_576).fill(0x20);
    for (let sent = 0; sent < bytes; sent += block.length) await write(connection, block);
  };
}

/**
 * Starts a server that plays the first fault to the first connection, the second to the second, and the
 * last one to all others.
 */
export function faultServer(...faults: [Fault, ...Fault[]]): FaultServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const playing: Promise<void>[] = [];
  const texts: string[] = [];
  let count = 0;

  const play = async (connection: Deno.TcpConn, fault: Fault) => {
    open.add(connection);
    received.set(connection, (text) => texts.push(text));
    try {
      await fault(connection);
    } catch {
      // The client disconnected, as some of the faults intend.
    } finally {
      open.delete(connection);
      connection.close();
    }
  };
  const accepting = (async () => {
    for await (const connection of listener) {
      playing.push(play(connection, faults[Math.min(count++, faults.length - 1)]!));
    }
  })();

  return {
    url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    count: () => count,
    received: texts,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await accepting;
      for (const connection of open) await connection.closeWrite().catch(() => {});
      await Promise.all(playing);
    },
  };
}
