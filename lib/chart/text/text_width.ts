import { type Advances, BOLD_ADVANCES, REGULAR_ADVANCES } from "./advance_widths.ts";

/** How a text is set: its size in pixels, and whether it is bold. */
export interface Face {
  readonly size: number;
  readonly bold?: boolean;
}

const UNITS_PER_EM = 2048;

function widthTable(advances: Advances): ReadonlyMap<number, number> {
  return new Map(
    advances.flatMap(([first, widths]) =>
      widths.split(/\s+/).map((width, index) => [first + index, Number(width)] as const)
    ),
  );
}

let tables: Record<"bold" | "regular", ReadonlyMap<number, number>> | undefined;

/**
 * The width of a text in DejaVu Sans, in pixels, without kerning. A character that the table does not
 * hold counts one em, which no letter of the fonts that would stand in for it exceeds by much.
 */
export function textWidth(text: string, { size, bold = false }: Face): number {
  tables ??= { bold: widthTable(BOLD_ADVANCES), regular: widthTable(REGULAR_ADVANCES) };
  const table = tables[bold ? "bold" : "regular"];
  let units = 0;
  for (const character of text) units += table.get(character.codePointAt(0)!) || UNITS_PER_EM;
  return (units * size) / UNITS_PER_EM;
}
