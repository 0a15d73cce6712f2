import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { refuseWhere } from "../columnar.ts";
import { panelTable } from "../panel_table.ts";
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
 * | `per` | String | `day` if the values are divided by the days of their periods; otherwise `period` |
 * | `reason` | String | the reason why `total` or the change of `hhi` is null; otherwise null |
 *
 * Entries, exits and gaps are defined as in `contributions`. The columns `hhi_entry`, `hhi_exit` and `hhi_shift` add
 * up to the change of `hhi`. They are null in the first period, if the previous period is missing, and if one of the two
 * periods is incomplete.
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
  const changes = totalChanges(frame, options, fn);
  const { panel, values, field, sums, per, status, here } = changes;
  const periods = panel.starts.length;
  refuseWhere(frame, pl.col(field).lt(0), {
    message: `${fn}: field: shares need values of 0 or more; got`,
    shown: [field, ...panel.entity, panel.date],
  });
  const why = changes.why.map((reason, at) =>
    reason ??
      (sums[at - 1]! > 0 && sums[at]! > 0 ? null : "the total of one of the two periods is 0")
  );
  const [known, hhi] = [new Uint8Array(periods), sums.map((sum) => sum > 0 ? 0 : NaN)];
  const changed = () => Float64Array.from(why, (reason) => reason === null ? 0 : NaN);
  const [shift, entry, exit] = [changed(), changed(), changed()];
  const parts = [undefined, shift, entry, exit];
  const share = new Float64Array(values.length);
  for (let start = 0; start < values.length; start += periods) {
    let before = 0;
    for (let at = 0; at < periods; at++) {
      const cell = start + at;
      const is = share[cell] = here[at] === null ? values[cell]! / (sums[at]! || NaN) : NaN;
      if (values[cell]! >= 0) known[at] = 1;
      hhi[at]! += (is || 0) ** 2;
      const part = parts[status[cell]!];
      if (part !== undefined) part[at]! += (is || 0) ** 2 - before ** 2;
      before = is || 0;
    }
  }
  const total = sums.map((sum, at) => known[at] === 1 && here[at] === null ? sum : NaN);
  const table = panelTable(panel, {
    columns: {
      share: { kind: "fraction over groups", cells: share },
      total: { kind: "field", periods: total },
      hhi: { kind: "statistic", periods: hhi.map((sum, at) => here[at] === null ? sum : NaN) },
      hhi_entry: { kind: "statistic", periods: entry },
      hhi_exit: { kind: "statistic", periods: exit },
      hhi_shift: { kind: "statistic", periods: shift },
      status: { kind: "note", cells: status, words: STATUS },
      complete: { kind: "note", dtype: "flag", periods: panel.complete },
      per: { kind: "note", text: per },
      reason: { kind: "note", words: why },
    },
    field: columnIn(frame, field),
  });
  return withProvenance(frame, table, {
    fn: `${fn} of ${field}`,
    per,
    options,
    entity: panel.entity,
    first: ["share", "total"],
  });
}
