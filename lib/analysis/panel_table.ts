import type { Column } from "../schema/dictionary.ts";
import type { Panel } from "../table/read/panel.ts";
import { utf8 } from "../table/build/cell_values.ts";
import { type DataFrame, pl } from "../table/build/polars.ts";
import {
  type ColumnKind,
  columnsOf,
  computedColumns,
  setColumns,
} from "../table/track/descriptions.ts";
import { type Expr, numberColumn } from "./columnar.ts";

/** The values of a column, one for each row: numbers, flags, or the indices of words. NaN means null. */
interface Values {
  readonly kind: ColumnKind;
  readonly dtype?: "number" | "flag" | "whole";
  readonly numbers: ArrayLike<number>;
  /** The texts that the numbers are the indices of. */
  readonly words?: readonly (string | null)[];
}

/** Returns the values of a column at some indices. */
function gathered(frame: DataFrame, indices: ArrayLike<number>): DataFrame {
  const at = numberColumn("(at)", new Float64Array(indices)).cast(pl.Int64);
  // polars accepts a series here, but its types do not.
  return frame.select(pl.all().gather(at as unknown as Expr));
}

const CASTS = { number: pl.Float64, flag: pl.Bool, whole: pl.Int64 };

/**
 * Makes a table of the entities and periods of a panel: the date, the columns of the entity and of its label, and the
 * given columns. `entities` and `periods` have the indices of each row.
 */
export function panelTable(
  panel: Panel,
  { entities, periods }: { readonly entities: Uint32Array; readonly periods: Uint32Array },
  { columns, field }: {
    readonly columns: Readonly<Record<string, Values>>;
    /** The description of the column for the unit `field`. */
    readonly field?: Column | undefined;
  },
): DataFrame {
  const { rows, entity, label, first, starts, date } = panel;
  const named = [...entity, ...label === null ? [] : [label]];
  const ids = gathered(rows.select(...named.map((name) => pl.col(name).cast(pl.Utf8))), first);
  const firstDays = new Float64Array(periods.length);
  for (let row = 0; row < periods.length; row++) firstDays[row] = starts[periods[row]!]!;
  const days = numberColumn(date, firstDays);
  const made = Object.entries(columns).map(([name, { numbers, words, dtype = "number" }]) => {
    if (words !== undefined) {
      const texts = pl.DataFrame([utf8(name, words)]);
      return gathered(texts, numbers).getColumn(name);
    }
    const column = numberColumn(name, new Float64Array(numbers));
    return pl.DataFrame([column]).select(
      pl.col(name).fillNan(pl.lit(null)).cast(CASTS[dtype]),
    ).getColumn(name);
  });
  const described = computedColumns(
    [["time", date], ...Object.entries(columns).map(([name, { kind }]) => [kind, name] as const)],
    field,
  );
  const known = [...columnsOf(rows)].filter(([name]) => named.includes(name));
  return setColumns(
    pl.concat([
      pl.DataFrame([days]).select(pl.col(date).cast(pl.Int32).cast(pl.Date)),
      gathered(ids, entities),
      ...made.length === 0 ? [] : [pl.DataFrame(made)],
    ], { how: "horizontal" }),
    new Map([...known, ...described]),
  );
}

/** Returns the indices of the rows of a table with all entities of each period, in order of periods. */
export function allCells({ keys, starts }: Panel) {
  const [count, rows] = [keys.length, keys.length * starts.length];
  const [entities, periods] = [new Uint32Array(rows), new Uint32Array(rows)];
  for (let row = 0; row < rows; row++) {
    entities[row] = row % count;
    periods[row] = Math.floor(row / count);
  }
  const valuesAt = (values: ArrayLike<number>, cellOf: (row: number) => number) => {
    const found = new Float64Array(rows);
    for (let row = 0; row < rows; row++) found[row] = values[cellOf(row)]!;
    return found;
  };
  return {
    entities,
    periods,
    /** Returns the values of the cells in the order of the rows. */
    inRows: (values: ArrayLike<number>) =>
      valuesAt(values, (row) => entities[row]! * starts.length + periods[row]!),
    /** Returns the value of the period of each row. */
    ofPeriods: (values: ArrayLike<number>) => valuesAt(values, (row) => periods[row]!),
  };
}
