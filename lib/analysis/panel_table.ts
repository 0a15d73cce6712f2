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

type Numbers = Float64Array | Uint8Array | Uint32Array;

/** A column of a table: its unit or role, and its values. NaN means null. */
type Values =
  & { readonly kind: ColumnKind; readonly dtype?: keyof typeof CASTS }
  & (
    | {
      /** A number or a text for each period, or the text of all periods. */
      readonly periods: Numbers | readonly (string | null)[] | string;
    }
    | {
      /** A number for each row, or the index of one of the words. Without `rows`: for each cell of the panel. */
      readonly cells: Numbers;
      readonly words?: readonly (string | null)[];
    }
  );

const CASTS = { number: pl.Float64, flag: pl.Bool, whole: pl.Int64 };

/** Returns the values of a column at some indices. The frame must not be tracked: a tracked step copies its arguments. */
function gathered(frame: DataFrame, indices: Numbers): DataFrame {
  // polars accepts these values here, but its types do not.
  const at = pl.Series("(at)", Uint32Array.from(indices) as unknown as number[], pl.UInt32);
  return frame.select(pl.all().gather(at as unknown as Expr));
}

/** Returns values by cell in the order of rows: by period, then by entity. */
function byPeriod(values: Numbers, periods: number) {
  const sorted = values.slice();
  const count = values.length / periods;
  for (let entity = 0; entity < count; entity++) {
    const start = entity * periods;
    for (let at = 0; at < periods; at++) sorted[at * count + entity] = values[start + at]!;
  }
  return sorted;
}

function numbersOf(name: string, numbers: ArrayLike<number>, dtype: keyof typeof CASTS = "number") {
  const column = numberColumn(name, Float64Array.from(numbers));
  return pl.DataFrame([column]).select(pl.col(name).fillNan(pl.lit(null)).cast(CASTS[dtype]));
}

/**
 * Makes a table of the entities and periods of a panel: the date, the columns of the entity and of its label, and the
 * given columns. Without `rows`, the table has all entities of each period, in order of periods; else the entities and
 * periods whose indices `rows` has.
 */
export function panelTable(
  { ids, starts, date, frame }: Panel,
  { columns, rows, field }: {
    readonly columns: Readonly<Record<string, Values>>;
    readonly rows?: { readonly entities: Uint32Array; readonly periods: Uint32Array };
    /** The description of the column for the unit `field`. */
    readonly field?: Column | undefined;
  },
): DataFrame {
  const ofPeriods = [
    numbersOf(date, starts).select(pl.col(date).cast(pl.Int32).cast(pl.Date)),
  ];
  const ofRows: DataFrame[] = [];
  const same: Expr[] = [];
  for (const [name, column] of Object.entries(columns)) {
    if ("cells" in column) {
      const { cells, words, dtype } = column;
      const values = rows === undefined ? byPeriod(cells, starts.length) : cells;
      ofRows.push(
        words === undefined
          ? numbersOf(name, values, dtype)
          : gathered(pl.DataFrame([utf8(name, words)]), values),
      );
    } else {
      const { periods, dtype } = column;
      if (typeof periods === "string") same.push(pl.lit(periods).alias(name));
      else {
        ofPeriods.push(
          ArrayBuffer.isView(periods)
            ? numbersOf(name, periods, dtype)
            : pl.DataFrame([utf8(name, periods)]),
        );
      }
    }
  }
  const [periods, entities] = [
    pl.concat(ofPeriods, { how: "horizontal" }),
    ids.select(pl.all().cast(pl.Utf8)),
  ];
  const keyed = rows === undefined
    ? [periods.join(entities, { how: "cross" })]
    : [gathered(periods, rows.periods), gathered(entities, rows.entities)];
  const names = Object.keys(columns);
  const described = computedColumns(
    [["time", date], ...names.map((name) => [columns[name]!.kind, name] as const)],
    field,
  );
  const known = [...columnsOf(frame)].filter(([name]) => ids.columns.includes(name));
  return setColumns(
    pl.concat([...keyed, ...ofRows], { how: "horizontal" }).withColumns(...same)
      .select(date, ...ids.columns, ...names),
    new Map([...known, ...described]),
  );
}
