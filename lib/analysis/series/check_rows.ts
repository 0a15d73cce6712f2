import {
  cannotBeNegative,
  NESTED,
  NESTED_WINDOWS,
  type Relation,
  RELATIONS,
  type Severity,
  SHARES,
} from "../../schema/check_rules.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
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

function rounded(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Sums and counts over longer windows are not smaller. */
function* nested(numbers: Numbers): Generator<Finding> {
  const named = [...numbers].flatMap(([field, values]) => {
    const [, base, window = "", rest] = NESTED.exec(field) ?? [];
    return base === undefined ? [] : [{ field, values, window, key: `${base} ${rest}` }];
  }).toSorted((a, b) => NESTED_WINDOWS.indexOf(a.window) - NESTED_WINDOWS.indexOf(b.window));
  for (const columns of Map.groupBy(named, ({ key }) => key).values()) {
    if (columns.length < 2) continue;
    for (let row = 0; row < columns[0]!.values.length; row++) {
      let shorter: typeof named[number] | undefined;
      for (const column of columns) {
        const most = column.values[row]!;
        if (Number.isNaN(most)) continue;
        const value = shorter?.values[row] ?? -Infinity;
        if (value > most + 1e-9 * Math.max(1, Math.abs(most))) {
          const span = column.window === "max" ? "all days" : `${parseInt(column.window)} days`;
          const rule = `not above ${span}`;
          yield [row, shorter!.field, rule, value, `at most ${rounded(most)}`, "broken"];
        }
        shorter = column;
      }
    }
  }
}

function* related(numbers: Numbers, relation: Relation): Generator<Finding> {
  const { rule, severity, field: pattern, other, minus, per, tolerance } = relation;
  for (const [field, values] of numbers) {
    const rest = pattern.exec(field)?.[1];
    if (rest === undefined) continue;
    const column = (name: string | undefined) => name && numbers.get(name.replace("*", rest));
    const isEqual = (minus ?? per) !== undefined;
    const [first, second] = [column(other), column(minus ?? per)];
    if (!first || isEqual && !second) continue;
    for (const [row, value] of values.entries()) {
      const [one, two] = [first[row]!, second ? second[row]! : 0];
      if (Number.isNaN(value + one + two) || per && two === 0) continue;
      const right = per ? one / two : one - two;
      const most = tolerance * Math.max(Math.abs(right), per ? 0 : Math.abs(one)) + 1e-9;
      const above = value - right;
      if (Math.abs(above) <= most || !isEqual && above < 0) continue;
      const expected = `${isEqual ? "" : "at most "}${rounded(right)}`;
      yield [row, field, rule, value, expected, severity];
    }
  }
}

/** Shares are from 0 to 1, and those of a group add to at most 1. */
function* sharesIn(frame: DataFrame, numbers: Numbers): Generator<Finding> {
  const { field, by } = SHARES;
  const values = numbers.get(field);
  if (values === undefined || !frame.columns.includes(by)) return;
  for (const [row, value] of values.entries()) {
    const isFraction = !(value < 0 || value > 1 + 1e-9);
    if (!isFraction) yield [row, field, "a fraction", value, "0 to 1", "broken"];
  }
  const { numbers: groups, first } = rowGroups(frame, [by]);
  const sums = new Float64Array(first.length);
  values.forEach((value, row) => sums[groups[row]!]! += value || 0);
  for (const [group, value] of sums.entries()) {
    const rule = `shares of a ${by} add to at most 1`;
    if (value > 1 + 1e-6) yield [first[group]!, field, rule, value, "at most 1", "look"];
  }
}

/** In month 0, all users are active. Later months have a part of them, and no month is missing between two others. */
function* cohortsIn(numbers: Numbers): Generator<Finding> {
  const months = [...numbers].filter(([name]) => /^month_\d+$/.test(name))
    .toSorted(([a], [b]) => Number(a.slice(6)) - Number(b.slice(6)));
  const [first, sizes] = [numbers.get("month_0"), numbers.get("initial_cohort_size")];
  if (first === undefined || sizes === undefined) return;
  const isIn = (whole: (row: number) => number) =>
    first.filter((value, row) => Math.abs(value - whole(row)) < 1e-9).length;
  // The unit that most cohorts have, because one of them can be broken.
  const wholes = [() => 1, () => 100, (row: number) => sizes[row] ?? NaN];
  const wholeAt = wholes.toSorted((a, b) => isIn(b) - isIn(a))[0]!;
  for (let row = 0; row < first.length; row++) {
    const whole = wholeAt(row);
    const last = months.findLastIndex(([, values]) => !Number.isNaN(values[row]!));
    for (const [at, [field, values]] of months.entries()) {
      const value = values[row]!;
      if (Number.isNaN(value)) {
        const expected = `a value, because ${months[last]?.[0]} has one`;
        if (at < last) yield [row, field, "no hole between months", null, expected, "look"];
      } else if (field === "month_0" && sizes[row] !== 0 && Math.abs(value / whole - 1) > 1e-9) {
        yield [row, field, "month 0 is whole", value, rounded(whole), "broken"];
      } else if (value < 0 || value > whole * (1 + 1e-9)) {
        yield [row, field, "a fraction", value, `0 to ${rounded(whole)}`, "broken"];
      }
    }
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

/** Numbers are finite, and those that cannot be negative are not. */
function* possibleIn(frame: DataFrame, numbers: Numbers): Generator<Finding> {
  for (const [field, values] of numbers) {
    const unknown = values.reduce((sum, value) => sum + (Number.isFinite(value) ? 0 : 1), 0);
    const column = unknown === 0 ? null : frame.getColumn(field);
    if (column?.isFloat() && unknown > column.nullCount()) {
      const odd = pl.col(field).isNotNull().and(pl.col(field).isFinite().not());
      const found = frame.withRowIndex("(row)").filter(odd).select("(row)", field).rows();
      for (const [row, value] of found as [number, number][]) {
        yield [row, field, "a finite number", value, "a finite number", "broken"];
      }
    }
    if (!cannotBeNegative(columnIn(frame, field), field)) continue;
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!;
      if (value < 0 && value > -Infinity) {
        yield [row, field, "not negative", value, "0 or more", "broken"];
      }
    }
  }
}

/** Yields the findings within the rows of a frame, and in their ids. */
export function* checkRows(
  frame: DataFrame,
  { numbers, keys }: { readonly numbers: Numbers; readonly keys: readonly string[] },
): Generator<Finding> {
  yield* uniqueIn(frame, keys);
  yield* possibleIn(frame, numbers);
  yield* nested(numbers);
  for (const relation of RELATIONS) yield* related(numbers, relation);
  for (const { row, field, value } of partWindows(frame)) {
    yield [row, field, PART_WINDOW, value, "a full window", "look"];
  }
  yield* sharesIn(frame, numbers);
  yield* cohortsIn(numbers);
}
