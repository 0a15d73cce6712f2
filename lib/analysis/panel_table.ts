import type { Column } from "../schema/dictionary.ts";
import type { Panel } from "../table/read/panel.ts";
import { utf8 } from "../table/columns/cell_values.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import {
  type ColumnKind,
  columnsOf,
  computedColumns,
  setColumns,
} from "../table/track/descriptions.ts";
import { type Expr, numberColumn, refuseShared } from "./columnar.ts";

type Numbers = Float64Array | Uint8Array | Uint32Array;

/** A column of a table: its unit or role, and its values. NaN means null. */
interface Values {
  readonly kind: ColumnKind;
  readonly dtype?: keyof typeof CASTS;
  /** The values by cell of the panel, by period or by row. */
  readonly cells?: Numbers;
  readonly periods?: Numbers;
  readonly rows?: Numbers;
  /** The texts of periods. For values by cell or row: the texts whose indices the values are. */
  readonly words?: readonly (string | null)[];
  /** The text of all rows. */
  readonly text?: string;
}

const CASTS = { number: pl.Float64, flag: pl.Bool, whole: pl.Int64 };

/** Returns the values of columns at some indices. The frame must not be tracked: a tracked step copies its arguments. */
function gathered(frame: DataFrame, indices: Numbers): DataFrame {
  // polars accepts these values here, but its types do not.
  const at = pl.Series("(at)", new Uint32Array(indices) as unknown as number[], pl.UInt32);
  return frame.select(pl.all().gather(at as unknown as Expr));
}

/** Returns the values at some indices. */
function taken<Kind extends Numbers>(values: Kind, indices: Uint32Array): Kind {
  const made = new (values.constructor as { new (length: number): Kind })(indices.length);
  for (let row = 0; row < made.length; row++) made[row] = values[indices[row]!]!;
  return made;
}

type NumberColumn = readonly [name: string, numbers: Numbers, dtype: keyof typeof CASTS];

/** Makes columns from arrays of numbers, in one step of polars. */
function numbersOf(columns: readonly NumberColumn[]) {
  const made = columns.map(([name, numbers]) => numberColumn(name, new Float64Array(numbers)));
  return pl.DataFrame(made).select(
    ...columns.map(([name, , dtype]) => pl.col(name).fillNan(pl.lit(null)).cast(CASTS[dtype])),
  );
}

/**
 * Makes a table of the entities and periods of a panel: the date, the columns of the entity and of its label, and the
 * given columns. Without `rows`, the table has all entities of each period, in order of periods; else the given cells.
 */
export function panelTable(
  { fn, ids, starts, date, frame }: Panel,
  { columns, rows, field }: {
    readonly columns: Readonly<Record<string, Values>>;
    readonly rows?: Uint32Array;
    /** The description of the column for the unit `field`. */
    readonly field?: Column | undefined;
  },
): DataFrame {
  const names = Object.keys(columns);
  refuseShared([date, ...ids.columns], names, fn);
  const [count, periods] = [ids.height, starts.length];
  const cells = rows ??
    new Uint32Array(count * periods).map((_, row) =>
      row % count * periods + Math.floor(row / count)
    );
  const [ofPeriods, ofRows, texts]: [DataFrame[], DataFrame[], Expr[]] = [[], [], []];
  const periodNumbers: NumberColumn[] = [[date, starts, "number"]];
  const rowNumbers: NumberColumn[] = [];
  for (const [name, { dtype = "number", words, text, ...by }] of Object.entries(columns)) {
    const numbers = by.cells ? taken(by.cells, cells) : by.rows;
    if (text !== undefined) texts.push(pl.lit(text).alias(name));
    else if (words) {
      const frame = pl.DataFrame([utf8(name, words)]);
      if (numbers === undefined) ofPeriods.push(frame);
      else ofRows.push(gathered(frame, numbers));
    } else if (numbers) rowNumbers.push([name, numbers, dtype]);
    else periodNumbers.push([name, by.periods!, dtype]);
  }
  const horizontal = (parts: DataFrame[]) => pl.concat(parts, { how: "horizontal" });
  const dates = horizontal([numbersOf(periodNumbers), ...ofPeriods])
    .withColumn(pl.col(date).cast(pl.Int32).cast(pl.Date));
  const entities = ids.select(pl.all().cast(pl.Utf8));
  const keyed = rows === undefined ? [dates.join(entities, { how: "cross" })] : [
    gathered(dates, rows.map((cell) => cell % periods)),
    gathered(entities, rows.map((cell) => Math.floor(cell / periods))),
  ];
  const made = horizontal([
    ...keyed,
    numbersOf(rowNumbers),
    ...ofRows,
  ]).withColumns(...texts);
  const described = computedColumns(
    [["time", date], ...names.map((name) => [columns[name]!.kind, name] as const)],
    field,
  );
  const known = [...columnsOf(frame)].filter(([name]) => ids.columns.includes(name));
  return setColumns(
    made.select(date, ...ids.columns, ...names),
    new Map([...known, ...described]),
  );
}
