import { isObject, type Rule } from "../../platform/check_options.ts";
import { shown } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { aDay } from "../../table/read/day_rule.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { refuseRepeats } from "../columnar.ts";

/** The days on which entities begin, by id. Null means never. */
export type Starts = ReadonlyMap<string, number | null>;

/**
 * Values by id, as an object or as a frame.
 *
 * @category Analysis
 */
export type ById<Value> = Readonly<Record<string, Value>> | DataFrame;

/**
 * Returns the ids and the values of a table. In a frame, ids are in the column of entities, else in the only column whose
 * name ends in `_id`: `data_id` of a frame of metrics is often `project_id` in one's own table.
 */
export function valuesById(
  given: ById<unknown>,
  { fn, entity, column }: {
    readonly fn: string;
    readonly entity: string;
    /** The column of values; by default the only column besides the ids, or the next one that ends in `_id`. */
    readonly column?: string;
  },
): [string, unknown][] {
  if (!pl.DataFrame.isDataFrame(given)) return Object.entries(given);
  const ids = given.columns.filter((name) => /_id$/.test(name));
  const key = given.columns.includes(entity) ? entity : ids[0] ?? given.columns[0] ?? entity;
  const others = given.columns.filter((name) => name !== key);
  const value = column ??
    (others.length === 1 ? others[0]! : others.find((name) => ids.includes(name)) ?? "stratum");
  requireColumns(given, { fn, source: "a frame of ids", columns: [key, value] });
  refuseRepeats(given, [key], { fn, then: "; keep one" });
  return (given.select(key, value).rows() as [unknown, unknown][])
    .map(([id, each]) => [String(id), each]);
}

/** Accepts days by id, as an object or as a frame. Returns a function that reads them with the column of ids. */
export const startsRule: Rule<(fn: string, entity: string) => Starts> = (value, refuse) => {
  if (!isObject(value)) {
    return refuse(`must be days by id, such as { tidewater: "2025-10" }, or a frame`);
  }
  return (fn, entity) => {
    const about = { fn: `${fn}: starts`, entity, column: "start" };
    return new Map(
      valuesById(value as ById<unknown>, about).map(([id, start]) => {
        const fail = (rule: string): never => {
          throw new RangeError(`${fn}: starts: ${id}: ${rule}; got ${shown(start)}`);
        };
        return [id, start === null ? null : aDay(start, fail)];
      }),
    );
  };
};
