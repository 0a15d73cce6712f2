import type { VegaSpec } from "../chart.ts";
import { type EndLabels, endLabels } from "../plot/end_labels.ts";
import { theme } from "../theme.ts";

/** How far a name may stand from its line: a click on it shows which that is. */
const FARTHEST = 70;
/** Between the ends of the lines and the keys, also where a line to one is steep; from the key to its name. */
const GAP = 16;
const WIDE_GAP = 30;
const KEY = 11;

/** A line, with the value at which it ends; null where it does not reach the end of the plot. */
export interface EndingLine {
  readonly label: string;
  readonly prominent: boolean;
  readonly end: number | null;
}

/** The plot beside which names stand: its size, and the pixel of a value from its top. */
interface NamesPlot {
  readonly width: number;
  readonly height: number;
  readonly placeOf: (value: number) => number;
}

/**
 * Names at the ends of the lines, of the grey ones as far as there is room; null where not all others fit, or
 * there is one line.
 */
export function namesOf(
  lines: readonly EndingLine[],
  { width, height, placeOf }: NamesPlot,
): EndLabels | null {
  if (lines.length < 2 || lines.some(({ end, prominent }) => prominent && end === null)) {
    return null;
  }
  const ends = lines.flatMap(({ label, end, prominent }) =>
    end === null ? [] : [{ label, y: placeOf(end), optional: !prominent }]
  );
  return ends.length === 0
    ? null
    : endLabels(ends, { top: -6, bottom: height + 6, width: width * 0.28, farthest: FARTHEST });
}

/** Whether a line ends at the right of the plot, as an expression of Vega; where a reader can zoom, it may not. */
const INSIDE = "inrange(scale('y', datum.end), [-1, height + 1])";

/** A click on a name shows its line alone, the next on the same all again; one after a drag is no choice. */
const CHOICE = {
  ...{ type: "point", fields: ["group"], on: "@line_names_marks:click" },
  toggle: "event.shiftKey || indexof(groups.group || [], datum.group) >= 0",
};

/**
 * The names at the lines, each with a thin line to it from where its own line ends, if that is elsewhere: a click
 * on one shows its line alone. `atEnd` is the condition under which lines end at the right of the plot.
 */
export function nameLayers(
  lines: readonly EndingLine[],
  { labels }: EndLabels,
  atEnd = "true",
): VegaSpec[] {
  const gap = labels.some(({ y, at }) => Math.abs(y - at) > WIDE_GAP) ? WIDE_GAP : GAP;
  const values = labels.map(({ label, at, lines: words }) => {
    const { end, prominent } = lines.find((line) => line.label === label)!;
    return {
      ...{ group: label, end, at, prominent, lines: words.join("\n") },
      // A grey line has a name without a key.
      lead: prominent ? gap - 3 : gap + KEY - 4,
      lift: words.length > 1 ? -theme.label.line / 2 : 0,
      ...{ says: `show ${label} alone`, chosen: `${label}, shown alone` },
    };
  });
  const opacity = { condition: { param: "groups", value: 1 }, value: 0.35 };
  const pixel = (expr: string) => ({ value: { expr } });
  const y = pixel("datum.at");
  const silent = { clip: false, tooltip: null, aria: false };
  const away = `${atEnd} && ${INSIDE} && ` +
    "(!datum.prominent || abs(scale('y', datum.end) - datum.at) > 2)";
  return [
    {
      data: { values },
      transform: [{ filter: { param: "groups" } }],
      mark: { type: "rule", strokeWidth: 0.75, ...silent },
      encoding: {
        ...{ x: pixel("width + 5"), x2: pixel("width + datum.lead") },
        ...{ y: pixel("scale('y', datum.end)"), y2: y },
        opacity: { condition: { test: away, value: 1 }, value: 0 },
      },
    },
    {
      data: { values: values.filter(({ prominent }) => prominent) },
      mark: { type: "point", filled: true, size: 45, ...silent },
      encoding: {
        x: pixel(`width + ${gap + 3}`),
        ...{ y, shape: { field: "group", type: "nominal" }, opacity },
      },
    },
    {
      name: "line_names",
      data: { values },
      params: [{ name: "groups", select: CHOICE }],
      mark: {
        ...{ type: "text", align: "left", baseline: "middle", lineBreak: "\n" },
        ...{ dx: gap + KEY, dy: { expr: "datum.lift" } },
        ...{ fontSize: theme.label.size, lineHeight: theme.label.line, clip: false },
        ...{ cursor: "pointer", tooltip: null },
      },
      encoding: {
        x: { value: "width" },
        color: { condition: { test: "datum.prominent", value: theme.ink }, value: theme.muted },
        ...{ y, text: { field: "lines", type: "nominal" }, opacity },
        description: {
          condition: { param: "groups", empty: false, field: "chosen" },
          field: "says",
        },
      },
    },
  ];
}
