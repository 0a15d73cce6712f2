import { clipped, placesOf, terminalText } from "../../platform/terminal.ts";
import { type Excerpt, shapeText } from "./excerpt.ts";

/** One column of a text table: its heading, which has one or more lines, and its cells. */
interface TextColumn {
  readonly head: readonly string[];
  readonly cells: readonly string[];
  /** Whether the texts of the column are right-aligned. */
  readonly right: boolean;
  /** The place of the column if not all columns fit. The column `…` has none. */
  readonly place?: number;
}

const GAP = "  ";

function widthOf({ head, cells }: TextColumn): number {
  return Math.max(0, ...[...head, ...cells].map(placesOf));
}

/** Returns the lines of a table: for a terminal, for plain text in a notebook, or for Markdown. */
export function tableLines(
  columns: readonly TextColumn[],
  { begin = "", gap = GAP, end = "", padded = true, paint = (text: string) => text }: {
    readonly begin?: string;
    readonly gap?: string;
    readonly end?: string;
    /** Whether all cells of a column are padded to the width of the longest cell. */
    readonly padded?: boolean;
    /** Adds terminal styles to the text of a cell. The width of the cell is computed without these styles. */
    readonly paint?: (text: string, line: number) => string;
  },
): string[] {
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

/** The maximum length of a text: if all columns fit, and the lengths to which texts are cut if they do not. */
const LONG = 60;
const SHORT = [24, 18, 12] as const;

function totalSize(columns: readonly TextColumn[]): number {
  return columns.reduce((sum, each) => sum + widthOf(each) + GAP.length, 0);
}

function cutTo(longest: number, columns: readonly TextColumn[]): TextColumn[] {
  return columns.map((column) => ({
    ...column,
    head: column.head.map((text) => clipped(text, Math.max(longest, 12))),
    cells: column.cells.map((text) => clipped(text, longest)),
  }));
}

/**
 * Returns all columns in their order if they fit, else as many as fit in the order of their places, and a column `…`. Texts
 * are cut until all columns of places below 0 and the next one are shown.
 */
function fitting(columns: readonly TextColumn[], width: number): readonly TextColumn[] {
  const room = width + GAP.length;
  const needed = columns.filter(({ place = 0 }) => place < 0).length + 1;
  const ordered = columns.toSorted((a, b) => a.place! - b.place!);
  let block: readonly TextColumn[] = cutTo(LONG, columns);
  for (const longest of totalSize(block) <= room ? [] : SHORT) {
    const cut = cutTo(longest, columns);
    if (totalSize(cut) <= room) return cut;
    const short = cutTo(longest, ordered);
    const main = short.find(({ place }) => place! >= -1);
    let end = 1 + GAP.length + totalSize(main ? [main] : []);
    const fit = short.filter((each) =>
      each === main || (end += totalSize([each])) <= room || each === short[0]
    );
    const [{ head, cells }] = fit as [TextColumn];
    const dots = {
      head: head.map((_, line) => line === 0 ? "…" : ""),
      cells: cells.map(() => "…"),
    };
    block = [...fit, { ...dots, right: false }];
    if (fit.length >= needed) break;
  }
  return block;
}

/** Divides columns into tables that fit a width. Each table begins with the first column. */
function blocksOf(columns: readonly TextColumn[], width: number): TextColumn[][] {
  const [first, ...others] = columns;
  const blocks = [first === undefined ? [] : [first]];
  for (const column of others) {
    const last = blocks.at(-1)!;
    if (last.length < 2 || totalSize([...last, column]) <= width + GAP.length) last.push(column);
    else blocks.push([first!, column]);
  }
  return blocks;
}

/** Minimum width of the lines below a table. In shorter lines, the text about hidden columns would be cut. */
const LEAST_FACT = 44;

/** Divides the facts that are written below a table into lines. The facts are separated by middle dots. */
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
 * Returns an excerpt of a frame as plain text, with as many columns as fit. The shape and the source are below the
 * table. If the table is too wide, long texts are cut first, and then columns are hidden. Columns that the user named are
 * not hidden: those that do not fit follow in another table. Control characters are
 * replaced.
 */
export function textTable(
  excerpt: Excerpt,
  { note, width, color }: {
    readonly note: string | null;
    /** Width of a line in characters. */
    readonly width: number;
    readonly color: boolean;
  },
): string {
  const { columns } = excerpt;
  // Units are written below the names.
  const units = columns.some(({ unit }) => unit !== "");
  const clean = columns.map(({ name, unit, numeric, cells, place }) => ({
    place,
    head: [name, ...units ? [unit] : []].map(terminalText),
    cells: cells.map(terminalText),
    right: numeric,
  }));
  const paint = (text: string, line: number) => {
    const faint = text === "null" || text === "…" || (units && line === 1);
    return faint ? `\x1b[2m${text}\x1b[22m` : line === 0 ? `\x1b[1m${text}\x1b[22m` : text;
  };
  const blocks = excerpt.asked ? blocksOf(cutTo(LONG, clean), width) : [fitting(clean, width)];
  const shown = excerpt.asked ? columns : blocks[0]!.filter(({ place }) => place !== undefined);
  const lines = blocks.flatMap((block, at) => [
    ...at === 0 ? [] : [""],
    ...tableLines(block, color ? { paint } : {}),
  ]);
  const facts = [
    shapeText(excerpt, shown.length),
    ...note === null ? [] : [terminalText(note)],
  ];
  const one = facts.join(" · ");
  const below = placesOf(one) <= width ? [one] : facts.flatMap((text) => wrappedFacts(text, width));
  return [...lines, ...below.map((line) => color ? `\x1b[2m${line}\x1b[22m` : line)].join("\n");
}
