import type { VegaSpec } from "../chart.ts";
import { axisFor, placeOn, ticksOf } from "../drawing/axes.ts";
import { barsOf, type BarsPlan } from "../drawing/bars.ts";
import { formatterFor } from "../format.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import {
  HEADING,
  literalOf,
  noDataSpec,
  titleLines,
  type VegaLook,
  vegaSpec,
} from "./vega_parts.ts";

/** Rows by one of several measures. */
interface VegaBarsPlan extends BarsPlan {
  /** The period of each measure. */
  readonly periods: readonly string[];
  /** Title and subtitle set by the caller; they replace those of every measure. */
  readonly given: { readonly title: string | undefined; readonly subtitle: string | undefined };
}

const SHOWN = [{ filter: "datum.measure === measure" }];
const ROW = { field: "rank", type: "ordinal" };
const PLACE = { field: "place", type: "quantitative" };
const SILENT = { tooltip: null, aria: false };

/** The width beside the bars for their values. */
function roomFor(texts: readonly string[]): number {
  return Math.max(10, ...texts.map((text) => textWidth(text, theme.label))) + 10;
}

/**
 * The drawing of one measure: its bars and ticks in its own order. Positions along its axis, including space for
 * texts, are from 0 to 1 of a width in pixels.
 */
function measureSpec(
  plan: VegaBarsPlan,
  index: number,
  { look, width }: { look: VegaLook; width: number },
) {
  const { title, unit, axis: name } = plan.measures[index]!;
  const valueOf = (item: typeof plan.items[number]) => item.values[index] ?? null;
  const items = plan.items.toSorted((a, b) =>
    Number(a.folded ?? false) - Number(b.folded ?? false) ||
    (valueOf(b) ?? -Infinity) - (valueOf(a) ?? -Infinity) || 0
  );
  const ranked = { ...plan, items, ranks: false };
  const bars = new Map(barsOf(ranked, index, look).map((bar) => [bar.row, bar]));
  const known = items.flatMap((item) => valueOf(item) ?? []);
  const single = items.flatMap((item) => item.folded ? [] : valueOf(item) ?? []);
  const most = Math.max(...single);
  const some = single.length > 0 ? single : known;
  const signed = some.some((value) => value < 0);
  const found = axisFor(some, { zero: true, scale: signed ? "linear" : plan.scale });
  const log = found.type === "log";
  const axis = log || some.length === 0
    ? found
    : { ...found, domain: [Math.min(0, ...some), Math.max(0, ...some) || 1] as const };
  const style = { unit, locale: look.locale, format: look.format };
  const texts = [...bars.values()];
  const before = signed ? roomFor(texts.filter(({ value }) => value < 0).map((b) => b.text)) : 0;
  const after = roomFor([
    ...texts.filter(({ value }) => value >= 0).map((b) => b.text),
    "no value",
  ]);
  const body = Math.max(60, width - before - after);
  const along = (value: number) => (before + placeOn(axis, value) * body) / (before + body + after);
  const zero = along(log ? axis.domain[0] : Math.max(axis.domain[0], 0));
  const values = items.map((item, rank) => {
    const bar = bars.get(rank);
    // A sum beyond the axis is written as a number and not drawn.
    const drawn = bar !== undefined && !(item.folded && bar.value > most);
    return {
      name: item.label,
      measure: title,
      value: bar?.value ?? null,
      drawn,
      text: bar?.text ?? (item.folded ? "no sum" : "no value"),
      rank,
      zero,
      place: drawn ? along(bar.value) : zero,
      log,
      color: bar?.color ?? theme.muted,
    };
  });
  const at = ticksOf(axis, { style, length: body });
  const write = formatterFor(at, style);
  const ticks = at.map((tick) => ({ measure: title, at: along(tick), tick: write(tick) }));
  const label = [name, log ? "log scale" : ""].filter((word) => word !== "").join(", ");
  return { title, values, ticks, label, names: items.map((i) => i.label), zero: log ? null : zero };
}

type DrawnMeasure = ReturnType<typeof measureSpec>;

/** Grid, ticks and the name of the axis of the selected measure. */
function axisLayers(measures: readonly DrawnMeasure[], height: number): VegaSpec[] {
  const ticks = measures.flatMap(({ ticks }) => ticks);
  const names = measures.map(({ title, label }) => ({ measure: title, label }));
  const text = {
    type: "text",
    fontSize: theme.label.size,
    color: theme.muted,
    baseline: "top",
    ...SILENT,
  };
  const at = { field: "at", type: "quantitative" };
  return [
    {
      data: { values: ticks },
      transform: SHOWN,
      mark: { type: "rule", color: theme.grid, ...SILENT },
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
    {
      data: {
        values: measures.flatMap(({ title, zero }) =>
          zero === null ? [] : [{ measure: title, at: zero }]
        ),
      },
      transform: SHOWN,
      mark: { type: "rule", color: theme.muted, ...SILENT },
      encoding: { x: at, y: { value: 0 }, y2: { value: "height" } },
    },
  ];
}

/** Bars from zero, or dots on a logarithmic axis, which has no zero, and their values. */
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

/** The names of the rows in the order of the selected measure. */
function namesAxis(
  measures: readonly DrawnMeasure[],
  lines: ReadonlyMap<string, readonly string[]>,
) {
  const names = literalOf(Object.fromEntries(
    measures.map(({ title, names }) => [title, names.map((name) => lines.get(name)!)]),
  ));
  return {
    // Each value has an accessible label with its name.
    aria: false,
    domain: false,
    ticks: false,
    labelLimit: 0,
    labelLineHeight: theme.label.line,
    labelColor: theme.ink,
    labelPadding: 8,
    labelBaseline: "middle",
    labelExpr: `${names}[measure][datum.value]`,
    // Moves the first of two lines up, so that both are centered.
    labelOffset: {
      condition: {
        test: `length(${names}[measure][datum.value]) > 1`,
        value: -theme.label.line / 2,
      },
      value: 0,
    },
  };
}

/** Text above the bars; with several measures, that of the selected one. */
function titleOf(
  measures: readonly DrawnMeasure[],
  plan: VegaBarsPlan,
  { about, width }: VegaLook,
) {
  const { given, periods, noun } = plan;
  const lines = measures.map((measure, index) => {
    const order = [
      `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s, largest first`,
      periods[index]!,
    ].filter((part) => part !== "");
    const title = given.title ?? measure.title;
    const first = given.title === undefined ? [] : [measure.title];
    const subtitle = given.subtitle ?? [...first, ...order].join("; ");
    return titleLines({ ...about, title, subtitle }, width);
  });
  // The height above is fixed: all titles take as many lines as the longest.
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

/** The Vega-Lite spec of rows by one of several measures, selected in a list. */
export function barsSpec(plan: VegaBarsPlan, look: VegaLook): VegaSpec {
  const { items } = plan;
  if (items.length === 0) return noDataSpec(look.about, look);
  const labels = items.map(({ label }) => label);
  const rows = rowLabels(labels, look.width);
  const height = items.length * (rows.rowHeight + 2);
  const width = look.inner - rows.width - 8;
  const measures = plan.measures.map((_, index) => measureSpec(plan, index, { look, width }));
  const titles = measures.map(({ title }) => title);
  const several = titles.length > 1;
  const lines = new Map(labels.map((name, index) => [name, rows.lines[index]!]));
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
          axis: namesAxis(measures, lines),
        },
        x: {
          type: "quantitative",
          title: null,
          axis: null,
          scale: { domain: [0, 1], nice: false, zero: false },
        },
      },
    },
    layer: [...axisLayers(measures, height), ...barLayers()],
  });
}
