import { createHash } from "node:crypto";

type Bytes = Uint8Array<ArrayBuffer>;

/** Some bytes of a file. */
export interface Part {
  readonly size: number;
  /** Fills a buffer with the bytes from a place on, and returns what of it was filled. */
  read(from: number, into: Bytes): Promise<Bytes>;
}

/**
 * Bytes that stand behind a database, in its file: a database reads no further than its own blocks. So
 * they can be sent as they are on the disk, and there is still one file, which is replaced as one.
 */
export interface Appendix {
  /** What they belong to, as it was said when they were appended. */
  readonly of: string;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  readonly plain: Part;
  /** The same bytes compressed. */
  readonly gzip: Part;
  /** To be closed after the database: to close a file lets go of all locks that the process has on it. */
  close(): void;
}

/** What bytes must come to. */
interface Sum {
  readonly bytes: number;
  readonly sha256: string;
}

/** The last bytes of the file: where the others are. Those that are compressed come after the plain ones. */
interface Footer {
  readonly chainframe_appendix: 1;
  readonly of: string;
  readonly start: number;
  readonly plain: Sum;
  readonly gzip: Sum;
}

const FOOTER_BYTES = 512;
const READ_AT_ONCE = 1 << 20;

// A file has one place that it is read from: who reads next waits until it is free.
function partsOf(file: Deno.FsFile): (start: number, size: number) => Part {
  let free: Promise<unknown> = Promise.resolve();
  const fill = async (from: number, into: Bytes) => {
    file.seekSync(from, Deno.SeekMode.Start);
    for (let filled = 0; filled < into.length;) {
      const read = await file.read(into.subarray(filled));
      if (read === null) throw new Error("the file of data has become shorter");
      filled += read;
    }
    return into;
  };
  return (start, size) => ({
    size,
    read(from, into) {
      const reading = free.then(() => fill(start + from, into.subarray(0, size - from)));
      free = reading.catch(() => {});
      return reading;
    },
  });
}

async function* piecesOf({ size, read }: Part): AsyncGenerator<Bytes, void> {
  for (let at = 0; at < size; at += READ_AT_ONCE) {
    yield await read(at, new Uint8Array(READ_AT_ONCE));
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array, path: string): Promise<void> {
  try {
    for (let written = 0; written < bytes.length;) {
      written += await file.write(bytes.subarray(written));
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`Cannot write behind the database in ${path}: ${reason}`, { cause });
  }
}

/** Writes pieces at the end of a file, and says what they come to. */
async function appendAll(path: string, pieces: AsyncIterable<Uint8Array>): Promise<Sum> {
  using file = await Deno.open(path, { append: true });
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
    await writeAll(file, piece, path);
  }
  return { bytes, sha256: hash.digest("hex") };
}

/**
 * Appends bytes to the file of a database that is not written to any more, and the same compressed.
 *
 * @throws {Error} when they cannot be written; what was written is no appendix.
 */
export async function append(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  of: string,
): Promise<void> {
  using file = await Deno.open(path);
  const { size: start } = await file.stat();
  const plain = await appendAll(path, pieces);
  const written = ReadableStream.from(piecesOf(partsOf(file)(start, plain.bytes)));
  const gzip = await appendAll(path, written.pipeThrough(new CompressionStream("gzip")));
  const footer: Footer = { chainframe_appendix: 1, of, start, plain, gzip };
  const line = `${JSON.stringify(footer).padEnd(FOOTER_BYTES - 1)}\n`;
  await appendAll(path, ReadableStream.from([new TextEncoder().encode(line)]));
}

function footerIn(text: string, size: number): Footer | null {
  try {
    const footer = JSON.parse(text) as Footer;
    const { chainframe_appendix: version, start, plain, gzip } = footer;
    const isWhole = start + plain.bytes + gzip.bytes + FOOTER_BYTES === size;
    return version === 1 && isWhole ? footer : null;
  } catch {
    return null;
  }
}

async function isAsWritten(part: Part, { sha256 }: Sum): Promise<boolean> {
  const hash = createHash("sha256");
  for await (const piece of piecesOf(part)) hash.update(piece);
  return hash.digest("hex") === sha256;
}

/**
 * Opens what stands behind a database, and checks every byte of it.
 *
 * @throws {Error} when there is nothing, or it is not as it was appended: another program has written to
 * the file.
 */
export async function openAppendix(path: string): Promise<Appendix> {
  const file = await Deno.open(path);
  try {
    const { size } = await file.stat();
    const partOf = partsOf(file);
    const end = Math.max(0, size - FOOTER_BYTES);
    const last = await partOf(0, size).read(end, new Uint8Array(FOOTER_BYTES));
    const footer = footerIn(new TextDecoder().decode(last), size);
    if (footer === null) throw new Error(`there is nothing behind the database in ${path}`);
    const plain = partOf(footer.start, footer.plain.bytes);
    const gzip = partOf(footer.start + plain.size, footer.gzip.bytes);
    if (!(await isAsWritten(plain, footer.plain) && await isAsWritten(gzip, footer.gzip))) {
      throw new Error(`what stands behind the database in ${path} is not what was put there`);
    }
    return { of: footer.of, sha256: footer.plain.sha256, plain, gzip, close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}
