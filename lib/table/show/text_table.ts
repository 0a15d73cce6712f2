import { clipped, placesOf, terminalText } from "../../platform/terminal.ts";
import { type Excerpt, NEEDED, shapeText } from "./excerpt.ts";

/** One column of a text table: its heading, which has one or more lines, and its cells. */
interface TextColumn {
  readonly head: readonly string[];
  readonly cells: readonly string[];
  /** Whether the texts of the column are right-aligned. */
  readonly right: boolean;
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

/**
 * The maximum length of a text in a table: `LONG` if all columns then fit. Else the longest with which the keys and the
 * main results fit, or the first if they do not.
 */
const SHORT = [24, 18, 12, 10] as const;
const LONG = 60;

function sizeOf(column: TextColumn): number {
  return widthOf(column) + GAP.length;
}

function totalSize(columns: readonly TextColumn[]): number {
  return columns.reduce((sum, each) => sum + sizeOf(each), 0);
}

function cutTo(longest: number, columns: readonly TextColumn[]): TextColumn[] {
  return columns.map((column) => ({
    ...column,
    head: column.head.map((text) => clipped(text, Math.max(longest, 12))),
    cells: column.cells.map((text) => clipped(text, longest)),
  }));
}

/** Returns the width of the shown columns. The width includes a column `…` for each run of hidden columns. */
function foldedSize(shown: ReadonlySet<number>, sizes: readonly number[]): number {
  const dots = 1 + GAP.length;
  return sizes.reduce((sum, size, index) => {
    if (shown.has(index)) return sum + size;
    return index > 0 && !shown.has(index - 1) ? sum : sum + dots;
  }, 0);
}

/**
 * Selects as many columns as fit the width, in order of rank. The two columns with the smallest ranks are always shown.
 * Texts are cut if necessary.
 */
function fitting(
  ranks: readonly number[],
  columns: readonly TextColumn[],
  width: number,
): { readonly shown: ReadonlySet<number>; readonly columns: readonly TextColumn[] } {
  const all = new Set(ranks.keys());
  const room = width + GAP.length;
  if (totalSize(columns) <= room) return { shown: all, columns };
  const order = [...ranks.keys()].sort((a, b) => ranks[a]! - ranks[b]! || a - b);
  const tries = SHORT.map((longest) => {
    const short = cutTo(longest, columns);
    if (totalSize(short) <= room) return { shown: all, sizes: [], short };
    const sizes = short.map(sizeOf);
    let shown: ReadonlySet<number> = new Set();
    for (const index of order) {
      const more = new Set([...shown, index]);
      if (more.size <= 2 || foldedSize(more, sizes) <= room) shown = more;
    }
    return { shown, sizes, short };
  });
  const isWhole = ({ shown }: typeof tries[number]) =>
    ranks.every((rank, index) => rank >= NEEDED || shown.has(index));
  const { shown, sizes, short } = tries.find(isWhole) ?? tries[0]!;
  if (foldedSize(shown, sizes) <= room) return { shown, columns: short };
  const least = Math.floor((room - 1 - GAP.length) / shown.size) - GAP.length;
  return { shown, columns: cutTo(Math.max(4, least), short) };
}

/** Returns the shown columns, and a column `…` for each run of hidden columns. */
function folded(shown: ReadonlySet<number>, columns: readonly TextColumn[]): TextColumn[] {
  return columns.flatMap((column, index) => {
    if (shown.has(index)) return [column];
    if (index > 0 && !shown.has(index - 1)) return [];
    const dots = (texts: readonly string[], all: boolean) =>
      texts.map((_, i) => all || i === 0 ? "…" : "");
    return [{ right: false, head: dots(column.head, false), cells: dots(column.cells, true) }];
  });
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
  const clean = columns.map(({ name, unit, numeric, cells }): TextColumn => ({
    head: [name, ...units ? [unit] : []].map(terminalText),
    cells: cells.map(terminalText),
    right: numeric,
  }));
  const paint = (text: string, line: number) => {
    const faint = text === "null" || text === "…" || (units && line === 1);
    return faint ? `\x1b[2m${text}\x1b[22m` : line === 0 ? `\x1b[1m${text}\x1b[22m` : text;
  };
  const long = cutTo(LONG, clean);
  const fit = excerpt.asked ? null : fitting(columns.map(({ rank }) => rank), long, width);
  const blocks = fit === null ? blocksOf(long, width) : [folded(fit.shown, fit.columns)];
  const lines = blocks.flatMap((block, at) => [
    ...at === 0 ? [] : [""],
    ...tableLines(block, color ? { paint } : {}),
  ]);
  const facts = [
    shapeText(excerpt, fit?.shown.size ?? columns.length),
    ...note === null ? [] : [terminalText(note)],
  ];
  const one = facts.join(" · ");
  const below = placesOf(one) <= width ? [one] : facts.flatMap((text) => wrappedFacts(text, width));
  return [...lines, ...below.map((line) => color ? `\x1b[2m${line}\x1b[22m` : line)].join("\n");
}
