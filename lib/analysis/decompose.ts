import { checkOptions, listOf, string } from "../platform/check_options.ts";
import { dayOf } from "../schema/period.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { arraysIn, type Expr, refuseWhere, tableOf } from "./columns.ts";
import { type UnitPanel, unitPanel } from "./unit_panel.ts";

/**
 * The largest relative difference between the product column and the computed product of the factors that is accepted
 * as a rounding error.
 */
const TOLERANCE = 1e-9;

function refuseNoProduct({ unit, rows }: UnitPanel, names: readonly string[]): void {
  const [product, ...factors] = names.map((name) => pl.col(name)) as [Expr, ...Expr[]];
  const made = factors.reduce((result, value) => result.mul(value));
  const same = product.minus(made).abs().ltEq(product.mul(TOLERANCE)).fillNull(pl.lit(false));
  const refuse = (rule: string, wrong: Expr) =>
    refuseWhere(rows, wrong, {
      message: `decompose: values must be ${rule}; got`,
      shown: [...names, unit, "date"],
    });
  refuse("0 or more", factors.reduce((some, value) => some.or(value.lt(0)), product.lt(0)));
  refuse(
    `such that ${names[0]} is the product of ${names.slice(1).join(", ")}`,
    product.isNotNull().and(same.not()),
  );
}

/** Returns the logarithmic mean of two positive values. */
function logMean(one: number, other: number): number {
  const relative = (other - one) / one;
  if (relative === 0) return one;
  // `log1p` is precise for small changes, and `log` is precise for large changes.
  const log = Math.abs(relative) < 0.1 ? Math.log1p(relative) : Math.log(other / one);
  return (other - one) / log;
}

/**
 * Divides the change of a product among its factors, such as volume and price.
 *
 * Returns one row per date, unit and factor, sorted by date. The first date has no rows.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the period |
 * | the column of units | String | the unit |
 * | `factor` | String | the name of the factor. `entry` means that the product was 0 or null in the previous period; `exit` means that the product is 0 or null in the current period |
 * | `change` | Float64 | the part of the product's change since the previous period that is due to this factor, in the unit of the product |
 *
 * The method is the logarithmic mean Divisia index (LMDI; Ang 2005, Energy Policy 33, 867-871): the change of the
 * product v that is due to a factor x is `L(v_1, v_0) · ln(x_1 / x_0)`, where L is the logarithmic mean:
 * `L(a, b) = (a - b) / ln(a / b)`. On each date, the changes of a unit's factors add up exactly to the change of its
 * product. For `entry`, `change` is the current product. For `exit`, `change` is the previous product with a negative
 * sign. `change` is null if one of the two periods is incomplete or the previous period is missing. A unit has no rows
 * for a date if its product is 0 or null in both periods.
 *
 * @example Do fees grow by transactions, or by the fee of a transaction?
 * ```ts
 * import { decompose, ratio, timeline } from "@chainframe/chainframe";
 *
 * const chains = await timeline({
 *   metric_ids: ["fees", "transaction_count"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-06",
 * });
 * const frame = ratio(chains, "fees_sum", "transaction_count_sum", { as: "fee" });
 * const changes = decompose(frame, {
 *   product: "fees_sum",
 *   factors: ["transaction_count_sum", "fee"],
 * });
 * console.log(changes.toString());
 * ```
 *
 * @param frame a frame of units over time, such as one of `timeline`
 * @throws {RangeError} when columns are missing, a value is negative, `product` is not the product of `factors` (within
 * a relative error of 1e-9), or a unit has two rows with the same date.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function decompose(frame: DataFrame, options: {
  /** The column whose change is decomposed: the product of the factors. */
  readonly product: string;
  /** The columns of the factors, two or more. */
  readonly factors: readonly string[];
  /**
   * The column that names the units.
   *
   * @default {`data_id`, else the only column whose name ends in `_id`}
   */
  readonly unit?: string;
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
}): DataFrame {
  const fn = "decompose";
  const { product, factors = [], ...names } = checkOptions(
    options,
    { product: string, factors: listOf(string), unit: string, date: string },
    fn,
  );
  if (product === undefined || factors.length < 2) {
    throw new RangeError(`${fn}: product, factors: name one column and two or more factors`);
  }
  const panel = unitPanel(frame, { fn, fields: [product, ...factors], ...names });
  refuseNoProduct(panel, [product, ...factors]);
  const { unit, count } = panel;
  const columns = arraysIn(panel.rows, [product, ...factors]);
  const values = columns[product]!;
  const cells = panel.rows.select("date", unit, "(known)").toRecords().slice(count);
  const rows = cells.flatMap((cell, before) => {
    const [was, is] = [values[before]!, values[before + count]!];
    const row = (factor: string, change: number) => ({
      date: dayOf(cell.date as unknown as Date),
      [unit]: cell[unit],
      factor,
      change: cell["(known)"] ? change : null,
    });
    if (!(was > 0) && !(is > 0)) return [];
    if (!(was > 0)) return [row("entry", is)];
    if (!(is > 0)) return [row("exit", -was)];
    return factors.map((name) => {
      const factor = columns[name]!;
      return row(name, logMean(was, is) * Math.log(factor[before + count]! / factor[before]!));
    });
  });
  const table = tableOf(rows, [["date", "date"], ["text", unit, "factor"], ["number", "change"]]);
  return withProvenance(frame, table, fn);
}
