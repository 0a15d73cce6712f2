import { clipped, placesOf, terminalText } from "../platform/terminal.ts";
import { type Choice, shapeText } from "./excerpt.ts";
import type { DataFrame } from "./polars.ts";

/** One column of a text table: its head, one line or more, above its cells. */
interface TextColumn {
  readonly head: readonly string[];
  readonly cells: readonly string[];
  /** Whether its texts stand to the right. */
  readonly right: boolean;
}

/** How lines are made of cells. */
interface TextStyle {
  readonly begin: string;
  readonly gap: string;
  readonly end: string;
  /** Whether the cells of a column are made equally wide. */
  readonly padded: boolean;
  /** What becomes of a text before it stands in its line, when its place is known. */
  readonly paint?: (text: string, line: number) => string;
}

function widthOf({ head, cells }: TextColumn): number {
  return Math.max(0, ...[...head, ...cells].map(placesOf));
}

/** The lines of a table: for a terminal, a notebook's plain text, and Markdown. */
export function tableLines(columns: readonly TextColumn[], style: TextStyle): string[] {
  const { begin, gap, end, padded, paint = (text: string) => text } = style;
  const blocks = columns.map((column) => {
    const width = padded ? widthOf(column) : 0;
    return [...column.head, ...column.cells].map((text, line) => {
      const space = " ".repeat(Math.max(0, width - placesOf(text)));
      return column.right ? space + paint(text, line) : paint(text, line) + space;
    });
  });
  return Array.from(
    blocks[0] ?? [],
    (_, line) => (begin + blocks.map((block) => block[line]).join(gap) + end).trimEnd(),
  );
}

const GAP = "  ";
/** How far texts are cut where not all columns fit, and where they all do. */
const SHORT = 24;
const LONG = 60;

function sizeOf(column: TextColumn): number {
  return widthOf(column) + GAP.length;
}

function cutTo(longest: number, columns: readonly TextColumn[]): TextColumn[] {
  return columns.map((column) => ({
    ...column,
    head: column.head.map((text) => clipped(text, longest)),
    cells: column.cells.map((text) => clipped(text, longest)),
  }));
}

/** How a text table is made. */
export interface TextTableOptions {
  /** How many places a line has. */
  readonly width: number;
  /** Whether dtypes stand below the names. */
  readonly dtypes: boolean;
  readonly color: boolean;
}

/** The places of the columns that are shown, and of a `…` in place of each run of the others. */
function foldedSize(shown: ReadonlySet<number>, sizes: readonly number[]): number {
  const dots = 1 + GAP.length;
  return sizes.reduce((sum, size, index) => {
    if (shown.has(index)) return sum + size;
    return index > 0 && !shown.has(index - 1) ? sum : sum + dots;
  }, 0);
}

/** Which columns fit, by rank: the first two in any case, cut as far as they must be. */
function fitting(
  ranks: readonly number[],
  columns: readonly TextColumn[],
  width: number,
): { readonly shown: ReadonlySet<number>; readonly columns: readonly TextColumn[] } {
  const all = new Set(ranks.keys());
  const total = (some: readonly TextColumn[]) => some.reduce((sum, each) => sum + sizeOf(each), 0);
  const room = width + GAP.length;
  if (total(columns) <= room) return { shown: all, columns };
  const short = cutTo(SHORT, columns);
  if (total(short) <= room) return { shown: all, columns: short };
  const sizes = short.map(sizeOf);
  let shown = new Set<number>();
  for (const index of [...ranks.keys()].sort((a, b) => ranks[a]! - ranks[b]! || a - b)) {
    const more = new Set([...shown, index]);
    if (more.size <= 2 || foldedSize(more, sizes) <= room) shown = more;
  }
  if (foldedSize(shown, sizes) <= room) return { shown, columns: short };
  const least = Math.floor((room - 1 - GAP.length) / shown.size) - GAP.length;
  return { shown, columns: cutTo(Math.max(4, least), short) };
}

const FOLD: Omit<TextColumn, "head" | "cells"> = { right: false };

/** The columns that are shown, with `…` in place of each run of those that are not. */
function folded(shown: ReadonlySet<number>, columns: readonly TextColumn[]): TextColumn[] {
  return columns.flatMap((column, index) => {
    if (shown.has(index)) return [column];
    if (index > 0 && !shown.has(index - 1)) return [];
    const dots = (texts: readonly string[], all: boolean) =>
      texts.map((_, i) => all || i === 0 ? "…" : "");
    return [{ ...FOLD, head: dots(column.head, false), cells: dots(column.cells, true) }];
  });
}

/** No fact is cut to less: where the names of other columns are stands in full. */
const LEAST_FACT = 44;

/** Facts that are separated by a dot in the middle, on as many lines as they need. */
function wrappedFacts(facts: string, width: number): string[] {
  const lines: string[] = [];
  for (const fact of facts.split(" · ")) {
    const last = lines.at(-1);
    const longer = last === undefined ? "" : `${last} · ${fact}`;
    if (last !== undefined && placesOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(clipped(fact, Math.max(width, LEAST_FACT)));
  }
  return lines;
}

/**
 * An excerpt of a frame as plain text: as many columns as fit, texts cut before columns are dropped, and below
 * it the shape and where it came from. No text of the frame moves a terminal's cursor.
 */
export function textTable(
  frame: DataFrame,
  { columns: excerpt, empty }: Choice,
  { note, width, dtypes, color }: TextTableOptions & { readonly note: string | null },
): string {
  const clean = excerpt.map(({ name, dtype, numeric, cells }): TextColumn => ({
    head: [name, ...dtypes ? [dtype] : []].map(terminalText),
    cells: cells.map(terminalText),
    right: numeric,
  }));
  const fit = fitting(excerpt.map(({ rank }) => rank), cutTo(LONG, clean), width);
  const paint = (text: string, line: number) => {
    const faint = text === "null" || text === "…" || (dtypes && line === 1);
    return faint ? `\x1b[2m${text}\x1b[22m` : line === 0 ? `\x1b[1m${text}\x1b[22m` : text;
  };
  const style = { begin: "", gap: GAP, end: "", padded: true };
  const lines = tableLines(
    folded(fit.shown, fit.columns),
    color ? { ...style, paint } : style,
  );
  const facts = [
    shapeText(frame, fit.shown.size, empty),
    ...note === null ? [] : [terminalText(note)],
  ];
  const one = facts.join(" · ");
  const below = placesOf(one) <= width ? [one] : facts.flatMap((text) => wrappedFacts(text, width));
  return [...lines, ...below.map((line) => color ? `\x1b[2m${line}\x1b[22m` : line)].join("\n");
}
