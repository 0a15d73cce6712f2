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
import { readFile, writeWhole } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";
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

/** Where the answers of one question are kept, and what the names of their files begin with. */
interface Place extends Folder {
  readonly question: Question;
  readonly stem: string;
}

function placeOf(question: Question, folder: Folder): Place {
  const key = sha256(questionKey(folder.baseUrl, question));
  return { ...folder, question, stem: `${question.operation}-${key.slice(0, 32)}` };
}

function answerPath({ dir, stem }: Place, digest: string): string {
  return `${dir}/${bodyName(stem, digest)}`;
}

function headerPath({ dir, stem }: Place): string {
  return `${dir}/${stem}.json`;
}

async function headerIn(path: string, { question, baseUrl }: Place): Promise<EntryHeader | null> {
  return headerOf(await textOf(path), question, baseUrl);
}

/** The header of the newest answer; null where there is none. */
function newest(place: Place): Promise<EntryHeader | null> {
  return headerIn(headerPath(place), place);
}

/** The answer of a header; null where it is not whole. */
async function entryOf(place: Place, header: EntryHeader): Promise<Entry | null> {
  const bytes = await readFile(answerPath(place, header.sha256));
  const good = bytes?.length === header.bytes && sha256(bytes) === header.sha256;
  return good ? { ...header, bytes } : null;
}

/** What reads a folder. */
function readerOf(folder: Folder): Pick<Cache, "read" | "readAt" | "times"> {
  let archive: ReturnType<typeof archivedIn> | null = null;
  const archived = async ({ stem }: Place) =>
    (await (archive ??= archivedIn(folder.dir))).get(stem) ?? [];
  return {
    read: async (question) => {
      const place = placeOf(question, folder);
      for (let before: string | null = null;;) {
        const header = await newest(place);
        // The same header again: its answer was not replaced while we looked, it is not there.
        if (header === null || header.sha256 === before) return null;
        const entry = await entryOf(place, header);
        if (entry !== null) return entry;
        before = header.sha256;
      }
    },
    readAt: async (question, moment) => {
      const place = placeOf(question, folder);
      const last = (await archived(place)).findLast(({ retrieved_at }) => retrieved_at <= moment);
      const now = await newest(place);
      const header = now !== null && now.retrieved_at <= moment &&
          !(last !== undefined && last.retrieved_at > now.retrieved_at)
        ? now
        : last === undefined
        ? null
        : await headerIn(`${folder.dir}/${last.name}`, place);
      // What the name of a file says about the time is not to be trusted alone.
      if (header === null || header.retrieved_at > moment) return null;
      return await entryOf(place, header);
    },
    times: async (question) => {
      const place = placeOf(question, folder);
      const all = [await newest(place) ?? [], ...await archived(place)].flat();
      const moments = new Set(all.map(({ retrieved_at }) => retrieved_at.getTime()));
      return [...moments].sort((a, b) => a - b).map((moment) => new Date(moment));
    },
  };
}

function headerBytes({ baseUrl, question, stem }: Place, header: EntryHeader) {
  const answer = bodyName(stem, header.sha256);
  return new TextEncoder().encode(headerText(question, header, { baseUrl, answer }));
}

/** Removes the answer before, unless another writer has brought it back. */
async function removeReplaced(place: Place, before: EntryHeader): Promise<void> {
  const now = await newest(place).catch(() => null);
  if (now?.sha256 === before.sha256) return;
  await Deno.remove(answerPath(place, before.sha256)).catch(() => {});
}

/** What keeps, in an archive, a header of every answer. */
function archiverOf(dir: string) {
  const staying = new Set<string>();
  const markOf = ({ stem }: Place, { sha256 }: EntryHeader) => `${stem} ${shortDigest(sha256)}`;
  return {
    /** Learns which headers stay already. Returns whether there is one. */
    look: async () => {
      const archived = await archivedIn(dir);
      for (const [stem, headers] of archived) {
        for (const { digest } of headers) staying.add(`${stem} ${digest}`);
      }
      return archived.size > 0;
    },
    has: (place: Place, header: EntryHeader) => staying.has(markOf(place, header)),
    /** Writes a header that stays, once. */
    keep: async (place: Place, header: EntryHeader) => {
      staying.add(markOf(place, header));
      const path = `${dir}/${archivedName(place.stem, header)}`;
      await writeWhole(path, headerBytes(place, header)).catch((error) => {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      });
    },
  };
}

/** What writes to a folder, which is created when the first answer is kept. */
function writerOf(
  folder: Folder,
  { redact, clock, cache, warn }: Settings,
): Pick<Cache, "write" | "renew"> {
  const { dir } = folder;
  const archiver = archiverOf(dir);
  let keepsAll = cache?.keep === "all";
  let ready: Promise<void> | null = null;
  const holdsToken = (bytes: Uint8Array) => {
    const text = new TextDecoder().decode(bytes);
    return redact(text) !== text;
  };
  /** A folder that holds an archive stays one, whoever writes to it. */
  const lookForArchive = async () => {
    if (await archiver.look()) keepsAll = true;
  };
  const prepare = async () => {
    await Deno.mkdir(dir, { recursive: true });
    await lookForArchive();
    await removeLeftovers(dir, clock.now());
  };
  const writeHeader = async (place: Place, header: EntryHeader) => {
    const bytes = headerBytes(place, header);
    if (!holdsToken(bytes)) await writeWhole(headerPath(place), bytes, { force: true });
  };

  const write = async (question: Question, { bytes, ...noted }: Entry) => {
    const place = placeOf(question, folder);
    const header = { ...noted, bytes: bytes.length };
    if (holdsToken(headerBytes(place, header)) || holdsToken(bytes)) {
      const why = "not kept in the cache, since the answer holds the token";
      return warn(`chainframe: ${question.operation}: ${why}`);
    }
    await (ready ??= prepare());
    const before = await newest(place).catch(() => null);
    const differs = before?.sha256 !== header.sha256 || before.status !== header.status;
    // An archive may have been begun here since we looked.
    if (before !== null && differs && !keepsAll) await lookForArchive();
    await writeWhole(answerPath(place, header.sha256), bytes, { force: true });
    if (keepsAll) {
      // An answer of the time before the archive becomes its first.
      if (before !== null && !archiver.has(place, before)) await archiver.keep(place, before);
      if (differs) await archiver.keep(place, header);
    }
    await writeHeader(place, header);
    if (keepsAll || before === null || before.sha256 === header.sha256) return;
    await removeReplaced(place, before);
  };

  return {
    write,
    renew: async (question, { bytes, ...noted }) =>
      await writeHeader(placeOf(question, folder), { ...noted, bytes: bytes.length }),
  };
}

/** Makes the cache in a folder. */
export function createCache(dir: string, settings: Settings): Cache {
  const { baseUrl, redact, cache, warn } = settings;
  const folder = { dir, baseUrl };
  const { read, readAt, times } = readerOf(folder);
  const { write, renew } = writerOf(folder, settings);

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
    read: (question) => orNull(cache?.asOf ? readAt(question, cache.asOf) : read(question)),
    readAt: (question, moment) => orNull(readAt(question, moment)),
    times,
    write: (question, entry) => write(question, entry).catch(complain),
    renew: (question, entry) => renew(question, entry).catch(complain),
    remove: async (question) =>
      await Deno.remove(headerPath(placeOf(question, folder))).catch((error) => {
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
