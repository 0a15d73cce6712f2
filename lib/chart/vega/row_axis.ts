import type { RowLabels } from "../text/row_labels.ts";
import { theme } from "../theme.ts";
import type { VegaSpec } from "./vega_spec.ts";

/** An axis of names at the left, each on up to two lines, `padding` pixels from the plot. */
export function rowAxis(names: readonly string[], labels: RowLabels, padding: number): VegaSpec {
  const lines = Object.fromEntries(names.map((name, row) => [name, labels.lines[row]!]));
  const expression = JSON.stringify(lines);
  return {
    domain: false,
    ticks: false,
    labelExpr: `${expression}[datum.label]`,
    // The first of two lines would stand where the middle of both belongs.
    labelOffset: {
      condition: {
        test: `length(${expression}[datum.value]) > 1`,
        value: -theme.label.line / 2,
      },
      value: 0,
    },
    labelLimit: 0,
    labelLineHeight: theme.label.line,
    labelColor: theme.ink,
    labelPadding: padding,
  };
}
