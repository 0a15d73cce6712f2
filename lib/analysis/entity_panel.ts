import { string } from "../platform/check_options.ts";
import { utf8 } from "../table/build/columns.ts";
import { columnsOf, setColumns } from "../table/track/frame_columns.ts";
import { idsIn, nameColumn } from "../table/read/names.ts";
import { keyColumns, withPeriods } from "../table/read/periods.ts";
import { columnsPerDay, daysOf, type Per } from "../table/read/per_day.ts";
import { type DataFrame, pl } from "../table/build/polars.ts";
import { requireColumns } from "../table/read/require_columns.ts";
import { inGroups, numberOfColumn, refuseRepeats } from "./columns.ts";

/** The rules of the options that name the columns of a panel. */
export const PANEL_RULES = { entity: string, date: string };

/** The names of the columns of values, entities and dates, and of the calling function. */
interface PanelColumns {
  readonly fn: string;
  readonly fields: readonly string[];
  readonly entity?: string | undefined;
  readonly date?: string | undefined;
  /** The columns to divide by days, if the option `per` or the frame selects them. By default none. */
  readonly daily?: readonly string[];
  readonly per?: Per | undefined;
}

/** Returns the column of entities: the given column, else `data_id`, else the only column of ids, or of texts. */
export function entityColumn(
  frame: DataFrame,
  { fn, entity }: Pick<PanelColumns, "fn" | "entity">,
): string {
  if (entity !== undefined) return entity;
  if (frame.columns.includes("data_id")) return "data_id";
  const ids = frame.columns.filter((name) => /_id$/.test(name));
  const found = ids.length === 1 ? ids : keyColumns(frame);
  if (found.length === 1) return found[0]!;
  const got = found.length === 0 ? "the frame has no column of texts" : `got ${found.join(", ")}`;
  throw new RangeError(`${fn}: entity: must name the column of entities; ${got}`);
}

/**
 * Reads a frame as values of entities over time. `entity` is the name of the column of entities, and `count` is the
 * number of entities. `per` states whether the columns of `daily` are divided by the days of their periods.
 *
 * `rows` has one row per date and entity, sorted by date, then by first appearance of the entity. The columns are
 * `date`, the entity, the fields, and three columns of the period: its last day `(end)`, `(complete)`, and `(known)`,
 * which is true if this period and the period directly before it are complete.
 */
export function entityPanel(frame: DataFrame, columns: PanelColumns) {
  const { fn, fields, date = "date", daily = [], per } = columns;
  const source = "a frame of entities over time";
  requireColumns(frame, { fn, source, columns: [date] });
  const entity = entityColumn(frame, columns);
  requireColumns(frame, { fn, source, columns: [entity], numbers: fields });
  for (const name of [date, entity]) {
    const column = frame.getColumn(name);
    if (column.nullCount() === 0) continue;
    const row = column.toArray().findIndex((value) => value === null);
    throw new RangeError(`${fn}: ${name}: must not be null; got null in row ${row}`);
  }
  refuseRepeats(frame, [entity, date], { fn, then: "; keep one, or name another entity" });
  const framed = withPeriods(frame, { fn, date });
  const divided = columnsPerDay(framed, { fn, fields: daily, per, date });
  const values = framed.select(
    pl.col(date).cast(pl.Date).alias("date"),
    pl.col(entity).cast(pl.Utf8),
    ...fields.map((name) =>
      divided.includes(name) ? numberOfColumn(name).div(daysOf(framed, date)) : numberOfColumn(name)
    ),
    pl.col("until").cast(pl.Date).alias("(end)"),
    pl.col("complete").alias("(complete)"),
  );
  const day = (name: string) => pl.col(name).cast(pl.Int64);
  const adjacent = day("(end)").shift(1).plus(1).eq(day("date"));
  const both = pl.col("(complete)").and(pl.col("(complete)").shift(1));
  const dates = inGroups(values, ["date"], [
    pl.col("(end)").dropNulls().last(),
    pl.col("(complete)").min(),
  ]).sort("date").withColumn(pl.col("(end)").fillNull(pl.col("date")))
    .withColumn(both.and(adjacent).fillNull(pl.lit(false)).alias("(known)"));
  const entities = values.select(entity).unique({ maintainOrder: true });
  const rows = dates.join(entities, { how: "cross" }).withRowIndex("(row)")
    .join(values.drop("(end)", "(complete)"), { on: ["date", entity], how: "left" })
    .sort("(row)");
  return {
    entity,
    count: entities.height,
    rows,
    per: divided.length > 0 ? "day" as const : "period" as const,
  };
}

/** Adds the names of entities, if the frame from which the table was made has them, after the column of their ids. */
export function withNames(table: DataFrame, frame: DataFrame, entity: string): DataFrame {
  const name = nameColumn(idsIn(frame, entity) ?? entity);
  if (name === entity || !frame.columns.includes(name)) return table;
  const pairs = frame.select(pl.col(entity).cast(pl.Utf8), name)
    .filter(pl.col(name).isNotNull()).unique({ maintainOrder: true, keep: "first" }).rows();
  const names = new Map<unknown, unknown>(pairs.toReversed() as [unknown, unknown][]);
  const texts = table.getColumn(entity).toArray().map((id) => names.get(id) ?? null);
  const order = table.columns.flatMap((each) => each === entity ? [entity, name] : [each]);
  return setColumns(
    table.withColumns(utf8(name, texts as (string | null)[])).select(...order),
    columnsOf(table),
  );
}

/** Values of entities over time. */
export type EntityPanel = ReturnType<typeof entityPanel>;
