import {
  GAIN_COLOR,
  isHighlighted,
  LOSS_COLOR,
  OTHER_COLOR,
  type Series,
  SLATE,
} from "../colors.ts";
import { formatterFor, type Unit } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { acrossMarks, axisFor, scaleOptions } from "./axes.ts";
import { rowNames } from "./bars.ts";
import { Plot } from "./observable_plot.ts";

/** A row of a waterfall: the amount that a group adds to the sum of the rows above it. */
export interface WaterfallStep extends Series {
  readonly value: number;
}

/** Changes of several groups, and their sum. Each change begins where the previous change ends. */
interface WaterfallPlan {
  readonly steps: readonly WaterfallStep[];
  /** The name of the sum. */
  readonly total: string;
  readonly x: { readonly unit: Unit; readonly name: string };
}

const SIZE = { top: 6, bottom: 40 };

/** Returns the bars with their ends, from zero to the sum. The last bar is the sum. */
function barsOf({ steps, total }: WaterfallPlan, { colors = {}, highlight }: Look) {
  let end = 0;
  const bars = steps.map((step, row) => {
    const { id, label, value, folded } = step;
    const gray = folded || !isHighlighted(step, highlight);
    const side = value < 0 ? LOSS_COLOR : GAIN_COLOR;
    const color = colors[id] ?? colors[label] ?? (gray ? OTHER_COLOR : side);
    const x1 = end;
    end += value;
    return { row, label, value, color, x1, x2: end };
  });
  const sum = { row: bars.length, label: total, value: end, color: SLATE, x1: 0, x2: end };
  return [...bars, sum];
}

/** Draws rows of changes, one after the other, and their sum. */
export function waterfallFigure(plan: WaterfallPlan, look: Look): FigureBody {
  const { x } = plan;
  const bars = barsOf(plan, look);
  // Lines connect the end of each bar with the bar below it. The bar of the sum begins at zero.
  const joins = bars.slice(1).map(({ row, x1, x2 }) => (
    { row, above: row - 1, x: row === bars.length - 1 ? x2 : x1 }
  ));
  const labels = rowLabels(bars.map(({ label }) => label), look.inner);
  const style = { unit: x.unit, locale: look.locale, format: look.format };
  const write = formatterFor(bars.map(({ value }) => value), style);
  const texts = bars.map((bar) => ({ ...bar, text: write(bar.value) }));
  const right =
    Math.max(...texts.map(({ text }) => textWidth(text, { ...theme.label, bold: true }))) + 14;
  const axis = axisFor([0, ...bars.map(({ x2 }) => x2)], { zero: true, scale: "linear" });
  const length = look.inner - labels.width - right;
  const given = ((look.height ?? 0) - SIZE.top - SIZE.bottom) / bars.length;
  const rowHeight = Math.max(labels.rowHeight, given);
  return {
    panels: [{
      width: look.inner,
      height: bars.length * rowHeight + SIZE.top + SIZE.bottom,
      marginTop: SIZE.top,
      marginBottom: SIZE.bottom,
      marginLeft: labels.width,
      marginRight: right,
      x: scaleOptions(axis),
      y: { type: "band", domain: bars.map(({ row }) => row), axis: null, padding: 0 },
      marks: [
        ...acrossMarks({ axis, style, name: x.name }, length),
        rowNames(labels, 6),
        Plot.ruleX([0], { stroke: theme.muted }),
        Plot.link(joins, {
          x1: "x",
          x2: "x",
          y1: "above",
          y2: "row",
          stroke: theme.muted,
          ariaDescription: "connector",
        }),
        Plot.barX(bars, {
          y: "row",
          x1: "x1",
          x2: "x2",
          fill: "color",
          insetTop: 4,
          insetBottom: 4,
          ariaDescription: "bar",
        }),
        ...[texts.slice(0, -1), texts.slice(-1)].map((some, side) =>
          Plot.text(some, {
            y: "row",
            text: "text",
            frameAnchor: "right",
            textAnchor: "end",
            dx: right - 2,
            ...side === 1 ? { fontWeight: "bold" as const } : {},
            ariaDescription: "value",
          })
        ),
      ],
    }],
    legend: [
      { label: "raises the total", color: GAIN_COLOR, key: "square" },
      { label: "lowers the total", color: LOSS_COLOR, key: "square" },
    ],
    rows: bars.map(({ label, value, x1, x2 }) => ({ group: label, value, from: x1, to: x2 })),
  };
}
