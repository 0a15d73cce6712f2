import type { VegaSpec } from "../chart.ts";
import { type EndLabels, KEY } from "../drawing/end_labels.ts";
import { type DrawnLine, endOf } from "../drawing/lines.ts";
import { theme } from "../theme.ts";
import { SILENT } from "./vega_parts.ts";

/** An expression that tests whether the end of a line is in the plot. Zooming can move the end out of the plot. */
const INSIDE = "inrange(scale('y', datum.end), [-1, height + 1])";

/**
 * The selection of lines by name. Selecting a name fades the other lines. Selecting the name again resets the lines.
 */
const CHOICE = {
  type: "point",
  fields: ["group"],
  on: "@line_names_marks:click",
  toggle: "event.shiftKey || indexof(groups.group || [], datum.group) >= 0",
};

/**
 * Draws the names at the ends of the lines. If a name was moved, a thin leader line connects the name to the end of its
 * line. When the chart is zoomed, a name moves with its line. A name is hidden if the end of its line is outside the
 * plot.
 */
export function nameLayers(
  lines: readonly DrawnLine[],
  { labels, gap }: EndLabels,
): VegaSpec[] {
  const values = labels.map(({ label, y, at, lines: words }) => {
    const line = lines.find((line) => line.label === label)!;
    return {
      group: label,
      end: endOf(line)!.value,
      shift: at - y,
      strong: line.highlighted,
      lines: words.join("\n"),
      // The name of a gray line has no marker, so its leader line is longer.
      lead: line.highlighted ? gap - 3 : gap + KEY - 4,
      lift: words.length > 1 ? -theme.label.line / 2 : 0,
      says: `show ${label} alone`,
      chosen: `${label}, shown alone`,
    };
  });
  const opacity = {
    condition: [{ test: `!${INSIDE}`, value: 0 }, { param: "groups", value: 1 }],
    value: 0.35,
  };
  const moved = `${INSIDE} && (!datum.strong || abs(datum.shift) > 2)`;
  const pixel = (expr: string) => ({ value: { expr } });
  const y = pixel("scale('y', datum.end) + datum.shift");
  return [
    {
      data: { values },
      transform: [{ filter: { param: "groups" } }],
      mark: { type: "rule", strokeWidth: 0.75, ...SILENT },
      encoding: {
        x: pixel("width + 5"),
        x2: pixel("width + datum.lead"),
        y: pixel("scale('y', datum.end)"),
        y2: y,
        opacity: { condition: { test: moved, value: 1 }, value: 0 },
      },
    },
    {
      data: { values: values.filter(({ strong }) => strong) },
      mark: { type: "point", filled: true, size: 45, ...SILENT },
      encoding: {
        x: pixel(`width + ${gap + 3}`),
        y,
        shape: { field: "group", type: "nominal" },
        opacity,
      },
    },
    {
      name: "line_names",
      data: { values },
      params: [{ name: "groups", select: CHOICE }],
      mark: {
        type: "text",
        align: "left",
        baseline: "middle",
        lineBreak: "\n",
        dx: gap + KEY,
        dy: { expr: "datum.lift" },
        fontSize: theme.label.size,
        lineHeight: theme.label.line,
        clip: false,
        cursor: "pointer",
        tooltip: null,
      },
      encoding: {
        x: { value: "width" },
        y,
        color: { condition: { test: "datum.strong", value: theme.ink }, value: theme.muted },
        text: { field: "lines", type: "nominal" },
        opacity,
        description: {
          condition: { param: "groups", empty: false, field: "chosen" },
          field: "says",
        },
      },
    },
  ];
}
