import { dayText } from "../../schema/period.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { allCells, panelTable } from "../panel_table.ts";
import type { contributions } from "./contributions.ts";
import { STATUS, totalChanges } from "./entity_changes.ts";

/**
 * Returns each entity's share of the total at each date, and the changes of concentration.
 *
 * Returns one row per date and entity, sorted by date:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the period |
 * | the column of entities | String | the entity |
 * | `chain_name` or another column of names | String | the name of the entity, if the frame has names |
 * | `share` | Float64 | the value as a fraction of the total; null if the value or the total is null, or the total is 0 |
 * | `total` | Float64 | the sum of all values of the date, per day if `per` is `day`; null if there is no value, or if an entity has a gap |
 * | `hhi` | Float64 | the Herfindahl-Hirschman index: the sum of the squared shares |
 * | `hhi_entry` | Float64 | change of `hhi` due to entities that enter: Σ s₁², where s₁ is the share in this period |
 * | `hhi_exit` | Float64 | change of `hhi` due to entities that leave: −Σ s₀², where s₀ is the share in the previous period |
 * | `hhi_shift` | Float64 | change of `hhi` due to entities that stay: Σ (s₁² − s₀²) |
 * | `status` | String | `stays`, `enters`, `leaves` or `gap`, as in `contributions` |
 * | `complete` | Boolean | whether the period is complete; always true if the frame has no column `complete` |
 * | `left_out` | Int64 | number of entities that `gaps: "skip"` leaves out of this date |
 * | `per` | String | `day` if the values are divided by the days of their periods; otherwise `period` |
 * | `reason` | String | the reason why `total` or the change of `hhi` is null; otherwise null |
 *
 * Entries, exits and gaps are defined as in `contributions`. The columns `hhi_entry`, `hhi_exit` and `hhi_shift` add
 * up to the change of `hhi`. With `gaps: "skip"`, an entity with a gap is left out of both sides, so they add up to the
 * change among the other entities. These columns are null in the first period, if the previous period is missing, and
 * if one of the two periods is incomplete.
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
 * @param frame a frame of entities over time, such as one of `timeline`
 * @throws {RangeError} when columns are missing, a value is negative or infinite, `field` does not add up over entities
 * (one user can count in several entities), or an entity has two rows with the same date.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function shares(frame: DataFrame, options: Parameters<typeof contributions>[1]): Frame {
  const fn = "shares";
  const { panel, changes, values, field, skip, per } = totalChanges(frame, options, fn);
  const { keys, starts, complete } = panel;
  const { status, unknown, reasons, missing } = changes;
  const [count, periods] = [keys.length, starts.length];
  const wrong = values.findIndex((value) => value < 0);
  if (wrong >= 0) {
    const [entity, at] = [Math.floor(wrong / periods), wrong % periods];
    throw new RangeError(
      `${fn}: field: shares need finite values of 0 or more; got ${field} ${values[wrong]}, ` +
        `${panel.entity.join(", ")} ${keys[entity]}, date ${dayText(starts[at]!)}`,
    );
  }
  const numbers = () => new Float64Array(periods).fill(NaN);
  const [total, hhi, leftOut] = [numbers(), numbers(), numbers()];
  const parts = [numbers(), numbers(), numbers()];
  const share = new Float64Array(values.length).fill(NaN);
  const why = reasons.map((reason, at) => {
    let [sum, known, before, now] = [0, 0, 0, 0];
    leftOut[at] = 0;
    for (let entity = 0; entity < count; entity++) {
      const cell = entity * periods + at;
      const [was, is] = [at === 0 ? NaN : values[cell - 1]!, values[cell]!];
      sum += is || 0;
      known += Number.isNaN(is) ? 0 : 1;
      if (skip && unknown[cell] === 1) leftOut[at]! += 1;
      else [before, now] = [before + (was || 0), now + (is || 0)];
    }
    if (known > 0 && (skip || missing[at]!.here === null)) total[at] = sum;
    const text = reason ?? (skip ? null : missing[at]!.change) ??
      (before > 0 && now > 0 ? null : "the total of one of the two periods is 0");
    if (text === null) parts.forEach((part) => part[at] = 0);
    if (total[at]! > 0) hhi[at] = 0;
    for (let entity = 0; entity < count; entity++) {
      const cell = entity * periods + at;
      const is = values[cell]!;
      if (total[at]! > 0) share[cell] = is / total[at]!;
      hhi[at]! += (share[cell]! || 0) ** 2;
      const part = parts[["enters", "leaves", "stays"].indexOf(STATUS[status[cell]!] ?? "")];
      if (text !== null || part === undefined || skip && unknown[cell] === 1) continue;
      part[at]! += ((is || 0) / now) ** 2 - ((values[cell - 1]! || 0) / before) ** 2;
    }
    return text;
  });
  const cells = allCells(panel);
  const shown = status.map((each, cell) => reasons[cell % periods] === null ? each : 0);
  const of = (
    values: Float64Array,
  ) => ({ kind: "statistic", numbers: cells.ofPeriods(values) } as const);
  const table = panelTable(panel, cells, {
    columns: {
      share: { kind: "fraction over groups", numbers: cells.inRows(share) },
      total: { kind: "field", numbers: cells.ofPeriods(total) },
      hhi: of(hhi),
      hhi_entry: of(parts[0]!),
      hhi_exit: of(parts[1]!),
      hhi_shift: of(parts[2]!),
      status: { kind: "note", numbers: cells.inRows(shown), words: STATUS },
      complete: { kind: "note", dtype: "flag", numbers: cells.ofPeriods(complete) },
      left_out: { kind: "count", dtype: "whole", numbers: cells.ofPeriods(leftOut) },
      per: { kind: "note", numbers: cells.periods.map(() => 0), words: [per] },
      reason: { kind: "note", numbers: cells.periods, words: why },
    },
    field: columnIn(frame, field),
  });
  return withProvenance(frame, table, {
    fn: `${fn} of ${field}`,
    options,
    first: ["share", "total"],
  });
}
