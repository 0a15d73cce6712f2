import type { VegaSpec } from "../chart.ts";
import { labelOf, placeOn, ticksOf } from "../drawing/axes.ts";
import { axisOf, barsOf, type BarsPlan, drawnBars } from "../drawing/bars.ts";
import { formatterFor } from "../format.ts";
import type { ChartLook } from "../look.ts";
import { ranked } from "../series.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { HEADING, literalOf, rowAxis, SILENT, titleLines, vegaSpec } from "./vega_parts.ts";

/** The data of a chart that draws rows by one measure, which is selected from several. */
interface VegaBarsPlan extends BarsPlan {
  /** The period of each measure. */
  readonly periods: readonly string[];
  /** The title and subtitle set by the caller. They replace the title and subtitle of every measure. */
  readonly given: { readonly title: string | undefined; readonly subtitle: string | undefined };
}

const SHOWN = [{ filter: "datum.measure === measure" }];
const ROW = { field: "rank", type: "ordinal" };
const PLACE = { field: "place", type: "quantitative" };

/** Returns the width beside the bars for their values. */
function roomFor(texts: readonly string[]): number {
  return Math.max(10, ...texts.map((text) => textWidth(text, theme.label))) + 10;
}

/**
 * Returns the drawing of one measure: its bars and ticks, in the order of this measure. Positions along the axis are
 * fractions from 0 to 1 of a width in pixels, which includes the space for texts.
 */
function measureSpec(
  plan: VegaBarsPlan,
  index: number,
  { look, width }: { look: ChartLook; width: number },
) {
  const measure = plan.measures[index]!;
  const { title } = measure;
  const own = plan.items.map((item) => ({ ...item, values: [item.values[index] ?? null] }));
  const items = ranked(own, ({ values: [value] }) => value!);
  const single = { ...plan, items, measures: [measure] };
  const bars = barsOf(single, 0, look);
  const drawn = new Set(drawnBars(bars).drawn.map(({ row }) => row));
  const axis = axisOf(single, 0, bars.filter(({ row }) => drawn.has(row)));
  const log = axis.type === "log";
  const below = bars.filter(({ value }) => value < 0);
  const above = bars.filter(({ value }) => value >= 0);
  const before = below.length === 0 ? 0 : roomFor(below.map(({ text }) => text));
  const after = roomFor([...above.map(({ text }) => text), "no value"]);
  const body = Math.max(60, width - before - after);
  const along = (value: number) => (before + placeOn(axis, value) * body) / (before + body + after);
  const zero = along(log ? axis.domain[0] : Math.max(axis.domain[0], 0));
  const values = items.map((item, rank) => {
    const bar = bars.find(({ row }) => row === rank);
    return {
      name: item.label,
      measure: title,
      value: bar?.value ?? null,
      drawn: drawn.has(rank),
      text: bar?.text ?? (item.folded ? "no sum" : "no value"),
      rank,
      zero,
      // A combined row whose bar is longer than the axis has only its number.
      place: drawn.has(rank) ? along(bar!.value) : zero,
      log,
      color: bar?.color ?? theme.muted,
    };
  });
  const style = { unit: measure.unit, locale: look.locale, format: look.format };
  const ticks = ticksOf(axis, { style, length: body });
  const write = formatterFor(ticks, style);
  return {
    title,
    values,
    zero: log ? null : zero,
    names: items.map(({ label }) => label),
    label: labelOf(axis, measure.axis) ?? "",
    ticks: new Map(ticks.map((tick) => [along(tick), write(tick)])),
  };
}

type DrawnMeasure = ReturnType<typeof measureSpec>;

/** Returns an expression for a property of the selected measure. */
function ofMeasure(measures: readonly DrawnMeasure[], of: (measure: DrawnMeasure) => unknown) {
  const each = measures.map((measure) => [measure.title, of(measure)]);
  return `${literalOf(Object.fromEntries(each))}[measure]`;
}

