import type { VegaSpec } from "../chart.ts";
import { barsOf, type BarsPlan } from "../drawing/bars.ts";
import type { Look } from "../look.ts";
import { ranked } from "../read/combined.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { labelExpr, literalOf, namesAxis, quiet, titleOf, vegaSpec } from "./vega_parts.ts";

/** The data of a chart of rows in which the reader selects one of several measures. */
interface VegaBarsPlan extends BarsPlan {
  /** The title of each measure. */
  readonly titles: readonly string[];
  /** The title and subtitle set by the caller. These texts replace the title and subtitle of every measure. */
  readonly given: { readonly title: string | undefined; readonly subtitle: string | undefined };
}

/** Returns the rows of one measure in descending order. `end` is the place of the text. */
function rowsOf(plan: VegaBarsPlan, index: number, look: Look) {
  const measure = plan.measures[index]!;
  const own = plan.items.map((item) => ({ ...item, values: [item.values[index] ?? null] }));
  const items = ranked(own);
  const bars = barsOf({ ...plan, items, measures: [measure] }, 0, look);
  return items.map(({ label: name, folded }, rank) => {
    const none = { text: folded ? "no sum" : "no value", color: theme.muted, value: null };
    const { text, color, value } = bars.find(({ row }) => row === rank) ?? none;
    const end = Math.max(0, value ?? 0);
    return { name, measure: measure.title, value, end, text, rank, color };
  });
}

/** Returns the title and the subtitle of the selected measure, so that a saved picture states the measure. */
function titleFor({ given, titles, measures }: VegaBarsPlan, look: Look): VegaSpec {
  const texts = titles.map((title, index) => {
    const words = given.title === undefined ? "" : measures[index]!.title;
    const subtitle = given.subtitle ??
      joined([words, words === "" ? "Largest first" : "largest first"]);
    return titleOf({ title: given.title ?? title, subtitle }, look);
  });
  const of = (name: "text" | "subtitle") => {
    const each = measures.map(({ title }, index) => [title, texts[index]![name]]);
    return { expr: `${literalOf(Object.fromEntries(each))}[measure]` };
  };
  return { text: of("text"), subtitle: of("subtitle") };
}

/** Returns the Vega-Lite spec of a chart of rows. A list above the chart selects the measure. */
export function barsSpec(plan: VegaBarsPlan, look: Look): VegaSpec {
  const { measures, items, scale } = plan;
  const values = measures.flatMap((_, index) => rowsOf(plan, index, look));
  const titles = measures.map(({ title }) => title);
  const several = titles.length > 1;
  const names = rowLabels(items.map(({ label }) => label), look.width);
  // Bars begin at zero, so a logarithmic axis has dots.
  const log = scale === "log" && values.every(({ value }) => value === null || value > 0);
  const widest = Math.max(...values.map(({ text }) => textWidth(text, theme.label)));
  const { padding } = theme;
  return vegaSpec(look, {
    height: items.length * 26,
    below: 34,
    left: names.width,
    ...several ? { title: titleFor(plan, look) } : {},
    rest: {
      padding: { left: padding, top: padding, bottom: padding, right: padding + widest + 12 },
      data: { values },
      params: [{
        name: "measure",
        value: titles[0]!,
        ...several ? { bind: { input: "select", options: titles, name: "Measure " } } : {},
      }],
      transform: [{ filter: `datum.measure === measure${log ? " && isValid(datum.value)" : ""}` }],
      encoding: {
        y: {
          field: "name",
          type: "nominal",
          title: null,
          sort: { field: "rank", op: "min" },
          axis: {
            ...namesAxis(names.width),
            // Screen readers ignore the axis, because the label of each bar contains the name of its row.
            aria: false,
          },
        },
        x: {
          field: "value",
          type: "quantitative",
          title: null,
          scale: { type: log ? "log" : "linear" },
          axis: {
            grid: true,
            tickCount: 5,
            labelExpr: measures.reduceRight(
              (other, { title, unit }) =>
                `measure === ${literalOf(title)} ? ${labelExpr(unit)} : ${other}`,
              "''",
            ),
          },
        },
      },
    },
    layer: [
      {
        name: "bars",
        mark: {
          ...log ? { type: "point", size: 90 } : { type: "bar", height: { band: 0.75 } },
          ...{ filled: true, opacity: 1, description: { expr: "datum.name + ': ' + datum.text" } },
        },
        encoding: {
          color: { field: "color", type: "nominal", scale: null },
          tooltip: [{ field: "name", title: "title" }, { field: "text", title: "value" }],
        },
      },
      {
        mark: { type: "text", ...quiet, clip: false, align: "left", dx: 7 },
        encoding: { text: { field: "text" }, x: { field: "end", type: "quantitative" } },
      },
    ],
  });
}
