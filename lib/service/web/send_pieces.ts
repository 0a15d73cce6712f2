import type { Cell } from "../engine/duckdb.ts";
import type { Appendix, Part } from "../engine/appendix.ts";
import type { EntityError } from "../query/entity_list.ts";
import { csvHeader, csvLines, entityErrorHeaders } from "./csv.ts";
import type { Ctx } from "./hono.ts";
import { type Description, MEDIA_TYPES } from "./representation.ts";
import { etagOf, headersOf, notModified, sendWhole, takesGzip } from "./send.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Item = Readonly<Record<string, Cell>>;

/** What an operation finds, a batch after the other. */
interface FoundInBatches {
  readonly batches: AsyncGenerator<readonly Item[], void>;
  readonly columns: readonly string[];
  readonly errors: readonly EntityError[];
}

/** More than this is not held: the rest is read while it is sent. */
const MAX_WHOLE_BYTES = 4_000_000;

/** So much is read from a file at once: two of them fit the memory that is nearest to a processor. */
const PIECE_BYTES = 1 << 18;

const CSV = "text/csv; charset=utf-8; header=present";

const encoder = new TextEncoder();

async function* jsonPieces(c: Ctx, { batches, errors }: FoundInBatches) {
  let before = '{"data":[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    c.env.rows = (c.env.rows ?? 0) + batch.length;
    yield encoder.encode(before + JSON.stringify(batch).slice(1, -1));
    before = ",";
  }
  // There is no member errors when everything was found (INTERFACE 7).
  const after = errors.length === 0 ? "" : `,"errors":${JSON.stringify(errors)}`;
  yield encoder.encode(`${before === "," ? "" : before}]${after}}`);
}

async function* csvPieces(c: Ctx, { batches, columns }: FoundInBatches) {
  yield encoder.encode(csvHeader(columns));
  for await (const batch of batches) {
    c.env.rows = (c.env.rows ?? 0) + batch.length;
    yield encoder.encode(csvLines(columns, batch));
  }
}

function joined(pieces: readonly Bytes[], size: number): Bytes {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

type Pieces = AsyncGenerator<Bytes, void>;

const STREAMED = new WeakMap<Response, AsyncIterable<Uint8Array>>();

/**
 * The pieces of a response that is read while it is sent, to be asked for once and in place of its body. A
 * piece is to be used up before the next one is asked for.
 */
export function piecesOf(response: Response): AsyncIterable<Uint8Array> | undefined {
  return STREAMED.get(response);
}

/** A stream of pieces; whatever ends it, `ended` is told. */
function streamOf(pieces: Pieces, ended: PromiseWithResolvers<void>): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const { value } = await pieces.next();
        if (value !== undefined) return controller.enqueue(value);
        controller.close();
        ended.resolve();
      } catch (error) {
        // Whoever reads is told, and does not take a part for the whole.
        controller.error(error);
        ended.reject(error);
      }
    },
    async cancel() {
      await pieces.return().finally(ended.resolve);
    },
  }, { highWaterMark: 0 });
}

/** The same pieces; whatever ends them, `ended` is told. */
async function* watched(pieces: Pieces, ended: PromiseWithResolvers<void>): Pieces {
  try {
    yield* pieces;
  } catch (error) {
    ended.reject(error);
    throw error;
  } finally {
    ended.resolve();
  }
}

/** What is read while it is sent. */
interface Sending {
  readonly pieces: Pieces;
  /**
   * The same pieces for who uses each up before the next one.
   * @default pieces
   */
  readonly passing?: Pieces;
  /** Whether it is still to be compressed. */
  readonly compress: boolean;
}

/** A response that is read while it is sent. */
function streamed(
  c: Ctx,
  { pieces, passing, compress }: Sending,
  headers: Record<string, string>,
): Response {
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => {});
  c.env.sending = ended.promise;
  const stream = streamOf(pieces, ended);
  const body = compress ? stream.pipeThrough(new CompressionStream("gzip")) : stream;
  const response = new Response(body, { headers });
  STREAMED.set(response, passing === undefined ? body : watched(passing, ended));
  return response;
}

/** The headers of a response whose body is read while it is sent. */
function streamedHeaders(c: Ctx, description: Description): Record<string, string> {
  const gzip: Record<string, string> = takesGzip(c) ? { "content-encoding": "gzip" } : {};
  return { ...headersOf(c, description), ...gzip };
}

async function* readThenRest(read: readonly Bytes[], rest: Pieces): Pieces {
  try {
    yield* read;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Sends what an operation finds, as the request wants it: in one piece, which is remembered, while it is
 * small; else a piece after the other as it is read, so that only a few megabytes are ever held.
 */
export async function sendPieces(c: Ctx, found: FoundInBatches): Promise<Response> {
  const csv = c.get("format") === "csv";
  const description = {
    type: csv ? CSV : MEDIA_TYPES.json,
    etag: etagOf(c.env.snapshot, c.get("key")),
    headers: csv ? entityErrorHeaders(found.errors) : {},
  };
  c.env.rows = 0;
  const pieces: Pieces = csv ? csvPieces(c, found) : jsonPieces(c, found);
  const read: Bytes[] = [];
  let size = 0;
  while (size <= MAX_WHOLE_BYTES) {
    const { value } = await pieces.next();
    if (value === undefined) {
      return sendWhole(c, joined(read, size), { ...description, rows: c.env.rows });
    }
    read.push(value);
    size += value.length;
  }
  const unchanged = notModified(c, description);
  const headers = streamedHeaders(c, description);
  if (unchanged !== null || c.req.method === "HEAD") {
    await pieces.return();
    return unchanged ?? new Response(null, { headers });
  }
  return streamed(c, { pieces: readThenRest(read, pieces), compress: takesGzip(c) }, headers);
}

/** The pieces of what is kept; the next one is read while one is used. */
async function* keptPieces(part: Part, buffers: readonly Bytes[] | null): Pieces {
  let turn = 0;
  const readFrom = (from: number) => {
    const buffer = buffers?.[turn++ % buffers.length] ?? new Uint8Array(PIECE_BYTES);
    const reading = part.read(from, buffer);
    // Who stops early is not told how the next one ends.
    reading.catch(() => {});
    return reading;
  };
  let next = readFrom(0);
  try {
    for (let at = 0; at < part.size;) {
      const piece = await next;
      at += piece.length;
      next = readFrom(at);
      yield piece;
    }
  } finally {
    // The file may be closed after this.
    await next.catch(() => {});
  }
}

/**
 * Sends a body of JSON that is kept in a file: read from there while it is sent, if it is not small.
 *
 * @param rows how many rows it holds
 */
export async function sendKept(c: Ctx, kept: Appendix, rows: number): Promise<Response> {
  const description = { type: MEDIA_TYPES.json, etag: etagOf(c.env.snapshot, c.get("key")) };
  const { size } = kept.plain;
  if (size <= MAX_WHOLE_BYTES) {
    const bytes = await kept.plain.read(0, new Uint8Array(size));
    return sendWhole(c, bytes, { ...description, rows });
  }
  c.env.rows = rows;
  const unchanged = notModified(c, description);
  if (unchanged !== null) return unchanged;
  const part = takesGzip(c) ? kept.gzip : kept.plain;
  const headers = { ...streamedHeaders(c, description), "content-length": String(part.size) };
  if (c.req.method === "HEAD") return new Response(null, { headers });
  const two = [new Uint8Array(PIECE_BYTES), new Uint8Array(PIECE_BYTES)];
  const [pieces, passing] = [keptPieces(part, null), keptPieces(part, two)];
  return streamed(c, { pieces, passing, compress: false }, headers);
}
