import type { DataFrame, Frame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { requireSteps } from "../../table/read/steps.ts";
import { panelTable } from "../panel_table.ts";
import { STATUS, totalChanges } from "./entity_changes.ts";
import { counted, notify } from "../../platform/terminal.ts";
import { dayText } from "../../schema/period.ts";

/**
 * Divides the growth of a total among its entities.
 *
 * Returns one row per date and entity, sorted by date:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the period |
 * | the column of entities | String | the entity |
 * | `chain_name` or another column of names | String | the name of the entity, if the frame has names |
 * | `contribution` | Float64 | `(v_t - v_(t-1)) / total_(t-1)`: the change of the entity's value v, as a fraction of the previous total; 0.02 is 2 percentage points of growth. If the entity enters, v_(t-1) is 0; if it leaves, v_t is 0 |
 * | `total` | Float64 | the relative change of the total, which is the sum of all contributions on the date |
 * | `status` | String | `stays`, `enters` (the first value), `leaves` (no value any more), or `gap` (a null between values); null if the entity is in neither of the two periods, or if it is not yet known whether it left |
 * | `partial` | Boolean | whether the contribution rests on the first period of an entity, which can cover only a part of this period; always false for levels |
 * | `per` | String | `day` if the values are divided by the days of their periods; otherwise `period` |
 * | `reason` | String | the reason why `total` is null; otherwise null |
 *
 * A null before the first value of an entity means that it has not entered yet, and a null after its last value means
 * that it has left. A null between values is a gap: `total` is null in this period and in the next period. A null in the
 * last period can also be a late value, so an exit needs one later complete period with values of other entities (two for
 * levels such as TVL). A 0 is a value.
 *
 * `contribution` and `total` are also null in the first period, if the previous period is missing, if one of the two
 * periods is incomplete, or if the previous total is not above 0.
 *
 * Contributions are arithmetic and show no causes. Values in dollars also follow token prices.
 *
 * @example Which chains account for the growth of fees?
 * ```ts
 * import { contributions, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * console.log(contributions(fees, { field: "fees_sum" }).toString());
 * ```
 *
 * @param frame a frame of entities over time, such as one of `timeline`
 * @throws {RangeError} when columns are missing, `field` does not add up over entities (one user can count in several
 * entities), or an entity has two rows with the same date.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function contributions(frame: DataFrame, options: {
  /** The column of values: sums, or levels such as TVL. */
  readonly field: string;
  /**
   * The column that names the entities, or several columns.
   *
   * @default {the ids of the response, else the fewest columns of texts that make rows unique}
   */
  readonly entity?: string | readonly string[];
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
  /**
   * `"period"` compares the values of periods. By default, sums of months, quarters and years are divided by the number of
   * days of their periods, because these periods have different lengths.
   *
   * @default {values per day, for sums of months, quarters and years}
   */
  readonly per?: "period";
}): Frame {
  const fn = "contributions";
  const { panel, values, field, per, sums, reasons, ...changes } = totalChanges(frame, options, fn);
  requireSteps(panel);
  const { status, unknown, partial, here } = changes;
  const periods = panel.starts.length;
  const base = sums.map((_, at) =>
    reasons[at] === null && sums[at - 1]! > 0 && here[at - 1] === null ? sums[at - 1]! : NaN
  );
  const why = changes.why.map((reason, at) =>
    reason ?? (base[at]! > 0 ? null : "the total of the previous period is not above 0")
  );
  const unbased = [...why.keys()].filter((at) =>
    changes.why[at] === null && !(base[at]! > 0) && sums[at - 1]! <= 0
  );
  if (unbased.length > 0) {
    const before = unbased[0]! - 1;
    notify(
      `${fn}: a percentage needs a base above 0: those of ` +
        `${counted(unbased.length, "period")} are null; the first base is ${sums[before]}, ` +
        `the total of ${field} on ${dayText(panel.starts[before]!)}`,
    );
  }
  const total = base.map((_, at) => why[at] === null ? 0 : NaN);
  const contribution = new Float64Array(values.length).fill(NaN);
  for (let start = 0; start < values.length; start += periods) {
    for (let at = 1; at < periods; at++) {
      const cell = start + at;
      if (unknown[cell] === 1) continue;
      const part = ((values[cell]! || 0) - (values[cell - 1]! || 0)) / base[at]!;
      total[at]! += part;
      if (status[cell] !== 0) contribution[cell] = part;
    }
  }
  const table = panelTable(panel, {
    columns: {
      contribution: { kind: "change", cells: contribution },
      total: { kind: "change", periods: total },
      status: { kind: "note", cells: status, words: STATUS },
      partial: { kind: "note", dtype: "flag", cells: partial },
      per: { kind: "note", text: per },
      reason: { kind: "note", words: why },
    },
  });
  return withProvenance(frame, table, {
    fn: `${fn} of ${field}`,
    per,
    options,
    entity: panel.entity,
    first: ["contribution", "total"],
  });
}
