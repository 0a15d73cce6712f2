import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { colorOf } from "./colors.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import type { LinesPlan } from "./drawing/lines.ts";
import { formatDay, formatterFor } from "./format.ts";
import { measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { numberValues, textValues } from "./rows.ts";
import type { Line, LinePoint } from "./series.ts";

/** Placebos that fit this many times worse than the treated unit are not drawn, because they would stretch the axis. */
const WORST = 5;
const METHODS: Readonly<Record<string, string>> = {
  did: "difference in differences",
  synthetic: "synthetic control",
  sdid: "synthetic difference in differences",
};

/** A unit of a frame of `counterfactual`, with its rows. */
interface Unit {
  readonly id: string;
  readonly rows: readonly number[];
}

/**
 * Draws the result of `counterfactual`: the upper panel shows the observed and the expected values of the treated unit,
 * and the lower panel shows their difference. Placebos are gray, and a line marks the event.
 *
 * Placebos whose error before the event is more than five times that of the treated unit are left out. The caption
 * states how many are left out. Bounds are drawn if the frame has them.
 *
 * @example
 * ```ts
 * import { counterfactual, plotCounterfactual, timeline } from "@chainframe/chainframe";
 *
 * const tvl = await timeline({
 *   metric_ids: ["tvl"],
 *   group_by: "chains",
 *   every: "week",
 *   from: "2025-07-07",
 *   to: "2026-03-29",
 * });
 * const result = counterfactual(tvl, {
 *   field: "tvl_avg",
 *   treated: "fjord",
 *   event: "2026-01-05",
 *   scale: "log",
 * });
 * console.log(plotCounterfactual(result));
 * ```
 *
 * @param frame a frame of `counterfactual`
 * @throws {RangeError} when columns are missing, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotCounterfactual(frame: DataFrame, options: ChartOptions = {}): PlotChart {
  const fn = "plotCounterfactual";
  const settings = chartSettings(fn, options, {});
  requireColumns(frame, {
    fn,
    source: "a frame of counterfactual",
    columns: ["role", "date", "event", "method", "scale", "field", "fit"],
    numbers: ["observed", "expected", "gap", "lower", "upper", "rmse_before", "effect", "p_value"],
  });
  const numbers = (name: string) => numberValues(frame, name);
  const [observed, expected, gap, lower, upper, rmse] = [
    ...["observed", "expected", "gap", "lower", "upper", "rmse_before"],
  ].map(numbers);
  const dates = [...frame.getColumn("date")] as unknown as Date[];
  const ids = textValues(frame, frame.columns[0]!);
  const groups = Map.groupBy(ids.keys(), (row) => ids[row]!);
  const units = [...groups].map(([id, rows]): Unit => ({ id, rows }));
  const treated = units[0];
  const first = (name: string) => [...frame.getColumn(name)][0] as unknown ?? null;
  const log = first("scale") === "log";
  // Converts a difference of logarithms to a relative difference, which is easier to read.
  const relative = (value: number | null | undefined) =>
    value === null || value === undefined ? null : log ? Math.expm1(value) : value;
  const line = (
    { id, rows }: Unit,
    label: string,
    point: (row: number) => Partial<LinePoint> & { y: number | null },
  ): Line => ({
    id,
    label,
    points: rows.map((row) => ({ x: dates[row]!.getTime(), complete: true, ...point(row) })),
  });
  const kept = units.slice(1).filter(({ rows }) =>
    rmse![rows[0]!]! <= WORST * rmse![treated!.rows[0]!]!
  );
  const left = units.length - 1 - kept.length;
  const measure = measureOf(String(first("field")), { unit: settings.unit });
  const event = first("event") as Date | null;
  const name = treated?.id ?? "";
  const rank = Math.round((numbers("p_value")[0] ?? 0) * units.length);
  const write = formatterFor([relative(numbers("effect")[0])], {
    unit: log ? "change" : measure.unit,
    locale: "en-US",
  });
  const effect = relative(numbers("effect")[0]);
  const size = effect === null ? "" : write(effect);
  const what = METHODS[String(first("method"))] ?? "";
  const day = event === null ? "" : formatDay(event, settings.locale);
  const banded = lower!.some((value) => value !== null);
  const words = {
    title: `${measure.title}: ${name}, observed and expected`,
    subtitle:
      `Event on ${day}; ${what}; mean effect ${size}; rank ${rank} of ${units.length} units`,
    label:
      `Lines of the observed and expected values of ${name}, and of observed against expected ` +
      `beside ${kept.length} placebos. Mean effect ${size}, rank ${rank} of ${units.length}.`,
    notes: {
      sample: [`Gray: placebos, other units analyzed as if the event had happened to them.`],
      interval: banded ? ["Shaded: interval from the gaps of the placebos."] : [],
      leftOut: [
        first("fit") === "poor" && `${name} differs from its donors before the event.`,
        left > 0 && `Not drawn: ${left} placebos that fit badly before the event.`,
      ],
    },
  };
  return readyChart({
    frame,
    settings,
    words,
    empty: treated === undefined,
    figure: (draw, look) => {
      const one = treated!;
      const common = {
        x: { dates: true, name: "" },
        rules: event === null ? [] : [{ x: event.getTime(), label: "" }],
      };
      // Both panels use one color, which does not depend on the placebos.
      const colors = { [one.id]: colorOf(one.id), ...look.colors };
      const half = { ...look, height: look.height ?? 250, highlight: undefined, colors };
      const values: LinesPlan = {
        ...common,
        lines: [
          line(one, "observed", (row) => ({ y: observed![row]! })),
          line({ ...one, id: "" }, "expected", (row) => ({ y: expected![row]! })),
        ],
        y: { unit: measure.unit, name: measure.axis },
      };
      const gaps: LinesPlan = {
        ...common,
        rules: common.rules.map((rule) => ({ ...rule, label: "event" })),
        lines: [one, ...kept].map((unit) =>
          line(unit, unit.id, (row) => ({
            y: relative(gap![row]),
            lower: relative(lower![row]),
            upper: relative(upper![row]),
          }))
        ),
        y: {
          unit: log ? "change" : measure.unit,
          name: log ? "observed against expected, %" : `observed minus expected, ${measure.axis}`,
        },
        ...banded ? { bounds: "bands" as const, interval: "interval" } : {},
      };
      const bodies = (sides?: LinesPlan["sides"]) => {
        const common = sides === undefined ? {} : { sides };
        return [
          draw.linesFigure({ ...values, ...common }, half),
          draw.linesFigure({ ...gaps, ...common }, { ...half, highlight: [one.id] }),
        ];
      };
      // Draws the panels twice. The first drawing measures the margins that each panel needs. The second drawing gives
      // all panels the same margins, so that the dates are aligned.
      const needed = bodies().flatMap(({ panels }) => panels);
      const most = (side: "marginLeft" | "marginRight") =>
        Math.max(...needed.map((panel) => panel[side] ?? 0));
      const aligned = bodies({ left: most("marginLeft"), right: most("marginRight") });
      return {
        panels: aligned.flatMap(({ panels }) => panels),
        rows: aligned.flatMap(({ rows }) => rows),
        columns: 1,
        gap: 8,
        legend: [],
      };
    },
  });
}
