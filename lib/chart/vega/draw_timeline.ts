import type { VegaSpec } from "../chart.ts";
import { formatterFor } from "../format.ts";
import {
  axisOf,
  openPieces,
  type TimeLine,
  timeLines,
  type TimelineView,
} from "../plot/time_lines.ts";
import { placeOn, ticksOf, type ValueAxis } from "../plot/axes.ts";
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
  vegaSpec,
} from "./vega_parts.ts";

/** Years at their first day, else months, else days. */
const DATE = "utcFormat(datum.value, utcdate(datum.value) > 1 ? '%-d %b' : " +
  "utcmonth(datum.value) > 0 ? '%b' : '%Y')";
/** A point in words. */
const SAYS = "datum.group + ', ' + datum.day + ': ' + datum.shown + " +
  "(datum.complete ? '' : ', not complete')";
/** More points than these on a line are not marked one by one. */
const MOST_MARKED = 40;
const BRUSHED = [{ filter: { param: "groups" } }];

/** A row of data for each period of each line; the texts are for the tooltip. */
function valuesOf(lines: readonly TimeLine[], { words, locale, format, period }: TimelineView) {
  const all = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const write = formatterFor(all, { unit: words.unit, locale, format });
  return lines.flatMap(({ label, points, prominent }) =>
    points.map(({ date, complete, value }, index) => ({
      ...{ group: label, date: date.toISOString().slice(0, 10), complete, value, prominent },
      settled: complete ? value : null,
      shown: value === null ? "not known" : write(value),
      day: period.text(date, locale),
      ...complete ? {} : { state: "the period is not complete" },
      marked: prominent && (!complete || points.length <= MOST_MARKED ||
        [points[index - 1], points[index + 1]].every((each) => (each?.value ?? null) === null)),
    }))
  );
}

/** The pieces of the lines that are not final. */
function piecesOf(lines: readonly TimeLine[]) {
  return lines.flatMap((line) =>
    openPieces(line).map(([from, to]) => ({
      ...{
        group: line.label,
        prominent: line.prominent,
        date: from.date.toISOString().slice(0, 10),
        value: from.value,
      },
      ...{ until: to.date.toISOString().slice(0, 10), next: to.value },
    }))
  );
}

/** What lies inside of the brush is as it is, what lies outside is faint. */
const FAINT = 0.2;
const within = { param: "span", value: 1 };

const strokeWidth = { condition: { test: "datum.prominent", value: 2 }, value: 1 };

function lineLayers(lines: readonly TimeLine[], y: VegaSpec, legend: boolean): VegaSpec[] {
  const line = { type: "line", clip: true, tooltip: null, aria: false };
  const encoding = { y: { ...y, field: "settled" }, strokeWidth };
  return [
    {
      params: [
        ...legend
          ? [{ name: "groups", select: { type: "point", fields: ["group"] }, bind: "legend" }]
          : [],
        { name: "span", select: { type: "interval", encodings: ["x"] } },
      ],
      transform: BRUSHED,
      mark: { ...line, opacity: FAINT },
      encoding,
    },
    { transform: [...BRUSHED, { filter: { param: "span" } }], mark: line, encoding },
    {
      data: { values: piecesOf(lines) },
      transform: BRUSHED,
      mark: { type: "rule", strokeDash: [4, 3], clip: true, tooltip: null, aria: false },
      encoding: {
        y: { ...y, field: "value" },
        ...{ strokeWidth, opacity: { condition: within, value: FAINT } },
        // Vega-Lite 5, which notebooks have, asks for the type here as well.
        ...{ x2: { field: "until", type: "temporal" }, y2: { field: "next" } },
      },
    },
  ];
}

