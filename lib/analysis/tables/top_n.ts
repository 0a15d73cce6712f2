import { checkOptions, integer, required } from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { adds, whyNotAdded } from "../../table/read/adds.ts";
import { float64 } from "../../table/build/columns.ts";
import { nameColumn } from "../../table/read/names.ts";
import { bySize, OTHER, sizeOfSeries } from "../../table/read/largest.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { numbersOf, requireColumns } from "../../table/read/require_columns.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  type Expr,
  firstRow,
  inGroups,
  numberOfColumn,
  refuseRepeats,
  sumOrNull,
} from "../columns.ts";
import { entityColumn, PANEL_RULES } from "../entity_panel.ts";
import { columnNames } from "../timeline_series.ts";

const RULES = {
  limit: required(integer(1)),
  by: columnNames,
  ...PANEL_RULES,
};

/** Returns the rank of the entity of each row within its group: 1 for the largest, or Infinity if it is left out. */
function ranksOf(rows: readonly Row[], limit: number): number[] {
  const ranks: number[] = Array.from({ length: rows.length }, () => Infinity);
  const groups = Map.groupBy(rows.keys(), (row) => rows[row]!.group);
  for (const own of groups.values()) {
    const entities = [...Map.groupBy(own, (row) => rows[row]!.entity).values()];
    const sorted = bySize(
      entities,
      (each) => sizeOfSeries(each.map((row) => rows[row]!).toSorted((a, b) => a.x - b.x)),
    );
    for (const [index, each] of sorted.slice(0, limit).entries()) {
      for (const row of each) ranks[row] = index + 1;
    }
  }
  return ranks;
}

/** What decides whether a row is kept. */
interface Row {
  readonly group: number;
  readonly entity: unknown;
  /** The date, or 0 without dates. */
  readonly x: number;
  readonly y: number | null;
  readonly complete: boolean;
}

function rowsOf(
  frame: DataFrame,
  { field, entity, date, by }: {
    readonly field: string;
    readonly entity: string;
    readonly date: string | undefined;
    readonly by: readonly string[];
  },
): Row[] {
  const has = (name: string) => frame.columns.includes(name);
  const read = frame.withRowIndex("(row)").select(
    firstRow(by).cast(pl.Float64).alias("(group)"),
    pl.col(entity).alias("(entity)"),
    (date === undefined ? pl.lit(0) : pl.col(date).cast(pl.Int64)).cast(pl.Float64).alias("(x)"),
    numberOfColumn(field).alias("(y)"),
    (has("complete") ? pl.col("complete").fillNull(pl.lit(false)) : pl.lit(true))
      .alias("(complete)"),
  );
  return read.rows().map(([group, entity, x, y, complete]) => ({
    ...{ group: group as number, entity, x: x as number },
    ...{ y: Number.isFinite(y) ? y as number : null, complete: complete as boolean },
  }));
}

/**
 * Keeps the entities with the largest values, and combines all others into one row.
 *
 * Keeps the columns of the frame. Entities are compared by their value in the last complete period that has a value. A
 * frame without dates is sorted by value; a frame with dates is sorted by date, then by value. The entities that are
 * left out have one row for each date and group, after the kept entities: the id is `(other)`, the name is `Other`, the
 * value is the sum of their values, and all other columns are null. The sum is null if all values are null. It is also
 * null, and a notice is shown, if the values of `field` do not add up over entities, such as users, changes and ratios.
 *
 * @example The five chains with the highest fees, month by month, and the others
 * ```ts
 * import { plotTimeline, timeline, topN } from "@chainframe/chainframe";
 *
 * const fees = await timeline({ metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026-01" });
 * const top = topN(fees, { field: "fees_sum", limit: 5 });
 * console.log(plotTimeline(top, { field: "fees_sum" }));
 * ```
 *
 * @param frame any frame with one row per entity, or per entity and date
 * @throws {RangeError} when columns are missing, an entity has two rows with the same date and group, or an option is out
 * of range.
 * @throws {TypeError} when `field` is not a column of numbers.
 * @category Analysis
 */
export function topN(frame: DataFrame, options: {
  /** The column of values. */
  readonly field: string;
  /** The number of entities to keep, without the row of the others. */
  readonly limit: number;
  /**
   * The column of the entities.
   *
   * @default {`data_id`, else the only column whose name ends in `_id`, else the only column of texts}
   */
  readonly entity?: string;
  /**
   * The columns of groups. The largest entities of each group are kept; `"date"` keeps those of each date.
   *
   * @default {none: one group}
   */
  readonly by?: string | readonly string[];
  /**
   * The column of dates.
   *
   * @default {"date", if the frame has this column}
   */
  readonly date?: string;
}): Frame {
  const fn = "topN";
  const rules = { field: numbersOf(frame), ...RULES };
  const { field, limit, by = [], ...given } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame of entities", numbers: [field] });
  requireColumns(frame, { fn: `${fn}: by`, source: "columns of the frame", columns: by });
  const entity = entityColumn(frame, { fn, entity: given.entity });
  const date = given.date ?? (frame.columns.includes("date") ? "date" : undefined);
  const keys = [...new Set([...date === undefined ? [] : [date], ...by])];
  requireColumns(frame, { fn, source: "a frame of entities", columns: [entity, ...keys] });
  refuseRepeats(frame, [entity, ...keys], { fn, then: "; keep one, or name another entity" });
  const rows = rowsOf(frame, { field, entity, date, by });
  const ranks = ranksOf(rows, limit);
  const isOther = ranks.includes(Infinity);
  const overGroups = ["both", "groups"].includes(adds(frame, field) ?? "");
  if (isOther && !overGroups) {
    const why = whyNotAdded(frame, field) ?? "it is not known whether it adds up over entities";
    notify(`chainframe: topN: ${field} of the others is null: ${why}`);
  }
  const made = frame.withColumns(
    float64("(group)", rows.map(({ group }) => group)),
    float64("(rank)", ranks),
  );
  const shared = by.map(nameColumn);
  const isName = (name: string) =>
    name === nameColumn(entity) || (entity === "data_id" && name.endsWith("_name"));
  const valueOf = (name: string): Expr => {
    if (name === entity) return pl.lit(OTHER.id);
    if (shared.includes(name)) return pl.col(name).first();
    if (isName(name)) return pl.lit(OTHER.name);
    if (name === field && overGroups) return sumOrNull(pl.col(name));
    if (name === "until") return pl.col(name).max();
    return name === "complete" ? pl.col(name).min() : pl.lit(null);
  };
  const dtypes = made.dtypes;
  const others = inGroups(
    made.filter(pl.col("(rank)").eq(Infinity)),
    [...keys, "(group)"],
    frame.columns.filter((name) => !keys.includes(name)).map((name) =>
      valueOf(name).cast(dtypes[made.columns.indexOf(name)]!).alias(name)
    ),
  ).withColumns(pl.lit(Infinity).alias("(rank)"));
  const both = pl.concat([
    made.filter(pl.col("(rank)").lt(Infinity)),
    others.select(...made.columns),
  ]);
  const sorted = both.sort({
    by: [...date === undefined ? [] : [date], "(group)", "(rank)"],
    maintainOrder: true,
  });
  return withProvenance(frame, sorted.select(...frame.columns), {
    fn,
    options,
    first: [field],
  });
}
