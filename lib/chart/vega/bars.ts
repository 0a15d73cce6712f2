import type { PlotSpec, VegaSpec } from "../chart.ts";
import { acrossTicks, type Axis, labelOf, placeOn } from "../drawing/axes.ts";
import { barsOf, type BarsPlan } from "../drawing/bars.ts";
import { formatterFor } from "../format.ts";
import type { Look } from "../look.ts";
import { rowLabels } from "../text/layout.ts";
import { theme } from "../theme.ts";
import {
  axisOf,
  inColor,
  quantity,
  quiet,
  scaleOf,
  textLayer,
  type Tooltip,
  withTooltip,
} from "./view.ts";

/** Returns the views of a chart of rows, one for each measure. */
export function barsViews(
  plan: BarsPlan,
  look: Look,
  { panels, columns }: PlotSpec,
  tip: Tooltip,
): VegaSpec[] {
  const { items, measures, as, reference } = plan;
  const names = rowLabels(items.map(({ label }) => label), look.inner);
  const y = { field: "row", type: "ordinal", title: null, scale: { domain: [...items.keys()] } };
  return panels.map((panel, index) => {
    const { marginLeft = 0, marginRight = 0, marginTop = 0, marginBottom = 0 } = panel;
    const { unit, axis: name, title } = measures[index]!;
    const axis = { ...panel.x, dates: [] } as unknown as Axis;
    const [width, height] = [
      panel.width! - marginLeft - marginRight,
      panel.height! - marginTop - marginBottom,
    ];
    const inset = as === "dots" ? 6 : 0;
    const style = { unit, locale: look.locale, format: look.format };
    const bars = barsOf(plan, index, look);
    const rows = bars.map(({ row, value, from, to, text, color, item }) => ({
      ...{ name: item.label, row, value, from, to, text, color },
      ...item.hollow && { hollow: true },
      says: `${item.label}: ${text}`,
      tooltip: tip(
        { title: item.label, [measures.length > 1 ? title : "value"]: text },
        item.frameRow,
      ),
    }));
    const log = axis.type === "log";
    const signs = new Set(rows.map(({ value }) => value < 0));
    const column = log || as !== "bars" || signs.size > 1;
    const negative = !column && signs.has(true);
    const dots = as === "dots" || log;
    const at = log ? axis.domain[0] : Math.max(Number(axis.domain[0]), 0);
    const absent = items.flatMap(({ values, folded }, row) =>
      values[index] == null ? [{ row, at, text: folded ? "no sum" : "no value" }] : []
    );
    const write = formatterFor(rows.map(({ value }) => value), style);
    const first = index % columns === 0;
    return {
      ...panel.title === undefined ? {} : { title: panel.title },
      width,
      height,
      data: { values: rows },
      encoding: {
        y: {
          ...y,
          axis: {
            ...axisOf({
              at: [...items.keys()],
              write: (row) => first ? names.lines[row]!.join("\n") : "",
            }),
            ...{ minExtent: marginLeft, maxExtent: marginLeft, aria: false },
          },
        },
        x: quantity("value", {
          scale: scaleOf(axis, { range: [inset, width - inset] }),
          axis: axisOf(acrossTicks({ axis, style, name: "" }, width - 2 * inset), {
            ...{ grid: true, ticks: false, domain: false },
            title: labelOf(axis, title.toLowerCase().includes(name) ? "" : name),
          }),
        }),
      },
      layer: [
        ...dots && as === "dots"
          ? [{
            mark: { type: "rule", strokeWidth: 2, opacity: 0.55, ...quiet },
            encoding: { x: quantity("from"), x2: { field: "to" }, color: inColor },
          }]
          : [],
        {
          mark: {
            ...withTooltip,
            ...dots
              ? { type: "point", size: 79, opacity: 1 }
              : { type: "bar", height: { band: 0.75 } },
          },
          encoding: {
            ...dots ? {} : { x: quantity("from"), x2: { field: "to" } },
            ...dots && { stroke: inColor },
            fill: { ...inColor, condition: { test: "datum.hollow", value: theme.paper } },
          },
        },
        ...reference === undefined ? [] : [
          {
            data: { values: [{ value: reference.value }] },
            mark: { type: "rule", color: theme.muted, ...quiet },
            encoding: { y: null, x: quantity("value") },
          },
          ...textLayer([{
            x: inset + placeOn(axis, reference.value) * (width - 2 * inset),
            y: -10,
            text: `${reference.label} ${write(reference.value)}`.trim(),
          }], { align: "center" }),
        ],
        {
          mark: {
            type: "text",
            align: negative ? "right" : column ? "right" : "left",
            dx: negative ? -5 : column ? marginRight : 5,
            ...quiet,
          },
          encoding: { text: { field: "text" }, ...column ? { x: { value: width } } : {} },
        },
        ...absent.length === 0 ? [] : [{
          data: { values: absent },
          mark: { type: "text", align: "left", dx: 5, color: theme.muted, ...quiet },
          encoding: {
            text: { field: "text" },
            x: quantity("at"),
          },
        }],
      ],
    };
  });
}
