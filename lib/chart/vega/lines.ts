import type { VegaSpec } from "../chart.ts";
import { drawnSeries } from "../colors.ts";
import { axisAcross, axisUp, type DrawnLine, type LinesPlan } from "../drawing/lines.ts";
import { placeOn, ticksOf } from "../drawing/axes.ts";
import { formatCount, formatterFor } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { type EndingLine, nameLayers, namesOf } from "./line_names.ts";
import {
  groupColors,
  groupShapes,
  HEADING,
  noDataSpec,
  RIM,
  upAxis,
  type VegaLook,
  vegaSpec,
} from "./vega_parts.ts";

/** The lines of a chart, and the format of their positions. */
interface VegaLinesPlan extends LinesPlan {
  /** A horizontal position as text, and its kind: `month`. */
  readonly when: (x: number) => string;
  readonly place: string;
  /** The name of a value in a tooltip. */
  readonly what: string;
  /** Whether the wheel zooms. */
  readonly zoom?: boolean;
  /** Whether dragging selects a span; everything outside it is faded. */
  readonly span?: boolean;
}

/** Years on their first day, else months, else days. */
const DATE = "utcFormat(datum.value, utcdate(datum.value) > 1 ? '%-d %b' : " +
  "utcmonth(datum.value) > 0 ? '%b' : '%Y')";
/** With more points than this, one layer shows only the nearest point. */
const MOST_POINTS = 500;
/** Lines with more points than this have no markers. */
const MOST_MARKED = 40;
const FADED = 0.2;
const BOUNDS = { bands: "shaded", whiskers: "whiskers" };
const SAYS = "datum.group + ', ' + datum.when + ': ' + datum.shown" +
  " + (isValid(datum.interval) ? ', interval ' + datum.interval : '')" +
  " + (isValid(datum.state) ? ', ' + datum.state : '')";

function placeText(x: number, dates: boolean): string | number {
  return dates ? new Date(x).toISOString().slice(0, 10) : x;
}

/** Whether a point has no neighbor to connect to. */
function isAlone(points: DrawnLine["points"], at: number): boolean {
  return [points[at - 1], points[at + 1]].every((each) => (each?.y ?? null) === null);
}

/** A row for each point; with tooltip texts if there are few points. */
function valuesOf(lines: readonly DrawnLine[], plan: VegaLinesPlan, look: VegaLook) {
  const { y: { unit }, x: { dates = false }, bounds, when } = plan;
  const { locale, format } = look;
  const points = lines.flatMap(({ points }) => points);
  const write = formatterFor(points.flatMap(({ y, predicted }) => [y, predicted ?? null]), {
    unit,
    locale,
    format,
  });
  const text = (value: number | null | undefined) => value == null ? "no value" : write(value);
  const modeled = points.some(({ predicted = null }) => predicted !== null);
  const sized = points.some(({ size = null }) => size !== null);
  const places = points.map(({ x }) => x);
  const step = (Math.max(...places) - Math.min(...places)) * WHISKER_STEP;
  return lines.flatMap(({ label, points, highlighted }, index) =>
    points.map((point, at) => {
      const { x, y, complete, predicted = null, lower = null, upper = null, size = null } = point;
      return {
        group: label,
        x: placeText(x, dates),
        y,
        ...modeled ? { predicted, forecast: predicted === null ? "none" : write(predicted) } : {},
        ...complete ? {} : { open: true, state: "the period is not complete" },
        ...highlighted ? { strong: true } : {},
        ...bounds !== undefined && lower !== null && upper !== null
          ? {
            lower,
            upper,
            beside: x + (index - (lines.length - 1) / 2) * step,
            interval: `${write(lower)} to ${write(upper)}`,
          }
          : {},
        ...sized ? { users: size === null ? "not known" : formatCount(size, locale) } : {},
        ...highlighted && (points.length <= MOST_MARKED || !complete || isAlone(points, at))
          ? { marked: true }
          : {},
        when: when(x),
        shown: y === null && predicted !== null ? `${write(predicted)} (forecast)` : text(y),
      };
    })
  );
}

/** The segments of the lines with an incomplete end. */
function openPieces(lines: readonly DrawnLine[], dates: boolean) {
  return lines.flatMap(({ label, highlighted, points }) =>
    points.slice(1).flatMap((to, index) => {
      const from = points[index]!;
      if (from.y === null || to.y === null || (from.complete && to.complete)) return [];
      return [{
        group: label,
        strong: highlighted,
        x: placeText(from.x, dates),
        y: from.y,
        until: placeText(to.x, dates),
        next: to.y,
      }];
    })
  );
}

const strokeWidth = { condition: { test: "datum.strong", value: 2 }, value: 1 };
/** Selecting a name fades the others; selecting a span fades the rest. */
function opacityOf({ lines, span = false }: VegaLinesPlan) {
  const params = [...lines.length > 1 ? ["groups"] : [], ...span ? ["span"] : []];
  return params.length === 0 ? { value: 1 } : {
    condition: { test: { and: params.map((param) => ({ param })) }, value: 1 },
    value: FADED,
  };
}
const SILENT = { clip: true, tooltip: null, aria: false };
/** The distance between the whiskers of two lines, as a fraction of the axis. */
const WHISKER_STEP = 0.006;
const Y = { field: "y", type: "quantitative" };

