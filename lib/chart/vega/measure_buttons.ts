import type { VegaSpec } from "../chart.ts";
import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";

/** The height of a button, and the space between two. */
const BUTTON = 22;
const BETWEEN = 6;

/**
 * The measures as buttons above the plot: as marks they look the same in a notebook as in a page. Each row of
 * them is as long as there is room.
 */
export function measureButtons(
  titles: readonly string[],
  { left, width }: { left: number; width: number },
): VegaSpec[] {
  const [right, pad] = [width - left, 9];
  let [x, row] = [-left, 0];
  const placed = titles.map((measure) => {
    const room = width - 2 * pad;
    const [text = ""] = wrapText(measure, { ...theme.label, width: room, lines: 1 });
    const taken = textWidth(text, theme.label) + 2 * pad;
    if (x > -left && x + taken > right) [x, row] = [-left, row + 1];
    const at = { measure, text, row, from: x, to: x + taken };
    x += taken + BETWEEN;
    return at;
  });
  const rows = row + 1;
  const values = placed.map(({ row, ...button }) => {
    const top = (row - rows) * (BUTTON + BETWEEN) - 6;
    return { ...button, top, bottom: top + BUTTON, says: `show ${button.measure}` };
  });
  const pixel = (field: string) => ({ value: { expr: `datum.${field}` } });
  const common = { cursor: "pointer", clip: false, tooltip: null };
  const shown = "datum.measure === measure";
  const choice = { condition: { test: shown, value: theme.muted }, value: theme.paper };
  return [
    {
      name: "measures",
      data: { values },
      params: [{
        name: "chosen",
        select: {
          ...{ type: "point", fields: ["measure"], toggle: false, clear: false },
          on: "@measures_marks:click, @measure_names_marks:click",
        },
      }],
      mark: { type: "rect", cornerRadius: 4, strokeWidth: 1, ...common },
      encoding: {
        ...{ x: pixel("from"), x2: pixel("to"), y: pixel("top"), y2: pixel("bottom") },
        fill: choice,
        stroke: { value: theme.muted },
        description: { field: "says" },
      },
    },
    {
      name: "measure_names",
      data: { values },
      mark: { type: "text", align: "left", baseline: "middle", dx: pad, ...common },
      encoding: {
        ...{ x: pixel("from"), y: { value: { expr: `datum.top + ${BUTTON / 2}` } } },
        text: { field: "text", type: "nominal" },
        color: { condition: { test: shown, value: theme.paper }, value: theme.ink },
        description: { field: "says" },
      },
    },
  ];
}
