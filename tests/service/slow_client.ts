/** A kind of slow client: what it sends first, what it repeats, and whether it reads. */
export interface Slowness {
  /** The first bytes. */
  readonly text: string;
  /** The repeated bytes. */
  readonly drip?: string;
  /** Whether it does not read the response. */
  readonly unread?: boolean;
}

const HEAD = "HTTP/1.1\r\nHost: x\r\n";

/** Every way to be slow that an open port sees. */
export const SLOW: Readonly<Record<string, Slowness>> = {
  "nothing at all": { text: "" },
  "half a header": { text: `GET / ${HEAD}` },
  "a header, drop by drop": { text: `GET / ${HEAD}`, drip: "a: b\r\n" },
  "half a body": { text: `POST / ${HEAD}Content-Length: 100\r\n\r\nabc` },
  "a body, drop by drop": { text: `POST / ${HEAD}Content-Length: 9999\r\n\r\n`, drip: "x" },
  "chunks, drop by drop": {
    text: `POST / ${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
    drip: "1\r\nx\r\n",
  },
  "a connection left idle": { text: `GET /small ${HEAD}\r\n` },
  "an answer that is not read": { text: `GET /large ${HEAD}\r\n`, unread: true },
};

const DRIP_EVERY_MS = 100;

/**
 * Connects, is slow, and waits to be dropped: gives back how many bytes came before that, or null when
 * the connection is still there after `patience` milliseconds.
 */
export async function slowClient(
  port: number,
  { text, drip, unread = false }: Slowness,
  patience: number,
): Promise<number | null> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const encoder = new TextEncoder();
  let over = false;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const dripping = (async () => {
    if (text !== "") await connection.write(encoder.encode(text));
    while (drip !== undefined && !over) {
      await pause(DRIP_EVERY_MS);
      await connection.write(encoder.encode(drip));
    }
  })().catch(() => {});
  const until = performance.now() + patience;
  if (unread) await pause(patience);
  const late = setTimeout(() => connection.close(), Math.max(until - performance.now(), 1_000));
  let bytes: number | null = 0;
  try {
    const buffer = new Uint8Array(1 << 16);
    for (let read = await connection.read(buffer); read !== null;) {
      bytes += read;
      read = await connection.read(buffer);
    }
  } catch (error) {
    // A connection that we closed ourselves was not dropped; one that was reset is.
    if (!(error instanceof Deno.errors.ConnectionReset)) bytes = null;
  }
  clearTimeout(late);
  over = true;
  await dripping;
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
  return bytes;
}
