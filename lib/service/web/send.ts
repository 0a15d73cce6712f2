import type { Cell } from "../engine/duckdb.ts";
import type { EntityError } from "../query/entity_list.ts";
import { jsonBody, type PreparedResponse } from "../query/prepared_response.ts";
import { csvHeader, csvLines, entityErrorHeaders } from "./csv.ts";
import { type Ctx, routePath } from "./hono.ts";
import { acceptsGzip, MEDIA_TYPES } from "./read_request.ts";
import { createTurns, eventLoopTurn } from "./turns.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Chunks = AsyncGenerator<Bytes, void>;

/** The result of an operation, in batches of rows. */
interface FoundRows {
  readonly batches: AsyncGenerator<readonly Readonly<Record<string, Cell>>[], void>;
  readonly columns: readonly string[];
  readonly errors: readonly EntityError[];
  /** Whether the body is known to be large before it is computed. Otherwise, its first bytes show it. */
  readonly isLarge?: boolean;
}

/** Maximum size of a body that is kept in memory, in bytes. Longer bodies are computed while they are sent. */
const MAX_WHOLE_BYTES = 8_000_000;
/** From this size on, bodies are computed one at a time. */
const LARGE_BYTES = 256_000;
/** If clients read bodies of so many bytes, further large bodies are compressed in memory. */
const MOST_HELD_BYTES = 64_000_000;
const PIECE_BYTES = 65_536;
/** About 64 KB, unpacked. */
const PACKED_PIECE_BYTES = 4_096;
/** After this number of pieces, the event loop handles other requests. */
const PIECES_AT_ONCE = 8;

type Turn = ReturnType<typeof createTurns>;

/** The turns of large bodies, by operation: no operation waits for another. All services share them. */
const turns = new Map<string, Turn>();

/** Returns the turn of the operation of a request. The route has no ids. */
function turnOf(c: Ctx): Turn {
  const route = routePath(c);
  const turn = turns.get(route) ?? createTurns();
  turns.set(route, turn);
  return turn;
}

const CSV = "text/csv; charset=utf-8; header=present";

const encoder = new TextEncoder();

async function* csvBody({ batches, columns }: Omit<FoundRows, "errors">): Chunks {
  yield encoder.encode(csvHeader(columns));
  for await (const batch of batches) yield encoder.encode(csvLines(columns, batch));
}

async function* counted(c: Ctx, batches: FoundRows["batches"]): FoundRows["batches"] {
  for await (const batch of batches) {
    c.env.rows = (c.env.rows ?? 0) + batch.length;
    yield batch;
  }
}

/** Computes each chunk in a turn of its own. */
async function* inTurns(chunks: Chunks, turn: () => ReturnType<Turn>): Chunks {
  try {
    for (;;) {
      const release = await turn();
      const { value } = await chunks.next().finally(release);
      if (value === undefined) return;
      yield value;
      await eventLoopTurn();
    }
  } finally {
    await chunks.return();
  }
}

async function* concat(first: readonly Bytes[], rest: Chunks): Chunks {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** Sends each chunk as soon as it is read. `c.env.sending` settles when all chunks are sent or sending ends early. */
function streamed(c: Ctx, chunks: Chunks, headers: Record<string, string>): Response {
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => {});
  c.env.sending = ended.promise;
  const body = new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const { value } = await chunks.next();
        if (value !== undefined) return controller.enqueue(value);
        controller.close();
        ended.resolve();
      } catch (error) {
        controller.error(error);
        ended.reject(error);
      }
    },
    async cancel() {
      await chunks.return().finally(ended.resolve);
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers });
}

/** Bytes of bodies that clients have begun to read, and how many read each. */
const held = { bytes: 0, readers: new Map<Bytes, number>() };

function hold(bytes: Bytes): void {
  const readers = held.readers.get(bytes) ?? 0;
  if (readers === 0) held.bytes += bytes.length;
  held.readers.set(bytes, readers + 1);
}

function letGo(bytes: Bytes): void {
  const readers = held.readers.get(bytes)! - 1;
  if (readers > 0) return void held.readers.set(bytes, readers);
  held.readers.delete(bytes);
  held.bytes -= bytes.length;
}

/**
 * Compresses a large body if many others are in memory, which clients read slowly or not at all, and frees it. Otherwise,
 * returns null.
 */
export async function packedIfCrowded(bytes: Bytes): Promise<Bytes | null> {
  if (bytes.length <= LARGE_BYTES || held.bytes <= MOST_HELD_BYTES) return null;
  const packed = inPieces(bytes).pipeThrough(new CompressionStream("gzip"));
  try {
    return await new Response(packed).bytes();
  } finally {
    free(bytes);
  }
}

