import { GAIN_COLOR, LOSS_COLOR, OTHER_COLOR } from "../colors.ts";
import type { VegaSpec } from "../chart.ts";
import { rowLabels } from "../text/layout.ts";
import { theme } from "../theme.ts";
import {
  type ComparisonView,
  type DrawnMeasure,
  KINDS,
  measureButtons,
  measureOf,
} from "./comparison_measures.ts";
import { HEADING, literalOf, noDataSpec, titleLines, vegaSpec } from "./vega_parts.ts";

const COLORS = { "above zero": GAIN_COLOR, "below zero": LOSS_COLOR, "other": OTHER_COLOR };
const SHOWN = [{ filter: "datum.measure === measure" }];
const ROW = { field: "rank", type: "ordinal" };

/** Grid, ticks and the name of the axis of the measure that is shown. */
function axisLayers(measures: readonly DrawnMeasure[], height: number): VegaSpec[] {
  const ticks = measures.flatMap(({ ticks }) => ticks);
  const names = measures.map(({ title, label }) => ({ measure: title, label }));
  const text = {
    ...{ type: "text", fontSize: theme.label.size, color: theme.muted, baseline: "top" },
    ...{ tooltip: null, aria: false },
  };
  const at = { field: "at", type: "quantitative" };
  return [
    {
      data: { values: ticks },
      transform: SHOWN,
      mark: { type: "rule", color: theme.grid, tooltip: null, aria: false },
      encoding: { x: at, y: { value: 0 }, y2: { value: height } },
    },
    {
      data: { values: ticks },
      transform: SHOWN,
      mark: text,
      encoding: { x: at, y: { value: height + 6 }, text: { field: "tick", type: "nominal" } },
    },
    {
      data: { values: names },
      transform: SHOWN,
      mark: { ...text, aria: true, description: { expr: "datum.label" } },
      encoding: {
        x: { value: { expr: "width / 2" } },
        y: { value: height + 24 },
        text: { field: "label", type: "nominal" },
      },
    },
  ];
}

/** Zero, of the measures that have one. */
function baselineLayer(measures: readonly DrawnMeasure[]): VegaSpec {
  const values = measures.flatMap(({ title, baseline }) =>
    baseline === null ? [] : [{ measure: title, at: baseline }]
  );
  return {
    data: { values },
    transform: SHOWN,
    mark: { type: "rule", color: theme.muted, tooltip: null, aria: false },
    encoding: {
      x: { field: "at", type: "quantitative" },
      y: { value: 0 },
      y2: { value: "height" },
    },
  };
}

const PLACE = { field: "place", type: "quantitative" };

/** The values in words, beside the bars. */
const VALUES: VegaSpec = {
  transform: SHOWN,
  mark: {
    type: "text",
    align: { expr: "datum.value < 0 ? 'right' : 'left'" },
    dx: { expr: "datum.value < 0 ? -5 : datum.log ? 9 : 5" },
    tooltip: null,
    description: { expr: "datum.chain + ': ' + datum.text" },
  },
  encoding: { y: ROW, x: PLACE, text: { field: "text", type: "nominal" } },
};

/** Bars from zero, or dots on a logarithmic axis, which has none, and their values. */
function barLayers(measures: readonly DrawnMeasure[]): VegaSpec[] {
  const kinds = KINDS.filter((kind) =>
    measures.some(({ bars }) => bars.some((bar) => bar.kind === kind))
  );
  const stroke = {
    condition: { param: "hovered", empty: false, value: theme.ink },
    value: null,
  };
  const tooltip = [
    { field: "chain", title: HEADING },
    { field: "measure", title: "measure" },
    { field: "text", title: "value" },
  ];
  const color = {
    field: "kind",
    type: "nominal",
    scale: { domain: kinds, range: kinds.map((kind) => COLORS[kind as keyof typeof COLORS]) },
    legend: null,
  };
  const drawn = (test: string) => [...SHOWN, { filter: `datum.drawn && ${test}` }];
  return [
    {
      transform: drawn("datum.log"),
      mark: { type: "rule", color: theme.grid, tooltip: null, aria: false },
      encoding: { y: ROW, x: { value: 0 }, x2: { value: "width" } },
    },
    {
      name: "bars",
      params: [
        { name: "hovered", select: { type: "point", on: "pointerover", clear: "pointerout" } },
      ],
      transform: drawn("!datum.log"),
      mark: { type: "bar", height: { band: 0.75 }, aria: false },
      encoding: {
        ...{ y: ROW, x: { field: "zero", type: "quantitative" }, x2: { field: "place" } },
        ...{ color, stroke, tooltip },
      },
    },
    {
      transform: drawn("datum.log"),
      mark: { type: "point", filled: true, size: 90, opacity: 1, aria: false },
      encoding: { y: ROW, x: PLACE, color, tooltip },
    },
    baselineLayer(measures),
    VALUES,
  ];
}

