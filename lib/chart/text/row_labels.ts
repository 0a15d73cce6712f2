import { textWidth } from "./text_width.ts";
import { wrapText } from "./wrap_text.ts";
import { theme } from "../theme.ts";

/** The names at the left of a panel with one row for each. */
export interface RowLabels {
  /** The lines of each name. */
  readonly lines: readonly (readonly string[])[];
  /** The room they take, with the gap to the panel. */
  readonly width: number;
  readonly rowHeight: number;
}

/** Breaks names into at most two lines that take at most a third of the width. */
export function rowLabels(names: readonly string[], width: number): RowLabels {
  const { size } = theme.label;
  const room = Math.min(240, width * 0.34);
  const lines = names.map((name) => wrapText(name, { size, width: room, lines: 2 }));
  const widths = lines.flat().map((text) => textWidth(text, { size }));
  return {
    lines,
    width: Math.ceil(Math.max(0, ...widths)) + 8,
    rowHeight: lines.some(({ length }) => length > 1) ? 32 : 24,
  };
}