/** Returns bytes as a stream of pieces, which are read as the client reads them. */
export function inPieces(bytes: Bytes, size: number = PIECE_BYTES): ReadableStream<Bytes> {
  let [at, pieces] = [0, 0];
  return new ReadableStream<Bytes>({
    async pull(controller) {
      if (at === 0 && pieces === 0) hold(bytes);
      if (at >= bytes.length) {
        letGo(bytes);
        return controller.close();
      }
      if (++pieces % PIECES_AT_ONCE === 0) await eventLoopTurn();
      controller.enqueue(bytes.subarray(at, at += size));
    },
    cancel: () => {
      if (pieces > 0) letGo(bytes);
    },
  }, { highWaterMark: 0 });
}

/** Returns the bytes of a compressed body as a stream of pieces, which are read as the client reads them. */
export function inUnpackedPieces(packed: Bytes): ReadableStream<Bytes> {
  const cut = new TransformStream<Bytes, Bytes>({
    transform(bytes, controller) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
      }
    },
  });
  return inPieces(packed, PACKED_PIECE_BYTES).pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(cut);
}

/** Sends bytes of a whole body. The middleware `cached` then stores the response and reuses it for equal requests. */
export function sendBytes(c: Ctx, bytes: Bytes, headers: Record<string, string>): Response {
  c.set("bytes", bytes);
  const body = bytes.length <= PIECE_BYTES ? bytes : inPieces(bytes);
  return new Response(body, { headers: { ...headers, "content-length": String(bytes.length) } });
}

/** Sends a payload as JSON. */
export function sendJson(c: Ctx, payload: unknown, headers = {}): Response {
  return sendBytes(c, encoder.encode(JSON.stringify(payload)), {
    "content-type": MEDIA_TYPES.json,
    ...headers,
  });
}

/** Frees the memory of bytes that are no longer read. The collector would wait for hundreds of megabytes. */
function free({ buffer }: Bytes): void {
  buffer.transfer(0);
}

/** Joins chunks, and frees them. */
function joined(chunks: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
    free(chunk);
  }
  return bytes;
}

/** Reads chunks until their end, or until they are too long for memory. Large bodies wait for their turn. */
async function readWhole(chunks: Chunks, { isLarge, turn, signal }: {
  readonly isLarge: boolean;
  readonly turn: () => ReturnType<Turn>;
  readonly signal: AbortSignal;
}): Promise<{ readonly read: readonly Bytes[]; readonly isWhole: boolean }> {
  const read: Bytes[] = [];
  let size = 0;
  let release = isLarge ? await turn() : null;
  try {
    while (size <= MAX_WHOLE_BYTES) {
      const { value } = await chunks.next();
      if (value === undefined) return { read, isWhole: true };
      read.push(value);
      size += value.length;
      if (size > LARGE_BYTES) release ??= await turn();
      if (release !== null) await eventLoopTurn();
      signal.throwIfAborted();
    }
    return { read, isWhole: false };
  } catch (error) {
    await chunks.return();
    throw error;
  } finally {
    release?.();
  }
}

/** Sends rows as JSON or CSV. A short body is kept in memory, and a longer one is computed while it is sent. */
export async function sendRows(
  c: Ctx,
  { batches, columns, errors, isLarge = false }: FoundRows,
): Promise<Response> {
  const csv = c.get("format") === "csv";
  const signal = c.get("signal");
  const headers = csv
    ? { "content-type": CSV, ...entityErrorHeaders(errors) }
    : { "content-type": MEDIA_TYPES.json };
  c.env.rows = 0;
  const rows = counted(c, batches);
  const chunks = csv ? csvBody({ batches: rows, columns }) : jsonBody(rows, errors);
  const turn = () => turnOf(c)(signal);
  const { read, isWhole } = await readWhole(chunks, { isLarge, turn, signal });
  if (isWhole) return sendBytes(c, joined(read), headers);
  return streamed(c, concat(read, inTurns(chunks, turn)), headers);
}

/** Sends a prepared response. A short one is kept in memory, and a longer one is read while it is sent. */
export async function sendPrepared(
  c: Ctx,
  prepared: PreparedResponse,
  rows: number,
): Promise<Response> {
  c.env.rows = rows;
  const encoding = acceptsGzip(c) ? "gzip" : "plain";
  const headers: Record<string, string> = {
    "content-type": MEDIA_TYPES.json,
    "content-length": String(prepared.bytes[encoding]),
  };
  if (encoding === "gzip") headers["content-encoding"] = "gzip";
  const chunks = prepared.read(encoding);
  if (prepared.bytes[encoding] > MAX_WHOLE_BYTES) return streamed(c, chunks, headers);
  return sendBytes(c, joined(await Array.fromAsync(chunks)), headers);
}
