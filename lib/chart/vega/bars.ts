import type { VegaSpec } from "../chart.ts";
import { labelOf, placeOn, ticksOf } from "../drawing/axes.ts";
import { axisOf, barsOf, type BarsPlan, drawnBars } from "../drawing/bars.ts";
import { formatterFor } from "../format.ts";
import type { ChartLook } from "../look.ts";
import { ranked } from "../series.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import {
  HEADING,
  literalOf,
  rowAxis,
  SILENT,
  textLayer,
  titleLines,
  vegaSpec,
} from "./vega_parts.ts";

/** The data of a chart of rows in which the reader selects one of several measures. */
interface VegaBarsPlan extends BarsPlan {
  /** The period of each measure. */
  readonly periods: readonly string[];
  /** The title and subtitle set by the caller. These texts replace the title and subtitle of every measure. */
  readonly given: { readonly title: string | undefined; readonly subtitle: string | undefined };
}

const SHOWN = [{ filter: "datum.measure === measure" }];
const ROW = { field: "rank", type: "ordinal" };

/** Returns the width that the values beside the bars need, in pixels. */
function roomFor(texts: readonly string[]): number {
  return Math.max(10, ...texts.map((text) => textWidth(text, theme.label))) + 10;
}

/**
 * Returns the rows and the ticks of one measure. The rows are in descending order of this measure. Positions along the
 * axis are fractions of `width`, which is in pixels and includes the space for texts.
 */
function measureSpec(plan: VegaBarsPlan, index: number, look: ChartLook, width: number) {
  const measure = plan.measures[index]!;
  const own = plan.items.map((item) => ({ ...item, values: [item.values[index] ?? null] }));
  const items = ranked(own, ({ values: [value] }) => value!);
  const single = { ...plan, items, measures: [measure] };
  const bars = barsOf(single, 0, look);
  const { drawn } = drawnBars(bars);
  const axis = axisOf(single, 0, drawn);
  const log = axis.type === "log";
  const below = bars.filter(({ value }) => value < 0).map(({ text }) => text);
  const above = bars.filter(({ value }) => value >= 0).map(({ text }) => text);
  const before = below.length === 0 ? 0 : roomFor(below);
  const after = roomFor([...above, "no value"]);
  const body = Math.max(60, width - before - after);
  const along = (value: number) => (before + placeOn(axis, value) * body) / (before + body + after);
  const zero = along(log ? axis.domain[0] : Math.max(axis.domain[0], 0));
  const values = items.map(({ label, folded }, rank) => {
    const bar = bars.find(({ row }) => row === rank);
    const { value, text, color } = bar ??
      { value: null, text: folded ? "no sum" : "no value", color: theme.muted };
    // If the bar of a combined row is longer than the axis, only the value of the row is written.
    const shown = drawn.some(({ row }) => row === rank);
    const place = shown ? along(value!) : zero;
    return {
      name: label,
      measure: measure.title,
      value,
      drawn: shown,
      text,
      rank,
      zero,
      place,
      log,
      color,
    };
  });
  const style = { unit: measure.unit, locale: look.locale, format: look.format };
  const ticks = ticksOf(axis, { style, length: body });
  const write = formatterFor(ticks, style);
  return {
    title: measure.title,
    values,
    zero: log ? null : zero,
    names: items.map(({ label }) => label),
    text: labelOf(axis, measure.axis) ?? "",
    ticks: new Map(ticks.map((tick) => [along(tick), write(tick)])),
  };
}

type DrawnMeasure = ReturnType<typeof measureSpec>;

/** Returns an expression for a property of the selected measure. */
function ofMeasure(measures: readonly DrawnMeasure[], of: (measure: DrawnMeasure) => unknown) {
  const each = measures.map((measure) => [measure.title, of(measure)]);
  return `${literalOf(Object.fromEntries(each))}[measure]`;
}

/**
 * Draws the zero line and the name of the axis of the selected measure, then the bars and their values. On a
 * logarithmic axis, which has no zero, dots replace the bars.
 */
