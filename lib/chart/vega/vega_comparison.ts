import type { DataFrame } from "../../table/polars.ts";
import { GAIN_COLOR, LOSS_COLOR, OTHER_COLOR, theme } from "../theme.ts";
import type { ChartOptions } from "../read/options.ts";
import { comparisonRanking, type Entity, rankingView } from "../read/ranking.ts";
import type { FieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format.ts";
import { rowLabels } from "../text/layout.ts";
import { type VegaChart, vegaChart } from "./draw_vega.ts";
import { noDataSpec, rowAxis, topLegend, type VegaSpec, vegaSpec } from "./vega_parts.ts";

/** Options of `vegaComparison`. */
export interface VegaComparisonOptions extends ChartOptions {
  /**
   * The numeric columns among which the reader chooses.
   * @default {["ecosystem_fees_30d_sum"]}
   */
  readonly fields?: readonly string[];
}

const KINDS = ["above zero", "below zero", "other"] as const;

function kindOf(value: number | null, folded: boolean): typeof KINDS[number] {
  if (folded) return "other";
  return (value ?? 0) < 0 ? "below zero" : "above zero";
}

/** A row of data for each chain and measure, ranked within the measure. */
function valuesOf(
  entities: readonly Entity[],
  words: readonly FieldWords[],
): Record<string, unknown>[] {
  return words.flatMap(({ title, unit }, index) => {
    const ranked = entities.toSorted((a, b) =>
      Number(a.folded) - Number(b.folded) ||
      (b.values[index] ?? -Infinity) - (a.values[index] ?? -Infinity) || 0
    );
    return ranked.map(({ label, values, folded }, rank) => {
      const value = values[index] ?? null;
      const text = value === null ? "no value" : formatValue(value, unit);
      return {
        chain: label,
        measure: title,
        value,
        // Where the text stands: the bar of a null would be a zero, its text is none.
        at: value ?? 0,
        text,
        rank,
        kind: kindOf(value, folded),
      };
    });
  });
}

/** The number at a tick as the values are written: with the unit of the measure that is shown. */
function tickExpression(words: readonly FieldWords[], measure: string): string {
  const units = JSON.stringify(Object.fromEntries(words.map(({ title, unit }) => [title, unit])));
  const unit = `${units}[${measure}]`;
  const short =
    `abs(datum.value) < 1 ? format(datum.value, '~r') : replace(replace(format(datum.value, '~s'), 'G', 'B'), 'k', 'K')`;
  return `${unit} === 'change' ? format(datum.value, '+~%') : ${unit} === 'share' ? format(datum.value, '~%') : ${unit} === 'usd' ? '$' + (${short}) : ${short}`;
}

function bodyOf(
  entities: readonly Entity[],
  { words, width }: { words: readonly FieldWords[]; width: number },
): VegaSpec {
  const labels = entities.map(({ label }) => label);
  const names = rowLabels(labels, width);
  const titles = words.map(({ title }) => title);
  const kinds = KINDS.filter((kind) =>
    entities.some(({ values, folded }) => values.some((value) => kindOf(value, folded) === kind))
  );
  const colors = { "above zero": GAIN_COLOR, "below zero": LOSS_COLOR, "other": OTHER_COLOR };
  const axis = [...new Set(words.map(({ axis }) => axis))].filter((name) => name !== "").join(
    " · ",
  );
  return {
    height: entities.length * (names.rowHeight + 2),
    data: { values: valuesOf(entities, words) },
    params: [{
      name: "measure",
      value: titles[0]!,
      ...words.length === 1 ? {} : { bind: { input: "select", options: titles, name: "Measure " } },
    }],
    transform: [{ filter: "datum.measure === measure" }],
    encoding: {
      y: {
        field: "chain",
        type: "nominal",
        title: null,
        sort: { field: "rank", op: "min" },
        axis: rowAxis(labels, names, 8),
      },
      x: {
        field: "value",
        type: "quantitative",
        title: axis === "" ? null : axis,
        axis: {
          labelExpr: tickExpression(words, "measure"),
          tickCount: 5,
          domain: false,
          ticks: false,
        },
      },
    },
    layer: [
      {
        params: [
          { name: "kinds", select: { type: "point", fields: ["kind"] }, bind: "legend" },
          { name: "hovered", select: { type: "point", on: "pointerover", clear: "pointerout" } },
        ],
        mark: { type: "bar", height: { band: 0.75 } },
        encoding: {
          color: {
            field: "kind",
            type: "nominal",
            scale: { domain: kinds, range: kinds.map((kind) => colors[kind]) },
            legend: kinds.length === 1
              ? null
              : { ...topLegend(kinds, { width, left: names.width }), symbolType: "square" },
          },
          opacity: { condition: { param: "kinds", value: 1 }, value: 0.15 },
          stroke: { condition: { param: "hovered", empty: false, value: theme.ink }, value: null },
          tooltip: [
            { field: "chain", title: "chain" },
            { field: "measure", title: "measure" },
            { field: "text", title: "value" },
          ],
        },
      },
      {
        mark: {
          type: "text",
          align: { expr: "datum.value < 0 ? 'right' : 'left'" },
          dx: { expr: "datum.value < 0 ? -5 : 5" },
          tooltip: null,
        },
        encoding: {
          x: { field: "at", type: "quantitative", title: axis === "" ? null : axis },
          text: { field: "text", type: "nominal" },
        },
      },
    ],
  };
}

/**
 * Chains ranked by a measure that the reader chooses from a list, with bars that answer to the mouse: hovering
 * shows the value, a click on the legend fades the rest.
 *
 * Takes what `blockchainComparison` or `rankBy` gives. More than 12 chains fold into the 11 largest and
 * "other".
 *
 * @example
 * ```ts
 * import { blockchainComparison, vegaComparison } from "@chainframe/chainframe";
 *
 * const chart = vegaComparison(await blockchainComparison(), {
 *   fields: ["ecosystem_fees_30d_sum", "active_users_daily_latest"],
 * });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function vegaComparison(frame: DataFrame, options: VegaComparisonOptions = {}): VegaChart {
  const { fields = ["ecosystem_fees_30d_sum"] } = options;
  const ranking = comparisonRanking(frame, fields, "vegaComparison");
  const { about, width, entities } = rankingView(frame, options, ranking);
  const body = entities.length === 0
    ? noDataSpec(about.label)
    : bodyOf(entities, { words: ranking.words, width });
  return vegaChart(about, vegaSpec(about, { ...body, width }));
}
