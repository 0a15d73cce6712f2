import type { Database } from "../engine/duckdb.ts";
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

/** Compresses a response, and stores it in the table `data.prepared_response`. */
export async function prepareResponse(
  database: Database,
  pieces: AsyncIterable<Bytes>,
  signal?: AbortSignal,
): Promise<void> {
  await database.run(
    "CREATE TABLE data.prepared_response (chunk INTEGER, bytes BLOB, plain BIGINT)",
  );
  let plain = 0;
  const counted = async function* () {
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      plain += piece.length;
      yield piece;
    }
  };
  const compressed = ReadableStream.from(counted()).pipeThrough(new CompressionStream("gzip"));
  let chunk = 0;
  for await (const bytes of compressed) {
    const values = { chunk: chunk++, bytes, plain };
    await database.run(
      "INSERT INTO data.prepared_response VALUES ($chunk, $bytes, $plain)",
      values,
    );
  }
}

/** Opens the prepared response of a data file. */
export async function openPrepared(database: Database): Promise<PreparedResponse> {
  const [row] = await database.rows(
    `SELECT max(plain) AS plain, sum(octet_length(bytes))::BIGINT AS gzip FROM data.prepared_response`,
  );
  const readWhole = async () => {
    const stored = await database.rows("SELECT bytes FROM data.prepared_response ORDER BY chunk");
    return new Blob(stored.map(({ bytes }) => bytes as Bytes));
  };
  // The compressed response is short, so it stays in memory after the first request.
  let whole: Promise<Blob> | undefined;
  return {
    bytes: { plain: Number(row?.plain), gzip: Number(row?.gzip) },
    async *read(encoding) {
      whole ??= readWhole();
      whole.catch(() => whole = undefined);
      const bytes = await whole;
      if (encoding === "gzip") return yield await bytes.bytes();
      yield* bytes.stream().pipeThrough(new DecompressionStream("gzip"));
    },
  };
}
