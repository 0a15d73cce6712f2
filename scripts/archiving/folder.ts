/**
 * Reads the folder of an archive by the rules in `docs/archive.md`. It does not use the library's code, so that it also
 * detects files that break these rules because of an error in the library.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { hasCode, readFile } from "../../lib/platform/file.ts";
import { type Io, print, tell, UsageError } from "../cli/script.ts";

const STEM = "[a-z_]+-[0-9a-f]{32}";
const BODY = new RegExp(`^${STEM}\\.[0-9a-f]{16}\\.body\\.json$`);
const HEADER = new RegExp(`^(${STEM})(?:\\.(\\d{8}T\\d{6}\\.\\d{3}Z)\\.([0-9a-f]{16}))?\\.json$`);
const HALF = new RegExp(`^\\.${STEM}.*\\.json\\.[0-9a-f-]{36}\\.tmp$`);

function timeIn(text: string): Date {
  return new Date(text.replace(/^(....)(..)(..T..)(..)(.*)$/, "$1-$2-$3:$4:$5"));
}

/** Returns the header files of a folder, the names of its body files, and the number of incomplete files. */
async function readFolder(dir: string) {
  const names = await readdir(dir).catch((error) => {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
    throw new UsageError(`DIR: no such folder: ${dir}`);
  });
  const headers = names.sort().flatMap((name) => {
    const [, stem, time, digest = null] = HEADER.exec(name) ?? [];
    if (stem === undefined) return [];
    // The name of the newest header of a request contains no time and no digest.
    return [{ name, stem, time: time === undefined ? null : timeIn(time), digest }];
  });
  const bodies = names.filter((name) => BODY.test(name));
  // Processes that were killed leave incomplete files.
  const halves = names.filter((name) => HALF.test(name)).length;
  return { headers, bodies, halves };
}

type HeaderFile = Awaited<ReturnType<typeof readFolder>>["headers"][number];

/** The members of a header that this file uses. */
interface Header {
  readonly retrieved_at: string;
  readonly answer: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Returns the content of a header, or null if the file is not a header of this version. */
async function readHeader(dir: string, name: string): Promise<Header | null> {
  try {
    const bytes = await readFile(`${dir}/${name}`);
    const header = bytes && JSON.parse(new TextDecoder().decode(bytes));
    return header?.chainframe_cache === 1 ? header : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns the size and the digest of a body; null if the body is missing. */
async function sizeAndDigest(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null) return null;
  return `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Describes what is wrong with a header or with its body. Returns undefined if nothing is wrong. */
async function faultOf(
  { name, stem, time, digest }: HeaderFile,
  dir: string,
  read: Map<string, Promise<string | null>>,
): Promise<string | undefined> {
  const header = await readHeader(dir, name);
  if (header === null) return "is not a header of this version";
  const { retrieved_at, answer, bytes, sha256 } = header;
  const short = sha256.slice(0, 16);
  if (answer !== `${stem}.${short}.body.json`) {
    return `names the body of another request: ${answer}`;
  }
  if (digest !== null && digest !== short) return "has the digest of another body in its file name";
  if (time !== null && time.toISOString() !== retrieved_at) {
    return `has different times in its file name and its content: ${retrieved_at}`;
  }
  const found = read.get(answer) ?? sizeAndDigest(`${dir}/${answer}`);
  read.set(answer, found);
  const there = await found;
  if (there === null) return `has no body: ${answer}`;
  return there === `${bytes} ${sha256}` ? undefined : `has a changed body: ${answer}`;
}

/** Verifies every digest of an archive and returns the exit code. */
export async function verifyArchive(dir: string, io: Io): Promise<number> {
  const { headers, bodies, halves } = await readFolder(dir);
  const read = new Map<string, Promise<string | null>>();
  let faults = 0;
  for (const header of headers) {
    const fault = await faultOf(header, dir, read);
    if (fault === undefined) continue;
    faults++;
    tell(io, `${header.name}: ${fault}`);
  }
  for (const name of bodies.filter((name) => !read.has(name))) {
    tell(io, `${name}: has no header (a writer may have been killed)`);
  }
  if (halves > 0) tell(io, `${halves} files were left by killed writers`);
  const requests = new Set(headers.map(({ stem }) => stem)).size;
  const kept = headers.filter(({ time }) => time !== null).length;
  const result = faults === 0 ? "all digests are correct" : `${faults} headers are wrong`;
  await print(io, `${requests} requests, ${kept} responses, ${read.size} bodies: ${result}\n`);
  return faults === 0 ? 0 : 1;
}

const DAY = 86_400_000;
const HOUR = 3_600_000;

/**
 * Returns the headers of one request that pruning removes. These are the headers that are older than the time `before`,
 * except the last header of each month and the newest header.
 */
function outdated(headers: readonly HeaderFile[], before: number): HeaderFile[] {
  const dated = headers.filter(({ time }) => time !== null)
    .sort((a, b) => a.time!.getTime() - b.time!.getTime());
  const older = dated.filter(({ time }) => time!.getTime() < before);
  const last = new Map(older.map((header) => [header.time!.toISOString().slice(0, 7), header]));
  return older.filter((header) => ![...last.values(), dated.at(-1)].includes(header));
}

/** Returns the bodies that no remaining header names, except bodies that were written within the last hour. */
async function unnamed(dir: string, going: ReadonlySet<string>, now: number): Promise<string[]> {
  const { headers, bodies } = await readFolder(dir);
  const remaining = headers.filter(({ name }) => !going.has(name));
  const read = await Promise.all(remaining.map(({ name }) => readHeader(dir, name)));
  const named = new Set(read.map((header) => header?.answer));
  const found: string[] = [];
  for (const name of bodies.filter((each) => !named.has(each))) {
    // If the body is new, another process may still have to write its header.
    const written = (await stat(`${dir}/${name}`)).mtime.getTime();
    if (now - written > HOUR) found.push(name);
  }
  return found;
}

/** Removes or lists old responses. Keeps all responses of the last `keepDays` days, and the last one of each month. */
export async function pruneArchive(
  dir: string,
  { keepDays, remove, now }: {
    readonly keepDays: number;
    /** Whether to remove the files. If false, the files are only listed. */
    readonly remove: boolean;
    readonly now: number;
  },
  io: Io,
): Promise<void> {
  const { headers } = await readFolder(dir);
  const before = Math.floor(now / DAY) * DAY - keepDays * DAY;
  const requests = Map.groupBy(headers, ({ stem }) => stem);
  const going = new Set(
    [...requests.values()].flatMap((each) => outdated(each, before)).map(({ name }) => name),
  );
  const removeAll = async (names: Iterable<string>) => {
    if (remove) { for (const name of names) await rm(`${dir}/${name}`); }
  };
  // Removes headers before bodies: if pruning is interrupted, a body without a header is harmless, but a header without
  // a body is damaged.
  await removeAll(going);
  const bodies = await unnamed(dir, going, now);
  await removeAll(bodies);
  for (const name of [...going, ...bodies]) await print(io, `${name}\n`);
  const what = `${going.size} headers and ${bodies.length} bodies`;
  await print(
    io,
    remove ? `${what} were removed\n` : `${what} would be removed; pass --yes to remove them\n`,
  );
}
