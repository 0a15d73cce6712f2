import { ChainframeError, ConfigurationError } from "../http/errors.ts";
import type { LockSettings } from "../http/settings.ts";
import { boolean, checkOptions } from "../platform/check_options.ts";
import { jupyterOf } from "../platform/jupyter.ts";
import { exitCode, setExitCode, whenProcessEnds } from "../platform/process_end.ts";
import { alert, counted, notify, terminalText } from "../platform/terminal.ts";
import type { Operation } from "../schema/vocabulary.ts";
import { float64, utf8 } from "../table/columns/cell_values.ts";
import { type DataFrame, type Frame, pl } from "../table/columns/polars.ts";
import { plainOf } from "../table/show/display.ts";
import { show } from "../table/show/show.ts";
import { changesFrame } from "./changes.ts";
import {
  appendLines,
  canonical,
  type Entry,
  keyOf,
  lockPath,
  mergeLines,
  OWN_DATA,
  readLock,
} from "./lock_file.ts";

export type Status = "as locked" | "differs" | "moving" | "added" | "not locked" | "not recorded";

/** The result of one question of this process. */
interface Result {
  readonly file: string;
  readonly now: Entry;
  readonly before: Entry | undefined;
  readonly status: Status;
  /** The changed cells of a response that differs. Null if no cache has the locked response. */
  readonly changes: DataFrame | null;
}

/** A lock file that this process has read. */
export interface Opened extends LockSettings {
  readonly path: string;
  readonly entries: Map<string, Entry>;
  /** Whether there was no file. Then, all questions are added. */
  readonly isNew: boolean;
}

/** What this process knows of a lock file. */
interface Known extends ReturnType<typeof readLock> {
  /** Whether entries may be added, and the file was found to be writable. */
  writes?: boolean;
}

/** The lock files of this process, by their paths. */
const files = new Map<string, Known>();
const failed = new Set<string>();
/** The results of this process, by file and question. */
const results = new Map<string, Result>();

/** Returns the earlier result of a question. */
export function resultFor({ file }: Opened, question: Entry): Result | undefined {
  return results.get(`${file} ${keyOf(question)}`);
}

const isDifference = ({ status }: Result) => status === "differs" || status === "not locked";
const MOST_CHARACTERS = 300;

const countOf = ({ lines }: Known) => counted(lines.size, "entry");

/** Adds the lines of an earlier run to the entries. */
function takeLines({ entries, lines, ...rest }: Known, file: string): void {
  if (lines.size === 0) return;
  for (const [key, entry] of lines) entries.set(key, entry);
  const taken = `${countOf({ entries, lines, ...rest })} of an earlier run`;
  const verb = lines.size === 1 ? "was" : "were";
  notify(terminalText(`chainframe: lock: ${taken} ${verb} taken from ${file}.part`));
}

/**
 * Reads a lock file when this process first needs it.
 *
 * @throws {ConfigurationError} for a file that is not a lock file, or that cannot be read or written.
 */
export function lockOf(settings: LockSettings): Opened {
  const { file, update } = settings;
  try {
    const path = lockPath(file);
    const opened = files.get(path);
    const known: Known = opened ?? readLock(path);
    // A notebook does not end with its cells.
    if (files.size === 0 && jupyterOf() === null) whenProcessEnds(end);
    files.set(path, known);
    if ((known.isNew || update) && !known.writes) {
      appendLines(path, []);
      known.writes = true;
      takeLines(known, file);
    } else if (opened === undefined && known.lines.size > 0) {
      notify(terminalText(
        `chainframe: lock: ${file}.part has ${
          countOf(known)
        } of a run that was ended early, or goes on: ` +
          `not used; --update-lock takes them`,
      ));
    }
    return { ...settings, path, ...known };
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause;
    const told = `lock: cannot read and write ${file}: ${(cause as Error).message}`;
    throw new ConfigurationError(terminalText(told).slice(0, MOST_CHARACTERS), { cause });
  }
}

