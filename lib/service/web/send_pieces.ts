import type { Cell } from "../engine/duckdb.ts";
import type { EntityError } from "../query/entity_list.ts";
import { csvHeader, csvLines, entityErrorHeaders } from "./csv.ts";
import type { Ctx } from "./hono.ts";
import { MEDIA_TYPES } from "./representation.ts";
import { etagOf, headersOf, notModified, sendWhole, takesGzip } from "./send.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Item = Readonly<Record<string, Cell>>;

/** What an operation finds, a batch after the other. */
interface FoundInBatches {
  /** The items; or the bytes of JSON that they are, where no table is asked for. */
  readonly batches: AsyncGenerator<readonly Item[] | readonly Bytes[], void>;
  readonly columns: readonly string[];
  readonly errors: readonly EntityError[];
  /**
   * How many items there are.
   * @default they are counted
   */
  readonly rows?: number;
}

/** More than this is not held: the rest is read while it is sent. */
const MAX_WHOLE_BYTES = 4_000_000;

const CSV = "text/csv; charset=utf-8; header=present";

const encoder = new TextEncoder();

function isBytes(batch: readonly Item[] | readonly Bytes[]): batch is readonly Bytes[] {
  return batch[0] instanceof Uint8Array;
}

async function* jsonPieces(c: Ctx, { batches, errors }: FoundInBatches) {
  let before = '{"data":[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    if (isBytes(batch)) {
      for (const bytes of batch) {
        yield encoder.encode(before);
        yield bytes;
        before = ",";
      }
    } else {
      c.env.rows = (c.env.rows ?? 0) + batch.length;
      yield encoder.encode(before + JSON.stringify(batch).slice(1, -1));
      before = ",";
    }
  }
  // There is no member errors when everything was found (INTERFACE 7).
  const after = errors.length === 0 ? "" : `,"errors":${JSON.stringify(errors)}`;
  yield encoder.encode(`${before === "," ? "" : before}]${after}}`);
}

async function* csvPieces(c: Ctx, { batches, columns }: FoundInBatches) {
  yield encoder.encode(csvHeader(columns));
  for await (const batch of batches) {
    c.env.rows = (c.env.rows ?? 0) + batch.length;
    yield encoder.encode(csvLines(columns, batch as readonly Item[]));
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

const STREAMED = new WeakSet<Response>();

/** Whether the body of a response is read while it is sent: nobody can tell its length before. */
export function isStreamed(response: Response): boolean {
  return STREAMED.has(response);
}

type Pieces = AsyncGenerator<Bytes, void>;

/** The pieces that were read, and those that will be; what ends it, however it ends, is `ended`. */
function streamOf(read: Bytes[], rest: Pieces) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {});
  const stream = new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const piece = read.shift() ?? (await rest.next()).value;
        if (piece !== undefined) return controller.enqueue(piece);
        controller.close();
        resolve();
      } catch (error) {
        // Whoever reads is told, and does not take a part for the whole.
        controller.error(error);
        reject(error);
      }
    },
    async cancel() {
      await rest.return().finally(resolve);
    },
  });
  return { stream, ended: promise };
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
  c.env.rows = found.rows ?? 0;
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
  const headers = headersOf(c, description);
  const gzip = takesGzip(c);
  if (gzip) headers["content-encoding"] = "gzip";
  if (unchanged !== null || c.req.method === "HEAD") {
    await pieces.return();
    return unchanged ?? new Response(null, { headers });
  }
  const { stream, ended } = streamOf(read, pieces);
  c.env.sending = ended;
  const response = new Response(
    gzip ? stream.pipeThrough(new CompressionStream("gzip")) : stream,
    { headers },
  );
  STREAMED.add(response);
  return response;
}
