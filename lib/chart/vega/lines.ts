import type { VegaSpec } from "../chart.ts";
import { drawnSeries } from "../colors.ts";
import { type Axis, labelOf, placeOn, ticksOf } from "../drawing/axes.ts";
import {
  axisAcross,
  axisUp,
  drawnDots,
  type DrawnLine,
  hasForecast,
  isMarked,
  type LinesPlan,
  namesOf,
} from "../drawing/lines.ts";
import { isAlone, isOpen } from "../drawing/line_marks.ts";
import { formatCount, formatterFor, type NumberStyle } from "../format.ts";
import type { ChartLook } from "../look.ts";
import { textWidth } from "../text/layout.ts";
import { symbolPath, theme } from "../theme.ts";
import { joined } from "../words.ts";
import { nameLayers } from "./line_names.ts";
import { HEADING, SILENT, vegaSpec } from "./vega_parts.ts";

/** The data and options of an interactive chart of lines. */
interface VegaLinesPlan extends LinesPlan {
  /** Returns a horizontal position as text. `place` is the noun for a position, such as `month`. */
  readonly when: (x: number) => string;
  readonly place: string;
  /** The name of a value in a tooltip. */
  readonly what: string;
  /** Whether the mouse wheel zooms the chart. */
  readonly zoom?: boolean;
  /** Whether dragging selects a span. All marks outside the selected span are then faded. */
  readonly span?: boolean;
}

/**
 * An expression that formats a date. The first day of a year is written as the year, the first day of a month as the
 * month, and all other days as day and month.
 */
const DATE = "utcFormat(datum.value, utcdate(datum.value) > 1 ? '%-d %b' : " +
  "utcmonth(datum.value) > 0 ? '%b' : '%Y')";
/** If there are more points than this, one layer shows only the point nearest to the pointer. */
const MOST_POINTS = 500;
const FADED = 0.2;
const BOUNDS = { bands: "shaded", whiskers: "whiskers" };
const SAYS = "datum.group + ', ' + datum.when + ': ' + datum.shown" +
  " + (isValid(datum.interval) ? ', interval ' + datum.interval : '')" +
  " + (isValid(datum.state) ? ', ' + datum.state : '')";
/** An invisible outline that makes small points easier to hit. */
const RIM = { stroke: theme.paper, strokeOpacity: 0, strokeWidth: 12 };
const CLIPPED = { ...SILENT, clip: true };
const Y = { field: "y", type: "quantitative" };

/** The lines of a chart, and the values that all layers use. */
interface Drawing extends VegaLinesPlan {
  readonly lines: readonly DrawnLine[];
  readonly style: NumberStyle;
  /** Whether some periods are incomplete. `modeled` states whether some values are predicted. */
  readonly open: boolean;
  readonly modeled: boolean;
  /** The selections that fade marks: the selection of names, and the selection of a span. */
  readonly fading: readonly string[];
  /** The distance between the whiskers of two lines, in units of the horizontal axis. */
  readonly step: number;
}

/** Returns a position beside a point, so that marks at the same position are side by side. */
function besideOf({ lines, step }: Drawing, index: number, x: number): number {
  return x + (index - (lines.length - 1) / 2) * step;
}

/** Returns a row for each point, with the texts of its tooltip. */
function valuesOf(drawing: Drawing) {
  const { lines, x: { dates = false }, bounds, when, style, open, modeled } = drawing;
  const points = lines.flatMap(({ points }) => points);
  const write = formatterFor(points.flatMap(({ y, predicted }) => [y, predicted ?? null]), style);
  const sized = points.some(({ size = null }) => size !== null);
  return lines.flatMap((line, index) =>
    line.points.map((point, at) => {
      const { x, y, complete, predicted = null, lower = null, upper = null, size = null } = point;
      const strong = line.highlighted;
      return {
        group: line.label,
        x: dates ? new Date(x).toISOString().slice(0, 10) : x,
        y,
        ...modeled && { predicted, forecast: predicted === null ? "none" : write(predicted) },
        ...open && { settled: complete ? y : null, dashed: isOpen(line.points, at) ? y : null },
        ...!complete && { open: true, state: "the period is not complete" },
        ...strong && { strong },
        ...bounds !== undefined && lower !== null && upper !== null && {
          lower,
          upper,
          beside: besideOf(drawing, index, x),
          interval: `${write(lower)} to ${write(upper)}`,
        },
        ...sized && { users: size === null ? "not known" : formatCount(size, style.locale) },
        ...strong && (isMarked(line) || !complete || isAlone(line.points, at)) && { marked: true },
        when: when(x),
        shown: y !== null
          ? write(y)
          : predicted === null
          ? "no value"
          : `${write(predicted)} (forecast)`,
      };
    })
  );
}

