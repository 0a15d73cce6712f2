import type { VegaSpec } from "../chart.ts";
import type { Axis } from "../drawing/axes.ts";
import { theme } from "../theme.ts";

/** The ticks of an axis, and a function that writes them. */
interface Ticks {
  readonly at: readonly number[];
  readonly write: (tick: number) => string;
}

/** Returns the tooltip of a mark: the given texts, then the columns of a row of the frame. */
export type Tooltip = (
  texts: Readonly<Record<string, string>>,
  row?: number,
) => Readonly<Record<string, string>>;

/** A row of data. `tooltip` is its tooltip, and `says` its text for screen readers. */
export type Datum = Readonly<Record<string, unknown>>;

/**
 * Returns a value as a Vega expression. Escapes two characters that JSON allows, but that end a line in an expression.
 */
function literalOf(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Returns an axis whose labels are those of the chart. */
export function axisOf({ at, write }: Ticks, more: VegaSpec = {}): VegaSpec {
  const texts = Object.fromEntries(at.map((tick) => [tick, write(tick).split("\n")]));
  const labelExpr = `${literalOf(texts)}[datum.value]`;
  return { values: [...at], labelExpr, labelOverlap: false, title: null, ...more };
}

/** Returns the scale of an axis. */
export function scaleOf({ type, domain }: Pick<Axis, "type" | "domain">, more: VegaSpec = {}) {
  const log = type === "log";
  return {
    type: log ? "log" : "linear",
    domain: domain.map(Number),
    nice: false,
    ...!log && { zero: false },
    ...more,
  };
}

export const quantity = (field: string, more: VegaSpec = {}): VegaSpec => (
  { field, type: "quantitative", ...more }
);

/** A position in pixels. */
export const inPlace = (field: string): VegaSpec => quantity(field, { scale: null, axis: null });

/** The color of a row. */
export const inColor = { field: "color", type: "nominal", scale: null };

/** The options of marks without a tooltip, which are hidden from screen readers. */
export const quiet = { clip: false, tooltip: null, aria: false };

/** The options of marks with a tooltip. */
export const withTooltip = {
  tooltip: { expr: "datum.tooltip" },
  description: { expr: "datum.says" },
};

/** Draws texts at positions in pixels. */
export function textLayer(
  rows: readonly { readonly x: number; readonly y: number; readonly text: unknown }[],
  mark: VegaSpec = {},
  encoding: VegaSpec = {},
): VegaSpec[] {
  return rows.length === 0 ? [] : [{
    data: { values: rows },
    mark: {
      ...{ type: "text", align: "left", baseline: "middle", color: theme.muted, ...quiet },
      ...{ lineHeight: theme.label.line, ...mark },
    },
    encoding: { x: inPlace("x"), y: inPlace("y"), text: { field: "text" }, ...encoding },
  }];
}

/** Draws lines between positions in pixels. */
export function ruleLayer(
  rows: readonly { readonly x: number; readonly y: number }[],
  mark: VegaSpec = {},
): VegaSpec[] {
  return rows.length === 0 ? [] : [{
    data: { values: rows },
    mark: { type: "rule", color: theme.muted, strokeWidth: 0.75, ...quiet, ...mark },
    encoding: { x: inPlace("x"), y: inPlace("y"), x2: { field: "x2" }, y2: { field: "y2" } },
  }];
}
