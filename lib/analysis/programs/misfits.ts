import { pl } from "../../table/columns/polars.ts";
import { DAYS_OF_YEAR, seriesOf, trendOf } from "../trend.ts";
import type { Fits } from "./counterfactual_fit.ts";

/** A fit is poor if its held-out error is more than this times the median of the placebos' errors. */
const POOR = 2;

/** Returns the test of parallel trends before the event. It has no p value if the gaps are rounding. */
export function trendBefore(
  { gap, rmse_before }: Fits["full"],
  days: readonly number[],
  before: number,
) {
  if (rmse_before === 0) return { pre_slope: 0, pre_p: NaN };
  const years = days.slice(0, before).map((day) => day / DAYS_OF_YEAR);
  const { slope, p_value } = trendOf(years, seriesOf(gap.slice(0, before)), 0.95);
  return { pre_slope: slope, pre_p: p_value };
}

/** Returns the reasons why the fit of the treated entity is poor. */
export function misfits(
  { full, placebos }: Fits,
  { pre_slope, pre_p }: ReturnType<typeof trendBefore>,
): string[] {
  const errors = placebos.map(({ placebo }) => placebo.rmse_held_out);
  const median = errors.length === 0 ? Infinity : pl.Series(errors).median();
  const held = full.rmse_held_out.toPrecision(3);
  return [
    ...full.rmse_held_out > POOR * median
      ? [`rmse_held_out ${held}, median of placebos ${median.toPrecision(3)}`]
      : [],
    ...pre_p < 0.05
      ? [`slope of the gap ${pre_slope.toPrecision(3)} a year, p ${pre_p.toPrecision(2)}`]
      : [],
  ];
}
