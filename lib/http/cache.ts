import {
  archivedIn,
  archivedName,
  bodyName,
  removeLeftovers,
  shortDigest,
  textOf,
} from "./cache_folder.ts";
import { type Entry, type EntryHeader, headerOf, headerText } from "./cache_entry.ts";
import { type Question, questionKey } from "./question.ts";
import type { Settings } from "./settings.ts";
import { readFile, sha256, writeWhole } from "../host/file.ts";
import type { Answer } from "./envelope.ts";

/** A folder of answers. No trouble with it ever fails a question: it costs one warning. */
export interface Cache {
  /** What is kept for a question; null where there is nothing, or nothing good. */
  readonly read: (question: Question) => Promise<Entry | null>;
  /** What was the newest answer at a moment; null where there was none, or nothing good is left of it. */
  readonly readAt: (question: Question, moment: Date) => Promise<Entry | null>;
  /** When the answers came that an archive keeps for a question, the oldest first. */
  readonly times: (question: Question) => Promise<Date[]>;
  /** Keeps an answer in place of the one before, which an archive keeps, too. */
  readonly write: (question: Question, entry: Entry) => Promise<void>;
  /** Keeps what has changed about an answer that is kept already. */
  readonly renew: (question: Question, entry: Entry) => Promise<void>;
  /** Keeps nothing for a question any more. */
  readonly remove: (question: Question) => Promise<void>;
}

/** Where answers are kept, and of which service. */
interface Folder {
  readonly dir: string;
  readonly baseUrl: string;
}

/** What the names of a question's files begin with. */
async function stemOf(question: Question, { baseUrl }: Folder): Promise<string> {
  const key = await sha256(new TextEncoder().encode(questionKey(baseUrl, question)));
  return `${question.operation}-${key.slice(0, 32)}`;
}

function answerPath({ dir }: Folder, stem: string, digest: string): string {
  return `${dir}/${bodyName(stem, digest)}`;
}

async function headerIn(
  { dir, baseUrl }: Folder,
  question: Question,
  name: string,
): Promise<EntryHeader | null> {
  return headerOf(await textOf(`${dir}/${name}`), question, baseUrl);
}

/** The header of the newest answer; null where there is none. */
function newest(folder: Folder, question: Question, stem: string): Promise<EntryHeader | null> {
  return headerIn(folder, question, `${stem}.json`);
}

/** The answer of a header; null where it is not whole. */
async function entryOf(folder: Folder, header: EntryHeader, stem: string): Promise<Entry | null> {
  const bytes = await readFile(answerPath(folder, stem, header.sha256));
  const good = bytes?.length === header.bytes && await sha256(bytes) === header.sha256;
  return good ? { ...header, bytes } : null;
}

/** What reads a folder. */
function readerOf(folder: Folder): Pick<Cache, "read" | "readAt" | "times"> {
  let archive: ReturnType<typeof archivedIn> | null = null;
  const archived = async (stem: string) =>
    (await (archive ??= archivedIn(folder.dir))).get(stem) ?? [];
  return {
    read: async (question) => {
      const stem = await stemOf(question, folder);
      for (let before: string | null = null;;) {
        const header = await newest(folder, question, stem);
        // The same header again: its answer was not replaced while we looked, it is not there.
        if (header === null || header.sha256 === before) return null;
        const entry = await entryOf(folder, header, stem);
        if (entry !== null) return entry;
        before = header.sha256;
      }
    },
    readAt: async (question, moment) => {
      const stem = await stemOf(question, folder);
      const last = (await archived(stem)).findLast(({ retrieved_at }) => retrieved_at <= moment);
      const now = await newest(folder, question, stem);
      const header = now !== null && now.retrieved_at <= moment &&
          !(last !== undefined && last.retrieved_at > now.retrieved_at)
        ? now
        : last === undefined
        ? null
        : await headerIn(folder, question, last.name);
      // What the name of a file says about the time is not to be trusted alone.
      if (header === null || header.retrieved_at > moment) return null;
      return await entryOf(folder, header, stem);
    },
    times: async (question) => {
      const stem = await stemOf(question, folder);
      const now = await newest(folder, question, stem);
      const all = [...await archived(stem), ...now === null ? [] : [now]];
      const moments = new Set(all.map(({ retrieved_at }) => retrieved_at.getTime()));
      return [...moments].sort((a, b) => a - b).map((moment) => new Date(moment));
    },
  };
}