const strokeWidth = { condition: { test: "datum.strong", value: 2 }, value: 1 };

/** Returns an encoding of opacity. The opacity is 1 if all the given selections include the mark, and low otherwise. */
function fadedUnless(params: readonly string[], hidden?: string): VegaSpec {
  const condition = [
    ...hidden === undefined ? [] : [{ test: hidden, value: 0 }],
    ...params.length === 0 ? [] : [{ test: { and: params.map((param) => ({ param })) }, value: 1 }],
  ];
  const value = params.length === 0 ? 1 : FADED;
  return condition.length === 0 ? { value } : { condition, value };
}

/** Returns an encoding that gives each line its color or its marker. */
function ofLines(lines: readonly DrawnLine[], valueOf: (line: DrawnLine) => string): VegaSpec {
  const scale = { domain: lines.map(({ label }) => label), range: lines.map(valueOf) };
  return { field: "group", type: "nominal", scale };
}

/** The width of a key in the legend, in pixels. */
const KEY = 34;

/**
 * Returns a legend of the colored lines, above the plot. The legend has as many columns as fit with the widest name.
 */
function legendOf(lines: readonly DrawnLine[], room: number): VegaSpec {
  const values = lines.filter(({ highlighted }) => highlighted).map(({ label }) => label);
  const widest = Math.max(...values.map((label) => textWidth(label, theme.legend)));
  const columns = Math.floor(room / Math.min(room, widest + KEY));
  return {
    orient: "top",
    direction: "horizontal",
    // The name of the axis is below the legend.
    offset: 26,
    columns: Math.max(1, Math.min(values.length, columns)),
    labelLimit: room - KEY,
    title: null,
    values,
  };
}

/**
 * The distance between the whiskers of two lines, in pixels. `PLOT` is the fraction of the width that the plot takes.
 */
const WHISKER_STEP = 3.2;
const PLOT = 0.7;

/**
 * Returns the distance between the whiskers of two lines, in months. The distance is so small that whiskers of
 * different months do not overlap.
 */
function whiskerStep({ lines, whiskersAt = [] }: LinesPlan, { inner }: ChartLook): number {
  const places = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const at = whiskersAt.toSorted((a, b) => a - b);
  const apart = Math.min(...at.slice(1).map((place, index) => place - at[index]!));
  const span = Math.max(...places) - Math.min(...places);
  return Math.min(WHISKER_STEP * span / (PLOT * inner), 0.75 * apart / lines.length);
}

function boundLayers({ bounds, whiskersAt = [] }: Drawing): VegaSpec[] {
  if (bounds === undefined) return [];
  const ends = { y: { field: "lower", type: "quantitative" }, y2: { field: "upper" } };
  const fade = (value: number) => ({ condition: { param: "groups", value }, value: 0.03 });
  if (bounds === "bands") {
    return [{
      transform: [{ filter: "datum.strong" }],
      mark: { type: "area", line: false, ...CLIPPED },
      encoding: { ...ends, opacity: fade(0.16) },
    }];
  }
  return [
    {
      transform: [{ filter: `datum.strong && indexof([${whiskersAt}], datum.x) >= 0` }],
      mark: { type: "rule", strokeWidth: 1.5, ...CLIPPED },
      encoding: { ...ends, x: { field: "beside", type: "quantitative" }, opacity: fade(0.6) },
    },
    // The complete interval of a selected line is drawn as an area.
    {
      transform: [{ filter: { param: "groups", empty: false } }],
      mark: { type: "area", line: false, opacity: 0.16, ...CLIPPED },
      encoding: ends,
    },
  ];
}

/** Draws the members of the groups (such as projects) as small dots. The dots of different groups are side by side. */
function dotLayers(drawing: Drawing): VegaSpec[] {
  const { lines, place, what, when, style } = drawing;
  const dots = drawnDots(drawing);
  if (dots.length === 0) return [];
  const write = formatterFor(dots.flatMap(({ points }) => points.map(({ y }) => y)), style);
  const values = dots.flatMap(({ group, label, points }) => {
    const index = lines.findIndex(({ id }) => id === group);
    return points.map(({ x, y }) => ({
      group: lines[index]?.label ?? "",
      member: label,
      x: besideOf(drawing, index, x),
      y,
      when: when(x),
      shown: write(y!),
    }));
  });
  return [{
    data: { values },
    mark: { type: "point", filled: true, size: 13, clip: true, aria: false },
    encoding: {
      y: Y,
      opacity: { condition: { param: "groups", value: 0.55 }, value: 0.1 },
      tooltip: [
        { field: "member", title: HEADING },
        { field: "when", title: place },
        { field: "shown", title: what },
      ],
    },
  }];
}

