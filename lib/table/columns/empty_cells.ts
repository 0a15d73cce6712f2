/** Empty cells that any table may have. A cell takes 35 bytes. */
const MANY = 2_000_000;
/** Empty cells that no table may have. */
const MOST = 20_000_000;
/** Empty cells per value, in larger tables. */
const PER_VALUE = 500;

/** The size of a table before its columns are made, without columns that it has in any case. */
export interface TableSize {
  readonly rows: number;
  readonly columns: number;
  /** The values that the rows have in these columns. */
  readonly values: number;
}

/** Returns how many empty cells a table may have. */
function mostEmpty({ values }: TableSize): number {
  return Math.min(MOST, Math.max(MANY, PER_VALUE * values));
}

/** Called for each column that is made from names in the data. */
export type ColumnGuard = () => void;

/**
 * Returns a function that is called for each new column, and refuses a table of too many empty cells: a short text in
 * which each row has names of its own would fill the memory. The table is counted once, when this becomes possible.
 */
export function emptyCellGuard(
  rows: number,
  count: () => TableSize,
  refuse: (expected: string, got: string) => never,
): ColumnGuard {
  let columns = 0;
  let isChecked = false;
  return () => {
    columns++;
    if (isChecked || rows * columns <= MANY) return;
    isChecked = true;
    const size = count();
    const most = mostEmpty(size);
    if (size.rows * size.columns - size.values <= most) return;
    refuse(
      `at most ${most.toLocaleString("en-US")} empty cells`,
      `${size.rows} rows and ${size.columns} columns with ${size.values} values`,
    );
  };
}

/** Returns the guard of a table that is read from a file. It throws a `RangeError`. */
export function tableGuard(rows: number, count: () => TableSize): ColumnGuard {
  return emptyCellGuard(rows, count, (expected, got) => {
    throw new RangeError(`expected ${expected}; got ${got}`);
  });
}

/** Counts the columns and values of rows, without the columns of a schema. */
export function tableSize(
  rows: readonly Readonly<Record<string, unknown>>[],
  known: ReadonlySet<string> = new Set(),
): TableSize {
  const columns = new Set<string>();
  let values = 0;
  for (const row of rows) {
    for (const name of Object.keys(row)) {
      if (known.has(name)) continue;
      columns.add(name);
      values++;
    }
  }
  return { rows: rows.length, columns: columns.size, values };
}
