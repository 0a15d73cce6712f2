import type { Database } from "../engine/duckdb.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** How the chunks of a prepared response are stored. */
type Encoding = "plain" | "gzip";

/** A response that the build made, in chunks of a table. */
export interface PreparedResponse {
  /** The length of the whole. */
  readonly bytes: Readonly<Record<Encoding, number>>;
  /** Reads the chunks; the next one is read while one is used. */
  read(encoding: Encoding): AsyncGenerator<Bytes, void>;
}

const CHUNK_BYTES = 1 << 18;

/** Cuts chunks of any length into chunks of one length, of which the last may be shorter. */
async function* cut(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Bytes, void> {
  let chunk = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  for await (const bytes of chunks) {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + CHUNK_BYTES - filled);
      chunk.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < CHUNK_BYTES) continue;
      yield chunk;
      chunk = new Uint8Array(CHUNK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** Stores a response in the table `data.prepared_response`, plain and compressed. */
export async function prepareResponse(
  database: Database,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await database.run(
    "CREATE TABLE data.prepared_response (encoding VARCHAR, chunk INTEGER, bytes BLOB)",
  );
  const store = async (encoding: Encoding, source: AsyncIterable<Uint8Array>) => {
    let chunk = 0;
    for await (const bytes of cut(source)) {
      await database.run(
        "INSERT INTO data.prepared_response VALUES ($encoding, $chunk, $bytes)",
        { encoding, chunk: chunk++, bytes },
      );
    }
  };
  await store("plain", chunks);
  const plain = (await openPrepared(database)).read("plain");
  await store("gzip", ReadableStream.from(plain).pipeThrough(new CompressionStream("gzip")));
}

/** Opens the prepared response of a file of data. */
export async function openPrepared(database: Database): Promise<PreparedResponse> {
  const rows = await database.rows(
    `SELECT encoding, count(*) AS chunks, sum(octet_length(bytes))::BIGINT AS bytes
     FROM data.prepared_response GROUP BY encoding`,
  );
  const of = (encoding: Encoding) => rows.find((row) => row.encoding === encoding);
  const chunkOf = async (encoding: Encoding, chunk: number) => {
    const [row] = await database.rows(
      "SELECT bytes FROM data.prepared_response WHERE encoding = $encoding AND chunk = $chunk",
      { encoding, chunk },
    );
    return row?.bytes as Bytes;
  };
  return {
    bytes: { plain: Number(of("plain")?.bytes), gzip: Number(of("gzip")?.bytes) },
    async *read(encoding) {
      const chunks = Number(of(encoding)?.chunks);
      let next = chunkOf(encoding, 0);
      // The database may be closed once this has ended.
      try {
        for (let chunk = 1; chunk <= chunks; chunk++) {
          const bytes = await next;
          if (chunk < chunks) next = chunkOf(encoding, chunk);
          yield bytes;
        }
      } finally {
        await next.catch(() => {});
      }
    },
  };
}
