import { checkOptions, listOf, required, string } from "../../platform/check_options.ts";
import { shown } from "../../platform/terminal.ts";
import { adds } from "../../table/read/adds.ts";
import { panelOf, panelValues } from "../../table/read/panel.ts";
import { columnsPerDay } from "../../table/read/per_day.ts";
import { requireEntity } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { requireSteps } from "../../table/read/steps.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type Expr, numberOfColumn, refuseWhere } from "../columnar.ts";
import { panelTable } from "../panel_table.ts";
import { CHANGE_RULES, entityChanges, STATUS } from "./entity_changes.ts";

const RULES = {
  product: required(string),
  factors: required(listOf(string)),
  ...CHANGE_RULES,
};

/** The largest relative difference between the product and its column that is accepted as a rounding error. */
const TOLERANCE = 1e-9;

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
  const fn = "decompose";
  const { product, factors, per, ...columns } = checkOptions(options, RULES, fn);
  if (factors.length < 2) {
    throw new RangeError(`${fn}: factors: must name two or more columns; got ${shown(factors)}`);
  }
  const names = [product, ...factors];
  requireColumns(frame, { fn, source: "a frame of entities over time", numbers: names });
  const panel = panelOf(frame, { fn, ...columns });
  requireEntity(panel, fn);
  requireSteps(panel);
  const { starts } = panel;
  const isDaily = columnsPerDay(panel, [product], per).length > 0;
  const adding = factors.filter((name) => adds(frame, name) === "both");
  if (isDaily && adding.length !== 1) {
    throw new RangeError(
      `${fn}: per: ${product} is compared per day, so exactly one factor must add up over days; got ` +
        `${adding.join(", ") || "none"}; pass per: "period"`,
    );
  }
  const [values, ...parts] = names.map((name) =>
    panelValues(panel, name, {
      per: ![product, ...adding].includes(name) ? "period" : isDaily ? "day" : per ?? "whole",
      // The days of the product are those of its factor.
      daysOf: product,
    })
  ) as [Float64Array, ...Float64Array[]];
  const [is, ...others] = names.map(numberOfColumn) as [Expr, ...Expr[]];
  const made = others.reduce((all, factor) => all.mul(factor));
  const isOff = is.minus(made).abs().gt(is.mul(TOLERANCE)).fillNull(pl.lit(true));
  const isNegative = [is, ...others].reduce((any, each) => any.or(each.lt(0)), pl.lit(false));
  refuseWhere(frame, isNegative.or(is.isNotNull().and(isOff)), {
    message: `${fn}: values must be 0 or more, and ${product} the product of ${
      factors.join(", ")
    }; got`,
    shown: [...names, ...panel.entity, panel.date],
  });
  const { status, unknown, partial, reasons } = entityChanges(panel, {
    values,
    levels: adds(frame, product) === "groups",
  });
  const [cells, factor, change]: [number[], number[], number[]] = [[], [], []];
  for (let at = 1; at < starts.length; at++) {
    for (let cell = at; cell < values.length; cell += starts.length) {
      const [was, is] = [values[cell - 1]!, values[cell]!];
      if (!(was > 0) && !(is > 0)) continue;
      const isKnown = reasons[at] === null && unknown[cell] === 0;
      const row = (word: number, part: number) => {
        cells.push(cell);
        factor.push(word);
        change.push(isKnown ? part : NaN);
      };
      if (unknown[cell] === 1) factors.forEach((_, word) => row(word, NaN));
      else if (!(was > 0)) row(factors.length, is);
      else if (!(is > 0)) row(factors.length + 1, -was);
      else {
        const mean = logMean(was, is);
        for (let word = 0; word < parts.length; word++) {
          row(word, mean * Math.log(parts[word]![cell]! / parts[word]![cell - 1]!));
        }
      }
    }
  }
  // The reason of the period, or else of the cell.
  const why = [...reasons, "no value in one of the two periods", "not yet known"];
  const reason = Uint32Array.from(unknown, (isUnknown, cell) => {
    const at = cell % starts.length;
    const isGap = STATUS[status[cell]!] === "gap";
    return isUnknown === 0 || reasons[at] !== null ? at : starts.length + (isGap ? 0 : 1);
  });
  const table = panelTable(panel, {
    rows: Uint32Array.from(cells),
    columns: {
      factor: {
        kind: "id",
        rows: Uint32Array.from(factor),
        words: [...factors, "enters", "leaves"],
      },
      change: { kind: "field", rows: Float64Array.from(change) },
      partial: { kind: "note", dtype: "flag", cells: partial },
      per: { kind: "note", text: isDaily ? "day" : "period" },
      reason: { kind: "note", cells: reason, words: why },
    },
    field: columnIn(frame, product),
  });
  return withProvenance(frame, table, {
    fn: `${fn} of ${product}`,
    of: names,
    per: isDaily ? "day" : "period",
    options,
    entity: panel.entity,
    first: ["change"],
  });
}
