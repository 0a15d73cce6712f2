/**
 * The folder of an archive, read as `docs/archive.md` describes it and not by the library: what one of the
 * two misunderstands, the other finds.
 *
 * @module
 */
import { UsageError } from "../cli/arguments.ts";

/** A header in the folder, as its name says. */
export interface HeaderFile {
  readonly name: string;
  /** What the names of all files of one question begin with. */
  readonly stem: string;
  /** null in the newest header, which has none in its name. */
  readonly time: Date | null;
  readonly digest: string | null;
}

/** The names in the folder, by what they are. Files of anybody else are not among them. */
export interface Folder {
  readonly dir: string;
  readonly headers: readonly HeaderFile[];
  /** The names of the answers. */
  readonly answers: readonly string[];
  /** What killed writers left. */
  readonly halves: readonly string[];
}

/** What a header says, as far as it is looked at here. */
export interface Header {
  readonly retrieved_at: string;
  readonly answer: string;
  readonly bytes: number;
  readonly sha256: string;
}

const STEM = "[a-z_]+-[0-9a-f]{32}";
const ANSWER = new RegExp(`^${STEM}\\.[0-9a-f]{16}\\.body\\.json$`);
const HEADER = new RegExp(`^(${STEM})(?:\\.(\\d{8}T\\d{6}\\.\\d{3}Z)\\.([0-9a-f]{16}))?\\.json$`);
const HALF = new RegExp(`^\\.${STEM}.*\\.json\\.[0-9a-f-]{36}\\.tmp$`);

function timeIn(text: string): Date {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)T(..)(..)(.*)$/.exec(
    text,
  ) as RegExpExecArray;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
}

/** Reads the names in a folder. */
export async function readFolder(dir: string): Promise<Folder> {
  const [headers, answers, halves]: [HeaderFile[], string[], string[]] = [[], [], []];
  try {
    for await (const { name } of Deno.readDir(dir)) {
      const [, stem, time, digest = null] = HEADER.exec(name) ?? [];
      if (stem !== undefined) {
        headers.push({ name, stem, time: time === undefined ? null : timeIn(time), digest });
      } else if (ANSWER.test(name)) answers.push(name);
      else if (HALF.test(name)) halves.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
      throw error;
    }
    throw new UsageError(`DIR: there is no such folder: ${dir}`);
  }
  headers.sort((a, b) => a.name < b.name ? -1 : 1);
  return { dir, headers, answers: answers.sort(), halves };
}

/** What a header says; null where it is none of this version. */
export async function readHeader(dir: string, name: string): Promise<Header | null> {
  try {
    const header = JSON.parse(await Deno.readTextFile(`${dir}/${name}`));
    return header?.chainframe_cache === 1 ? header : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The answers that headers name. */
export async function namedAnswers(
  dir: string,
  headers: readonly HeaderFile[],
): Promise<Set<string>> {
  const read = await Promise.all(headers.map(({ name }) => readHeader(dir, name)));
  return new Set(read.flatMap((header) => header === null ? [] : [header.answer]));
}
