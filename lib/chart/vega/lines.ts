import type { VegaSpec } from "../chart.ts";
import { drawnSeries } from "../colors.ts";
import { labelOf, placeOn, ticksOf } from "../drawing/axes.ts";
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
import { formatCount, formatterFor } from "../format.ts";
import type { ChartLook } from "../look.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { nameLayers } from "./line_names.ts";
import { groupColors, groupShapes, HEADING, SILENT, upAxis, vegaSpec } from "./vega_parts.ts";

/** The lines of a chart, and the format of their positions. */
interface VegaLinesPlan extends LinesPlan {
  /** Returns a horizontal position as text. `place` is the kind of the positions: `month`. */
  readonly when: (x: number) => string;
  readonly place: string;
  /** The name of a value in a tooltip. */
  readonly what: string;
  /** Whether the wheel zooms. */
  readonly zoom?: boolean;
  /** Whether dragging selects a span. Everything outside the span is then faded. */
  readonly span?: boolean;
}

/** Writes the first day of a year as the year, the first day of a month as the month, and all other days as days. */
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

function hasOpen(lines: readonly DrawnLine[]): boolean {
  return lines.some(({ points }) => points.some(({ complete }) => !complete));
}

/** Returns a row for each point, with the texts of its tooltip. */
function valuesOf(lines: readonly DrawnLine[], plan: VegaLinesPlan, look: ChartLook) {
  const { y: { unit }, x: { dates = false }, bounds, when } = plan;
  const { locale, format } = look;
  const points = lines.flatMap(({ points }) => points);
  const write = formatterFor(points.flatMap(({ y, predicted }) => [y, predicted ?? null]), {
    unit,
    locale,
    format,
  });
  const text = (value: number | null) => value === null ? "no value" : write(value);
  const modeled = hasForecast(lines);
  const sized = points.some(({ size = null }) => size !== null);
  const open = hasOpen(lines);
  const step = whiskerStep(plan, look);
  return lines.flatMap((line, index) =>
    line.points.map((point, at) => {
      const { x, y, complete, predicted = null, lower = null, upper = null, size = null } = point;
      const strong = line.highlighted;
      const marked = strong && (isMarked(line) || !complete || isAlone(line.points, at));
      return {
        group: line.label,
        x: dates ? new Date(x).toISOString().slice(0, 10) : x,
        y,
        ...modeled ? { predicted, forecast: predicted === null ? "none" : write(predicted) } : {},
        ...open ? { settled: complete ? y : null, dashed: isOpen(line.points, at) ? y : null } : {},
        ...complete ? {} : { open: true, state: "the period is not complete" },
        ...strong ? { strong } : {},
        ...bounds !== undefined && lower !== null && upper !== null
          ? {
            lower,
            upper,
            beside: x + (index - (lines.length - 1) / 2) * step,
            interval: `${write(lower)} to ${write(upper)}`,
          }
          : {},
        ...sized ? { users: size === null ? "not known" : formatCount(size, locale) } : {},
        ...marked ? { marked } : {},
        when: when(x),
        shown: y === null && predicted !== null ? `${write(predicted)} (forecast)` : text(y),
      };
    })
  );
}

const strokeWidth = { condition: { test: "datum.strong", value: 2 }, value: 1 };

/**
 * Returns the opacity of lines. Selecting a name fades the other lines. Selecting a span fades everything outside the
 * span.
 */
function opacityOf({ lines, span = false }: VegaLinesPlan) {
  const params = [...lines.length > 1 ? ["groups"] : [], ...span ? ["span"] : []];
  return params.length === 0 ? { value: 1 } : {
    condition: { test: { and: params.map((param) => ({ param })) }, value: 1 },
    value: FADED,
  };
}

/**
 * The distance between the whiskers of two lines, in pixels. `PLOT` is the fraction of the width that the plot takes.
 */
const WHISKER_STEP = 3.2;
const PLOT = 0.7;

/**
 * Returns the distance between the whiskers of two lines along the axis. It keeps the whiskers of different months
 * apart.
 */
function whiskerStep({ lines, whiskersAt = [] }: LinesPlan, { inner }: ChartLook): number {
  const places = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const at = whiskersAt.toSorted((a, b) => a - b);
  const apart = Math.min(...at.slice(1).map((place, index) => place - at[index]!));
  const span = Math.max(...places) - Math.min(...places);
  return Math.min(WHISKER_STEP * span / (PLOT * inner), 0.75 * apart / lines.length);
}

