import type { VegaSpec } from "../chart.ts";
import { FAINT_OPACITY } from "../colors.ts";
import { labelOf, monthTicks, ticksOf } from "../drawing/axes.ts";
import { axisAcross, axisUp, drawnDots, type LinesPlan } from "../drawing/line_plan.ts";
import { isAlone } from "../drawing/line_marks.ts";
import { formatCount, formatterFor } from "../format.ts";
import type { Look } from "../look.ts";
import { type Drawn, drawnSeries } from "../series_colors.ts";
import { hasForecast, largest, lastValue, type Line, pointsOf } from "../read/lines.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { faded, labelExpr, LEFT, quiet, SELECTED, selectionOf, vegaSpec } from "./vega_parts.ts";

/** The data and options of an interactive chart of lines. */
interface VegaLinesPlan extends LinesPlan {
  /** Returns a horizontal position as text. `place` is the noun for a position, such as `month`. */
  readonly when: (x: number) => string;
  readonly place: string;
  /** The name of a value in a tooltip. */
  readonly what: string;
}

/** If there are more points than this, points between other points are invisible, but have tooltips. */
const MOST_MARKED = 500;
/** The opacity of points. Points without a dot are invisible. */
const dotted = { ...faded, condition: [{ test: "!datum.dot", value: 0 }, faded.condition] };
/** The width of a key in the legend and of the space after its name, in pixels. */
const KEY = 40;
/** The distance between two whiskers, in pixels. */
const WHISKER_STEP = 6;
/** Labels of dates: at the beginning of a month, the month, and once a year the year. */
const DATES = "utcdate(datum.value) !== 1 || utchours(datum.value) !== 0 ? datum.label : " +
  "[utcFormat(datum.value, '%b'), " +
  "datum.index === 0 || utcmonth(datum.value) === 0 ? utcFormat(datum.value, '%Y') : '']";

/**
 * Returns a row for each point. `settled` is the value of a complete period. `ahead` is drawn dashed: the values next
 * to and in an incomplete period, and the predictions from the last observed month on.
 */
function valuesOf(plan: VegaLinesPlan, lines: readonly (Line & Drawn)[], look: Look) {
  const { x: { dates = false }, y: { unit }, bounds, when } = plan;
  const all = pointsOf(lines);
  const write = formatterFor(all.flatMap(({ y, predicted = null }) => [y, predicted]), {
    ...look,
    unit,
  });
  // Lines that are not highlighted are drawn first, so that they cover no other line.
  const order = lines.toSorted((a, b) => Number(a.highlighted) - Number(b.highlighted));
  return order.flatMap(({ label, points, highlighted }) => {
    const seen = points.findLastIndex(({ y }) => y !== null);
    return points.map((point, at) => {
      const { x, y, complete, predicted = null, lower = null, upper = null, size = null } = point;
      const value = y ?? predicted;
      const note = y === null ? " (forecast)" : complete ? "" : " (period not complete)";
      return {
        group: label,
        x: dates ? new Date(x).toISOString().slice(0, 10) : x,
        when: when(x),
        value,
        settled: complete ? y : null,
        ...!highlighted && { faint: true },
        ...(highlighted && all.length <= MOST_MARKED || isAlone(points, at)) && { dot: true },
        ...predicted !== null && at >= seen ? { ahead: predicted } : {},
        shown: value === null ? "no value" : `${write(value)}${note}`,
        ...bounds !== undefined && lower !== null && upper !== null &&
          { lower, upper, interval: `${write(lower)} to ${write(upper)}` },
        ...size !== null && { users: formatCount(size, look.locale) },
      };
    });
  });
}

/** Ctrl with the wheel zooms. Otherwise, the wheel scrolls the page. */
const ZOOM = {
  name: "view",
  select: { type: "interval", encodings: ["x"], zoom: "wheel![event.ctrlKey || event.metaKey]" },
  bind: "scales",
};

function lineLayer(field: string, strokeDash: readonly number[]): VegaSpec {
  // A line that is not highlighted is faint until it is selected.
  const unless = (faint: number, value: number) => ({
    condition: [{ param: SELECTED, empty: false, value }, { test: "datum.faint", value: faint }],
    value,
  });
  return {
    mark: { type: "line", strokeDash, ...quiet },
    encoding: {
      y: { field },
      opacity: faded,
      strokeWidth: unless(1, 2),
      strokeOpacity: unless(FAINT_OPACITY, 1),
    },
  };
}

/** Draws the last interval of each line to the right of the lines. */
function whiskerLayer(whiskers: readonly VegaSpec[], interval: string): VegaSpec {
  const tooltip = [
    { field: "group", title: "title" },
    { field: "when" },
    { field: "interval", title: interval },
  ];
  const layer = (type: string, y: VegaSpec) => ({
    mark: { type, size: type === "rule" ? 1.5 : 18, aria: false },
    encoding: { ...y, tooltip, opacity: faded },
  });
  return {
    data: { values: whiskers },
    layer: [
      layer("rule", { y: { field: "lower" }, y2: { field: "upper" } }),
      layer("circle", { y: { field: "value" } }),
    ],
  };
}

/** Draws the points of further lines as small dots. */
function dotLayer(plan: VegaLinesPlan, look: Look, color: string): VegaSpec[] {
  const points = drawnDots(plan).flatMap(({ label, points }) =>
    points.map(({ x, y }) => ({ member: label, x, when: plan.when(x), value: y! }))
  );
  const write = formatterFor(points.map(({ value }) => value), { ...look, unit: plan.y.unit });
  return points.length === 0 ? [] : [{
    data: { values: points.map((point) => ({ ...point, shown: write(point.value) })) },
    mark: { type: "point", filled: true, size: 13, opacity: 0.55, aria: false },
    encoding: {
      y: { field: "value" },
      color: { value: color },
      tooltip: [{ field: "member", title: "title" }, { field: "when" }, { field: "shown" }],
    },
  }];
}

