import type { VegaSpec } from "../chart.ts";
import { type EndLabels, placeEndLabels } from "../drawing/end_labels.ts";
import { theme } from "../theme.ts";

/** Maximum distance of a name from its line. A click on the name highlights the line. */
const FARTHEST = 70;
/** Space between the ends of the lines and the keys, wide enough for a steep leader line, and between key and name. */
const GAP = 16;
const WIDE_GAP = 30;
const KEY = 11;

/** A line, with its last value; null if it does not reach the end of the plot. */
export interface EndingLine {
  readonly label: string;
  readonly highlighted: boolean;
  readonly end: number | null;
}

/** The plot beside the names: its size, and the distance of a value from its top in pixels. */
interface NamesPlot {
  readonly width: number;
  readonly height: number;
  readonly placeOf: (value: number) => number;
}

/**
 * Names at the ends of the lines; those of gray lines only if they fit. Null if the others do not fit, or there is
 * only one line.
 */
export function namesOf(
  lines: readonly EndingLine[],
  { width, height, placeOf }: NamesPlot,
): EndLabels | null {
  if (lines.length < 2 || lines.some(({ end, highlighted }) => highlighted && end === null)) {
    return null;
  }
  const ends = lines.flatMap(({ label, end, highlighted }) =>
    end === null ? [] : [{ label, y: placeOf(end), optional: !highlighted }]
  );
  return ends.length === 0 ? null : placeEndLabels(ends, {
    top: -6,
    bottom: height + 6,
    width: width * 0.28,
    farthest: FARTHEST,
  });
}

const INSIDE = "inrange(scale('y', datum.end), [-1, height + 1])";

/** Selecting a name fades the other lines; selecting it again resets them. */
const CHOICE = {
  type: "point",
  fields: ["group"],
  on: "@line_names_marks:click",
  toggle: "event.shiftKey || indexof(groups.group || [], datum.group) >= 0",
};

/**
 * The names at the lines, each with a thin leader line from the end of its line if it was moved. With zoom, `domain`
 * is the full domain: a name follows its line, and is hidden if the line leaves the plot.
 */
export function nameLayers(
  lines: readonly EndingLine[],
  { labels }: EndLabels,
  domain: readonly unknown[] | null,
): VegaSpec[] {
  const gap = labels.some(({ y, at }) => Math.abs(y - at) > WIDE_GAP) ? WIDE_GAP : GAP;
  const whole = domain === null ? "true" : `abs(domain('x')[1] - ${domain[1]}) < 1e-6`;
  const values = labels.map(({ label, at, lines: words }) => {
    const { end, highlighted } = lines.find((line) => line.label === label)!;
    return {
      group: label,
      end,
      at,
      strong: highlighted,
      lines: words.join("\n"),
      // The name of a gray line has no key.
      lead: highlighted ? gap - 3 : gap + KEY - 4,
      lift: words.length > 1 ? -theme.label.line / 2 : 0,
      says: `show ${label} alone`,
      chosen: `${label}, shown alone`,
    };
  });
  const faded = { condition: { param: "groups", value: 1 }, value: 0.35 };
  const opacity = domain === null ? faded : {
    condition: [{ test: `!(${whole}) && !${INSIDE}`, value: 0 }, faded.condition],
    value: 0.35,
  };
  const pixel = (expr: string) => ({ value: { expr } });
  const y = pixel(`${whole} ? datum.at : scale('y', datum.end)`);
  const silent = { clip: false, tooltip: null, aria: false };
  const away = `${whole} && ${INSIDE} && ` +
    "(!datum.strong || abs(scale('y', datum.end) - datum.at) > 2)";
  return [
    {
      data: { values },
      transform: [{ filter: { param: "groups" } }],
      mark: { type: "rule", strokeWidth: 0.75, ...silent },
      encoding: {
        x: pixel("width + 5"),
        x2: pixel("width + datum.lead"),
        y: pixel("scale('y', datum.end)"),
        y2: y,
        opacity: { condition: { test: away, value: 1 }, value: 0 },
      },
    },
    {
      data: { values: values.filter(({ strong }) => strong) },
      mark: { type: "point", filled: true, size: 45, ...silent },
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
