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

/** Makes the cache in a folder, which is created when the first answer is kept. */
export function createCache(
  dir: string,
  { baseUrl, redact, clock, cache, warn }: Settings,
): Cache {
  let ready: Promise<void> | null = null;
  let archive: ReturnType<typeof archivedIn> | null = null;
  // Of the answers of these there is a header that stays.
  const staying = new Set<string>();
  const asOf = cache?.asOf ?? null;
  let keepsAll = cache?.keep === "all";

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

  const stemOf = async (question: Question) => {
    const key = await sha256(new TextEncoder().encode(questionKey(baseUrl, question)));
    return `${question.operation}-${key.slice(0, 32)}`;
  };
  const answerPath = (stem: string, digest: string) => `${dir}/${bodyName(stem, digest)}`;

  const headerIn = async (question: Question, name: string) =>
    headerOf(await textOf(`${dir}/${name}`), question, baseUrl);
  const newest = (question: Question, stem: string) => headerIn(question, `${stem}.json`);

  const complain = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`chainframe: the cache in ${dir} cannot be used: ${redact(reason)}`, "cache");
  };

  const entryOf = async (header: EntryHeader, stem: string) => {
    const bytes = await readFile(answerPath(stem, header.sha256));
    const good = bytes?.length === header.bytes && await sha256(bytes) === header.sha256;
    return good ? { ...header, bytes } : null;
  };

  const read = async (question: Question) => {
    const stem = await stemOf(question);
    for (let before: string | null = null;;) {
      const header = await newest(question, stem);
      // The same header again: its answer was not replaced while we looked, it is not there.
      if (header === null || header.sha256 === before) return null;
      const entry = await entryOf(header, stem);
      if (entry !== null) return entry;
      before = header.sha256;
    }
  };

  const readAt = async (question: Question, moment: Date) => {
    const stem = await stemOf(question);
    const last = ((await (archive ??= archivedIn(dir))).get(stem) ?? [])
      .findLast(({ retrieved_at }) => retrieved_at <= moment);
    const now = await newest(question, stem);
    const header = now !== null && now.retrieved_at <= moment &&
        !(last !== undefined && last.retrieved_at > now.retrieved_at)
      ? now
      : last === undefined
      ? null
      : await headerIn(question, last.name);
    // What the name of a file says about the time is not to be trusted alone.
    return header === null || header.retrieved_at > moment ? null : await entryOf(header, stem);
  };

  const times = async (question: Question) => {
    const stem = await stemOf(question);
    const archived = (await (archive ??= archivedIn(dir))).get(stem) ?? [];
    const now = await newest(question, stem);
    const all = [...archived, ...now === null ? [] : [now]];
    const moments = new Set(all.map(({ retrieved_at }) => retrieved_at.getTime()));
    return [...moments].sort((a, b) => a - b).map((moment) => new Date(moment));
  };

  const holdsToken = (text: string) => redact(text) !== text;

  const headerBytes = (question: Question, entry: EntryHeader, stem: string) => {
    const answer = bodyName(stem, entry.sha256);
    return new TextEncoder().encode(headerText(question, entry, { baseUrl, answer }));
  };

  const writeHeader = async (question: Question, entry: EntryHeader, stem: string) => {
    const header = headerBytes(question, entry, stem);
    if (holdsToken(new TextDecoder().decode(header))) return;
    await writeWhole(`${dir}/${stem}.json`, header, { force: true });
  };

  /** Writes a header that stays, once. */
  const archiveHeader = async (question: Question, entry: EntryHeader, stem: string) => {
    staying.add(`${stem} ${shortDigest(entry.sha256)}`);
    const path = `${dir}/${archivedName(stem, entry)}`;
    await writeWhole(path, headerBytes(question, entry, stem)).catch((error) => {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
  };

  const write = async (question: Question, { bytes, ...noted }: Entry) => {
    const stem = await stemOf(question);
    const entry = { ...noted, bytes: bytes.length };
    const header = new TextDecoder().decode(headerBytes(question, entry, stem));
    if (holdsToken(header) || holdsToken(new TextDecoder().decode(bytes))) {
      const { operation } = question;
      return warn(
        `chainframe: ${operation}: not kept in the cache, since the answer holds the token`,
      );
    }
    await (ready ??= prepare());
    const before = await newest(question, stem).catch(() => null);
    const differs = before?.sha256 !== entry.sha256 || before.status !== entry.status;
    // An archive may have been begun here since we looked.
    if (before !== null && differs && !keepsAll) await lookForArchive();
    await writeWhole(answerPath(stem, entry.sha256), bytes, { force: true });
    if (keepsAll) {
      // An answer of the time before the archive becomes its first.
      if (before !== null && !staying.has(`${stem} ${shortDigest(before.sha256)}`)) {
        await archiveHeader(question, before, stem);
      }
      if (differs) await archiveHeader(question, entry, stem);
    }
    await writeHeader(question, entry, stem);
    if (keepsAll || before === null || before.sha256 === entry.sha256) return;
    // Another writer may have brought the answer before back.
    const now = await newest(question, stem).catch(() => null);
    if (now?.sha256 === before.sha256) return;
    await Deno.remove(answerPath(stem, before.sha256)).catch(() => {});
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
    renew: async (question, { bytes, ...entry }) => {
      const noted = { ...entry, bytes: bytes.length };
      await writeHeader(question, noted, await stemOf(question)).catch(complain);
    },
    remove: async (question) =>
      await Deno.remove(`${dir}/${await stemOf(question)}.json`).catch((error) => {
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
