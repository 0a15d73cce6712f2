import { textWidth } from "../text/text_width.ts";
import { wrapText } from "../text/wrap_text.ts";
import { theme } from "../theme.ts";
import type { Markish, ObservablePlot } from "./observable_plot.ts";

/** The names at the left of a panel with one row for each. */
export interface RowLabels {
  readonly texts: readonly string[];
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
    texts: lines.map((texts) => texts.join("\n")),
    width: Math.ceil(Math.max(0, ...widths)) + 8,
    rowHeight: lines.some(({ length }) => length > 1) ? 32 : 24,
  };
}

/** Sets the names `padding` pixels left of the rows, which the panel calls 0, 1, 2, … */
export function rowLabelMarks(
  { axisY }: ObservablePlot,
  { texts }: RowLabels,
  padding: number,
): Markish[] {
  return [
    axisY({
      tickSize: 0,
      label: null,
      tickFormat: (row: number) => texts[row]!,
      tickPadding: padding,
      lineHeight: theme.label.line / theme.label.size,
    }),
  ];
}
