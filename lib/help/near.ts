import type { Entries, NameEntry } from "./entries.ts";
import { fieldEntries, type FieldEntry } from "./fields.ts";
import type { Section } from "./page.ts";

/** Maximum number of rows of a list of near entries. */
const MOST_LISTED = 15;

/** Returns a section with a table, or no section if the table has no rows. */
export function tableSection(
  heading: string,
  head: readonly string[],
  rows: readonly string[][],
): Section[] {
  return rows.length === 0 ? [] : [{ heading, table: { head, rows } }];
}

/** Returns the first sentence of a description. */
export function firstSentence(text: string): string {
  return /^[^]*?[.:](?=\s|$)/.exec(text)?.[0].replace(/\s+/g, " ").replace(/:$/, ".") ?? text;
}

function patternOf({ name, window }: FieldEntry): string {
  return window === null || window === "max" ? name : name.replaceAll(window, "W");
}

/** Groups fields that differ only in their window. The key of such a group has W in place of the window. */
export function byPattern(fields: readonly FieldEntry[]): Map<string, FieldEntry[]> {
  const groups = Map.groupBy(fields, patternOf);
  return new Map([...groups].map(([pattern, some]) => {
    const isOne = some.every(({ name }) => name === some[0]!.name);
    return [isOne ? some[0]!.name : pattern, some];
  }));
}

/** Returns text as words in lower case: `plotGrowth` and `plot_growth` become `plot growth`. */
function wordsOf(text: string): string {
  return text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]/g, " ").toLowerCase();
}

/** Returns the place of the first text about a name that contains a word: its own name, its section, its description. */
function placeIn({ name, kind, category, about }: NameEntry, word: string): number {
  const texts = kind === "function" ? [name, category, firstSentence(about), about] : ["", name];
  const found = texts.findIndex((text) => wordsOf(text).includes(word));
  return found < 0 ? Infinity : found;
}

/**
 * Returns lists of the public names and the columns that contain a word, or whose descriptions contain it. For the name of
 * a column, only of names that contain it.
 */
export function nearSections(asked: string, entries: Entries, column?: string): Section[] {
  const word = wordsOf(asked.trim()).replace(column === undefined ? /s$/ : "", "");
  if (word.length < 3) return [];
  const farthest = column === undefined ? Infinity : 0;
  return [...nearNames(word, entries, farthest), ...nearColumns(word, entries, column)];
}

function nearNames(word: string, { names }: Entries, farthest: number): Section[] {
  const rows = names.map((entry) => ({ entry, place: placeIn(entry, word) }))
    .filter(({ place }) => place < Infinity && place <= farthest)
    .sort((a, b) => a.place - b.place)
    .map(({ entry: { name, about } }) => [name, firstSentence(about)]);
  return tableSection("See also", ["name", ""], rows.slice(0, MOST_LISTED));
}

function nearColumns(word: string, entries: Entries, besides?: string): Section[] {
  const fields = fieldEntries(entries).filter(({ name }) =>
    name !== besides && wordsOf(name).includes(word)
  );
  const rows = [...byPattern(fields)].map(([pattern, some]) => [
    pattern,
    [...new Set(some.map(({ record }) => record))].join(", "),
  ]);
  return tableSection(
    "Columns that contain the word",
    ["column", "returned by"],
    rows.slice(0, MOST_LISTED),
  );
}
