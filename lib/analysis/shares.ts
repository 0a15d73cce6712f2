import { dayText } from "../schema/period.ts";
import type { DataFrame } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { type contributions, panelOptions } from "./contributions.ts";
import { columnsOf, tableOf } from "./columns.ts";
import { placeBefore, type UnitPanel, unitPanel } from "./unit_panel.ts";
import { sumOf } from "./sums.ts";

function refuseNegative({ units, days, values: [values] }: UnitPanel, field: string): void {
  const wrong = values!.findIndex((value) => value < 0 || value === Infinity);
  if (wrong < 0) return;
  const [unit, day] = [units[Math.floor(wrong / days.length)], days[wrong % days.length]!];
  throw new RangeError(
    `shares: field: shares need finite values of 0 or more; ${field} of ${unit} at ${
      dayText(day)
    } is ${values![wrong]}`,
  );
}

/** Returns the shares of one date and their total. The shares are NaN if there is no value or the total is 0. */
function sharesAt({ units, days, values: [values] }: UnitPanel, at: number) {
  const column = units.map((_, index) => values![index * days.length + at]!);
  const known = column.filter((value) => !Number.isNaN(value));
  const total = sumOf(known);
  const share = column.map((value) => total > 0 ? value / total : NaN);
  return { share, total: known.length === 0 ? null : total };
}

function sumOfSquares(shares: readonly number[]): number {
  return sumOf(shares.map((share) => share * share));
}

/** Divides the change of the Herfindahl index between two dates into entry, exit and shift. */
function hhiChanges(before: readonly number[], now: readonly number[]) {
  const [entered, left, stayed] = [[], [], []] as [number[], number[], number[]];
  now.forEach((share, index) => {
    const [was, is] = [before[index]! > 0, share > 0];
    if (was && is) stayed.push(index);
    else if (is) entered.push(index);
    else if (was) left.push(index);
  });
  const of = (shares: readonly number[], indices: number[]) =>
    sumOfSquares(indices.map((index) => shares[index]!));
  return {
    hhi_entry: of(now, entered),
    hhi_exit: 0 - of(before, left),
    hhi_shift: of(now, stayed) - of(before, stayed),
  };
}

/**
 * Returns the share of each unit in the total of its date, and the change of concentration.
 *
 * Returns one row per date and unit, sorted by date:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the period |
 * | the column of units | String | the unit |
 * | `share` | Float64 | the value as a fraction of the total; null if the value is null, or the total is 0 |
 * | `total` | Float64 | the sum of the values of the date that are not null |
 * | `hhi` | Float64 | the Herfindahl-Hirschman index: the sum of the squared shares |
 * | `hhi_entry` | Float64 | change of `hhi` due to units that enter: Σ s₁² over units without a value in the previous period |
 * | `hhi_exit` | Float64 | change of `hhi` due to units that leave: −Σ s₀² over units without a value in this period |
 * | `hhi_shift` | Float64 | change of `hhi` due to units with values in both periods: Σ (s₁² − s₀²); s₀ and s₁ are a unit's shares in the previous period and in this period |
 * | `complete` | Boolean | false if the period is not complete; true in a frame without `complete` |
 *
 * The columns `hhi_entry`, `hhi_exit` and `hhi_shift` add up to the change of `hhi`. They are null in the first period,
 * if the previous period is missing, or if one of the two periods is incomplete.
 *
 * @example Did fees become more concentrated?
 * ```ts
 * import { shares, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * const result = shares(fees, { field: "fees_sum" });
 * console.log(result.select("date", "data_id", "share", "hhi", "hhi_shift").toString());
 * ```
 *
 * @param frame a frame of units over time, such as one of `timeline`
 * @throws {RangeError} when columns are missing, a value is negative or infinite, `field` does not add up over units
 * (one user can count in several units), or a unit has two rows of one date.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function shares(frame: DataFrame, options: Parameters<typeof contributions>[1]): DataFrame {
  const panel = unitPanel(frame, panelOptions(options, "shares"));
  refuseNegative(panel, options.field);
  const dates = panel.days.map((_, at) => sharesAt(panel, at));
  const rows = dates.flatMap(({ share, total }, at) => {
    const before = placeBefore(panel, at);
    const some = Boolean(total) && (before === null || Boolean(dates[before]!.total));
    const changes = before === null || !some ? {} : hhiChanges(dates[before]!.share, share);
    const hhi = total ? sumOfSquares(share.filter((each) => !Number.isNaN(each))) : null;
    return share.map((each, index) => ({
      date: panel.days[at],
      [panel.unit]: panel.units[index],
      share: each,
      total,
      hhi,
      ...changes,
      complete: panel.complete[at],
    }));
  });
  const table = tableOf(rows, {
    date: "date",
    [panel.unit]: "text",
    ...columnsOf("number", ["share", "total", "hhi", "hhi_entry", "hhi_exit", "hhi_shift"]),
    complete: "flag",
  });
  return withProvenance(frame, table, "shares");
}
