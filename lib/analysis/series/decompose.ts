import { checkOptions, listOf, required, string } from "../../platform/check_options.ts";
import { shown } from "../../platform/terminal.ts";
import { dayText } from "../../schema/period.ts";
import { adds } from "../../table/read/adds.ts";
import { type Panel, panelOf, panelValues } from "../../table/read/panel.ts";
import { columnsPerDay, type Per } from "../../table/read/per_day.ts";
import { requireEntity } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { panelTable } from "../panel_table.ts";
import { CHANGE_RULES, entityChanges, STATUS } from "./entity_changes.ts";

const RULES = {
  product: required(string),
  factors: required(listOf(string)),
  ...CHANGE_RULES,
};

/**
 * The largest relative difference between the product column and the computed product of the factors that is accepted
 * as a rounding error.
 */
const TOLERANCE = 1e-9;

/** Throws a RangeError for the first cell whose product is not that of its factors, or that has a negative value. */
function refuseNoProduct(
  { keys, starts, entity }: Panel,
  { names, values }: {
    readonly names: readonly string[];
    readonly values: readonly Float64Array[];
  },
): void {
  const [product, ...factors] = values as [Float64Array, ...Float64Array[]];
  for (let cell = 0; cell < product.length; cell++) {
    let [made, isNegative] = [1, product[cell]! < 0];
    for (const factor of factors) {
      made *= factor[cell]!;
      if (factor[cell]! < 0) isNegative = true;
    }
    const is = product[cell]!;
    const isProduct = Number.isNaN(is) || Math.abs(is - made) <= is * TOLERANCE;
    if (isProduct && !isNegative) continue;
    const rule = isNegative
      ? "0 or more"
      : `such that ${names[0]} is the product of ${names.slice(1).join(", ")}`;
    const got = [
      ...names.map((name, index) => `${name} ${values[index]![cell]}`),
      `${entity.join(", ")} ${keys[Math.floor(cell / starts.length)]}`,
      `date ${dayText(starts[cell % starts.length]!)}`,
    ].map((text) => text.replace(/ NaN$/, " null"));
    throw new RangeError(`decompose: values must be ${rule}; got ${got.join(", ")}`);
  }
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
  panel: Panel,
  { product, factors, per }: {
    readonly product: string;
    readonly factors: readonly string[];
    readonly per?: Per | undefined;
  },
): string[] {
  if (columnsPerDay(panel, [product], per).length === 0) return [];
  const adding = factors.filter((name) => adds(panel.frame, name) === "both");
  if (adding.length === 1) return [product, ...adding];
  throw new RangeError(
    `${panel.fn}: per: ${product} is compared per day, so exactly one factor must add up over days; got ` +
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
   * `"day"` divides the product, and the one factor that adds up over days, by the number of days of their periods,
   * because months have different lengths. `"period"` does not.
   *
   * @default {`"day"` for sums of months, quarters and years}
   */
  readonly per?: "day" | "period";
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
  const { keys, starts } = panel;
  const daily = dailyColumns(panel, { product, factors, per });
  const all = names.map((name) =>
    panelValues(panel, name, daily.includes(name) ? product : undefined)
  );
  refuseNoProduct(panel, { names, values: all });
  const [values, ...parts] = all as [Float64Array, ...Float64Array[]];
  const { status, unknown, partial, reasons } = entityChanges(panel, {
    values,
    levels: adds(frame, product) === "groups",
  });
  const why = [...reasons, "no value in one of the two periods", "not yet known"];
  const most = values.length * factors.length;
  const indices = () => new Uint32Array(most);
  const [entities, periods, factor, reason] = [indices(), indices(), indices(), indices()];
  const [change, isPartial] = [new Float64Array(most), new Uint8Array(most)];
  let count = 0;
  for (let at = 1; at < starts.length; at++) {
    for (let entity = 0; entity < keys.length; entity++) {
      const cell = entity * starts.length + at;
      const [was, is] = [values[cell - 1]!, values[cell]!];
      if (!(was > 0) && !(is > 0)) continue;
      const isKnown = reasons[at] === null && unknown[cell] === 0;
      const row = (word: number, part: number) => {
        entities[count] = entity;
        periods[count] = at;
        factor[count] = word;
        change[count] = isKnown ? part : NaN;
        isPartial[count] = partial[cell]!;
        const isGap = STATUS[status[cell]!] === "gap";
        reason[count] = isKnown || reasons[at] !== null ? at : starts.length + (isGap ? 0 : 1);
        count += 1;
      };
      if (unknown[cell] === 1) { for (const word of factors.keys()) row(word, NaN); }
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
  const table = panelTable(panel, {
    rows: { entities: entities.subarray(0, count), periods: periods.subarray(0, count) },
    columns: {
      factor: {
        kind: "id",
        cells: factor.subarray(0, count),
        words: [...factors, "enters", "leaves"],
      },
      change: { kind: "field", cells: change.subarray(0, count) },
      partial: { kind: "note", dtype: "flag", cells: isPartial.subarray(0, count) },
      per: { kind: "note", periods: daily.length > 0 ? "day" : "period" },
      reason: { kind: "note", cells: reason.subarray(0, count), words: why },
    },
    field: columnIn(frame, product),
  });
  return withProvenance(frame, table, { fn: `${fn} of ${product}`, options, first: ["change"] });
}
