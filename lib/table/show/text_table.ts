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

/** The length to which texts are cut: if all columns fit, and if they do not. */
const [LONG, SHORT] = [60, 24];

function textColumns({ columns }: Excerpt, longest: number): TextColumn[] {
  // Units are written below the names.
  const hasUnits = columns.some(({ unit }) => unit !== "");
  return columns.map(({ name, unit, cells, numeric, place }) => {
    const lines = [name, ...hasUnits ? [unit] : [], ...cells]
      .map((text) => clipped(terminalText(text), longest));
    return { lines, width: Math.max(...lines.map(placesOf)), right: numeric, place };
  });
}

/**
 * Returns all columns in their order if they fit or the user named them. Otherwise, returns as many as fit in the order
 * of their places, with the first column after the keys, and a column `…`.
 */
function fitting(excerpt: Excerpt, width: number): readonly TextColumn[] {
  const full = textColumns(excerpt, LONG);
  const short = textColumns(excerpt, SHORT);
  const sizeOf = (each: TextColumn) => each.width + GAP.length;
  const fit = [full, short].find((columns) =>
    excerpt.asked || columns.reduce((sum, each) => sum + sizeOf(each), -GAP.length) <= width
  );
  if (fit !== undefined) return fit;
  const ordered = short.toSorted((a, b) => a.place - b.place);
  const main = ordered.find(({ place }) => place >= 1);
  let left = width - 1 - (main === undefined ? 0 : sizeOf(main));
  const shown = ordered.filter((each, at) =>
    each === main || (left -= sizeOf(each)) >= 0 || at === 0
  );
  const lines = shown[0]!.lines.map(() => "…");
  return [...shown, { lines, width: 1, right: false, place: Infinity }];
}

/**
 * Returns an excerpt of a frame as plain text of lines up to a width, with as many columns as fit. The shape and the
 * source are below the table. If the table is too wide, long texts are cut first, and then columns are hidden. Control
 * characters are replaced.
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