function pointLayers(
  lines: readonly TimeLine[],
  y: VegaSpec,
  { period: { every } }: TimelineView,
): VegaSpec[] {
  const tooltip = [
    { field: "group", title: HEADING },
    { field: "day", title: every === "month" || every === "year" ? every : "from" },
    { field: "shown", title: "value" },
  ];
  const layer = (test: string, look: VegaSpec, encoding: VegaSpec): VegaSpec => ({
    transform: [...BRUSHED, { filter: `isValid(datum.value) && ${test}` }],
    mark: { type: "point", clip: false, size: 40, description: { expr: SAYS }, ...look },
    encoding: { y: { ...y, field: "value" }, tooltip, ...encoding },
  });
  const shape = groupShapes(lines);
  const opacity = { condition: within, value: FAINT };
  const open = { shape, opacity, tooltip: [...tooltip, { field: "state", title: "so far" }] };
  return [
    layer("datum.complete && datum.marked", { filled: true, ...RIM }, { shape, opacity }),
    // A point that is not marked is there for the mouse only.
    layer("!datum.marked", { filled: true, opacity: 0, ...RIM }, {}),
    layer("!datum.complete && datum.marked", { fill: theme.paper, strokeWidth: 1.5 }, open),
  ];
}

/** The axis of the values, and how far from the left the plot begins, so that its numbers have room. */
function upwardOf(
  { words, locale, format }: TimelineView,
  axis: ValueAxis,
  height: number,
): { readonly y: VegaSpec; readonly left: number } {
  const style = { unit: words.unit, locale, format };
  const ticks = ticksOf(axis, { style, width: height, vertical: true });
  const write = formatterFor(ticks, style);
  const left = 12 +
    Math.ceil(Math.max(...ticks.map((tick) => textWidth(write(tick), theme.label))));
  const labels = Object.fromEntries(ticks.map((tick) => [tick, write(tick)]));
  const kind = axis.type === "log" ? "log scale" : "";
  const y = {
    type: "quantitative",
    title: [words.axis, kind].filter((part) => part !== "").join(", ") || null,
    scale: { type: axis.type, domain: [...axis.domain], nice: false },
    axis: {
      values: ticks,
      labelExpr: `${JSON.stringify(labels)}[datum.value]`,
      ...upAxis(left),
    },
  };
  return { y, left };
}

/** The line of an index where all began. */
function hundredLayer(y: VegaSpec): VegaSpec {
  return {
    data: { values: [{ at: 100 }] },
    mark: { type: "rule", strokeDash: [1, 3], color: theme.muted, tooltip: null, aria: false },
    encoding: {
      x: { value: 0 },
      x2: { value: "width" },
      y: { ...y, field: "at" },
      color: { value: theme.muted },
    },
  };
}

/** The spec of lines over time. */
export function timelineSpec(view: TimelineView): VegaSpec {
  const { about, width, hundred, dates, period, locale } = view;
  if (view.series.length === 0) return noDataSpec(about, view);
  const lines = timeLines(view);
  const axis = axisOf(view);
  const height = view.height - 80;
  const ending = lines.map(({ label, prominent, points }): EndingLine => (
    { label, prominent, end: points.at(-1)?.value ?? null }
  ));
  const placeOf = (value: number) => (1 - placeOn(axis, value)) * height;
  const names = namesOf(ending, { width, height, placeOf });
  const legend = names === null;
  const { y, left } = upwardOf(view, axis, height);
  return vegaSpec({
    ...{ ...view, height, below: 46, left },
    hint: lines.length > 1
      ? "Click a name for its line alone; drag across to mark a span"
      : "Drag across to mark a span",
    rest: {
      data: { values: valuesOf(lines, view) },
      encoding: {
        x: {
          ...{ field: "date", type: "temporal", title: null },
          // What is filtered out keeps its place.
          scale: {
            type: "utc",
            domain: [dates[0]!, dates.at(-1)!].map((date) => ({ expr: String(date.getTime()) })),
          },
          axis: {
            description: [dates[0]!, dates.at(-1)!].map((date) => period.text(date, locale))
              .join(" to "),
            ...{ grid: false, tickCount: Math.floor(width / 90), labelOverlap: true },
            labelExpr: DATE,
          },
        },
        color: groupColors(lines, legend && lines.length > 1 ? { width, left } : null),
      },
    },
    layer: [
      ...hundred ? [hundredLayer(y)] : [],
      ...lineLayers(lines, y, legend),
      ...pointLayers(lines, y, view),
      ...names === null ? [] : nameLayers(ending, names),
    ],
  });
}