function warnOfWrite(file: string, lost: string, cause: unknown): void {
  if (failed.has(file)) return;
  failed.add(file);
  notify(terminalText(`chainframe: lock: cannot write ${file}: ${lost}: ${cause}`));
  if (jupyterOf() === null && exitCode() === 0) setExitCode(1);
}

/** Adds an entry to a lock file, or replaces it. A failure is shown once, and sets the exit code 1. */
export function addEntry({ path, file, entries }: Opened, entry: Entry): Status {
  try {
    appendLines(path, [entry]);
  } catch (cause) {
    warnOfWrite(file, "nothing was recorded", cause);
    return "not recorded";
  }
  entries.set(keyOf(entry), entry);
  return "added";
}

/** Puts the entries that were added into their files. */
function merge(): void {
  for (const [path, { writes }] of files) {
    try {
      if (writes) mergeLines(path);
    } catch (cause) {
      warnOfWrite(
        path,
        `new entries stay in ${path}.part: a run with --update-lock takes them`,
        cause,
      );
    }
  }
}

function summaryOf(all: readonly Result[]): string {
  const by = Map.groupBy(all, ({ status }) => status);
  const of = (status: Status) => by.get(status)?.length ?? 0;
  const undated =
    all.filter(({ status, now, before }) =>
      status === "moving" && (now.data_through ?? before!.data_through) === null
    ).length;
  const hint = undated === 0 ? "" : ` (${undated} changed without a stated day)`;
  const own = all.some(({ now }) => now.operation === OWN_DATA) ? " and own data" : "";
  const [same, other] = [of("as locked"), of("differs")];
  const parts = [
    `${same} of ${same + other} responses${own} as locked; ${other} differ${
      other === 1 ? "s" : ""
    }`,
    ...(["moving", "added", "not locked", "not recorded"] as const)
      .filter((status) => of(status) > 0)
      .map((status) => `${of(status)} ${status}${status === "moving" ? hint : ""}`),
  ];
  const names = all.filter(isDifference)
    .map(({ status, now }) => terminalText(`  ${status}: ${keyOf(now)}`));
  return [`chainframe: lock: ${parts.join("; ")}`, ...names].join("\n");
}

let summary = "";

/** Writes the lock files, prints the summary, and sets the exit code. */
function end(): void {
  merge();
  const all = [...results.values()];
  if (all.length === 0) return;
  const text = summaryOf(all);
  if (text !== summary) console.error(text);
  summary = text;
  const code = all.some(isDifference) ? 3 : failed.size > 0 ? 1 : 0;
  // Another exit code is that of the program.
  if (exitCode() < 2 && code > exitCode()) setExitCode(code);
}

/** The most changed cells in an error. */
const MOST_CELLS = 3;

/** Returns the first changed cells as texts, such as `chain_id a: fees 1 -> 2`. */
function cellTexts(changes: DataFrame | null): string[] {
  return (changes?.head(MOST_CELLS).toRecords() ?? []).map((row) => {
    const { change, field, before, after, before_text, after_text, when: _, ...keys } = row;
    const at = Object.entries(keys).map(([name, value]) => `${name} ${value}`).join(", ");
    const values = `${before ?? before_text} -> ${after ?? after_text}`;
    return `${at}: ${field === null ? change : `${field} ${values}`}`;
  });
}

/**
 * Keeps a result, and prints a difference.
 *
 * @throws {ChainframeError} for a difference, if `onChange` is `"throw"`.
 */
