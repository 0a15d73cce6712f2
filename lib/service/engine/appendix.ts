import { createHash } from "node:crypto";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Bytes that stand behind a database, in its file: a database reads no further than its own blocks. So
 * they can be sent as they are on the disk, and there is still one file, which is replaced as one.
 */
export interface Appendix {
  /** What they belong to, as it was said when they were appended. */
  readonly of: string;
  readonly size: number;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  /** Fills a buffer with the bytes from a place on, and returns what of it was filled. */
  read(from: number, into: Bytes): Promise<Bytes>;
  /** To be closed after the database: to close a file lets go of all locks that the process has on it. */
  close(): void;
}

/** The last bytes of the file: where the others are, and what they must come to. */
interface Footer {
  readonly chainframe_appendix: 1;
  readonly of: string;
  readonly start: number;
  readonly bytes: number;
  readonly sha256: string;
}

const FOOTER_BYTES = 256;
const HASHED_AT_ONCE = 1 << 20;

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

/**
 * Appends bytes to the file of a database that is not written to any more.
 *
 * @throws {Error} when they cannot be written; what was written is no appendix.
 */
export async function append(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  of: string,
): Promise<void> {
  using file = await Deno.open(path, { append: true });
  const { size: start } = await file.stat();
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
    await writeAll(file, piece, path);
  }
  const sha256 = hash.digest("hex");
  const footer: Footer = { chainframe_appendix: 1, of, start, bytes, sha256 };
  const line = `${JSON.stringify(footer).padEnd(FOOTER_BYTES - 1)}\n`;
  await writeAll(file, new TextEncoder().encode(line), path);
}

function footerIn(text: string, size: number): Footer | null {
  try {
    const footer = JSON.parse(text) as Footer;
    const { chainframe_appendix: version, start, bytes } = footer;
    return version === 1 && start + bytes + FOOTER_BYTES === size ? footer : null;
  } catch {
    return null;
  }
}

// A file has one place that it is read from: who reads next waits until it is free.
function reader(file: Deno.FsFile, start: number, size: number): Appendix["read"] {
  let free: Promise<unknown> = Promise.resolve();
  const fill = async (from: number, into: Bytes) => {
    const wanted = into.subarray(0, size - from);
    file.seekSync(start + from, Deno.SeekMode.Start);
    for (let filled = 0; filled < wanted.length;) {
      const read = await file.read(wanted.subarray(filled));
      if (read === null) throw new Error("the file of data has become shorter");
      filled += read;
    }
    return wanted;
  };
  return (from, into) => {
    const reading = free.then(() => fill(from, into));
    free = reading.catch(() => {});
    return reading;
  };
}

async function digestOf(read: Appendix["read"], size: number): Promise<string> {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(Math.min(HASHED_AT_ONCE, size));
  for (let at = 0; at < size; at += buffer.length) hash.update(await read(at, buffer));
  return hash.digest("hex");
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
    const end = await reader(file, 0, size)(
      Math.max(0, size - FOOTER_BYTES),
      new Uint8Array(FOOTER_BYTES),
    );
    const footer = footerIn(new TextDecoder().decode(end), size);
    if (footer === null) throw new Error(`there is nothing behind the database in ${path}`);
    const { of, start, bytes, sha256 } = footer;
    const read = reader(file, start, bytes);
    if (await digestOf(read, bytes) !== sha256) {
      throw new Error(`what stands behind the database in ${path} is not what was put there`);
    }
    return { of, size: bytes, sha256, read, close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}
