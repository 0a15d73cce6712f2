import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { columnIn } from "../../table/track/frame_columns.ts";
import { withProvenance } from "../../table/show/show.ts";
import { refuseWhere, tableOf } from "../columns.ts";
import type { contributions } from "./contributions.ts";
import { type EntityChange, totalChanges } from "./entity_changes.ts";
import { withNames } from "../entity_panel.ts";
import { sumOf } from "../sums.ts";

/** Returns the sum of one side of changes, without nulls. NaN if there is no value. */
function totalOf(changes: readonly EntityChange[], side: "was" | "is"): number {
  const values = changes.map((change) => change[side]).filter((value) => !Number.isNaN(value));
  return values.length === 0 ? NaN : sumOf(values);
}

/** Returns the parts of the change of the Herfindahl-Hirschman index. */
function partsOf(changes: readonly EntityChange[]) {
  const [before, now] = [totalOf(changes, "was"), totalOf(changes, "is")];
  const parts = { enters: 0, leaves: 0, stays: 0 };
  for (const { was, is, status } of changes) {
    if (status === null || status === "gap") continue;
    parts[status] += ((is || 0) / now) ** 2 - ((was || 0) / before) ** 2;
  }
  return { hhi_entry: parts.enters, hhi_exit: parts.leaves, hhi_shift: parts.stays };
}

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
  const { entity, field, skip, per, periods, rows: given } = totalChanges(frame, options, fn);
  const value = pl.col(field);
  refuseWhere(given, value.lt(0).or(value.eq(Infinity)), {
    message: "shares: field: shares need finite values of 0 or more; got",
    shown: [field, entity, "date"],
  });
  const rows = periods.flatMap((period) => {
    const { day, complete, reason, changes, missing } = period;
    const total = skip || missing.here === null ? totalOf(changes, "is") : NaN;
    const counted = changes.filter(({ unknown }) => !(skip && unknown));
    const why = reason ?? (skip ? null : missing.change) ??
      (totalOf(counted, "was") > 0 && totalOf(counted, "is") > 0
        ? null
        : "the total of one of the two periods is 0");
    const parts = why === null ? partsOf(counted) : {};
    const shareOf = (value: number) => total > 0 ? value / total : NaN;
    const hhi = sumOf(changes.map(({ is }) => shareOf(is || 0) ** 2));
    return changes.map(({ name, is, status }) => ({
      date: day,
      [entity]: name,
      share: shareOf(is),
      total,
      hhi,
      ...parts,
      status: reason === null ? status : null,
      complete,
      left_out: changes.length - counted.length,
      per,
      reason: why,
    }));
  });
  const table = tableOf(rows, [
    ["date", "date"],
    ["key", entity],
    ["number fraction over groups", "share"],
    ["number field", "total"],
    ["number statistic", "hhi", "hhi_entry", "hhi_exit", "hhi_shift"],
    ["text", "status"],
    ["flag", "complete"],
    ["whole", "left_out"],
    ["text", "per", "reason"],
  ], columnIn(frame, field));
  return withProvenance(frame, withNames(table, frame, entity), {
    fn: `${fn} of ${field}`,
    options,
    first: ["share", "total"],
  });
}
