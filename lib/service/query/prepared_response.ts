import type { Database } from "../engine/duckdb.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A response that the build computed and stored compressed. */
export interface PreparedResponse {
  /** The length of the response, uncompressed and compressed. */
  readonly bytes: Readonly<Record<"plain" | "gzip", number>>;
  /** Reads the response. */
  read(encoding: "plain" | "gzip"): AsyncGenerator<Bytes, void>;
}

/** Stores a response in the table `data.prepared_response`, compressed, one chunk per row. */
export async function prepareResponse(
  database: Database,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await database.run(
    "CREATE TABLE data.prepared_response (chunk INTEGER, bytes BLOB, plain_bytes BIGINT)",
  );
  let plain = 0;
  const counted = async function* () {
    for await (const bytes of chunks) {
      plain += bytes.length;
      yield bytes as Bytes;
    }
  };
  const store = (chunk: number, bytes: Uint8Array) =>
    database.run(
      "INSERT INTO data.prepared_response VALUES ($chunk, $bytes, $plain)",
      { chunk, bytes, plain },
    );
  let chunk = 0;
  const compressed = ReadableStream.from(counted()).pipeThrough(new CompressionStream("gzip"));
  for await (const bytes of compressed) await store(chunk++, bytes);
}

/** Opens the prepared response of a data file. */
export async function openPrepared(database: Database): Promise<PreparedResponse> {
  const [row] = await database.rows(
    `SELECT max(plain_bytes) AS plain, sum(octet_length(bytes))::BIGINT AS gzip
     FROM data.prepared_response`,
  );
  const compressed = async function* (): AsyncGenerator<Bytes, void> {
    const batches = database.batches("SELECT bytes FROM data.prepared_response ORDER BY chunk");
    for await (const batch of batches) for (const { bytes } of batch) yield bytes as Bytes;
  };
  return {
    bytes: { plain: Number(row?.plain), gzip: Number(row?.gzip) },
    async *read(encoding) {
      if (encoding === "gzip") return yield* compressed();
      // The compressed bytes are small, so they are read at once. No statement stays open if the reader stops early.
      const bytes = new Blob(await Array.fromAsync(compressed()));
      yield* bytes.stream().pipeThrough(new DecompressionStream("gzip"));
    },
  };
}
