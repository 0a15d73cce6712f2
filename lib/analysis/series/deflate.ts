import { checkOptions, listOf, required, string } from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { dayOf } from "../../schema/period.ts";
import { float64 } from "../../table/build/columns.ts";
import { withPeriods } from "../../table/read/periods.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { aFrame, requireColumns } from "../../table/read/require_columns.ts";
import { columnIn, titleIn } from "../../table/track/frame_columns.ts";
import { withProvenance } from "../../table/show/show.ts";
import { numberOfColumn, numbersIn, refuseRepeats, refuseTaken, refuseWhere } from "../columns.ts";
import { meanOf } from "../sums.ts";

const RULES = {
  field: required(string),
  prices: required(aFrame),
  price: required(string),
  on: listOf(string),
};

/** Returns, for each row, its first and last day, and the text of the other columns that identify its price. */
function placesIn(frame: DataFrame, ids: readonly string[], fn: string) {
  const day = (date: Date | null) => date === null ? NaN : dayOf(date);
  return withPeriods(frame, { fn }).select("date", "until", ...ids).rows()
    .map(([start, until, ...key]) => ({
      start: day(start),
      end: day(until),
      key: JSON.stringify(key),
    }));
}

/**
 * Adds the values of a column at constant prices, so that a change of token prices is not taken for growth.
 *
 * Keeps the columns of the frame, and adds one:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `<field>_real` | Float64 | `value / price * p`, where p is the price of the first period with a price: the value at the prices of that period; null if the value or the price is null |
 *
 * `prices` has one price for each combination of the columns `on`. With `on: ["date"]`, one price index is used for all
 * entities. With an id, such as `on: ["date", "chain_id"]`, each entity has prices of its own. If the frame has periods
 * (columns `date` and `until`), the price of a period is the mean of the prices from `date` to `until` that are known. A
 * notice says so if a mean has several prices: it is better to deflate days and to add them up, because days with many
 * fees can have unusual prices.
 *
 * @example Fees without the effect of the price of a token
 * ```ts
 * import { deflate, pl, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "chains",
 *   every: "month",
 *   from: "2025-01",
 *   to: "2025-03",
 * });
 * const prices = pl.DataFrame({
 *   date: ["2025-01-01", "2025-02-01", "2025-03-01"].map((day) => new Date(day)),
 *   price: [3000, 2500, 2000],
 * }).withColumn(pl.col("date").cast(pl.Date));
 * const real = deflate(fees, { field: "fees_sum", prices, price: "price" });
 * console.log(real.select("date", "data_id", "fees_sum", "fees_sum_real").toString());
 * ```
 *
 * @param frame any frame with the columns `on`, such as one of `timeline`
 * @throws {RangeError} when columns are missing or already exist, a price is not above 0, or two prices have the same
 * columns `on`.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function deflate(frame: DataFrame, options: {
  /** The column of values in the currency of the prices. */
  readonly field: string;
  /** The frame of prices. */
  readonly prices: DataFrame;
  /** The column of prices in this frame. */
  readonly price: string;
  /**
   * The columns that both frames have, and by which each row finds its price: `"date"`, or `"date"` and an id.
   *
   * @default {["date"]}
   */
  readonly on?: readonly string[];
}): Frame {
  const fn = "deflate";
  const { field, prices, price, on = ["date"] } = checkOptions(options, RULES, fn);
  const name = `${field}_real`;
  if (!on.includes("date")) throw new RangeError(`${fn}: on: must include date; got ${on}`);
  const required = { fn, columns: on } as const;
  requireColumns(frame, { ...required, source: "a frame with dates", numbers: [field] });
  requireColumns(prices, { ...required, source: "prices", numbers: [price] });
  refuseTaken(frame, [name], fn);
  refuseRepeats(prices, on, { fn, then: "; keep one price" });
  refuseWhere(prices, numberOfColumn(price).ltEq(0), {
    message: `${fn}: prices must be above 0; got`,
    shown: [...on, price],
  });
  const ids = on.filter((column) => column !== "date");
  const values = numbersIn(prices, [price])[price]!;
  const known = new Map(
    placesIn(prices, ids, fn).map(({ key, start }, row) => [`${start} ${key}`, values[row]!]),
  );
  let several = false;
  const rows = placesIn(frame, ids, fn).map(({ start, end, key }) => {
    const days = Array.from(
      { length: end - start + 1 },
      (_, at) => known.get(`${start + at} ${key}`),
    );
    const found = days.filter((each) => each! > 0) as number[];
    several ||= found.length > 1;
    return { start, key, price: meanOf(found) };
  });
  if (several) {
    notify(
      `${fn}: ${price} is averaged over each period; it is better to deflate days and add them up`,
    );
  }
  const bases = new Map(
    rows.filter((row) => row.price > 0).sort((a, b) => b.start - a.start)
      .map((row) => [row.key, row.price]),
  );
  const nominal = numbersIn(frame, [field])[field]!;
  const real = rows.map((row, at) => nominal[at]! / row.price * (bases.get(row.key) ?? NaN));
  const nominalColumn = columnIn(frame, field);
  const title = `${titleIn(frame, field)}, constant prices`;
  return withProvenance([frame, prices], frame.withColumn(float64(name, real)), {
    fn,
    first: [name, field],
    columns: new Map([[name, nominalColumn && { ...nominalColumn, title, from: "" }]]),
  });
}
