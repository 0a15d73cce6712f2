import { shown } from "../platform/terminal.ts";

/** What was found in the columns of a table while it was read. */
export interface Findings {
  /** The words that were read as null, each with its number of cells, by column. */
  readonly nulls: Map<string, ReadonlyMap<string, number>>;
  /** Sentences on columns of whole numbers that are rounded. */
  readonly rounded: string[];
  /** Sentences on columns of texts that look like values. */
  readonly looks: string[];
  /** Sentences on what differs between the table and the frame, which a notice shows. */
  readonly changes: string[];
  /** Sentences on the table that only the provenance has. */
  readonly notes: string[];
  /** Sentences on rows that are not in the table. */
  readonly warnings: string[];
}

/** Returns findings without an entry. */
export function noFindings(): Findings {
  return { nulls: new Map(), rounded: [], looks: [], changes: [], notes: [], warnings: [] };
}

/** Notes the words that were read as null in a column, the most frequent first. Empty cells are not counted. */
export function noteNulls(
  { nulls }: Findings,
  name: string,
  words: Iterable<readonly [word: string, count: number]>,
): void {
  const counts = new Map<string, number>();
  for (const [word, count] of words) {
    if (word !== "") counts.set(word, (counts.get(word) ?? 0) + count);
  }
  const sorted = [...counts].sort(([a, rows], [b, others]) => others - rows || (a < b ? -1 : 1));
  if (counts.size > 0) nulls.set(name, new Map(sorted));
}

/** Maximum number of columns that a notice names. */
const MOST_NAMED = 3;

/** Joins sentences on columns. The sentences after the third are counted. */
function firstOf(sentences: readonly string[]): string {
  const more = sentences.length - MOST_NAMED;
  const named = sentences.slice(0, MOST_NAMED).join("; ");
  return more > 0 ? `${named}; and ${more} more ${more === 1 ? "column" : "columns"}` : named;
}

/** Notes a column of whole numbers above 2 to the power of `bits`, so that digits are lost. */
export function noteRounded({ rounded }: Findings, name: string, bits = 53): void {
  rounded.push(`${name}: whole numbers above 2^${bits} are rounded`);
}

/** Notes a column of numbers with more digits than Float64 has. Only the provenance has this note. */
export function noteDigits({ notes }: Findings, name: string): void {
  notes.push(`${name}: numbers of more than 15 digits are rounded`);
}

/** Notes a column of texts with halves of characters, which JSON can write and polars replaces. */
export function noteCharacters(
  { changes }: Findings,
  name: string,
  texts: readonly (string | null)[],
): void {
  const text = texts.find((each) => each !== null && !each.isWellFormed());
  if (text == null) return;
  const written = JSON.stringify(text.slice(0, 60));
  changes.push(`${name}: halves of characters are replaced: ${written}`);
}

function nullsIn({ nulls }: Findings): string[] {
  return [...nulls].map(([name, words]) =>
    `${name}: ${[...words].map(([word, count]) => `${shown(word)} (${count})`).join(", ")}`
  );
}

/** Returns the sentences for the provenance: what differs between the table and the frame, and what stood beside the rows. */
export function notesOn(findings: Findings): string[] {
  const nulls = nullsIn(findings);
  const read = nulls.length === 0 ? [] : [`read as null: ${nulls.join("; ")}`];
  const { rounded, changes, notes, warnings } = findings;
  return [...read, ...rounded, ...changes, ...notes, ...warnings];
}

/** Returns the sentences that are shown. Each names at most three columns. */
export function noticesOn(findings: Findings): string[] {
  const nulls = nullsIn(findings);
  return [
    ...nulls.length === 0 ? [] : [`read as null: ${firstOf(nulls)}`],
    ...[findings.rounded, findings.looks].filter((each) => each.length > 0).map(firstOf),
    ...findings.changes,
    ...findings.warnings,
  ];
}
