import { existsSync, readFileSync, realpathSync, rmSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError } from "../http/errors.ts";
import {
  boolean,
  checkOptions,
  integer,
  isObject,
  listOf,
  object,
  oneOf,
  required,
  type Rule,
  string,
} from "../platform/check_options.ts";
import { exclusively } from "../platform/exclusive.ts";
import { appendSync, readAppended, replaceSync } from "../platform/file.ts";
import { notify, terminalText } from "../platform/terminal.ts";
import { type Operation, OPERATIONS } from "../schema/vocabulary.ts";

/** What a lock file records of a question, or of own data. It has no values, no token and no address. */
export interface Entry {
  readonly operation: Operation | typeof OWN_DATA;
  /** The query. For own data: the citation and the names of the columns, or the name of a file. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The columns whose values count. New columns do not. Empty for own data, of which all values count. */
  readonly columns: readonly string[];
  /** Whether the response differs with every day of data. */
  readonly moving: boolean;
  /** The last day of the data. Null if the service does not state it, or if responses state several. */
  readonly data_through: string | null;
  /** The number of rows; null for own data. */
  readonly rows: number | null;
  /** The digest of the columns, or the digests of all own data with this query. */
  readonly sha256: readonly string[];
}

export const OWN_DATA = "own data";

const digest: Rule<string> = (value, refuse) =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : refuse("must be a SHA-256");
const orNull = <Value>(rule: Rule<Value>): Rule<Value | null> => (value, refuse) =>
  value === null ? null : rule(value, refuse);

const RULES = {
  operation: required(oneOf([OWN_DATA, ...OPERATIONS])),
  query: required(object),
  columns: required(listOf(string)),
  moving: required(boolean),
  data_through: required(orNull(string)),
  rows: required(orNull(integer(0))),
  sha256: required(listOf(digest)),
};

/** Returns JSON with sorted members, so that the same question has the same text. */
export function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, each) =>
      isObject(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => a < b ? -1 : 1))
        : each,
  );
}

/** Returns a text that identifies a question. */
export const keyOf = ({ operation, query }: Pick<Entry, "operation" | "query">) =>
  `${operation} ${canonical(query)}`;

function entryFrom(value: unknown, place: string): Entry {
  const error = (message: string) => new SyntaxError(message);
  return checkOptions(value as object, RULES, { prefix: `${place}: `, error }) as Entry;
}

const MOST_CHARACTERS = 300;

/** Runs a function that parses a file. */
function parsing<Made>(file: string, parse: () => Made): Made {
  try {
    return parse();
  } catch (cause) {
    const told = `lock: must be a lock file of chainframe; got ${file}: ${
      (cause as Error).message
    }`;
    throw new ConfigurationError(terminalText(told).slice(0, MOST_CHARACTERS), { cause });
  }
}

/** Returns the text of a file, or null if there is no file. */
function textOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false }) as Stats | undefined;
  if (stats === undefined) return null;
  if (stats.isFile()) return readFileSync(path, "utf8");
  throw new ConfigurationError(`lock: must be a file, not a folder or device; got ${path}`);
}

function entriesIn(file: string): Map<string, Entry> | null {
  const text = textOf(file);
  return text === null ? null : parsing(file, () => {
    const { chainframe_lock, entries } = JSON.parse(text);
    if (chainframe_lock !== 2 || !Array.isArray(entries)) throw new SyntaxError("no entries");
    return new Map(entries.map((value, at) => {
      const entry = entryFrom(value, `entries[${at}]`);
      return [keyOf(entry), entry];
    }));
  });
}

const partOf = (file: string) => `${file}.part`;
const guardOf = (file: string) => `${file}.guard`;

/** Reads the entries that were not merged yet. A process that was killed can leave a line without its end. */
function linesIn(file: string): Entry[] {
  const part = partOf(file);
  const lines = readAppended(part)?.split("\n").filter((line) => line !== "") ?? [];
  return parsing(part, () =>
    lines.flatMap((line, at) => {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        notify(terminalText(`chainframe: lock: line ${at + 1} of ${part} has no end: left out`));
        return [];
      }
      return [entryFrom(value, `line ${at + 1}`)];
    }));
}

/** Returns the path of the file that a path or a link leads to. */
export function lockPath(file: string): string {
  return existsSync(file) ? realpathSync(file) : resolve(file);
}

/** The content of a lock file. */
interface LockFile {
  /** The entries of the file. */
  readonly entries: Map<string, Entry>;
  /** The appended entries that the file does not have: of a process that was killed, or has not ended. */
  readonly lines: Map<string, Entry>;
  /** Whether there is no file. */
  readonly isNew: boolean;
}

/** Reads a lock file, and the entries that were appended and not merged yet. */
export function readLock(file: string): LockFile {
  // The lines are read first. Otherwise, lines that another process merges meanwhile would be missing.
  const appended = linesIn(file);
  const entries = entriesIn(file);
  const lines = new Map<string, Entry>();
  for (const entry of appended) {
    const before = entries?.get(keyOf(entry));
    if (canonical(before) === canonical(entry)) lines.delete(keyOf(entry));
    else lines.set(keyOf(entry), entry);
  }
  return { entries: entries ?? new Map(), lines, isNew: entries === null };
}

/** Appends lines for entries, which `mergeLines` puts into the lock file. Without entries, checks that this is possible. */
export function appendLines(file: string, entries: readonly Entry[]): void {
  // The line break before each line ends a line that a killed process left.
  const lines = entries.map((entry) => `\n${JSON.stringify(entry)}\n`).join("");
  exclusively(guardOf(file), () => appendSync(partOf(file), lines));
}

/** Puts appended lines into the lock file, of any process. */
export function mergeLines(file: string): void {
  if (!existsSync(partOf(file))) return;
  exclusively(guardOf(file), () => {
    const { entries, lines, isNew } = readLock(file);
    for (const [key, entry] of lines) entries.set(key, entry);
    const sorted = [...entries].sort(([a], [b]) => a < b ? -1 : 1).map(([, entry]) => entry);
    const text = `${JSON.stringify({ chainframe_lock: 2, entries: sorted }, null, 2)}\n`;
    if (!isNew || entries.size > 0) replaceSync(file, text);
    rmSync(partOf(file), { force: true });
  });
}
