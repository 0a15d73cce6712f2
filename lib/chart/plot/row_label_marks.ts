import type { RowLabels } from "../text/row_labels.ts";
import { theme } from "../theme.ts";
import type { Markish, ObservablePlot } from "./observable_plot.ts";

/** Sets the names `padding` pixels left of the rows, which the panel calls 0, 1, 2, … */
export function rowLabelMarks(
  { axisY }: ObservablePlot,
  { lines }: RowLabels,
  padding: number,
): Markish[] {
  return [
    axisY({
      tickSize: 0,
      label: null,
      tickFormat: (row: number) => lines[row]!.join("\n"),
      tickPadding: padding,
      lineHeight: theme.label.line / theme.label.size,
    }),
  ];
}
