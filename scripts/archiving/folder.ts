/**
 * Reads the folder of an archive by the rules in `docs/archive.md`. It does not use the library's code of the cache, so
 * that it also detects files that break these rules because of an error in the library.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { momentIn } from "../../lib/schema/grammar.ts";
import { hasCode, readFile, writeWhole } from "../../lib/platform/file.ts";
import { type Io, print, tell, UsageError } from "../cli/script.ts";

const STEM = "[A-Za-z_]+-[0-9a-f]{32}";
const BODY = new RegExp(`^${STEM}\\.[0-9a-f]{16}\\.body\\.json$`);
const HEADERS = new RegExp(`^(${STEM})\\.jsonl$`);
const HALF = new RegExp(`^\\.${STEM}.*\\.[0-9a-f-]{36}\\.tmp$`);

/** A line of a file of headers. The members are null if the line is damaged. */
interface Line {
  readonly text: string;
  /** The name of the file, and the number of the line in it. */
  readonly name: string;
  readonly at: number;
  readonly header: {
    readonly retrieved_at: string;
    readonly checked_at: string;
    readonly sha256: string;
    /** The name of the body file. */
    readonly body: string;
  } | null;
}

function lineFrom(text: string, stem: string): Line["header"] {
  try {
    const { chainframe_cache, retrieved_at, checked_at, sha256 } = JSON.parse(text);
    if (chainframe_cache !== 2 || !/^[0-9a-f]{64}$/.test(sha256)) return null;
    if ([retrieved_at, checked_at].some((time) => momentIn(time) === null)) return null;
    const body = `${stem}.${sha256.slice(0, 16)}.body.json`;
    return { retrieved_at, checked_at, sha256, body };
  } catch {
    return null;
  }
}

/** Returns the lines of a folder by file, the names of its body files, and the number of incomplete files. */
async function readFolder(dir: string) {
  const names = await readdir(dir).catch((error) => {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
    throw new UsageError(`DIR: no such folder: ${dir}`);
  });
  const files = new Map<string, Line[]>();
  for (const name of names.sort()) {
    const [, stem] = HEADERS.exec(name) ?? [];
    if (stem === undefined) continue;
    const text = new TextDecoder().decode(await readFile(`${dir}/${name}`) ?? undefined);
    const lines = text.split("\n").map((text, at) => ({ text, at: at + 1 }))
      .filter(({ text }) => text !== "");
    files.set(name, lines.map((line) => ({ ...line, name, header: lineFrom(line.text, stem) })));
  }
  const bodies = names.filter((name) => BODY.test(name));
  // Processes that were killed leave incomplete files.
  const halves = names.filter((name) => HALF.test(name)).length;
  return { files, bodies, halves };
}

/** Returns the digest of a body; null if the body is missing. */
async function digestOf(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes === null ? null : createHash("sha256").update(bytes).digest("hex");
}

/** Returns the versions of a request: lines of one body that is confirmed again and again. */
function versionsOf(lines: readonly Line[]): Line[][] {
  const whole = lines.filter(({ header }) => header !== null);
  return [
    ...Map.groupBy(whole, ({ header }) => `${header!.retrieved_at} ${header!.sha256}`).values(),
  ];
}

/** Verifies every digest of an archive and returns the exit code. */
export async function verifyArchive(dir: string, io: Io): Promise<number> {
  const { files, bodies, halves } = await readFolder(dir);
  const lines = [...files.values()].flat();
  const versions = [...files.values()].flatMap(versionsOf);
  const named = new Set(versions.map(([line]) => line!.header!.body));
  let faults = 0;
  const fault = (text: string) => {
    faults++;
    tell(io, text);
  };
  for (const { text, name, at, header } of lines) {
    if (header !== null) continue;
    if (text.endsWith("}")) fault(`${name}: line ${at} is not a header of this version`);
    else tell(io, `${name}: line ${at} has no end (a writer may have been killed)`);
  }
  for (const [line] of versions) {
    const { body, sha256 } = line!.header!;
    const digest = await digestOf(`${dir}/${body}`);
    const place = `${line!.name}: line ${line!.at}`;
    if (digest === null) fault(`${place} has no body: ${body}`);
    else if (digest !== sha256) fault(`${place} has a changed body: ${body}`);
  }
  for (const name of bodies.filter((name) => !named.has(name))) {
    tell(io, `${name}: has no header (a writer may have been killed)`);
  }
  if (halves > 0) tell(io, `${halves} files were left by killed writers`);
  const result = faults === 0 ? "all digests are correct" : `${faults} headers are wrong`;
  const counts = `${files.size} requests, ${versions.length} responses, ${named.size} bodies`;
  await print(io, `${counts}: ${result}\n`);
  return faults === 0 ? 0 : 1;
}

const DAY = 86_400_000;
const HOUR = 3_600_000;

/**
 * Returns the lines of one request that pruning removes. These are the versions that were last confirmed before the time
 * `before`, except the last version of each month and the newest version.
 */
function outdated(lines: readonly Line[], before: number): Line[] {
  const versions = versionsOf(lines).map((lines) => ({
    lines,
    time: lines.map(({ header }) => header!.checked_at).sort().at(-1)!,
  })).sort((a, b) => a.time < b.time ? -1 : 1);
  const older = versions.filter(({ time }) => momentIn(time)!.time < before);
  const last = new Map(older.map((version) => [version.time.slice(0, 7), version]));
  return older.filter((version) => ![...last.values(), versions.at(-1)].includes(version))
    .flatMap(({ lines }) => lines);
}

/** Removes or lists old responses. Keeps all responses of the last `keepDays` days, and the last one of each month. */
export async function pruneArchive(
  dir: string,
  { keepDays, remove, now }: {
    readonly keepDays: number;
    /** Whether to remove the responses. If false, they are only listed. */
    readonly remove: boolean;
    readonly now: number;
  },
  io: Io,
): Promise<void> {
  const { files, bodies } = await readFolder(dir);
  const before = Math.floor(now / DAY) * DAY - keepDays * DAY;
  const going = new Set([...files.values()].flatMap((lines) => outdated(lines, before)));
  const staying = [...files.values()].flat().filter((line) => !going.has(line));
  // Removes headers before bodies: if pruning is interrupted, a body without a header is harmless, but a header without
  // a body is damaged.
  for (const name of new Set([...going].map(({ name }) => name))) {
    const lines = staying.filter((line) => line.name === name).map(({ text }) => `\n${text}\n`);
    const bytes = new TextEncoder().encode(lines.join(""));
    if (remove) await writeWhole(`${dir}/${name}`, bytes, { force: true });
  }
  const named = new Set(staying.map(({ header }) => header?.body));
  const unnamed: string[] = [];
  for (const name of bodies.filter((each) => !named.has(each))) {
    // If the body is new, another process may still have to write its header.
    const written = (await stat(`${dir}/${name}`)).mtime.getTime();
    if (now - written > HOUR) unnamed.push(name);
  }
  if (remove) { for (const name of unnamed) await rm(`${dir}/${name}`); }
  for (const { name, at } of going) await print(io, `${name}: line ${at}\n`);
  for (const name of unnamed) await print(io, `${name}\n`);
  const what = `${going.size} headers and ${unnamed.length} bodies`;
  await print(
    io,
    remove ? `${what} were removed\n` : `${what} would be removed; pass --yes to remove them\n`,
  );
}
