import type { DataFrame } from "../../table/polars.ts";
import type { Asker } from "./check_columns.ts";

/**
 * The numbers of a column; null where one is null, NaN or infinite, because none of them has a place on an
 * axis.
 *
 * @throws {RangeError} when the column holds something else than numbers.
 */
export function numberValues(frame: DataFrame, column: string, asker: Asker): (number | null)[] {
  return [...frame.getColumn(column)].map((value: unknown) => {
    if (value === null || value === undefined) return null;
    if (typeof value !== "number" && typeof value !== "bigint") {
      throw new RangeError(
        `${asker.name}: the column ${column} must hold numbers, it holds ${typeof value}: ${value}`,
      );
    }
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  });
}
