import { FAINT_OPACITY } from "../colors.ts";
import { theme } from "../theme.ts";
import type { TimePoint } from "../time_series.ts";
import { scaleOptions, valueAlong, type ValueAxis } from "./axes.ts";
import { endLabelMarks, type EndLabels } from "./end_labels.ts";
import type { Markish, ObservablePlot, PlotOptions } from "./observable_plot.ts";
import { upwardAxis } from "./plane_axes.ts";
import { openPieces, type TimeLine, type TimelineView } from "./time_lines.ts";

/** The room right of a panel that has no names there. */
export const RIGHT = 8;
/** From the top of a panel to the line of its name. */
const NAME_ABOVE = 22;
/** More points than these are not marked one by one. */
const MOST_DOTS = 40;

/** Points that stand alone or are not final are marked; the others where there are few, and several lines. */
function dotsOf({ points }: TimeLine, alone: boolean): TimePoint[] {
  const few = points.length <= MOST_DOTS && !alone;
  return points.filter(({ value, complete }, index) =>
    value !== null &&
    (few || !complete ||
      ((points[index - 1]?.value ?? null) === null && (points[index + 1]?.value ?? null) === null))
  );
}

function lineMarks(Plot: ObservablePlot, { lines, title }: TimelinePanel): Markish[] {
  return lines.flatMap((line) => {
    const { color, symbol, prominent, points } = line;
    const [strokeWidth, strokeOpacity] = prominent ? [2, 1] : [1, FAINT_OPACITY];
    const small = title !== undefined;
    const dots = prominent ? dotsOf(line, small) : [];
    const at = { x: "date", y: "value", symbol: small ? "circle" as const : symbol, r: 3 };
    return [
      Plot.line(points.map((point) => point.complete ? point : { ...point, value: null }), {
        ...{ x: "date", y: "value", stroke: color, strokeWidth, strokeOpacity },
        ariaDescription: "line",
      }),
      Plot.link(openPieces(line), {
        x1: ([from]) => from.date,
        y1: ([from]) => from.value,
        x2: ([, to]) => to.date,
        y2: ([, to]) => to.value,
        ...{ stroke: color, strokeWidth, strokeOpacity, strokeDasharray: "4 3" },
        ariaDescription: "not complete",
      }),
      Plot.dot(dots.filter(({ complete }) => complete), {
        ...{ ...at, fill: color, ariaDescription: "value" },
      }),
      Plot.dot(dots.filter(({ complete }) => !complete), {
        ...{ ...at, fill: theme.paper, stroke: color, strokeWidth: 1.5 },
        ariaDescription: "value, not complete",
      }),
    ];
  });
}

/** What a panel is drawn from. */
interface TimelinePanel {
  readonly view: TimelineView;
  readonly axis: ValueAxis;
  readonly lines: readonly TimeLine[];
  readonly width: number;
  readonly height: number;
  readonly labels: EndLabels | null;
  /** Of one of several panels: its name, and whether its neighbour at the left has the axis. */
  readonly title?: string;
  readonly bare?: boolean;
  /** What is written at the right of its name. */
  readonly value?: string;
  readonly top: number;
  readonly bottom: number;
}

/** The axis up. */
export function upwardOf(
  { view, axis, height, title, top, bottom }: Omit<TimelinePanel, "lines" | "labels">,
) {
  const { words, locale, format } = view;
  return upwardAxis({ ...axis, dates: false }, {
    ...{ style: { unit: words.unit, locale, format }, length: height - top - bottom },
    name: words.axis,
    named: title === undefined,
    most: title === undefined ? 7 : 4,
  });
}

function axisMarks(Plot: ObservablePlot, plan: TimelinePanel, across: number): Markish[] {
  const { view: { hundred, dates }, axis, bare = false } = plan;
  // Plot puts ticks on round dates; a single day has only itself.
  const ticks = dates.length < 2
    ? { ticks: [...dates], tickFormat: (date: Date) => date.toISOString().slice(0, 10) }
    : { ticks: Math.max(2, Math.floor(across / 70)) };
  const { marks, grid } = upwardOf(plan);
  return [
    ...bare ? grid(Plot) : marks(Plot),
    Plot.axisX({ ...ticks, label: null, fill: theme.muted, stroke: theme.muted }),
    ...hundred && axis.domain[0] <= 100
      ? [Plot.ruleY([100], { stroke: theme.muted, strokeDasharray: "2 2", ariaDescription: "100" })]
      : [],
  ];
}

export function timelinePanel(Plot: ObservablePlot, plan: TimelinePanel): PlotOptions {
  const { view: { dates }, axis, lines, width, height, labels, title, top, bottom } = plan;
  const right = labels === null ? RIGHT : labels.room;
  const left = plan.bare ? 0 : upwardOf(plan).room;
  const [first, last] = [dates[0]!, dates.at(-1)!];
  const inside = height - top - bottom;
  const valueAt = (y: number) => valueAlong(axis, 1 - (y - top) / inside);
  const day = 43_200_000;
  const domain = dates.length > 1
    ? [first, last]
    : [new Date(first.getTime() - day), new Date(first.getTime() + day)];
  return {
    ...title === undefined ? {} : { title },
    ...{
      width,
      height,
      marginTop: top,
      marginLeft: left,
      marginBottom: bottom,
      marginRight: right,
    },
    x: { type: "utc", domain, axis: null },
    y: scaleOptions(axis),
    color: { type: "identity" },
    symbol: { type: "identity" } as never,
    marks: [
      ...axisMarks(Plot, plan, width - left - right),
      ...lineMarks(Plot, plan),
      Plot.text(plan.value ? [plan.value] : [], {
        ...{ frameAnchor: "top-right", textAnchor: "end", dy: -NAME_ABOVE, fill: theme.muted },
        ariaDescription: "last value",
      }),
      ...labels === null ? [] : endLabelMarks(Plot, {
        ...{ labels, valueAt },
        after: (pixels) => new Date(+last + pixels * (+last - +first) / (width - left - right)),
        styleOf: (label) => {
          const { color, symbol, prominent } = lines.find((line) => line.label === label)!;
          const marked = prominent && dates.length <= MOST_DOTS;
          return {
            color,
            symbol: marked ? symbol : null,
            ink: prominent ? theme.ink : theme.muted,
          };
        },
      }),
    ],
  };
}