/** Draws the zero line and the name of the axis of the selected measure. */
function axisLayers(measures: readonly DrawnMeasure[], height: number): VegaSpec[] {
  const shown = {
    data: { values: measures.map(({ title, label, zero }) => ({ measure: title, label, zero })) },
    transform: SHOWN,
  };
  return [
    {
      ...shown,
      mark: { type: "rule", color: theme.muted, ...SILENT },
      encoding: { x: { field: "zero", type: "quantitative" } },
    },
    {
      ...shown,
      mark: {
        ...SILENT,
        type: "text",
        fontSize: theme.label.size,
        color: theme.muted,
        aria: true,
        description: { expr: "datum.label" },
      },
      encoding: {
        x: { value: { expr: "width / 2" } },
        y: { value: height + 30 },
        text: { field: "label", type: "nominal" },
      },
    },
  ];
}

/** Draws bars from zero and their values. On a logarithmic axis, which has no zero, draws dots. */
function barLayers(): VegaSpec[] {
  const tooltip = [
    { field: "name", title: HEADING },
    { field: "measure", title: "measure" },
    { field: "text", title: "value" },
  ];
  const color = { field: "color", type: "nominal", scale: null };
  const drawn = (test: string) => [...SHOWN, { filter: `datum.drawn && ${test}` }];
  const description = { expr: "datum.name + ': ' + datum.text" };
  return [
    {
      transform: drawn("datum.log"),
      mark: { type: "rule", color: theme.grid, ...SILENT },
      encoding: { y: ROW, x: { value: 0 }, x2: { value: "width" } },
    },
    {
      name: "bars",
      transform: drawn("!datum.log"),
      mark: { type: "bar", height: { band: 0.75 }, description },
      encoding: {
        y: ROW,
        x: { field: "zero", type: "quantitative" },
        x2: { field: "place" },
        color,
        tooltip,
      },
    },
    {
      transform: drawn("datum.log"),
      mark: { type: "point", filled: true, size: 90, opacity: 1, description },
      encoding: { y: ROW, x: PLACE, color, tooltip },
    },
    {
      transform: SHOWN,
      mark: {
        type: "text",
        align: { expr: "datum.value < 0 ? 'right' : 'left'" },
        dx: { expr: "datum.value < 0 ? -5 : datum.log ? 9 : 5" },
        ...SILENT,
      },
      encoding: { y: ROW, x: PLACE, text: { field: "text", type: "nominal" } },
    },
  ];
}

/** Returns the text above the bars. If there are several measures, it is the text of the selected measure. */
function titleOf(measures: readonly DrawnMeasure[], plan: VegaBarsPlan, look: ChartLook) {
  const { given, periods, noun } = plan;
  const order = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s, largest first`;
  const texts = measures.map((measure, index) => {
    const first = given.title === undefined ? "" : measure.title;
    const subtitle = joined([first, order, periods[index]!]);
    return titleLines({
      ...look.about,
      title: given.title ?? measure.title,
      subtitle: given.subtitle ?? subtitle,
    }, look.width);
  });
  // The height above the bars is fixed, so all titles have as many lines as the longest title.
  const most = Math.max(...texts.map(({ text, subtitle }) => text.length + subtitle.length));
  const filled = texts.map(({ text, subtitle }) => ({
    text,
    subtitle: Array.from({ length: most - text.length }, (_, row) => subtitle[row] ?? "\u00a0"),
  }));
  const by = (part: "text" | "subtitle") => ({
    expr: ofMeasure(measures, (measure) => filled[measures.indexOf(measure)]![part]),
  });
  return { text: by("text"), subtitle: by("subtitle") };
}

/** Returns the Vega-Lite spec of rows. A list above the chart selects the measure. */
export function barsSpec(plan: VegaBarsPlan, look: ChartLook): VegaSpec {
  const { items } = plan;
  const labels = items.map(({ label }) => label);
  const rows = rowLabels(labels, look.width);
  const height = items.length * (rows.rowHeight + 2);
  const width = look.inner - rows.width - 8;
  const measures = plan.measures.map((_, index) => measureSpec(plan, index, { look, width }));
  const titles = measures.map(({ title }) => title);
  const several = titles.length > 1;
  const names = ofMeasure(
    measures,
    ({ names }) => names.map((name) => rows.lines[labels.indexOf(name)]),
  );
  const texts = ofMeasure(measures, ({ ticks }) => Object.fromEntries(ticks));
  return vegaSpec({
    ...look,
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
          // Each value has an accessible label that contains the name of its row.
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
    layer: [...axisLayers(measures, height), ...barLayers()],
  });
}