/** Draws horizontal dotted lines at values, and a vertical dotted line at the end of the data. */
function ruleLayers({ rules = [], observedTo }: Drawing): VegaSpec[] {
  const across = { x: { value: 0 }, x2: { value: "width" }, y: Y };
  const at = [
    ...rules.flatMap(({ y }) => y === undefined ? [] : [{ values: [{ y }], encoding: across }]),
    ...observedTo === undefined ? [] : [{ values: [{ x: observedTo }], encoding: {} }],
  ];
  return at.map(({ values, encoding }) => ({
    data: { values },
    mark: { type: "rule", strokeDash: [1, 3], color: theme.muted, ...CLIPPED },
    encoding: { ...encoding, color: { value: theme.muted } },
  }));
}

function lineLayers(drawing: Drawing, names: boolean): VegaSpec[] {
  const { observedTo = 0, zoom = false, span = false, open, modeled, fading } = drawing;
  const opacity = fadedUnless(fading);
  const line = (
    field: string,
    own: VegaSpec & { readonly strokeDash?: readonly number[] } = {},
  ) => {
    const { strokeDash, opacity: faded = opacity, ...parts } = own;
    return {
      ...parts,
      mark: { type: "line", ...CLIPPED, ...strokeDash === undefined ? {} : { strokeDash } },
      encoding: { y: { ...Y, field }, strokeWidth, opacity: faded },
    };
  };
  const settled = open ? "settled" : "y";
  const ahead = [{ filter: `isValid(datum.predicted) && datum.x >= ${observedTo}` }];
  const params = [
    ...names ? [] : [{
      name: "groups",
      select: { type: "point", fields: ["group"], toggle: "true" },
      bind: "legend",
    }],
    // Zooms only with Ctrl or Cmd. Otherwise, the wheel scrolls the page.
    ...zoom
      ? [{
        name: "view",
        select: { type: "interval", zoom: "wheel![event.ctrlKey || event.metaKey]" },
        bind: "scales",
      }]
      : [],
    ...span ? [{ name: "span", select: { type: "interval", encodings: ["x"] } }] : [],
  ];
  return [
    ...modeled ? [line("predicted", { transform: ahead, strokeDash: [5, 3] })] : [],
    line(settled, { params, ...span ? { opacity: { value: FADED } } : {} }),
    // A line is one mark, so no part of it can be faded alone. The part inside the span is therefore drawn a second
    // time.
    ...span
      ? [line(settled, {
        transform: [{ filter: { param: "span" } }],
        opacity: fadedUnless(fading.filter((param) => param !== "span")),
      })]
      : [],
    ...open ? [line("dashed", { strokeDash: [4, 3] })] : [],
  ];
}

/** Draws all points, or only the point nearest to the pointer if there are more than `MOST_POINTS` points. */
function pointLayers(drawing: Drawing): VegaSpec[] {
  const { lines, place: kind, what, bounds, interval = "interval", modeled, fading } = drawing;
  const points = lines.flatMap(({ points }) => points);
  const sized = points.some(({ size = null }) => size !== null);
  const tooltip = [
    { field: "group", title: HEADING },
    { field: "when", title: kind },
    { field: "shown", title: what },
    ...bounds === undefined ? [] : [{ field: "interval", title: interval }],
    ...modeled ? [{ field: "forecast", title: "forecast" }] : [],
    ...sized ? [{ field: "users", title: "users observed" }] : [],
  ];
  const known = { filter: "isValid(datum.y) || isValid(datum.predicted)" };
  const place = { calculate: "isValid(datum.y) ? datum.y : datum.predicted", as: "y" };
  if (points.length > MOST_POINTS) {
    return [{
      params: [{
        name: "nearest",
        select: { type: "point", on: "pointerover", nearest: true, clear: "pointerout" },
      }],
      transform: [known, place],
      mark: { type: "point", filled: true, size: 60, clip: true, aria: false },
      encoding: {
        y: Y,
        tooltip,
        opacity: { condition: { param: "nearest", empty: false, value: 1 }, value: 0 },
      },
    }];
  }
  const shape = ofLines(lines, ({ symbol }) => symbolPath(symbol));
  const layer = (test: string, mark: VegaSpec, encoding: VegaSpec): VegaSpec => ({
    transform: [known, place, { filter: test }],
    mark: { type: "point", clip: drawing.zoom ?? false, description: { expr: SAYS }, ...mark },
    encoding: { y: Y, tooltip, shape, ...encoding },
  });
  // A point without a marker is invisible, but makes the line react to the pointer.
  const bare = "!datum.marked || test(/forecast/, datum.shown)";
  return [
    layer("!datum.open", { filled: true, size: 42, ...RIM }, {
      opacity: fadedUnless(fading, bare),
    }),
    layer("datum.open", { fill: theme.paper, size: 42, strokeWidth: 1.5 }, {
      opacity: fadedUnless(fading),
      tooltip: [...tooltip, { field: "state", title: "so far" }],
    }),
  ];
}

