import type { VegaSpec } from "../chart.ts";
import { formatCount, formatterFor } from "../format.ts";
import {
  type RetentionLines,
  retentionLines,
  type RetentionView,
} from "../plot/retention_lines.ts";
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

/** A share as percent; one that can be none is at least short. */
const TICK =
  "abs(datum.value) < 100 ? format(datum.value, '~%') : format(100 * datum.value, '~e') + '%'";
/** What stands at the left of the plot. */
const LEFT = 44;
const SHOWN = [{ filter: { param: "groups" } }];
/** A point in words. */
const SAYS = "datum.group + ', month ' + datum.month + ': ' + " +
  "(isValid(datum.retention) ? datum.shown + ' still active, ' + datum.users + ' users observed' " +
  ": datum.forecast + ' forecast') + " +
  "(datum.interval === 'not drawn' ? '' : ', interval ' + datum.interval)";

/** Where a line ends, if that is the last month. */
function endingOf({ lines, months: [, last] }: RetentionLines): EndingLine[] {
  return lines.map(({ label, prominent, points }) => {
    const end = points.findLast(({ retention, predicted }) => (predicted ?? retention) !== null);
    return { label, prominent, end: end?.month === last ? end.predicted ?? end.retention : null };
  });
}

/** The top of the share axis, a little above the highest value. */
function topOf({ shares: [bottom, top] }: RetentionLines): number {
  return top + (top - bottom) * 0.02;
}

/** A row of data for each month of each line; the texts are for the tooltip. */
function valuesOf({ lines, rows }: RetentionLines, view: RetentionView) {
  const { locale, format } = view;
  const prominent = new Map(lines.map(({ label, prominent }) => [label, prominent]));
  const shares = rows.flatMap(({ retention, predicted }) =>
    [retention, predicted].filter((value) => typeof value === "number")
  );
  const write = formatterFor(shares, { unit: "share", locale, format });
  const shown = (value: unknown, none: string) => typeof value === "number" ? write(value) : none;
  return rows.map((row) => ({
    ...row,
    prominent: prominent.get(String(row.group)),
    shown: shown(row.retention, "not observed"),
    forecast: shown(row.predicted, "none"),
    interval: typeof row.lower === "number" && typeof row.upper === "number"
      ? `${write(row.lower)} to ${write(row.upper)}`
      : "not drawn",
    users: typeof row.size === "number" ? formatCount(row.size, locale) : "not known",
  }));
}

/** Lines, dashed where they are forecast, and bands. */
function lineLayers(
  { forecast, observed }: RetentionLines,
  { bands, apart }: RetentionView,
  legend: boolean,
): VegaSpec[] {
  const share = (field: string) => ({ field, type: "quantitative" });
  const strokeWidth = {
    condition: { test: "datum.prominent", value: 2 },
    value: 1,
  };
  return [
    ...bands || apart
      ? [{
        transform: [
          ...apart ? [{ filter: { param: "groups", empty: false } }] : SHOWN,
          { filter: "datum.prominent" },
        ],
        mark: { type: "area", opacity: 0.16, line: false, clip: true, tooltip: null, aria: false },
        encoding: { y: share("lower"), y2: { field: "upper" } },
      }]
      : [],
    ...forecast
      ? [{
        transform: SHOWN,
        mark: { type: "line", strokeDash: [5, 3], clip: true, tooltip: null, aria: false },
        encoding: { y: share("predicted"), strokeWidth },
      }, {
        data: { values: [{ end: observed }] },
        mark: {
          type: "rule",
          strokeDash: [1, 3],
          color: theme.muted,
          clip: true,
          tooltip: null,
          aria: false,
        },
        encoding: { x: { field: "end", type: "quantitative" }, color: { value: theme.muted } },
      }]
      : [],
    {
      params: [
        ...legend
          ? [{ name: "groups", select: { type: "point", fields: ["group"] }, bind: "legend" }]
          : [],
        // The wheel alone is for the page around the chart.
        {
          name: "view",
          select: { type: "interval", zoom: "wheel![event.ctrlKey || event.metaKey]" },
          bind: "scales",
        },
      ],
      transform: SHOWN,
      mark: { type: "line", clip: true, tooltip: null, aria: false },
      encoding: { y: share("retention"), strokeWidth },
    },
  ];
}

