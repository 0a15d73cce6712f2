import { clipped, placesOf, terminalText } from "../../platform/terminal.ts";
import { cellText, type Excerpt, type ExcerptColumn } from "./excerpt.ts";

/** One column of a text table. */
interface TextColumn {
  /** The column of the excerpt. Undefined for `…` in place of the columns that do not fit. */
  readonly column: ExcerptColumn | undefined;
  /** The heading, which can have a line with the unit, and the cells. */
  readonly lines: readonly string[];
  readonly width: number;
  readonly place: number;
}

/** How much fits into a table: its width and the gap between columns, in characters, and how far texts are cut. */
interface Space {
  readonly width: number;
  readonly gap: number;
  /** The lengths to which texts are cut: if all columns fit, and if they do not. */
  readonly lengths: readonly number[];
  readonly wordsOf?: ((name: string) => string) | undefined;
}

const GAP = "  ";

const LENGTHS = [60, 24, 12];

function textColumns(
  { columns }: Excerpt,
  longest: number,
  wordsOf: Space["wordsOf"],
): TextColumn[] {
  // Units are written below the names.
  const hasUnits = columns.some(({ unitLine }) => unitLine !== "");
  return columns.map((column) => {
    const { name, unitLine, cells, place } = column;
    const lines = [name, ...hasUnits ? [unitLine] : [], ...wordsOf ? [wordsOf(name)] : [], ...cells]
      .map((text) => clipped(terminalText(text), longest));
    const width = lines.reduce((most, text) => Math.max(most, placesOf(text)), 0);
    return { column, lines, width, place };
  });
}

/** Returns as many columns as fit in the order of their places, with the first one after the keys, and a column `…`. */
function shownOf(columns: readonly TextColumn[], { width, gap }: Space): TextColumn[] {
  const ordered = columns.toSorted((a, b) => a.place - b.place);
  const main = ordered.find(({ place }) => place >= 1);
  const room = ({ width }: TextColumn) => width + gap;
  let left = width - 1 - (main === undefined ? 0 : room(main));
  const shown = ordered.filter((each, at) =>
    each === main || (left -= room(each)) >= 0 || at === 0
  );
  const lines = shown[0]!.lines.map(() => "…");
  return [...shown, { column: undefined, lines, width: 1, place: Infinity }];
}

/**
 * Returns all columns in their order if they fit or the user named them. Otherwise, texts are cut until the keys and the
 * columns that the analysis names first are shown.
 */
function fitting(excerpt: Excerpt, space: Space): readonly TextColumn[] {
  const { width, gap, lengths: [longest, ...shorter], wordsOf } = space;
  const columns = textColumns(excerpt, longest!, wordsOf);
  const size = columns.reduce((sum, each) => sum + each.width + gap, 0);
  if (excerpt.asked || size <= width + gap) return columns;
  const shown = shownOf(columns, space);
  const [first, all] = [shown, columns].map((list) => list.filter(({ place }) => place < 2).length);
  const isLast = shorter.length === 0 || shorter.length === 1 && first === all;
  return isLast ? shown : fitting(excerpt, { ...space, lengths: shorter });
}

/** Returns the columns that fit. Null in place of the columns that do not. */
export function fittingColumns(excerpt: Excerpt, space: Space): (ExcerptColumn | null)[] {
  return fitting(excerpt, space).map(({ column = null }) => column);
}

/** A list of a row has at most this many lines. */
const MOST_LINES = 60;

/**
 * Returns the lines of an excerpt of one row that does not fit a table: a name, and a value as a text writes it. Returns
 * null for all other excerpts. `shown` are the columns that fit.
 */
export function rowList(
  { columns, locale }: Excerpt,
  shown: readonly (ExcerptColumn | null)[],
): (readonly [column: ExcerptColumn, value: string])[] | null {
  if (columns[0]?.cells.length !== 1 || !shown.includes(null)) return null;
  const most = columns.map(({ place }) => place).sort((a, b) => a - b)[MOST_LINES - 1] ?? Infinity;
  return columns.filter(({ place }) => place <= most).map((column) => {
    const { cells: [cell], unit, unitLine } = column;
    const text = cellText(cell!, unit, locale);
    return [column, text === cell && unitLine !== "" && cell !== "null" ? `${cell} ${unit}` : text];
  });
}

function tableLines(columns: readonly TextColumn[]): string[] {
  return Array.from(
    columns[0]?.lines ?? [],
    (_, line) =>
      columns.map(({ lines, width, column }) => {
        const space = " ".repeat(width - placesOf(lines[line]!));
        return column?.numeric === true ? space + lines[line] : lines[line] + space;
      }).join(GAP).trimEnd(),
  );
}

function listText(list: NonNullable<ReturnType<typeof rowList>>, width: number): string[] {
  const lines = list.map(([{ name }, value]) => [terminalText(name), terminalText(value)] as const);
  const most = lines.reduce((most, [name]) => Math.max(most, placesOf(name)), 0);
  const room = Math.max(LENGTHS.at(-1)!, width - most - GAP.length);
  return lines.map(([name, value]) =>
    `${name}${" ".repeat(most - placesOf(name))}${GAP}${clipped(value, room)}`
  );
}

/**
 * Returns an excerpt of a frame as plain text, with as many columns as fit into lines of a width. If the table is too
 * wide, long texts are cut first, and then columns are hidden. A single row that is too wide is a list with a line for
 * each column. The shape and the source are below the table, in one line or two, which can be longer. Control characters
 * are replaced.
 */
export function textTable(excerpt: Excerpt, { note, width, wordsOf }: {
  readonly note: string | null;
  readonly width: number;
  /** Returns the words of a line below the names. Undefined without such a line. */
  readonly wordsOf?: ((name: string) => string) | undefined;
}): string {
  const columns = fitting(excerpt, { width, gap: GAP.length, lengths: LENGTHS, wordsOf });
  const fit = columns.map(({ column = null }) => column);
  const list = rowList(excerpt, fit);
  const lines = list === null ? tableLines(columns) : listText(list, width);
  const shown = list?.map(([column]) => column) ?? fit.filter((column) => column !== null);
  const shape = excerpt.shape(shown.map(({ name }) => name));
  const facts = [shape, note === null ? [] : terminalText(note)].flat();
  const footer = facts.join(" · ");
  return [...lines, ...placesOf(footer) <= width ? [footer] : facts].join("\n");
}
