import type { VegaSpec } from "../chart.ts";
import { type EndLabels, endLabels } from "../plot/end_labels.ts";
import type { RetentionLines } from "../plot/retention_lines.ts";
import { theme } from "../theme.ts";

/** The space between a line's end and its name. */
const GAP = 12;

/** Where the values stand between the bottom of the plot and its top, a little above the highest. */
export function scaleOf({ shares: [bottom, top] }: RetentionLines) {
  const highest = top + (top - bottom) * 0.02;
  return {
    domain: [bottom, highest] as const,
    placeOf: (value: number, height: number) =>
      (1 - (value - bottom) / (highest - bottom)) * height,
    valueAt: (y: number, height: number) => bottom + (1 - y / height) * (highest - bottom),
  };
}

/** Names at the ends of the lines; null where they do not fit, or there is one line. */
export function namesOf(
  drawn: RetentionLines,
  { width, height }: { width: number; height: number },
): EndLabels | null {
  const { lines, months } = drawn;
  const { placeOf } = scaleOf(drawn);
  const ends = lines.flatMap(({ label, points, prominent }) => {
    const end = points.findLast(({ retention, predicted }) => (predicted ?? retention) !== null);
    if (end?.month !== months[1]) return [];
    return [{ label, y: placeOf(end.predicted ?? end.retention!, height), optional: !prominent }];
  });
  const prominent = lines.filter(({ prominent }) => prominent).length;
  if (lines.length < 2 || ends.filter(({ optional }) => !optional).length < prominent) return null;
  return endLabels(ends, { top: -6, bottom: height + 6, width: width * 0.28 });
}

/** The names at the lines: a click on one shows its line alone. */
export function nameLayers(
  drawn: RetentionLines,
  { labels }: EndLabels,
  height: number,
): VegaSpec[] {
  const { valueAt } = scaleOf(drawn);
  const values = labels.map(({ label, at, lines }) => ({
    ...{ group: label, at: valueAt(at, height), lines: lines.join("\n") },
    lift: lines.length > 1 ? -theme.label.line / 2 : 0,
  }));
  const opacity = { condition: { param: "groups", value: 1 }, value: 0.35 };
  const y = { field: "at", type: "quantitative" };
  return [
    {
      data: { values },
      mark: { type: "point", filled: true, size: 45, clip: false, tooltip: null },
      encoding: {
        x: { value: { expr: `width + ${GAP - 2}` } },
        ...{ y, shape: { field: "group", type: "nominal" }, opacity },
      },
    },
    {
      data: { values },
      params: [{ name: "groups", select: { type: "point", fields: ["group"] } }],
      mark: {
        ...{
          type: "text",
          align: "left",
          baseline: "middle",
          dx: GAP + 6,
          lineBreak: "\n",
        },
        ...{ fontSize: theme.label.size, lineHeight: theme.label.line, clip: false },
        ...{ dy: { expr: "datum.lift" }, cursor: "pointer", tooltip: null },
      },
      encoding: {
        x: { value: "width" },
        ...{ y, color: { value: theme.ink }, text: { field: "lines", type: "nominal" }, opacity },
      },
    },
  ];
}
