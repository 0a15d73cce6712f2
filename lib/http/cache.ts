import { type Entry, headerOf, headerText, membersIn } from "./cache_entry.ts";
import { type Question, questionKey } from "./question.ts";
import type { Settings } from "./settings.ts";
import { readFile, sha256, targetOfTemporary, writeWhole } from "../host/file.ts";
import type { Warn } from "../host/notify.ts";
import type { Answer } from "./envelope.ts";

/** A folder of answers. No trouble with it ever fails a question: it costs one warning. */
export interface Cache {
  /** What is kept for a question; null where there is nothing, or nothing good. */
  readonly read: (question: Question) => Promise<Entry | null>;
  /** Keeps an answer in place of the one before. */
  readonly write: (question: Question, entry: Entry) => Promise<void>;
  /** Keeps what has changed about an answer that is kept already. */
  readonly renew: (question: Question, entry: Entry) => Promise<void>;
  /** Keeps nothing for a question any more. */
  readonly remove: (question: Question) => Promise<void>;
}

const HOUR = 3_600_000;
const BODY = /^([a-z_]+-[0-9a-f]{32})\.[0-9a-f]{16}\.body\.json$/;
const HEADER = /^([a-z_]+-[0-9a-f]{32})\.(?!.*body\.json$)(.*\.)?json$/;

async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

/** What killed and overlapping writers left: half of a file, and answers that no header names. */
async function leftoversIn(dir: string): Promise<string[]> {
  const halves: string[] = [];
  const bodies = new Map<string, string[]>();
  const headers = new Map<string, string[]>();
  const place = (map: Map<string, string[]>, stem: string, name: string) =>
    map.set(stem, [...map.get(stem) ?? [], name]);
  for await (const { name, isFile } of Deno.readDir(dir)) {
    if (!isFile) continue;
    const [body, header] = [BODY.exec(name), HEADER.exec(name)];
    if (body !== null) place(bodies, body[1]!, name);
    else if (header !== null) place(headers, header[1]!, name);
    const target = targetOfTemporary(name);
    if (target !== null && (BODY.test(target) || HEADER.test(target))) halves.push(name);
  }
  const unnamed = await Promise.all([...bodies].map(async ([stem, names]) => {
    const beside = headers.get(stem) ?? [];
    // Most have one header and the answer that it names: those need no reading.
    if (beside.length === 1 && names.length === 1) return [];
    const texts = await Promise.all(beside.map((name) => textOf(`${dir}/${name}`)));
    const named = texts.map((text) => membersIn(text)?.answer);
    return names.filter((name) => !named.includes(name));
  }));
  return [...halves, ...unnamed.flat()];
}

/** Removes what writers left an hour ago, and never a name that no writer of ours makes. */
async function removeLeftovers(dir: string, now: number): Promise<void> {
  for (const name of await leftoversIn(dir)) {
    const path = `${dir}/${name}`;
    const written = (await Deno.stat(path).catch(() => null))?.mtime?.getTime() ?? now;
    if (now - written > HOUR) await Deno.remove(path).catch(() => {});
  }
}

/** Makes the cache in a folder, which is created when the first answer is kept. */
export function createCache(
  dir: string,
  { baseUrl, redact, clock }: Settings,
  warn: Warn,
): Cache {
  let ready: Promise<void> | null = null;

  const prepare = async () => {
    await Deno.mkdir(dir, { recursive: true });
    await removeLeftovers(dir, clock.now());
  };

  // Two files for each question: a header, and the answer untouched. The name of the answer's file holds
  // the digest of its content, so that writers who overlap never pair one's header with the other's answer.
  const stemOf = async (question: Question) => {
    const key = await sha256(new TextEncoder().encode(questionKey(baseUrl, question)));
    return `${dir}/${question.operation}-${key.slice(0, 32)}`;
  };
  const answerPath = (stem: string, digest: string) => `${stem}.${digest.slice(0, 16)}.body.json`;

  const headerAt = async (question: Question, stem: string) =>
    headerOf(await textOf(`${stem}.json`), question, baseUrl);

  const complain = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`chainframe: the cache in ${dir} cannot be used: ${redact(reason)}`, "cache");
  };

  const read = async (question: Question) => {
    const stem = await stemOf(question);
    for (let before: string | null = null;;) {
      const header = await headerAt(question, stem);
      // The same header again: its answer was not replaced while we looked, it is not there.
      if (header === null || header.sha256 === before) return null;
      const bytes = await readFile(answerPath(stem, header.sha256));
      if (bytes?.length === header.bytes && await sha256(bytes) === header.sha256) {
        return { ...header, bytes };
      }
      before = header.sha256;
    }
  };

  const holdsToken = (text: string) => redact(text) !== text;

  const writeHeader = async (question: Question, entry: Entry, stem: string) => {
    const answer = answerPath(stem, entry.sha256).slice(dir.length + 1);
    const header = headerText(question, entry, { baseUrl, answer });
    if (!holdsToken(header)) {
      await writeWhole(`${stem}.json`, new TextEncoder().encode(header), { force: true });
    }
  };

  const write = async (question: Question, entry: Entry) => {
    const stem = await stemOf(question);
    const header = headerText(question, entry, { baseUrl, answer: "" });
    if (holdsToken(header) || holdsToken(new TextDecoder().decode(entry.bytes))) {
      const { operation } = question;
      return warn(
        `chainframe: ${operation}: not kept in the cache, since the answer holds the token`,
      );
    }
    await (ready ??= prepare());
    const before = await headerAt(question, stem).catch(() => null);
    await writeWhole(answerPath(stem, entry.sha256), entry.bytes, { force: true });
    await writeHeader(question, entry, stem);
    if (before === null || before.sha256 === entry.sha256) return;
    // Another writer may have brought the answer before back.
    const now = await headerAt(question, stem).catch(() => null);
    if (now?.sha256 === before.sha256) return;
    await Deno.remove(answerPath(stem, before.sha256)).catch(() => {});
  };

  return {
    read: (question) =>
      read(question).catch((error) => {
        complain(error);
        return null;
      }),
    write: (question, entry) => write(question, entry).catch(complain),
    renew: async (question, entry) =>
      await writeHeader(question, entry, await stemOf(question)).catch(complain),
    remove: async (question) =>
      await Deno.remove(`${await stemOf(question)}.json`).catch((error) => {
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