/** What writes to a folder, which is created when the first answer is kept. */
function writerOf(
  folder: Folder,
  { redact, clock, cache, warn }: Settings,
): Pick<Cache, "write" | "renew"> {
  const { dir, baseUrl } = folder;
  let ready: Promise<void> | null = null;
  let keepsAll = cache?.keep === "all";
  // Of the answers of these there is a header that stays.
  const staying = new Set<string>();
  const markOf = (stem: string, { sha256 }: EntryHeader) => `${stem} ${shortDigest(sha256)}`;
  const holdsToken = (bytes: Uint8Array) => {
    const text = new TextDecoder().decode(bytes);
    return redact(text) !== text;
  };

  /** A folder that holds an archive stays one, whoever writes to it. */
  const lookForArchive = async () => {
    const archived = await archivedIn(dir);
    if (archived.size > 0) keepsAll = true;
    for (const [stem, headers] of archived) {
      for (const { digest } of headers) staying.add(`${stem} ${digest}`);
    }
  };

  const prepare = async () => {
    await Deno.mkdir(dir, { recursive: true });
    await lookForArchive();
    await removeLeftovers(dir, clock.now());
  };

  const headerBytes = (question: Question, entry: EntryHeader, stem: string) => {
    const answer = bodyName(stem, entry.sha256);
    return new TextEncoder().encode(headerText(question, entry, { baseUrl, answer }));
  };

  const writeHeader = async (question: Question, entry: EntryHeader, stem: string) => {
    const header = headerBytes(question, entry, stem);
    if (!holdsToken(header)) await writeWhole(`${dir}/${stem}.json`, header, { force: true });
  };

  /** Writes a header that stays, once. */
  const archiveHeader = async (question: Question, entry: EntryHeader, stem: string) => {
    staying.add(markOf(stem, entry));
    const path = `${dir}/${archivedName(stem, entry)}`;
    await writeWhole(path, headerBytes(question, entry, stem)).catch((error) => {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
  };

  /** Removes the answer before, unless another writer has brought it back. */
  const removeReplaced = async (question: Question, before: EntryHeader, stem: string) => {
    const now = await newest(folder, question, stem).catch(() => null);
    if (now?.sha256 === before.sha256) return;
    await Deno.remove(answerPath(folder, stem, before.sha256)).catch(() => {});
  };

  const write = async (question: Question, { bytes, ...noted }: Entry) => {
    const stem = await stemOf(question, folder);
    const entry = { ...noted, bytes: bytes.length };
    if (holdsToken(headerBytes(question, entry, stem)) || holdsToken(bytes)) {
      const { operation } = question;
      return warn(
        `chainframe: ${operation}: not kept in the cache, since the answer holds the token`,
      );
    }
    await (ready ??= prepare());
    const before = await newest(folder, question, stem).catch(() => null);
    const differs = before?.sha256 !== entry.sha256 || before.status !== entry.status;
    // An archive may have been begun here since we looked.
    if (before !== null && differs && !keepsAll) await lookForArchive();
    await writeWhole(answerPath(folder, stem, entry.sha256), bytes, { force: true });
    if (keepsAll) {
      // An answer of the time before the archive becomes its first.
      if (before !== null && !staying.has(markOf(stem, before))) {
        await archiveHeader(question, before, stem);
      }
      if (differs) await archiveHeader(question, entry, stem);
    }
    await writeHeader(question, entry, stem);
    if (keepsAll || before === null || before.sha256 === entry.sha256) return;
    await removeReplaced(question, before, stem);
  };

  return {
    write,
    renew: async (question, { bytes, ...entry }) => {
      const noted = { ...entry, bytes: bytes.length };
      await writeHeader(question, noted, await stemOf(question, folder));
    },
  };
}

/** Makes the cache in a folder. */
export function createCache(dir: string, settings: Settings): Cache {
  const { baseUrl, redact, cache, warn } = settings;
  const folder = { dir, baseUrl };
  const { read, readAt, times } = readerOf(folder);
  const { write, renew } = writerOf(folder, settings);
  const asOf = cache?.asOf ?? null;

  const complain = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`chainframe: the cache in ${dir} cannot be used: ${redact(reason)}`, "cache");
  };
  const orNull = (reading: Promise<Entry | null>) =>
    reading.catch((error) => {
      complain(error);
      return null;
    });

  return {
    read: (question) => orNull(asOf === null ? read(question) : readAt(question, asOf)),
    readAt: (question, moment) => orNull(readAt(question, moment)),
    times,
    write: (question, entry) => write(question, entry).catch(complain),
    renew: (question, entry) => renew(question, entry).catch(complain),
    remove: async (question) =>
      await Deno.remove(`${dir}/${await stemOf(question, folder)}.json`).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) complain(error);
      }),
  };
}

const removals = new WeakMap<Answer, () => Promise<void>>();

/** Remembers how the entry of an answer would be removed. */
export function rememberRemoval(answer: Answer, remove: () => Promise<void>): void {
  removals.set(answer, remove);
}

/**
 * Removes answers from the cache that turned out to be malformed, so that the next call asks the service
 * again. Offline nothing is removed: there the folder is all there is.
 */
export async function forget(answers: readonly Answer[]): Promise<void> {
  for (const answer of answers) await removals.get(answer)?.();
}
