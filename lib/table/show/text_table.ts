import { clipped, placesOf, terminalText } from "../../platform/terminal.ts";
import type { Excerpt } from "./excerpt.ts";

/** One column of a text table. */
interface TextColumn {
  /** The heading, which can have a line with the unit, and the cells. */
  readonly lines: readonly string[];
  readonly width: number;
  /** Whether the texts of the column are right-aligned. */
  readonly right: boolean;
  readonly place: number;
}

const GAP = "  ";

/** The lengths to which texts are cut: if all columns fit, and if they do not. */
const LENGTHS = [60, 24, 12];

function textColumns({ columns }: Excerpt, longest: number): TextColumn[] {
  // Units are written below the names.
  const hasUnits = columns.some(({ unit }) => unit !== "");
  return columns.map(({ name, unit, cells, numeric, place }) => {
    const lines = [name, ...hasUnits ? [unit] : [], ...cells]
      .map((text) => clipped(terminalText(text), longest));
    return {
      lines,
      width: lines.reduce((most, text) => Math.max(most, placesOf(text)), 0),
      right: numeric,
      place,
    };
  });
}

function sizeOf(columns: readonly TextColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, 0);
}

/** Returns as many columns as fit in the order of their places, with the first one after the keys, and a column `…`. */
function shownOf(columns: readonly TextColumn[], width: number): TextColumn[] {
  const ordered = columns.toSorted((a, b) => a.place - b.place);
  const main = ordered.find(({ place }) => place >= 1);
  let left = width - 1 - sizeOf(main === undefined ? [] : [main]);
  const shown = ordered.filter((each, at) =>
    each === main || (left -= sizeOf([each])) >= 0 || at === 0
  );
  const lines = shown[0]!.lines.map(() => "…");
  return [...shown, { lines, width: 1, right: false, place: Infinity }];
}

/**
 * Returns all columns in their order if they fit or the user named them. Otherwise, texts are cut until the keys and the
 * columns that the analysis names first are shown.
 */
function fitting(
  excerpt: Excerpt,
  width: number,
  [longest, ...shorter]: readonly number[] = LENGTHS,
): readonly TextColumn[] {
  const columns = textColumns(excerpt, longest!);
  if (excerpt.asked || sizeOf(columns) <= width + GAP.length) return columns;
  const shown = shownOf(columns, width);
  const [first, all] = [shown, columns].map((list) => list.filter(({ place }) => place < 2).length);
  const isLast = shorter.length === 0 || shorter.length === 1 && first === all;
  return isLast ? shown : fitting(excerpt, width, shorter);
}

/**
 * Returns an excerpt of a frame as plain text, with as many columns as fit into lines of a width. If the table is too
 * wide, long texts are cut first, and then columns are hidden. The shape and the source are below the table, in one line
 * or two, which can be longer. Control characters are replaced.
 */
export function textTable(excerpt: Excerpt, { note, width }: {
  readonly note: string | null;
  readonly width: number;
}): string {
  const columns = fitting(excerpt, width);
  const lines = Array.from(
    columns[0]?.lines ?? [],
    (_, line) =>
      columns.map(({ lines, width, right }) => {
        const space = " ".repeat(width - placesOf(lines[line]!));
        return right ? space + lines[line] : lines[line] + space;
      }).join(GAP).trimEnd(),
  );
  const shown = columns.filter(({ place }) => place < Infinity).length;
  const facts = [excerpt.shape(shown), note === null ? [] : terminalText(note)].flat();
  const footer = facts.join(" · ");
  return [...lines, ...placesOf(footer) <= width ? [footer] : facts].join("\n");
}