function boundLayers({ bounds, whiskersAt = [] }: VegaLinesPlan): VegaSpec[] {
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
    // The interval of a selected line is drawn in full.
    {
      transform: [{ filter: { param: "groups", empty: false } }],
      mark: { type: "area", line: false, opacity: 0.16, ...CLIPPED },
      encoding: ends,
    },
  ];
}

/** Draws the members of the groups as small dots, with the groups side by side. */
function dotLayers(lines: readonly DrawnLine[], plan: VegaLinesPlan, look: ChartLook): VegaSpec[] {
  const dots = drawnDots(plan);
  if (dots.length === 0) return [];
  const step = whiskerStep(plan, look);
  const write = formatterFor(dots.flatMap(({ points }) => points.map(({ y }) => y)), {
    unit: plan.y.unit,
    locale: look.locale,
    format: look.format,
  });
  const values = dots.flatMap(({ group, label, points }) => {
    const index = lines.findIndex(({ id }) => id === group);
    return points.map(({ x, y }) => ({
      group: lines[index]?.label ?? "",
      member: label,
      x: x + (index - (lines.length - 1) / 2) * step,
      y,
      when: plan.when(x),
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
        { field: "when", title: plan.place },
        { field: "shown", title: plan.what },
      ],
    },
  }];
}

/** Draws lines at a value or a position, across the whole plot. */
function ruleLayers({ rules = [], observedTo }: VegaLinesPlan): VegaSpec[] {
  const rule = { type: "rule", strokeDash: [1, 3], color: theme.muted, ...CLIPPED };
  const color = { value: theme.muted };
  return [
    ...rules.flatMap(({ y }) =>
      y === undefined ? [] : [{
        data: { values: [{ y }] },
        mark: rule,
        encoding: { x: { value: 0 }, x2: { value: "width" }, y: Y, color },
      }]
    ),
    ...observedTo === undefined
      ? []
      : [{ data: { values: [{ x: observedTo }] }, mark: rule, encoding: { color } }],
  ];
}

function lineLayers(lines: readonly DrawnLine[], plan: VegaLinesPlan, names: boolean): VegaSpec[] {
  const { observedTo = 0, zoom = false, span = false } = plan;
  const opacity = opacityOf(plan);
  const open = hasOpen(lines);
  const y = { ...Y, field: open ? "settled" : "y" };
  const line = (parts: VegaSpec, encoding: VegaSpec, mark: VegaSpec = {}): VegaSpec => ({
    ...parts,
    mark: { type: "line", ...CLIPPED, ...mark },
    encoding: { y, strokeWidth, opacity, ...encoding },
  });
  const ahead = [{ filter: `isValid(datum.predicted) && datum.x >= ${observedTo}` }];
  const params = [
    ...names ? [] : [{
      name: "groups",
      select: { type: "point", fields: ["group"], toggle: "true" },
      bind: "legend",
    }],
    // Without Ctrl, the wheel scrolls the page.
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
    ...hasForecast(lines)
      ? [line({ transform: ahead }, { y: { ...Y, field: "predicted" } }, { strokeDash: [5, 3] })]
      : [],
    line({ params }, span ? { opacity: { value: FADED } } : {}),
    // A line is one mark and cannot be faded in parts, so the part inside the span is drawn once more.
    ...span
      ? [line({ transform: [{ filter: { param: "span" } }] }, {
        opacity: opacityOf({ ...plan, span: false }),
      })]
      : [],
    ...open ? [line({}, { y: { ...Y, field: "dashed" } }, { strokeDash: [4, 3] })] : [],
  ];
}

/** Draws all points, or only the nearest point if there are very many. */
function pointLayers(lines: readonly DrawnLine[], plan: VegaLinesPlan): VegaSpec[] {
  const points = lines.flatMap(({ points }) => points);
  const tooltip = [
    { field: "group", title: HEADING },
    { field: "when", title: plan.place },
    { field: "shown", title: plan.what },
    ...plan.bounds === undefined ? [] : [{ field: "interval", title: plan.interval ?? "interval" }],
    ...hasForecast(lines) ? [{ field: "forecast", title: "forecast" }] : [],
    ...points.some(({ size = null }) => size !== null)
      ? [{ field: "users", title: "users observed" }]
      : [],
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
  const clip = plan.zoom ?? false;
  const layer = (test: string, mark: VegaSpec, encoding: VegaSpec): VegaSpec => ({
    transform: [known, place, { filter: test }],
    mark: { type: "point", clip, size: 42, description: { expr: SAYS }, ...mark },
    encoding: { y: Y, tooltip, ...encoding },
  });
  const drawn = { shape: groupShapes(lines), opacity: opacityOf(plan) };
  const closed = "!datum.open && datum.marked && !test(/forecast/, datum.shown)";
  return [
    layer(closed, { filled: true, ...RIM }, drawn),
    // This point is invisible. It only makes the line react to the pointer.
    layer(`!(${closed}) && !datum.open`, { filled: true, opacity: 0, ...RIM }, {}),
    layer("datum.open", { fill: theme.paper, strokeWidth: 1.5 }, {
      ...drawn,
      tooltip: [...tooltip, { field: "state", title: "so far" }],
    }),
  ];
}

/** Returns the horizontal axis. An axis of numbers has some space at both ends. */
function acrossOf(
  { x, when }: VegaLinesPlan,
  [first, last]: readonly [number, number],
  width: number,
) {
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
  const room = (last - first) * 0.015;
  return {
    type: "quantitative",
    title: x.name,
    scale: { domain: [first - room, last + room], nice: false, zero: false },
    axis: { grid: false, ...x.months ? { tickMinStep: 1, format: "d" } : {} },
  };
}

/** Returns the Vega-Lite spec of lines. */
export function linesSpec(plan: VegaLinesPlan, look: ChartLook): VegaSpec {
  const { x, y, zoom = false, ordered = false } = plan;
  const { about, width, locale, format, highlight, colors } = look;
  const lines = drawnSeries(plan.lines, { highlight, colors, ordered });
  const height = (look.height ?? 400) - 80;
  const up = axisUp(lines, plan);
  const ticks = ticksOf(up, {
    style: { unit: y.unit, locale, format },
    length: height,
    vertical: true,
  });
  const write = formatterFor(ticks, { unit: y.unit, locale, format });
  const labels = Object.fromEntries(ticks.map((tick) => [tick, write(tick)]));
  const widths = Object.values(labels).map((label) => textWidth(label, theme.label));
  const left = 12 + Math.ceil(Math.max(...widths));
  const names = namesOf(lines, {
    at: (value) => (1 - placeOn(up, value)) * height,
    room: { top: -6, bottom: height + 6, width: width * 0.28, farthest: 70 },
  });
  const several = lines.length > 1;
  // After zooming, the axis has other ticks, so its format must suit any number.
  const free = y.unit === "share" ? "format(datum.value, '~%')" : "format(datum.value, '~s')";
  const gray = ordered ? lines.filter(({ highlighted }) => !highlighted) : [];
  const subtitle = joined([
    about.subtitle,
    gray.length < 2 ? "" : `gray, from faint to strong: ${gray[0]!.label} to ${gray.at(-1)!.label}`,
    plan.bounds === undefined ? "" : `${BOUNDS[plan.bounds]}: ${plan.interval ?? "interval"}`,
    plan.observedTo === undefined ? "" : "dashed: forecast",
  ]);
  return vegaSpec({
    ...look,
    about: { ...about, subtitle },
    height,
    below: x.dates ? 46 : 56,
    left,
    hint: joined([
      several ? "Choose a name to fade the other lines." : "",
      plan.span ? "Drag across to mark a span." : "",
    ], " "),
    rest: {
      data: { values: valuesOf(lines, plan, look) },
      encoding: {
        x: { field: "x", ...acrossOf(plan, axisAcross(lines, x).domain, width) },
        y: {
          type: "quantitative",
          title: labelOf(up, y.name),
          scale: { type: up.type, domain: [...up.domain], nice: false },
          axis: {
            ...zoom ? {} : { values: ticks },
            labelExpr: `${JSON.stringify(labels)}[datum.value] || ${free}`,
            ...upAxis(left),
          },
        },
        color: groupColors(lines, names === null && several ? { width, left } : null),
      },
    },
    layer: [
      ...boundLayers(plan),
      ...ruleLayers(plan),
      ...dotLayers(lines, plan, look),
      ...lineLayers(lines, plan, names !== null),
      ...pointLayers(lines, plan),
      ...names === null ? [] : nameLayers(lines, names),
    ],
  });
}
