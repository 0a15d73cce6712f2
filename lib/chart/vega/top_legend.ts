import { textWidth } from "../text/text_width.ts";
import { theme } from "../theme.ts";
import type { VegaSpec } from "./vega_spec.ts";

const KEY = 34;

/**
 * A legend above the plot, in as many columns as the widest of its labels leaves room for. It begins where the
 * plot begins, `left` pixels from the axis labels' left end.
 */
export function topLegend(
  labels: readonly string[],
  { width, left }: { width: number; left: number },
): VegaSpec {
  const room = Math.max(120, width - 2 * theme.padding - left);
  const widths = labels.map((label) => textWidth(label, theme.legend));
  const column = Math.min(room, Math.max(...widths) + KEY);
  return {
    orient: "top",
    direction: "horizontal",
    columns: Math.max(1, Math.min(labels.length, Math.floor(room / column))),
    labelLimit: room - KEY,
    title: null,
  };
}
