// Importing members by name would fail in older versions of Node.js before the version is checked.
import * as zlib from "node:zlib";
import type { Database, Row } from "../engine/duckdb.ts";
import type { EntityError } from "./entity_list.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A response that the build computed, compressed and stored in the data file. */
export interface PreparedResponse {
  /** The length of the response in bytes: uncompressed (`plain`) and compressed (`gzip`). */
  readonly bytes: Readonly<Record<"plain" | "gzip", number>>;
  /** Reads the response in pieces. */
  read(encoding: "plain" | "gzip"): AsyncGenerator<Bytes, void>;
}

/** Yields the JSON text of a response in pieces. The response has the given rows and errors. */
export async function* jsonBody(
  batches: AsyncIterable<readonly unknown[]>,
  errors: readonly EntityError[] = [],
): AsyncGenerator<Bytes, void> {
  const encoder = new TextEncoder();
  let before = '{"data":[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield encoder.encode(before + JSON.stringify(batch).slice(1, -1));
    before = ",";
  }
  // If all ids are known, the response has no member `errors` (INTERFACE 7).
  const after = errors.length === 0 ? "" : `,"errors":${JSON.stringify(errors)}`;
  yield encoder.encode(`${before === "," ? "" : before}]${after}}`);
}

// Compared with level 1, decompression takes two thirds of the time, but the compressed pieces are twice as long.
const LEVEL = { params: { [zlib.constants.ZSTD_c_compressionLevel]: -20 } };

/** Spare bytes in the output buffer. With a full buffer, decompression needs one more step to find the end. */
const SPARE_BYTES = 64;

/**
 * Stores a response in the table `data.prepared_response` in two forms: as gzip, which most clients accept, and as
 * Zstandard. For other clients, the service decompresses the Zstandard form, which is faster than decompressing gzip.
 */
export async function prepareResponse(
  database: Database,
  pieces: AsyncIterable<Bytes>,
  signal?: AbortSignal,
): Promise<void> {
  await database.run(
    "CREATE TABLE data.prepared_response (encoding VARCHAR, chunk INTEGER, bytes BLOB, plain BIGINT)",
  );
  let chunk = 0;
  const store = (encoding: "gzip" | "zstd", bytes: Uint8Array, plain: number) =>
    database.run(
      "INSERT INTO data.prepared_response VALUES ($encoding, $chunk, $bytes, $plain)",
      { encoding, chunk: chunk++, bytes, plain },
    );
  const stored = async function* () {
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      await store("zstd", zlib.zstdCompressSync(piece, LEVEL), piece.length);
      yield piece;
    }
  };
  const compressed = ReadableStream.from(stored()).pipeThrough(new CompressionStream("gzip"));
  for await (const bytes of compressed) await store("gzip", bytes, 0);
}

type Encoding = keyof PreparedResponse["bytes"];

/** Returns a function that decompresses a piece. Responses share the decompressed bytes until garbage collection. */
function pieceOf({ bytes, plain }: Row): () => Bytes {
  const chunkSize = Number(plain) + SPARE_BYTES;
  let last: WeakRef<Bytes> | undefined;
  return () => {
    const piece = last?.deref() ?? zlib.zstdDecompressSync(bytes as Bytes, { chunkSize }) as Bytes;
    last = new WeakRef(piece);
    return piece;
  };
}

/** Opens the prepared response of a data file. */
export async function openPrepared(database: Database): Promise<PreparedResponse> {
  const [row] = await database.rows(
    `SELECT sum(plain)::BIGINT AS plain,
       (sum(octet_length(bytes)) FILTER (WHERE encoding = 'gzip'))::BIGINT AS gzip
     FROM data.prepared_response`,
  );
  const readPieces = async (encoding: Encoding): Promise<(() => Bytes)[]> => {
    const stored = await database.rows(
      `SELECT bytes, plain FROM data.prepared_response
       WHERE (encoding = 'gzip') = $gzip ORDER BY chunk`,
      { gzip: encoding === "gzip" },
    );
    if (encoding === "plain") return stored.map(pieceOf);
    const whole = await new Blob(stored.map(({ bytes }) => bytes as Bytes)).bytes();
    return [() => whole as Bytes];
  };
  // The compressed forms are short, so they stay in memory after the first request.
  const pieces = new Map<Encoding, ReturnType<typeof readPieces>>();
  return {
    bytes: { plain: Number(row?.plain), gzip: Number(row?.gzip) },
    async *read(encoding) {
      const found = pieces.get(encoding) ?? readPieces(encoding);
      pieces.set(encoding, found);
      found.catch(() => pieces.delete(encoding));
      for (const piece of await found) yield piece();
    },
  };
}