export function record(lock: Opened, given: Omit<Result, "file">): void {
  const { file } = lock;
  const result = { file, ...given };
  const { now, before, status, changes } = result;
  const earlier = resultFor(lock, now);
  const isNews = earlier?.status !== status;
  // A program has used the response that differed. In a notebook, a cell that runs again replaces it.
  const isOver = status === "added" || isDifference(result) || jupyterOf() !== null;
  if (earlier !== undefined && isDifference(earlier) && !isOver) return;
  results.set(`${file} ${keyOf(now)}`, result);
  if (!isDifference(result)) return;
  const isOwn = now.operation === OWN_DATA;
  const what = status === "not locked"
    ? "no entry in"
    : `${isOwn ? OWN_DATA : "the response"} differs from`;
  const counts = isOwn || before === undefined
    ? ""
    : `: ${before.rows} rows before, ${now.rows} now`;
  const told = `lock: ${what} ${file}: ${keyOf(now)}${counts}`;
  const isThrown = lock.onChange === "throw";
  if (isNews && !isThrown) alert(terminalText(`chainframe: ${told}`));
  if (isNews && jupyterOf() === null) {
    if (changes !== null) console.error(plainOf(changes));
    setExitCode(3);
  }
  if (!isThrown) return;
  const cells = cellTexts(changes);
  throw new ChainframeError(
    cells.length === 0 ? told : `${told}; first changes: ${cells.join("; ")}`,
    isOwn ? {} : { operation: now.operation as Operation },
  );
}

/** Returns the changed cells of the responses that differ, with the keys of all operations. */
function changedCells(all: readonly Result[]): DataFrame {
  const frames = all.flatMap(({ now: { operation, query }, changes }) => {
    if (changes === null) return [];
    const repeated = (name: string, text: string) =>
      utf8(name, Array.from({ length: changes.height }, () => text));
    const question = [
      repeated("operation", operation),
      repeated("query", canonical(query)),
    ];
    return [pl.DataFrame([...question, ...changes.getColumns()])];
  });
  const none = [utf8("operation", []), utf8("query", []), ...changesFrame([], []).getColumns()];
  return frames.length === 0 ? pl.DataFrame(none) : pl.concat(frames, { how: "diagonal" });
}

/**
 * Returns the comparison of this process with its lock files: one row per question, in the order of the calls.
 *
 * Columns: `operation`, `query` (JSON), `status`, `file` (String); `rows_locked` and `rows` (Float64); `data_through_locked`
 * and `data_through` (String). `status` is `as locked`, `differs`, `moving` (a response without a fixed end that changed,
 * and not for the same last day of data), `added`, `not locked` or `not recorded` (the file could not be written). Null
 * means that the file had no entry, or that the responses do not state one day. Own data has the operation `own data` and
 * null for rows and days; its query has the citation and the columns, or the name of the file.
 *
 * New entries are in `FILE.part` until the process ends. `lockReport` writes them into the file.
 *
 * With `cells`, returns one row per changed cell of the responses that differ. Columns: `operation`, `query` (JSON);
 * then those of `restatements`. This needs a cache that has the locked responses, as in
 * `connect({ lock, cache: { dir } })`. The frame has no rows if no response differs, or if the cache does not have the
 * locked ones.
 *
 * @example
 * ```ts
 * import { blockchainComparison, connect, lockReport } from "@chainframe/chainframe";
 *
 * const file = `${await Deno.makeTempDir()}/data.lock`;
 * await blockchainComparison({}, connect({ lock: file }));
 * console.log(lockReport());
 * ```
 *
 * @category Operations
 */
export function lockReport(options: {
  /**
   * Whether to return the changed cells, in place of the questions.
   *
   * @default {false}
   */
  readonly cells?: boolean;
} = {}): Frame {
  const { cells = false } = checkOptions(options, { cells: boolean }, "lockReport");
  merge();
  const all = [...results.values()];
  if (cells) return show(changedCells(all));
  const text = (name: string, of: (result: Result) => string | null | undefined) =>
    utf8(name, all.map((each) => of(each) ?? null));
  return show(pl.DataFrame([
    text("operation", ({ now }) => now.operation),
    text("query", ({ now }) => canonical(now.query)),
    text("status", ({ status }) => status),
    float64("rows_locked", all.map(({ before }) => before?.rows ?? null)),
    float64("rows", all.map(({ now }) => now.rows)),
    text("data_through_locked", ({ before }) => before?.data_through),
    text("data_through", ({ now }) => now.data_through),
    text("file", ({ file }) => file),
  ]));
}
