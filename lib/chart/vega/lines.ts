import type { PlotSpec, VegaSpec } from "../chart.ts";
import { FAINT_OPACITY, OTHER_COLOR } from "../colors.ts";
import { acrossTicks, labelOf, shownOn, upTicks } from "../drawing/axes.ts";
import { FAR } from "../drawing/end_labels.ts";
import { isAlone, MOST_MARKED } from "../drawing/line_marks.ts";
import { drawnDots, type DrawnLine, endOf, type LinesPlan } from "../drawing/line_plan.ts";
import { lastValues } from "../drawing/line_panels.ts";
import { drawnLines, endNames, namedLines } from "../drawing/lines.ts";
import { placeRuleNames, sideBySide, withGaps } from "../drawing/panel_lines.ts";
import { type Plane, planeFor } from "../drawing/plane.ts";
import { formatterFor } from "../format.ts";
import type { Look } from "../look.ts";
import { textColor } from "../page/dark.ts";
import { type Line, pointsOf } from "../read/lines.ts";
import { daysText } from "../periods.ts";
import { theme } from "../theme.ts";
import {
  axisOf,
  type Datum,
  inColor,
  quantity,
  quiet,
  ruleLayer,
  scaleOf,
  textLayer,
  type Tooltip,
  withTooltip,
} from "./view.ts";

/** The name of the selection of one line. */
const SELECTED = "selected";

/** Returns a function that writes the position and the value of a point. */
function writers(plan: LinesPlan, lines: readonly Line[], look: Look) {
  const { x, y: { unit } } = plan;
  const all = pointsOf(lines).flatMap(({ y, predicted }) => y ?? predicted ?? []);
  return {
    write: formatterFor(all, { ...look, unit }),
    when: x.write ??
      ((at: number) =>
        x.dates ? daysText([at], look.locale) : x.months ? `month ${at}` : `${x.name} ${at}`),
  };
}

/**
 * Returns a row for each point of the lines. `settled` is the value of a complete period, and `ahead` a prediction from
 * the last observed point on.
 */
function rowsOf(
  lines: readonly DrawnLine[],
  plan: LinesPlan,
  look: Look,
  plane: Plane,
  tip: Tooltip,
) {
  const { write, when } = writers(plan, lines, look);
  const at = (value: number | null) => value === null ? null : shownOn(plane.axis, value);
  return lines.map((line) => withGaps(line, plan.x)).flatMap((line): Datum[] => {
    const { label: group, points, color, highlighted, plain = false } = line;
    const seen = points.findLastIndex(({ y }) => y !== null);
    const few = points.filter(({ y }) => y !== null).length <= MOST_MARKED;
    return points.map((point, index) => {
      const { x, y, complete, predicted = null, lower = null, upper = null, frameRow } = point;
      const value = y ?? predicted;
      const note = y === null ? " (forecast)" : complete ? "" : " (period not complete)";
      const text = value === null ? "no value" : `${write(value)}${note}`;
      const interval = lower === null || upper === null ? {} : {
        [plan.interval ?? "interval"]: `${write(lower)} to ${write(upper)}`,
      };
      const texts = { title: group, at: when(x), value: text, ...interval };
      return {
        ...{ group, color, x, value: at(value), settled: complete ? at(y) : null },
        ...!highlighted && { faint: true },
        ...highlighted && !plain && y !== null &&
          (few || !complete || isAlone(points, index)) && { dot: true },
        ...predicted !== null && index >= seen && { ahead: at(predicted) },
        ...lower !== null && upper !== null && highlighted &&
          { lower: at(lower), upper: at(upper) },
        ...value !== null && !plain && {
          tooltip: tip(texts, frameRow),
          says: `${group}, ${when(x)}: ${text}${
            Object.values(interval).map((each) => `, interval ${each}`).join("")
          }`,
        },
      };
    });
  });
}

