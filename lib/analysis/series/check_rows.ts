import {
  cannotBeNegative,
  NESTED,
  type Relation,
  RELATIONS,
  type Severity,
  SHARES,
} from "../../schema/check_rules.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { rowGroups } from "../../table/read/panel.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { PART_WINDOW, partWindows } from "../../table/read/part_windows.ts";

/** A value that a rule does not allow. The row is -1 if the finding concerns the whole frame. */
export type Finding = readonly [
  row: number,
  field: string,
  rule: string,
  value: number | null,
  expected: string,
  severity: Severity,
];

/** The numbers of columns, by name. NaN means null. */
export type Numbers = ReadonlyMap<string, Float64Array>;

/**
 * Compares the values of a column with another value of their row: at most as large, or equal. NaN is not compared.
 * Differences that are small beside `size` are rounding errors.
 */
function* compared(
  [field, values]: readonly [string, Float64Array],
  { rule, severity, tolerance, isEqual = false }: Omit<Relation, "field" | "other"> & {
    readonly isEqual?: boolean;
  },
  rightAt: (row: number) => readonly [right: number, size: number],
): Generator<Finding> {
  for (let row = 0; row < values.length; row++) {
    const [value, [right, size]] = [values[row]!, rightAt(row)];
    const most = tolerance * Math.abs(size) + 1e-9;
    if (!(value - right > most || isEqual && right - value > most)) continue;
    const expected = `${isEqual ? "" : "at most "}${Number(right.toPrecision(6))}`;
    yield [row, field, rule, value, expected, severity];
  }
}

/** Sums and counts over longer windows are not smaller. */
function* nested(numbers: Numbers): Generator<Finding> {
  const rule = { rule: "not above a longer window", severity: "broken", tolerance: 1e-9 } as const;
  const windows = [...numbers].flatMap((column) => {
    const [, base, window = "", rest] = NESTED.exec(column[0]) ?? [];
    const days = parseInt(window) || Infinity;
    return base === undefined ? [] : [{ column, days, key: `${base} ${rest}` }];
  }).toSorted((a, b) => a.days - b.days);
  for (const columns of Map.groupBy(windows, ({ key }) => key).values()) {
    for (const [at, { column }] of columns.entries()) {
      const longer = columns.slice(at + 1).map(({ column }) => column[1]);
      yield* compared(column, rule, (row) => {
        const right = longer.find((values) => !Number.isNaN(values[row]!))?.[row] ?? NaN;
        return [right, right];
      });
    }
  }
}

function* related(numbers: Numbers, relation: Relation): Generator<Finding> {
  const { field, other, minus, per } = relation;
  for (const column of numbers) {
    const rest = field.exec(column[0])?.[1];
    if (rest === undefined) continue;
    const [first, second] = [other, minus ?? per].map((name) =>
      name && numbers.get(name.replace("*", rest))
    );
    const isEqual = (minus ?? per) !== undefined;
    if (!first || isEqual && !second) continue;
    yield* compared(column, { ...relation, isEqual }, (row) => {
      const [one, two] = [first[row]!, second ? second[row]! : 0];
      return per ? [one / (two || NaN), one / two] : [one - two, one];
    });
  }
}

/** The rows of a frame have different ids. */
function* uniqueIn(frame: DataFrame, keys: readonly string[]): Generator<Finding> {
  if (keys.length === 0) return;
  // Different hashes have different ids. This is much faster than a search for the repeated rows.
  const hashes = pl.struct(keys.map((name) => pl.col(name))).hash().alias("(hash)");
  if (frame.select(hashes).getColumn("(hash)").nUnique() === frame.height) return;
  const { numbers, first } = rowGroups(frame, keys);
  for (let row = 0; row < frame.height; row++) {
    const same = first[numbers[row]!]!;
    const expected = `not the ids of row ${same}`;
    if (same !== row) yield [row, keys.at(-1)!, "ids are unique", null, expected, "broken"];
  }
}

const PART = { rule: "a part of the whole", severity: "broken", tolerance: 1e-9 } as const;

/** Numbers are finite, shares are from 0 to 1, and other numbers that cannot be negative are not. */
function* possibleIn(frame: DataFrame, numbers: Numbers): Generator<Finding> {
  for (const [field, values] of numbers) {
    const column = columnIn(frame, field);
    const isShare = column?.unit === "fraction" && /share/.test(field);
    if (isShare) yield* compared([field, values], PART, () => [1, 1]);
    const isPositive = isShare || cannotBeNegative(column, field);
    // A frame can have a hundred columns: an expression of polars for each takes longer than all other rules.
    const nulls = values.every(isFinite) ? [] : frame.getColumn(field).isNull().toArray();
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!;
      if (!isFinite(value) && !nulls[row]) {
        yield [row, field, "a finite number", value, "a finite number", "broken"];
      } else if (isPositive && value < 0) {
        yield [row, field, "not negative", value, "0 or more", "broken"];
      }
    }
  }
}

/** The shares of gas of the contracts of a chain add to at most 1. */
function* sharesIn(frame: DataFrame, numbers: Numbers): Generator<Finding> {
  const [field, by] = SHARES;
  const values = numbers.get(field);
  if (values === undefined || !frame.columns.includes(by)) return;
  const { numbers: groups, first } = rowGroups(frame, [by]);
  const sums = new Float64Array(first.length);
  values.forEach((value, row) => sums[groups[row]!]! += value || 0);
  for (const [group, value] of sums.entries()) {
    const rule = `shares of a ${by} add to at most 1`;
    if (value > 1 + 1e-6) yield [first[group]!, field, rule, value, "at most 1", "look"];
  }
}

/** In month 0, all users are active: 1, 100 or the size of the cohort, in the unit that most cohorts have. */
function* wholeIn(numbers: Numbers): Generator<Finding> {
  const [first, sizes] = [numbers.get("month_0"), numbers.get("initial_cohort_size")];
  if (first === undefined || sizes === undefined) return;
  const wholes = [() => 1, () => 100, (row: number) => sizes[row]!];
  const alike = wholes.map((whole) => first.filter((value, row) => value === whole(row)).length);
  const whole = wholes[alike.indexOf(Math.max(...alike))]!;
  const rule = { rule: "month 0 is whole", severity: "broken", tolerance: 1e-9 } as const;
  yield* compared(["month_0", first], { ...rule, isEqual: true }, (row) => {
    const right = sizes[row] === 0 ? NaN : whole(row);
    return [right, right];
  });
}

/** Yields the findings within the rows of a frame, and in their ids. */
export function* checkRows(
  frame: DataFrame,
  { numbers, keys }: { readonly numbers: Numbers; readonly keys: readonly string[] },
): Generator<Finding> {
  yield* uniqueIn(frame, keys);
  yield* possibleIn(frame, numbers);
  yield* nested(numbers);
  yield* sharesIn(frame, numbers);
  yield* wholeIn(numbers);
  for (const relation of RELATIONS) yield* related(numbers, relation);
  for (const { row, field, value } of partWindows(frame)) {
    yield [row, field, PART_WINDOW, value, "a full window", "look"];
  }
}