function boundLayers({ bounds, whiskersAt = [] }: VegaLinesPlan): VegaSpec[] {
  const ends = { y: { field: "lower", type: "quantitative" }, y2: { field: "upper" } };
  const fade = (value: number) => ({ condition: { param: "groups", value }, value: 0.03 });
  if (bounds === "bands") {
    return [{
      transform: [{ filter: "datum.strong" }],
      mark: { type: "area", line: false, ...SILENT },
      encoding: { ...ends, opacity: fade(0.16) },
    }];
  }
  if (bounds === undefined) return [];
  return [
    {
      transform: [{ filter: `datum.strong && indexof([${whiskersAt}], datum.x) >= 0` }],
      mark: { type: "rule", strokeWidth: 1.5, ...SILENT },
      encoding: {
        ...ends,
        x: { field: "beside", type: "quantitative" },
        opacity: fade(0.6),
      },
    },
    // The interval of a selected line is drawn in full.
    {
      transform: [{ filter: { param: "groups", empty: false } }],
      mark: { type: "area", line: false, opacity: 0.16, ...SILENT },
      encoding: ends,
    },
  ];
}

function lineLayers(lines: readonly DrawnLine[], plan: VegaLinesPlan, names: boolean): VegaSpec[] {
  const { x: { dates = false }, observedTo, rules = [], zoom = false, span = false } = plan;
  const line = { type: "line", ...SILENT };
  const opacity = opacityOf(plan);
  const forecast = lines.some(({ points }) =>
    points.some(({ predicted = null }) => predicted !== null)
  );
  const open = openPieces(lines, dates);
  const across = dates ? { field: "until", type: "temporal" } : { field: "until" };
  const settled = open.length === 0
    ? []
    : [{ calculate: "datum.open ? null : datum.y", as: "settled" }];
  const y = { field: open.length === 0 ? "y" : "settled", type: "quantitative" };
  const named = opacityOf({ ...plan, span: false });
  return [
    ...rules.flatMap(({ y }) =>
      y === undefined ? [] : [{
        data: { values: [{ y }] },
        mark: { type: "rule", strokeDash: [1, 3], color: theme.muted, tooltip: null, aria: false },
        encoding: { x: { value: 0 }, x2: { value: "width" }, y: Y, color: { value: theme.muted } },
      }]
    ),
    ...observedTo === undefined ? [] : [{
      data: { values: [{ x: observedTo }] },
      mark: { type: "rule", strokeDash: [1, 3], color: theme.muted, ...SILENT },
      encoding: { color: { value: theme.muted } },
    }],
    ...forecast
      ? [{
        transform: [{ filter: `isValid(datum.predicted) && datum.x >= ${observedTo ?? 0}` }],
        mark: { ...line, strokeDash: [5, 3] },
        encoding: { y: { field: "predicted", type: "quantitative" }, strokeWidth, opacity },
      }]
      : [],
    {
      params: [
        ...names ? [] : [{
          name: "groups",
          select: { type: "point", fields: ["group"], toggle: "true" },
          bind: "legend",
        }],
        // The wheel without Ctrl scrolls the page.
        ...zoom
          ? [{
            name: "view",
            select: { type: "interval", zoom: "wheel![event.ctrlKey || event.metaKey]" },
            bind: "scales",
          }]
          : [],
        ...span ? [{ name: "span", select: { type: "interval", encodings: ["x"] } }] : [],
      ],
      transform: settled,
      mark: line,
      encoding: { y, strokeWidth, opacity: span ? { value: FADED } : opacity },
    },
    // A line is one mark: what lies inside of the span is drawn once more.
    ...span
      ? [{
        transform: [...settled, { filter: { param: "span" } }],
        mark: line,
        encoding: { y, strokeWidth, opacity: named },
      }]
      : [],
    ...open.length === 0 ? [] : [{
      data: { values: open },
      mark: { type: "rule", strokeDash: [4, 3], ...SILENT },
      encoding: { y: Y, x2: across, y2: { field: "next" }, strokeWidth, opacity },
    }],
  ];
}