/** Draws the intervals at single positions, and the points of further lines. */
function boundLayers(lines: readonly DrawnLine[], plan: LinesPlan, look: Look, plane: Plane) {
  const { bounds, whiskersAt } = plan;
  const strong = lines.filter(({ highlighted }) => highlighted);
  const bounded = strong.map((line) => ({
    ...line,
    points: line.points.filter(({ x, lower, upper }) =>
      lower != null && upper != null && (whiskersAt?.includes(x) ?? true)
    ),
  }));
  const whiskers = bounds !== "whiskers" ? [] : sideBySide(bounded, plan, plane)
    .map(({ at, lower, upper, color }) => ({
      ...{ x: at - plane.left, y: plane.yOf(lower!) - plane.top, color },
      y2: plane.yOf(upper!) - plane.top,
    }));
  const dots = drawnDots(plan);
  const { write, when } = writers(plan, dots, look);
  return [
    ...bounds === "bands"
      ? [{
        transform: [{ filter: "isValid(datum.lower)" }],
        mark: { type: "area", opacity: strong.length > 4 ? 0.1 : 0.16, ...quiet },
        encoding: { y: quantity("lower"), y2: { field: "upper" }, color: inColor },
      }]
      : [],
    ...[...Map.groupBy(whiskers, ({ color }) => color)].flatMap(([color, rows]) =>
      ruleLayer(rows, { color, strokeWidth: 1.5, opacity: 0.7 })
    ),
    ...dots.length === 0 ? [] : [{
      data: {
        values: dots.flatMap(({ label, points }) =>
          points.map(({ x, y }) => ({
            ...{ x, value: y },
            tooltip: { title: label, at: when(x), value: write(y!) },
          }))
        ),
      },
      mark: {
        ...withTooltip,
        type: "circle",
        size: 13,
        opacity: 0.55,
        aria: false,
        color: strong[0]?.color,
      },
      encoding: { y: quantity("value") },
    }],
  ];
}

/** Draws the names of lines at their ends, or the value at the end of the only line. */
function endLayers(lines: readonly DrawnLine[], plan: LinesPlan, look: Look, plane: Plane) {
  const { left, top, xOf, yOf } = plane;
  const [only] = lines;
  const end = only === undefined || lines.length > 1 ? undefined : endOf(only);
  if (end !== undefined) {
    const text = formatterFor([end.value], { ...look, unit: plan.y.unit })(end.value);
    const at = { x: xOf(end.x) - left + 6, y: yOf(end.value) - top, text };
    return textLayer([at], { fontWeight: "bold", color: theme.ink });
  }
  const known = namedLines(plan, lines);
  const { labels: { labels, gap }, early } = endNames(known, plane, look);
  const ends = pointsOf(known).filter(({ y, predicted = null }) => (y ?? predicted) !== null);
  const last = Math.max(...ends.map(({ x }) => x));
  const names = [
    ...labels.map((label) => ({ ...label, x: xOf(last) - left + gap, y: label.at - top })),
    ...early.map((label) => ({
      ...label,
      lines: [label.label],
      x: label.x - left + 6,
      y: label.y - top,
    })),
  ].map(({ x, y, lines, label, color, faint = false }) => (
    { x, y, text: lines, group: label, color: faint ? theme.muted : textColor(color) }
  ));
  return [
    ...ruleLayer(
      labels.filter(({ at, y }) => Math.abs(at - y) > FAR).map(({ at, y }) => ({
        ...{ x: xOf(last) - left + 4, x2: xOf(last) - left + gap - 3 },
        ...{ y: y - top, y2: at - top },
      })),
    ),
    ...textLayer(names, {
      ...{ aria: true, ariaRole: "button", cursor: "pointer" },
      description: { expr: "'show ' + datum.group + ' alone'" },
    }, { color: inColor }),
  ];
}

/** Draws vertical and horizontal lines with their names above the plot. */
function ruleLayers({ rules = [] }: LinesPlan, plane: Plane) {
  const { left, top, across, inset, inside, xOf, yOf } = plane;
  const names = plane.plan.named === false ? [] : placeRuleNames(rules, plane).names;
  return [
    ...ruleLayer(
      rules.map(({ x, y }) =>
        x !== undefined
          ? { x: xOf(x) - left, y: 0, y2: inside }
          : { x: 0, x2: across + inset, y: yOf(y!) - top }
      ),
    ),
    ...(["start", "end"] as const).flatMap((anchor) =>
      textLayer(
        names.filter((name) => name.anchor === anchor)
          .map(({ x, row, label }) => ({ x: xOf(x) - left, y: -11 - 13 * row, text: label })),
        { align: anchor === "start" ? "left" : "right" },
      )
    ),
  ];
}