/** Returns the Vega-Lite spec of a chart of lines. */
export function linesSpec(plan: VegaLinesPlan, look: Look): VegaSpec {
  const { x, y, ordered = false, place, what, bounds, interval = "interval", rules = [] } = plan;
  const { kept } = largest(plan.lines, { limit: Infinity, sizeOf: lastValue });
  const lines = drawnSeries(ordered ? plan.lines : kept, { ...look, ordered })
    .toSorted((a, b) => Number(b.highlighted) - Number(a.highlighted));
  const labels = lines.map(({ label }) => label);
  const strong = lines.filter(({ highlighted }) => highlighted).map(({ label }) => label);
  const faint = lines.length - strong.length;
  const across = axisAcross(lines, x);
  const [first, last] = across.domain;
  const up = axisUp(lines, plan);
  const values = valuesOf(plan, lines, look);
  const fields = new Set(values.flatMap(Object.keys));
  const together = bounds === "bands" && plan.panels === undefined;
  const step = WHISKER_STEP / look.inner * (last - first);
  const whiskers = together || bounds === undefined ? [] : labels.flatMap((label, at) => {
    const end = values.findLast(({ group, interval }) => group === label && interval !== undefined);
    return end === undefined ? [] : [{ ...end, x: last + (at + 2) * step }];
  });
  const widest = Math.max(...labels.map((label) => textWidth(label, theme.legend))) + KEY;
  const legend = lines.length === 1 ? null : {
    ...{ orient: "top", direction: "horizontal", offset: 26, title: null, symbolLimit: 0 },
    columns: Math.max(1, Math.min(lines.length, Math.floor(look.inner / widest))),
    labelLimit: look.inner - KEY,
    values: strong,
  };
  const range = (of: (line: Line & Drawn) => string) => (
    { field: "group", type: "nominal", legend, scale: { domain: labels, range: lines.map(of) } }
  );
  const color = range(({ color }) => color);
  const subtitle = joined([look.about.subtitle, hasForecast(lines) ? "dashed: forecast" : ""]);
  const caption = [
    ...faint === 0
      ? []
      : [`Gray: ${faint} other lines, which show their names when you point at them.`],
    ...look.about.caption,
  ];
  return vegaSpec({ ...look, about: { ...look.about, subtitle, caption } }, {
    height: (look.height ?? 400) - 80,
    below: x.dates ? 46 : 56,
    left: LEFT,
    rest: {
      data: { values },
      encoding: {
        x: x.dates
          ? {
            ...{ field: "x", type: "temporal", scale: { type: "utc", padding: 6 }, title: null },
            axis: { labelExpr: DATES },
          }
          : {
            field: "x",
            type: "quantitative",
            scale: {
              domain: [first, last + (whiskers.length + 1) * step],
              padding: 6,
              nice: false,
            },
            title: x.name,
            axis: x.months ? { values: monthTicks(across, look.inner) } : { tickMinStep: 1 },
          },
        y: {
          type: "quantitative",
          title: labelOf(up, y.name),
          // The markers of the largest values need room.
          scale: {
            ...{ type: up.type, domain: [...up.domain], nice: false },
            range: [{ expr: "height" }, 6],
          },
          axis: {
            labelExpr: labelExpr(y.unit),
            // Vega's own ticks of a logarithmic axis are not round.
            ...up.type === "log"
              ? {
                values: ticksOf(
                  { axis: up, style: { ...look, unit: y.unit }, name: y.name },
                  { length: 300, vertical: true },
                ),
              }
              : { tickCount: 6 },
          },
        },
        color,
      },
    },
    layer: [
      ...bounds === undefined ? [] : [{
        transform: [{
          filter: { param: SELECTED, empty: together },
        }],
        mark: { type: "area", line: false, opacity: 0.22, ...quiet },
        encoding: { y: { field: "lower" }, y2: { field: "upper" } },
      }],
      ...rules.filter(({ y }) => y !== undefined).map(({ y }) => ({
        mark: { type: "rule", strokeDash: [2, 2], ...quiet },
        encoding: {
          ...{ x: { value: 0 }, x2: { value: "width" }, y: { datum: y } },
          color: { value: theme.muted },
        },
      })),
      ...dotLayer(plan, look, lines[0]!.color),
      ...whiskers.length === 0 ? [] : [whiskerLayer(whiskers, interval)],
      lineLayer("settled", []),
      ...fields.has("ahead") ? [lineLayer("ahead", [4, 3])] : [],
      {
        name: "points",
        params: [selectionOf("group"), ZOOM],
        transform: [{ filter: "isValid(datum.value)" }],
        mark: {
          ...{ type: "point", clip: true, size: 40, strokeWidth: 1.5 },
          description: {
            expr: "datum.group + ', ' + datum.when + ': ' + datum.shown + " +
              "(datum.interval ? ', interval ' + datum.interval : '')",
          },
        },
        encoding: {
          y: { field: "value" },
          // Points of incomplete periods and of forecasts are hollow.
          fill: { ...color, condition: { test: "!isValid(datum.settled)", value: theme.paper } },
          opacity: dotted,
          tooltip: [
            { field: "group", title: "title" },
            { field: "when", title: place },
            { field: "shown", title: what },
            ...fields.has("interval") ? [{ field: "interval", title: interval }] : [],
            ...fields.has("users") ? [{ field: "users", title: "users observed" }] : [],
          ],
        },
      },
    ],
  });
}