function barLayers(measures: readonly DrawnMeasure[], height: number): VegaSpec[] {
  const axes = measures.map(({ title, text, zero }) => ({ measure: title, text, zero }));
  const drawn = (test: string) => [...SHOWN, { filter: `datum.drawn && ${test}` }];
  const x = { field: "place", type: "quantitative" };
  const from = { ...x, field: "zero" };
  const encoding = {
    y: ROW,
    x,
    color: { field: "color", type: "nominal", scale: null },
    tooltip: [
      { field: "name", title: HEADING },
      { field: "measure", title: "measure" },
      { field: "text", title: "value" },
    ],
  };
  const description = { expr: "datum.name + ': ' + datum.text" };
  return [
    {
      data: { values: axes },
      transform: SHOWN,
      mark: { type: "rule", color: theme.muted, ...SILENT },
      encoding: { x: from },
    },
    {
      ...textLayer(axes, { x: { value: { expr: "width / 2" } }, y: { value: height + 30 } }, {
        aria: true,
        description: { expr: "datum.text" },
      }),
      transform: SHOWN,
    },
    {
      transform: drawn("datum.log"),
      mark: { type: "rule", color: theme.grid, ...SILENT },
      encoding: { y: ROW, x: { value: 0 }, x2: { value: "width" } },
    },
    {
      name: "bars",
      transform: drawn("!datum.log"),
      mark: { type: "bar", height: { band: 0.75 }, description },
      encoding: { ...encoding, x: from, x2: { field: "place" } },
    },
    {
      transform: drawn("datum.log"),
      mark: { type: "point", filled: true, size: 90, opacity: 1, description },
      encoding,
    },
    {
      transform: SHOWN,
      mark: {
        type: "text",
        align: { expr: "datum.value < 0 ? 'right' : 'left'" },
        dx: { expr: "datum.value < 0 ? -5 : datum.log ? 9 : 5" },
        ...SILENT,
      },
      encoding: { y: ROW, x, text: { field: "text", type: "nominal" } },
    },
  ];
}

/** Returns the text above the bars for the selected measure. */
function titleOf(measures: readonly DrawnMeasure[], plan: VegaBarsPlan, look: ChartLook) {
  const { given: { title, subtitle }, periods, noun } = plan;
  const order = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s, largest first`;
  const texts = measures.map((measure, index) => {
    const first = title === undefined ? "" : measure.title;
    return titleLines({
      title: title ?? measure.title,
      subtitle: subtitle ?? joined([first, order, periods[index]!]),
    }, look.width);
  });
  // The height above the bars is fixed, so all titles have as many lines as the longest title.
  const most = Math.max(...texts.map(({ text, subtitle }) => text.length + subtitle.length));
  const rowsOf = ({ text, subtitle }: typeof texts[number]) =>
    Array.from({ length: most - text.length }, (_, row) => subtitle[row] ?? "\u00a0");
  const by = (of: (text: typeof texts[number]) => readonly string[]) => ({
    expr: ofMeasure(measures, (measure) => of(texts[measures.indexOf(measure)]!)),
  });
  return { text: by(({ text }) => text), subtitle: by(rowsOf) };
}

/** Returns the Vega-Lite spec of a chart of rows. A list above the chart selects the measure. */
export function barsSpec(plan: VegaBarsPlan, look: ChartLook): VegaSpec {
  const { items } = plan;
  const labels = items.map(({ label }) => label);
  const rows = rowLabels(labels, look.width);
  const height = items.length * (rows.rowHeight + 2);
  const width = look.inner - rows.width - 8;
  const measures = plan.measures.map((_, index) => measureSpec(plan, index, look, width));
  const titles = measures.map(({ title }) => title);
  const several = titles.length > 1;
  const names = ofMeasure(
    measures,
    ({ names }) => names.map((name) => rows.lines[labels.indexOf(name)]),
  );
  const texts = ofMeasure(measures, ({ ticks }) => Object.fromEntries(ticks));
  return vegaSpec(look, {
    height,
    below: 46,
    left: rows.width,
    ...several ? { title: titleOf(measures, plan, look) } : {},
    rest: {
      data: { values: measures.flatMap(({ values }) => values) },
      params: [{
        name: "measure",
        value: titles[0]!,
        ...several ? { bind: { input: "select", options: titles, name: "Measure " } } : {},
      }],
      encoding: {
        y: {
          ...ROW,
          title: null,
          scale: { domain: items.map((_, rank) => rank) },
          // Screen readers ignore the axis, because the accessible label of each value contains the name of its row.
          axis: { ...rowAxis(`${names}[datum.value]`, 8), aria: false },
        },
        x: {
          type: "quantitative",
          title: null,
          axis: {
            values: { expr: ofMeasure(measures, ({ ticks }) => [...ticks.keys()]) },
            labelExpr: `${texts}[datum.value]`,
            domain: false,
            ticks: false,
          },
          scale: { domain: [0, 1], nice: false, zero: false },
        },
      },
    },
    layer: barLayers(measures, height),
  });
}
