import {
  appendFileSync,
  existsSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
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
import { replaceSync } from "../platform/file.ts";
import { notify, terminalText } from "../platform/terminal.ts";
import { type Operation, OPERATIONS } from "../schema/vocabulary.ts";

/** A question, or own data: the citation and the names of the columns, or the name of a file. */
interface Question {
  readonly query: Readonly<Record<string, unknown>>;
}

/** What a lock file records of a question. It has no values, no token and no address. */
export interface ResponseEntry extends Question {
  readonly operation: Operation;
  /** The columns whose values count. New columns do not. */
  readonly columns: readonly string[];
  /** Whether the response differs with every day of data. */
  readonly moving: boolean;
  /** The last day of the data. Null if the service does not state it, or if responses state several. */
  readonly data_through: string | null;
  readonly rows: number;
  /** SHA-256 of the bytes of the response. */
  readonly sha256: string;
  readonly frame_sha256: string;
}

/** What a lock file records of own data. */
export interface OwnEntry extends Question {
  readonly operation: typeof OWN_DATA;
  /** The digests of all frames or files with this key. */
  readonly sha256: readonly string[];
}

export type Entry = ResponseEntry | OwnEntry;

export const OWN_DATA = "own data";

const digest: Rule<string> = (value, refuse) =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : refuse("must be a SHA-256");
const distinct: Rule<string[]> = (value, refuse) => {
  const names = listOf(string)(value, refuse);
  return new Set(names).size === names.length ? names : refuse("must be different names");
};
const day: Rule<string | null> = (value, refuse) => value === null ? null : string(value, refuse);

const OWN = {
  operation: required(oneOf([OWN_DATA, ...OPERATIONS])),
  query: required(object),
  sha256: required(listOf(digest)),
};
const RESPONSE = {
  ...OWN,
  columns: required(distinct),
  moving: required(boolean),
  data_through: required(day),
  rows: required(integer(0)),
  sha256: required(digest),
  frame_sha256: required(digest),
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
  const rules = isObject(value) && value.operation === OWN_DATA ? OWN : RESPONSE;
  const error = (message: string) => new SyntaxError(message);
  return checkOptions(value as object, rules, { prefix: `${place}: `, error }) as Entry;
}

/** Adds an entry, or replaces it. Digests of own data are added to a list, which an empty list clears. */
export function enter(entries: Map<string, Entry>, entry: Entry): void {
  const key = keyOf(entry);
  const before = entries.get(key);
  if (entry.operation !== OWN_DATA || entry.sha256.length === 0 || before === undefined) {
    entries.set(key, entry);
  } else entries.set(key, { ...entry, sha256: [...new Set([before.sha256, entry.sha256].flat())] });
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
    if (chainframe_lock !== 1 || !Array.isArray(entries)) throw new SyntaxError("no entries");
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
  const lines = textOf(part)?.split("\n").filter((line) => line !== "") ?? [];
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

/** Returns a text that changes with the file. */
export function stampOf(file: string): string {
  const { ino = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${mtimeMs}`;
}

/**
 * Reads the entries of a lock file. `isNew` is true if there is no file: lines of a process that was killed, or of a
 * first run that has not ended, count as entries.
 */
export function readLock(file: string): {
  readonly entries: Map<string, Entry>;
  readonly isNew: boolean;
} {
  // The lines are read first. Otherwise, lines that another process merges meanwhile would be missing.
  const lines = linesIn(file);
  const entries = entriesIn(file);
  const made = entries ?? new Map<string, Entry>();
  for (const entry of lines) enter(made, entry);
  return { entries: made, isNew: entries === null };
}

/** Appends lines for entries, which `mergeLines` puts into the lock file. Without entries, checks that this is possible. */
export function appendLines(file: string, entries: readonly Entry[]): void {
  // The line break before each line ends a line that a killed process left.
  const lines = entries.map((entry) => `\n${JSON.stringify(entry)}\n`).join("");
  exclusively(guardOf(file), () => appendFileSync(partOf(file), lines));
}

/** Puts appended lines into the lock file, of any process. Returns whether there were lines. */
export function mergeLines(file: string): boolean {
  if (!existsSync(partOf(file))) return false;
  return exclusively(guardOf(file), () => {
    const lines = linesIn(file);
    if (lines.length > 0) {
      const entries = entriesIn(file) ?? new Map<string, Entry>();
      for (const entry of lines) enter(entries, entry);
      const sorted = [...entries].sort(([a], [b]) => a < b ? -1 : 1).map(([, entry]) => entry);
      replaceSync(file, `${JSON.stringify({ chainframe_lock: 1, entries: sorted }, null, 2)}\n`);
    }
    rmSync(partOf(file), { force: true });
    return lines.length > 0;
  });
}
