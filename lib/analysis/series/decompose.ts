import { checkOptions, listOf, required, string } from "../../platform/check_options.ts";
import { shown } from "../../platform/terminal.ts";
import { adds } from "../../table/read/adds.ts";
import { columnIn } from "../../table/track/frame_columns.ts";
import { withPeriods } from "../../table/read/periods.ts";
import { columnsPerDay, PER, type Per } from "../../table/read/per_day.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { arraysIn, type Expr, refuseWhere, tableOf } from "../columns.ts";
import { entityChanges } from "./entity_changes.ts";
import { type EntityPanel, entityPanel, PANEL_RULES, withNames } from "../entity_panel.ts";

const RULES = {
  product: required(string),
  factors: required(listOf(string)),
  ...PANEL_RULES,
  per: PER,
};

/**
 * The largest relative difference between the product column and the computed product of the factors that is accepted
 * as a rounding error.
 */
const TOLERANCE = 1e-9;

function refuseNoProduct({ entity, rows }: EntityPanel, names: readonly string[]): void {
  const [product, ...factors] = names.map((name) => pl.col(name)) as [Expr, ...Expr[]];
  const made = factors.reduce((result, value) => result.mul(value));
  const same = product.minus(made).abs().ltEq(product.mul(TOLERANCE)).fillNull(pl.lit(false));
  const refuse = (rule: string, wrong: Expr) =>
    refuseWhere(rows, wrong, {
      message: `decompose: values must be ${rule}; got`,
      shown: [...names, entity, "date"],
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
 * Returns the product and the factor to divide by days, if any. Throws a RangeError if the product is compared per day,
 * but not exactly one factor adds up over days.
 */
function dailyColumns(
  frame: DataFrame,
  { fn, product, factors, per, date }: {
    readonly fn: string;
    readonly product: string;
    readonly factors: readonly string[];
    readonly per?: Per | undefined;
    readonly date?: string | undefined;
  },
): string[] {
  const framed = withPeriods(frame, { fn, date });
  if (columnsPerDay(framed, { fn, fields: [product], per, date }).length === 0) return [];
  const adding = factors.filter((name) => adds(frame, name) === "both");
  if (adding.length === 1) return [product, ...adding];
  throw new RangeError(
    `${fn}: per: ${product} is compared per day, so exactly one factor must add up over days; got ` +
      `${adding.length === 0 ? "none" : adding.join(", ")}; pass per: "period"`,
  );
}

/**
 * Divides the change of a product among its factors, such as volume and price.
 *
 * Returns one row per date, entity and factor, sorted by date. The first date has no rows.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date` | Date | the first day of the period |
 * | the column of entities | String | the entity |
 * | `chain_name` or another column of names | String | the name of the entity, if the frame has names |
 * | `factor` | String | the name of the factor. `enters` means that the entity enters, or that the product was 0; `leaves` means that the entity leaves, or that the product is 0 |
 * | `change` | Float64 | the part of the product's change since the previous period that belongs to this factor, in the unit of the product; per day if `per` is `day` |
 * | `partial` | Boolean | whether the change rests on the first period of the entity, as in `contributions` |
 * | `per` | String | `day` if the product and one factor are divided by the days of their periods; otherwise `period` |
 * | `reason` | String | the reason why `change` is null; otherwise null |
 *
 * The method is the logarithmic mean Divisia index (LMDI; Ang 2005, Energy Policy 33, 867-871): the change of the
 * product v that belongs to a factor x is `L(v_1, v_0) · ln(x_1 / x_0)`, where L is the logarithmic mean:
 * `L(a, b) = (a - b) / ln(a / b)`. On each date, the changes of an entity's factors add up exactly to the change of its
 * product, for any number of factors. For `enters`, `change` is the current product. For `leaves`, `change` is the
 * previous product with a negative sign. `change` is null if one of the two periods is incomplete, the previous period is
 * missing, the entity has a gap, or it is not yet known whether it left; entries, exits and gaps are defined as in
 * `contributions`. An entity has no rows for a date if its product is 0 or null in both periods.
 *
 * The parts are arithmetic and show no causes. Values in dollars also follow token prices: a price
 * index can be one of three factors.
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
 * const frame = ratio(chains, { numerator: "fees_sum", denominator: "transaction_count_sum", name: "fee" });
 * const changes = decompose(frame, {
 *   product: "fees_sum",
 *   factors: ["transaction_count_sum", "fee"],
 * });
 * console.log(changes.toString());
 * ```
 *
 * @param frame a frame of entities over time, such as one of `timeline`
 * @throws {RangeError} when columns are missing, a value is negative, `product` is not the product of `factors` (within
 * a relative error of 1e-9), an entity has two rows with the same date, or values per day do not have exactly one factor
 * that adds up over days.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function decompose(frame: DataFrame, options: {
  /** The column whose change is decomposed: the product of the factors. */
  readonly product: string;
  /** The columns of the factors, two or more. */
  readonly factors: readonly string[];
  /**
   * The column that names the entities.
   *
   * @default {`data_id`, else the only column whose name ends in `_id`, else the only column of texts}
   */
  readonly entity?: string;
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
  /**
   * `"day"` divides the product, and the one factor that adds up over days, by the number of days of their periods,
   * because months have different lengths. `"period"` does not.
   *
   * @default {`"day"` for sums of months, quarters and years}
   */
  readonly per?: "day" | "period";
}): Frame {
  const fn = "decompose";
  const { product, factors, ...names } = checkOptions(options, RULES, fn);
  if (factors.length < 2) {
    throw new RangeError(`${fn}: factors: must name two or more columns; got ${shown(factors)}`);
  }
  const fields = [product, ...factors];
  const daily = dailyColumns(frame, { fn, product, factors, ...names });
  const panel = entityPanel(frame, { fn, fields, daily, ...names });
  refuseNoProduct(panel, fields);
  const { entity, count, per } = panel;
  const columns = arraysIn(panel.rows, factors);
  const levels = adds(frame, product) === "groups";
  const rows = entityChanges(panel, { field: product, levels }).flatMap((period, at) =>
    period.changes.flatMap(({ name, was, is, status, unknown, partial }, index) => {
      const row = (factor: string, change: number, why: string | null = null) => {
        const reason = period.reason ?? why;
        const known = reason === null ? change : NaN;
        return { date: period.day, [entity]: name, factor, change: known, partial, per, reason };
      };
      if (at === 0 || !(was > 0) && !(is > 0)) return [];
      if (unknown) {
        const why = status === "gap" ? "no value in one of the two periods" : "not yet known";
        return factors.map((factor) => row(factor, NaN, why));
      }
      if (!(was > 0)) return [row("enters", is)];
      if (!(is > 0)) return [row("leaves", -was)];
      const place = at * count + index;
      return factors.map((factor) => {
        const values = columns[factor]!;
        return row(factor, logMean(was, is) * Math.log(values[place]! / values[place - count]!));
      });
    })
  );
  const table = tableOf(rows, [
    ["date", "date"],
    ["key", entity],
    ["text id", "factor"],
    ["number field", "change"],
    ["flag", "partial"],
    ["text", "per", "reason"],
  ], columnIn(frame, product));
  return withProvenance(frame, withNames(table, frame, entity), {
    fn,
    options,
    first: ["change"],
  });
}
