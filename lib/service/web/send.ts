import type { Cell } from "../engine/duckdb.ts";
import type { EntityError } from "../query/entity_list.ts";
import { jsonBody, type PreparedResponse } from "../query/prepared_response.ts";
import { csvHeader, csvLines, entityErrorHeaders } from "./csv.ts";
import type { Ctx } from "./hono.ts";
import { acceptsGzip, MEDIA_TYPES } from "./read_request.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Chunks = AsyncGenerator<Bytes, void>;

/** The result of an operation, in batches of rows. */
interface FoundRows {
  readonly batches: AsyncGenerator<readonly Readonly<Record<string, Cell>>[], void>;
  readonly columns: readonly string[];
  readonly errors: readonly EntityError[];
}

/** Maximum size of a body that is sent in one piece, in bytes. Longer bodies are streamed. */
const MAX_WHOLE_BYTES = 4_000_000;

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

/** Sends bytes in one piece. The middleware `cached` then stores the response and reuses it for equal requests. */
export function sendBytes(c: Ctx, bytes: Bytes, headers: Record<string, string>): Response {
  c.set("whole", true);
  return new Response(bytes, { headers: { ...headers, "content-length": String(bytes.length) } });
}

/** Sends a payload as JSON. */
export function sendJson(c: Ctx, payload: unknown, headers = {}): Response {
  return sendBytes(c, encoder.encode(JSON.stringify(payload)), {
    "content-type": MEDIA_TYPES.json,
    ...headers,
  });
}

/** Sends rows as JSON or CSV. A short body is sent in one piece, and a longer body as a stream. */
export async function sendRows(
  c: Ctx,
  { batches, columns, errors }: FoundRows,
): Promise<Response> {
  const csv = c.get("format") === "csv";
  const headers = csv
    ? { "content-type": CSV, ...entityErrorHeaders(errors) }
    : { "content-type": MEDIA_TYPES.json };
  c.env.rows = 0;
  const rows = counted(c, batches);
  const chunks = csv ? csvBody({ batches: rows, columns }) : jsonBody(rows, errors);
  const read: Bytes[] = [];
  let size = 0;
  while (size <= MAX_WHOLE_BYTES) {
    const { value } = await chunks.next();
    if (value === undefined) {
      return sendBytes(c, await new Blob(read).bytes() as Bytes, headers);
    }
    read.push(value);
    size += value.length;
  }
  return streamed(c, concat(read, chunks), headers);
}

/** Sends a prepared response. Returns null for a short response, which is computed and cached instead. */
export function sendPrepared(c: Ctx, prepared: PreparedResponse, rows: number): Response | null {
  if (prepared.bytes.plain <= MAX_WHOLE_BYTES) return null;
  c.env.rows = rows;
  const encoding = acceptsGzip(c) ? "gzip" : "plain";
  const headers: Record<string, string> = {
    "content-type": MEDIA_TYPES.json,
    "content-length": String(prepared.bytes[encoding]),
  };
  if (encoding === "gzip") headers["content-encoding"] = "gzip";
  return streamed(c, prepared.read(encoding), headers);
}