/** Returns the horizontal axis. An axis of numbers has some space at both ends, for points and whiskers. */
function acrossOf(drawing: Drawing, [first, last]: Axis["domain"], width: number) {
  const { x, when, lines, bounds, dots = [], step } = drawing;
  if (x.dates) {
    return {
      type: "temporal",
      title: null,
      scale: { type: "utc", domain: [first, last].map((at) => ({ expr: String(at) })) },
      axis: {
        description: [first, last].map(when).join(" to "),
        grid: false,
        tickCount: Math.floor(width / 90),
        labelOverlap: true,
        labelExpr: DATE,
      },
    };
  }
  const beside = bounds === "whiskers" || dots.length > 0 ? step * lines.length / 2 : 0;
  const room = Math.max((last - first) * 0.015, beside);
  return {
    type: "quantitative",
    title: x.name,
    scale: { domain: [first - room, last + room], nice: false, zero: false },
    axis: { grid: false, ...x.months ? { tickMinStep: 1, format: "d" } : {} },
  };
}

/** Returns the Vega-Lite spec of a chart of lines. */
export function linesSpec(plan: VegaLinesPlan, look: ChartLook): VegaSpec {
  const { x, y, zoom = false, span = false, ordered = false } = plan;
  const { about, width, locale, format, highlight, colors } = look;
  const lines = drawnSeries(plan.lines, { highlight, colors, ordered });
  const style = { unit: y.unit, locale, format };
  const drawing: Drawing = {
    ...plan,
    lines,
    style,
    open: lines.some(({ points }) => points.some(({ complete }) => !complete)),
    modeled: hasForecast(lines),
    fading: [...lines.length > 1 ? ["groups"] : [], ...span ? ["span"] : []],
    step: whiskerStep(plan, look),
  };
  const height = (look.height ?? 400) - 80;
  const up = axisUp(lines, plan);
  const ticks = ticksOf(up, { style, length: height, vertical: true });
  const write = formatterFor(ticks, style);
  const labels = Object.fromEntries(ticks.map((tick) => [tick, write(tick)]));
  const widths = Object.values(labels).map((label) => textWidth(label, theme.label));
  const left = 12 + Math.ceil(Math.max(...widths));
  const names = namesOf(lines, {
    at: (value) => (1 - placeOn(up, value)) * height,
    room: { top: -6, bottom: height + 6, width: width * 0.28, farthest: 70 },
  });
  const several = lines.length > 1;
  const room = Math.max(120, look.inner - left);
  // After zooming, the axis has other ticks, so its format must suit any number.
  const free = y.unit === "share" ? "format(datum.value, '~%')" : "format(datum.value, '~s')";
  const gray = ordered ? lines.filter(({ highlighted }) => !highlighted) : [];
  const subtitle = joined([
    about.subtitle,
    gray.length < 2 ? "" : `gray, from faint to strong: ${gray[0]!.label} to ${gray.at(-1)!.label}`,
    plan.bounds === undefined ? "" : `${BOUNDS[plan.bounds]}: ${plan.interval ?? "interval"}`,
    plan.observedTo === undefined ? "" : "dashed: forecast",
  ]);
  return vegaSpec({ ...look, about: { ...about, subtitle } }, {
    height,
    below: x.dates ? 46 : 56,
    left,
    hint: joined([
      several ? "Choose a name to fade the other lines." : "",
      span ? "Drag across to mark a span." : "",
    ], " "),
    rest: {
      data: { values: valuesOf(drawing) },
      encoding: {
        x: { field: "x", ...acrossOf(drawing, axisAcross(lines, x).domain, width) },
        y: {
          type: "quantitative",
          title: labelOf(up, y.name),
          scale: { type: up.type, domain: [...up.domain], nice: false },
          axis: {
            ...zoom ? {} : { values: ticks },
            labelExpr: `${JSON.stringify(labels)}[datum.value] || ${free}`,
            ...{ domain: false, ticks: false, minExtent: left, maxExtent: left },
            // The name of the axis is above the axis.
            ...{ titleAngle: 0, titleAlign: "left", titleBaseline: "bottom" },
            ...{ titleX: -left, titleY: -12 },
          },
        },
        color: {
          ...ofLines(lines, ({ color }) => color),
          legend: names === null && several ? legendOf(lines, room) : null,
        },
      },
    },
    layer: [
      ...boundLayers(drawing),
      ...ruleLayers(drawing),
      ...dotLayers(drawing),
      ...lineLayers(drawing, names !== null),
      ...pointLayers(drawing),
      ...names === null ? [] : nameLayers(lines, names),
    ],
  });
}