/** Returns the views of a chart of lines: one for all lines, or one for each line. */
export function linesViews(
  plan: LinesPlan,
  look: Look,
  { panels }: PlotSpec,
  tip: Tooltip,
): VegaSpec[] {
  const all = drawnLines(plan, look);
  return panels.map((panel, index) => {
    const plane = planeFor(panel);
    const { across, inset, inside, axis, plan: { x, y, most = 7, bare, named = true } } = plane;
    const main = all.find(({ label, of }) => label === panel.title && of === undefined);
    const lines = main === undefined
      ? all
      : all.filter(({ of, id }) => of === main.id || id === main.id && of === undefined);
    const behind = plan.panels === "behind" ? all.filter((line) => line !== main) : [];
    const rows = rowsOf(lines, plan, look, plane, tip);
    const others = rowsOf(
      behind.map((line) => ({ ...line, color: OTHER_COLOR, highlighted: false })),
      { ...plan, bounds: undefined },
      look,
      plane,
      () => ({}),
    );
    const faded = { condition: { param: SELECTED + index, value: 1 }, value: 0.2 };
    const line = (data: readonly Datum[], field: string, mark: VegaSpec) => ({
      data: { values: data },
      mark: { type: "line", ...quiet, ...mark },
      encoding: { y: quantity(field), detail: { field: "group" }, color: inColor, opacity: faded },
    });
    const faint = { strokeWidth: 1, strokeOpacity: FAINT_OPACITY };
    const part = (is: boolean) => rows.filter((row) => (row.faint === true) === is);
    const label = labelOf(axis, y.name);
    const value = main === undefined
      ? ""
      : lastValues(plan, look, all.filter(({ of }) => of === undefined)).textOf(main);
    return {
      ...panel.title === undefined ? {} : { title: panel.title, subtitle: value },
      width: across + inset,
      height: inside,
      data: { values: rows },
      encoding: {
        x: quantity("x", {
          scale: scaleOf(x.axis, { range: [inset, across + inset] }),
          axis: axisOf(acrossTicks(x, across), {
            title: named ? labelOf(x.axis, x.name) : null,
            grid: x.axis.type !== "utc" && !x.months,
          }),
        }),
        y: quantity("value", {
          scale: scaleOf(axis),
          axis: {
            ...axisOf(upTicks(y, { length: inside, most }), {
              minExtent: plane.left,
              maxExtent: plane.left,
              ...named && label !== null && {
                ...{ title: label, titleAngle: 0, titleAlign: "left", titleBaseline: "bottom" },
                ...{ titleX: -plane.left, titleY: -16 - (plane.plan.lift ?? 0) },
              },
            }),
            ...bare && { labels: false, labelPadding: 0, minExtent: 0, maxExtent: 0 },
          },
        }),
      },
      layer: [
        ...others.length === 0 ? [] : [line(others, "settled", faint)],
        ...part(false).length === rows.length ? [] : [line(part(true), "settled", faint)],
        ...boundLayers(lines, plan, look, plane),
        line(part(false), "settled", { strokeWidth: 2 }),
        ...rows.some((row) => "ahead" in row)
          ? [line(rows, "ahead", { strokeWidth: 1.5, strokeDash: [5, 3] })]
          : [],
        ...ruleLayers(plan, plane),
        {
          params: [{
            name: SELECTED + index,
            select: { type: "point", fields: ["group"], toggle: "true", on: "click" },
          }],
          transform: [{ filter: "isValid(datum.value) && isValid(datum.says)" }],
          mark: { ...withTooltip, type: "point", size: 40, strokeWidth: 1.5, filled: false },
          encoding: {
            y: quantity("value"),
            color: inColor,
            fill: {
              ...inColor,
              condition: { test: "!isValid(datum.settled)", value: theme.paper },
            },
            opacity: { condition: [{ test: "!datum.dot", value: 0 }, faded.condition], value: 0.2 },
          },
        },
        ...panel.title === undefined ? endLayers(lines, plan, look, plane) : [],
      ],
    };
  });
}