/** The points: all of them, or only the nearest of very many. */
function pointLayers(lines: readonly DrawnLine[], plan: VegaLinesPlan): VegaSpec[] {
  const points = lines.flatMap(({ points }) => points);
  const has = (of: (point: typeof points[number]) => unknown) =>
    points.some((point) => of(point) != null);
  const tooltip = [
    { field: "group", title: HEADING },
    { field: "when", title: plan.place },
    { field: "shown", title: plan.what },
    ...plan.bounds === undefined ? [] : [{ field: "interval", title: plan.interval ?? "interval" }],
    ...has(({ predicted }) => predicted) ? [{ field: "forecast", title: "forecast" }] : [],
    ...has(({ size }) => size) ? [{ field: "users", title: "users observed" }] : [],
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
  const layer = (test: string, look: VegaSpec, encoding: VegaSpec): VegaSpec => ({
    transform: [known, place, { filter: test }],
    mark: {
      type: "point",
      clip: plan.zoom ?? false,
      size: 42,
      description: { expr: SAYS },
      ...look,
    },
    encoding: { y: Y, tooltip, ...encoding },
  });
  const shape = groupShapes(lines);
  const opacity = opacityOf(plan);
  const closed = "!datum.open && datum.marked && !test(/forecast/, datum.shown)";
  return [
    layer(closed, { filled: true, ...RIM }, { shape, opacity }),
    // An invisible point, only for the pointer.
    layer(`!(${closed}) && !datum.open`, { filled: true, opacity: 0, ...RIM }, {}),
    layer("datum.open", { fill: theme.paper, strokeWidth: 1.5 }, {
      shape,
      opacity,
      tooltip: [...tooltip, { field: "state", title: "so far" }],
    }),
  ];
}

/** The Vega-Lite spec of lines. */
export function linesSpec(plan: VegaLinesPlan, look: VegaLook): VegaSpec {
  const { x, y, zoom = false } = plan;
  const { about, width, locale, format, highlight, colors } = look;
  const { ordered = false } = plan;
  if (plan.lines.length === 0) return noDataSpec(about, look);
  const lines = drawnSeries(plan.lines, { highlight, colors, ordered });
  const height = (look.height ?? 400) - 80;
  const up = axisUp(lines, plan);
  const across = axisAcross(lines, x);
  const style = { unit: y.unit, locale, format };
  const ticks = ticksOf(up, { style, length: height, vertical: true });
  const write = formatterFor(ticks, style);
  const left = 12 +
    Math.ceil(Math.max(...ticks.map((tick) => textWidth(write(tick), theme.label))));
  const places = lines.flatMap(({ points }) => points.map(({ x }) => x));
  const last = Math.max(...places);
  const ending = lines.map(({ label, highlighted, points }): EndingLine => {
    const end = points.findLast(({ y, predicted = null }) => (predicted ?? y) !== null);
    const value = end?.x === last ? end.predicted ?? end.y : null;
    return { label, highlighted, end: value };
  });
  const placeOf = (value: number) => (1 - placeOn(up, value)) * height;
  const names = namesOf(ending, { width, height, placeOf });
  const several = lines.length > 1;
  const [first, end] = across.domain;
  const domain = x.dates
    ? [first, end].map((at) => ({ expr: String(at) }))
    : [first - (end - first) * 0.015, end + (end - first) * 0.015];
  const kind = up.type === "log" ? "log scale" : "";
  const labels = Object.fromEntries(ticks.map((tick) => [tick, write(tick)]));
  // Zoomed axes have other ticks than those computed here.
  const free = y.unit === "share" ? "format(datum.value, '~%')" : "format(datum.value, '~s')";
  const texts = `${JSON.stringify(labels)}[datum.value] || ${free}`;
  const forecast = places.length > 0 && plan.observedTo !== undefined;
  const subtitle = [
    about.subtitle,
    plan.bounds === undefined ? "" : `${BOUNDS[plan.bounds]}: ${plan.interval ?? "interval"}`,
    forecast ? "dashed: forecast" : "",
  ].filter((part) => part !== "").join("; ");
  return vegaSpec({
    ...look,
    about: { ...about, subtitle },
    height,
    below: x.dates ? 46 : 56,
    left,
    hint: [
      ...several ? ["Choose a name to fade the other lines"] : [],
      ...plan.span ? ["Drag across to mark a span"] : [],
    ].join("; "),
    rest: {
      data: { values: valuesOf(lines, plan, look) },
      encoding: {
        x: {
          field: "x",
          type: x.dates ? "temporal" : "quantitative",
          title: x.dates ? null : x.name,
          scale: x.dates ? { type: "utc", domain } : { domain, nice: false, zero: false },
          axis: x.dates
            ? {
              description: [first, end].map(plan.when).join(" to "),
              grid: false,
              tickCount: Math.floor(width / 90),
              labelOverlap: true,
              labelExpr: DATE,
            }
            : { grid: false, ...x.months ? { tickMinStep: 1, format: "d" } : {} },
        },
        y: {
          type: "quantitative",
          title: [y.name, kind].filter((part) => part !== "").join(", ") || null,
          scale: { type: up.type, domain: [...up.domain], nice: false },
          axis: { ...zoom ? {} : { values: ticks }, labelExpr: texts, ...upAxis(left) },
        },
        color: groupColors(lines, names === null && several ? { width, left } : null),
      },
    },
    layer: [
      ...boundLayers(plan),
      ...lineLayers(lines, plan, names !== null),
      ...pointLayers(lines, plan),
      ...names === null ? [] : nameLayers(ending, names, zoom ? domain : null),
    ],
  });
}