/** The points, which the mouse finds. */
function pointLayer({ lines, forecast, interval }: RetentionLines, bands: boolean): VegaSpec {
  const tooltip = [
    { field: "group", title: HEADING },
    { field: "month", title: "month" },
    { field: "shown", title: "still active" },
    ...bands ? [{ field: "interval", title: interval }] : [],
    ...forecast ? [{ field: "forecast", title: "forecast" }] : [],
    { field: "users", title: "users observed" },
  ];
  return {
    transform: [...SHOWN, { filter: "isValid(datum.retention) || isValid(datum.predicted)" }, {
      calculate: "isValid(datum.retention) ? datum.retention : datum.predicted",
      as: "value",
    }],
    mark: {
      ...{ type: "point", filled: true, size: 45, clip: true, description: { expr: SAYS } },
      ...RIM,
    },
    encoding: {
      y: { field: "value", type: "quantitative" },
      shape: groupShapes(lines),
      // A point of the forecast, or of a grey line, is there for the mouse only.
      opacity: {
        condition: { test: "isValid(datum.retention) && datum.prominent", value: 1 },
        value: 0,
      },
      tooltip,
    },
  };
}

/** The spec of retention curves. */
export function retentionSpec(view: RetentionView): VegaSpec {
  const { about, width } = view;
  if (view.lines.length === 0) return noDataSpec(about, view);
  const drawn = retentionLines(view);
  const { lines, months: [first, last], forecast, interval } = drawn;
  const height = view.height - 80;
  const [bottom] = drawn.shares;
  // Intervals that are drawn for a chosen line alone need no room before.
  const tops = [view.apart ? topOf(retentionLines({ ...view, apart: false })) : topOf(drawn)];
  if (view.apart) tops.push(topOf(drawn));
  const placeOf = (value: number) => (1 - (value - bottom) / (tops[0]! - bottom)) * height;
  const ending = endingOf(drawn);
  const names = namesOf(ending, { width, height, placeOf });
  const legend = names === null && lines.length > 1;
  const subtitle = [
    about.subtitle,
    view.bands ? `shaded: ${interval}` : "",
    forecast ? "dashed: forecast" : "",
  ].filter((part) => part !== "").join("; ");
  return vegaSpec({
    ...{ ...view, about: { ...about, subtitle }, height, below: 56, left: LEFT },
    hint: lines.length < 2
      ? ""
      : `Click a name for its line alone${view.apart ? `, with its ${interval}` : ""}`,
    rest: {
      data: { values: valuesOf(drawn, view) },
      params: [{ name: "top", expr: `isArray(groups.group) ? ${tops.at(-1)} : ${tops[0]}` }],
      encoding: {
        x: {
          field: "month",
          type: "quantitative",
          title: "Months since the cohort began",
          scale: { domain: [first - 0.15, last + 0.15], nice: false },
          axis: { tickMinStep: 1, format: "d", grid: false },
        },
        y: {
          title: "Users still active (%)",
          scale: { domain: [bottom, { expr: "top" }], nice: false },
          axis: {
            labelExpr: TICK,
            tickCount: 6,
            description: "Users still active",
            ...upAxis(LEFT),
          },
        },
        color: groupColors(lines, legend ? { width, left: LEFT } : null),
      },
    },
    layer: [
      ...names === null && !legend
        ? [{
          params: [{ name: "groups", select: { type: "point", fields: ["group"] } }],
          mark: { type: "line", opacity: 0, tooltip: null, aria: false },
          encoding: { y: { field: "retention", type: "quantitative" } },
        }]
        : [],
      ...lineLayers(drawn, view, legend),
      pointLayer(drawn, view.bands || view.apart),
      ...names === null ? [] : nameLayers(ending, names, `domain('x')[1] === ${last + 0.15}`),
    ],
  });
}