/** The names of the rows in the order of the measure that is shown. */
function namesAxis(
  measures: readonly DrawnMeasure[],
  lines: ReadonlyMap<string, readonly string[]>,
): VegaSpec {
  const byMeasure = Object.fromEntries(
    measures.map(({ title, names }) => [title, names.map((name) => lines.get(name)!)]),
  );
  const names = literalOf(byMeasure);
  return {
    // Each value says whose it is.
    aria: false,
    ...{ domain: false, ticks: false, labelLimit: 0, labelLineHeight: theme.label.line },
    ...{ labelColor: theme.ink, labelPadding: 8, labelBaseline: "middle" },
    labelExpr: `${names}[measure][datum.value]`,
    // The first of two lines would stand where the middle of both belongs.
    labelOffset: {
      condition: {
        test: `length(${names}[measure][datum.value]) > 1`,
        value: -theme.label.line / 2,
      },
      value: 0,
    },
  };
}

/** What stands above: of several measures the one that is shown. */
function titleOf(
  measures: readonly DrawnMeasure[],
  { about, width, periods, given }: ComparisonView,
): VegaSpec | undefined {
  if (measures.length === 1) return undefined;
  const lines = measures.map((measure, index) => {
    const { title = measure.title } = given;
    const parts = [
      given.title === undefined ? "" : measure.title,
      "largest first",
      periods[index]!,
    ];
    const order = parts.filter((part) => part !== "").join("; ");
    const { subtitle = order.replace(/^largest/, "Chains, largest") } = given;
    return titleLines({ ...about, title, subtitle }, width);
  });
  // The room above is laid out once: all titles take as many lines as the longest.
  const most = Math.max(...lines.map(({ text, subtitle }) => text.length + subtitle.length));
  const filled = lines.map(({ text, subtitle }) => {
    const missing = most - text.length - subtitle.length;
    return { text, subtitle: [...subtitle, ...Array.from({ length: missing }, () => "\u00a0")] };
  });
  const by = (part: "text" | "subtitle") => {
    const each = measures.map(({ title }, index) => [title, filled[index]![part]]);
    return { expr: `${literalOf(Object.fromEntries(each))}[measure]` };
  };
  return { text: by("text"), subtitle: by("subtitle") };
}

/** The spec of chains by one of several measures. */
export function comparisonSpec(view: ComparisonView): VegaSpec {
  const { about, width, words, entities } = view;
  if (entities.length === 0) return noDataSpec(about, view);
  const labels = entities.map(({ label }) => label);
  const rows = rowLabels(labels, width);
  const height = entities.length * (rows.rowHeight + 2);
  const inner = width - 2 * theme.padding;
  const measures = words.map((_, index) => measureOf(view, index, inner - rows.width - 8));
  const titles = measures.map(({ title }) => title);
  const several = titles.length > 1;
  return vegaSpec({
    ...{ ...view, height, below: 46, left: rows.width },
    ...titleOf(measures, view) === undefined ? {} : { title: titleOf(measures, view)! },
    controls: ["measures", "measure_names"],
    rest: {
      data: { values: measures.flatMap(({ bars }) => bars) },
      params: [{
        name: "measure",
        ...several
          ? { expr: `isArray(chosen.measure) ? chosen.measure[0] : ${literalOf(titles[0])}` }
          : { value: titles[0]! },
      }],
      encoding: {
        y: {
          ...ROW,
          title: null,
          scale: { domain: entities.map((_, rank) => rank) },
          axis: namesAxis(measures, new Map(labels.map((name, i) => [name, rows.lines[i]!]))),
        },
        x: {
          ...{ type: "quantitative", title: null, axis: null },
          scale: { domain: [0, 1], nice: false, zero: false },
        },
      },
    },
    layer: [
      ...axisLayers(measures, height),
      ...barLayers(measures),
      ...several ? measureButtons(titles, { left: rows.width, width: inner }) : [],
    ],
  });
}
