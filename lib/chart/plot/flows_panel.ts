import { GAIN_COLOR, LOSS_COLOR } from "../palette.ts";
import type { FlowRow } from "../read/flow_rows.ts";
import type { FieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format_value.ts";
import { textWidth } from "../text/text_width.ts";
import { rowLabels } from "../text/row_labels.ts";
import { theme } from "../theme.ts";
import type { ObservablePlot, PlotOptions } from "./observable_plot.ts";
import { rowLabelMarks } from "./row_label_marks.ts";
import { valueAxis, valueAxisMarks } from "./value_axis.ts";

const TOP = 24;
const WORDS: FieldWords = { title: "Flows", unit: "usd", axis: "US$ in one day", additive: true };

function signed(value: number | null): string {
  if (value === null) return "no value";
  return `${value > 0 ? "+" : ""}${formatValue(value, "usd")}`;
}

/** Inflows to the right of zero, outflows to the left, the net as a diamond and in figures at the side. */
export function flowsPanel(
  Plot: ObservablePlot,
  groups: readonly FlowRow[],
  width: number,
): PlotOptions {
  const face = { size: theme.label.size, bold: true };
  const labels = rowLabels(groups.map(({ label }) => label), width);
  const nets = groups.map(({ net_flows }) => signed(net_flows));
  const right = Math.max(...["Net flow", ...nets].map((text) => textWidth(text, face))) + 16;
  const rows = groups.map((group, row) => ({
    row,
    inflows: group.inflows,
    outflows: group.outflows === null ? null : -group.outflows,
    net: group.net_flows,
  }));
  const values = rows.flatMap(({ inflows, outflows, net }) => [inflows, outflows, net])
    .filter((value) => value !== null);
  const axis = valueAxis(values, "linear");
  const bar = { y: "row", insetTop: 4, insetBottom: 4 };
  return {
    width,
    height: TOP + groups.length * labels.rowHeight + 44,
    marginTop: TOP,
    marginBottom: 44,
    marginLeft: labels.width,
    marginRight: right,
    x: { type: "linear", domain: [...axis.domain], inset: 8, axis: null },
    y: { type: "band", domain: groups.map((_, row) => row), axis: null, padding: 0 },
    marks: [
      ...valueAxisMarks(Plot, axis, { words: WORDS, width: width - labels.width - right }),
      ...rowLabelMarks(Plot, labels, 8),
      Plot.barX(rows.filter(({ inflows }) => inflows !== null), {
        ...bar,
        x: "inflows",
        fill: GAIN_COLOR,
        ariaDescription: "inflows",
      }),
      Plot.barX(rows.filter(({ outflows }) => outflows !== null), {
        ...bar,
        x: "outflows",
        fill: LOSS_COLOR,
        ariaDescription: "outflows",
      }),
      Plot.ruleX([0], { stroke: theme.ink }),
      Plot.dot(rows.filter(({ net }) => net !== null), {
        x: "net",
        y: "row",
        symbol: "diamond",
        r: 5,
        fill: theme.ink,
        stroke: theme.paper,
        ariaDescription: "net",
      }),
      Plot.text(["Net flow"], {
        frameAnchor: "top-right",
        textAnchor: "end",
        dx: right - 2,
        dy: -16,
        fontWeight: "bold",
      }),
      Plot.text(nets, {
        y: (_: string, row: number) => row,
        frameAnchor: "right",
        textAnchor: "end",
        dx: right - 2,
        fontWeight: "bold",
        ariaDescription: "net value",
      }),
    ],
  };
}
