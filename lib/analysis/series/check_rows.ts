import {
  cannotBeNegative,
  NESTED,
  NESTED_WINDOWS,
  type Relation,
  RELATIONS,
  type Severity,
  SHARES,
} from "../../schema/check_rules.ts";
import { dtypeNames } from "../../table/build/dtypes.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { rowGroups } from "../../table/read/panel.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { PART_WINDOW, partWindows } from "../../table/read/part_windows.ts";

/** A value that a rule does not allow. `row` is -1 if the finding concerns the whole frame. */
export interface Finding {
  readonly row: number;
  readonly field: string;
  readonly rule: string;
  readonly value: number | null;
  readonly expected: string;
  readonly severity: Severity;
}

/** The numbers of columns, by name. NaN means null. */
export type Numbers = ReadonlyMap<string, Float64Array>;

function rounded(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Sums and counts over longer windows are not smaller. */
function* nested(numbers: Numbers): Generator<Finding> {
  const groups = Map.groupBy(
    [...numbers.keys()].flatMap((name) => {
      const [, base, window, rest] = NESTED.exec(name) ?? [];
      return base === undefined ? [] : [{ name, window: window!, key: `${base} ${rest}` }];
    }),
    ({ key }) => key,
  );
  for (const columns of groups.values()) {
    const ordered = NESTED_WINDOWS.flatMap((each) =>
      columns.filter(({ window }) => window === each)
    );
    const rows = numbers.get(ordered[0]!.name)!.length;
    for (let row = 0; row < rows; row++) {
      const known = ordered.filter(({ name }) => !Number.isNaN(numbers.get(name)![row]!));
      for (const [at, { name }] of known.entries()) {
        const longer = known[at + 1];
        if (longer === undefined) continue;
        const [value, most] = [numbers.get(name)![row]!, numbers.get(longer.name)![row]!];
        if (value <= most + 1e-9 * Math.max(1, Math.abs(most))) continue;
        const span = longer.window === "max" ? "all days" : `${longer.window.slice(0, -1)} days`;
        const expected = `at most ${rounded(most)}`;
        yield { row, field: name, rule: `not above ${span}`, value, expected, severity: "broken" };
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
    const [first, second] = [column(other), column(minus ?? per)];
    if (!first || ((minus ?? per) !== undefined && !second)) continue;
    for (const [row, value] of values.entries()) {
      const [one, two] = [first[row]!, second ? second[row]! : 0];
      if (Number.isNaN(value + one + two) || (per && two === 0)) continue;
      const right = per ? one / two : one - two;
      const most = Math.max(Math.abs(right), per ? 0 : Math.abs(one));
      const isWrong = minus || per
        ? !(Math.abs(value - right) <= tolerance * most + 1e-9)
        : value > right + tolerance * most + 1e-9;
      const expected = `${minus || per ? "" : "at most "}${rounded(right)}`;
      if (isWrong) yield { row, field, rule, value, expected, severity };
    }
  }
}

/** Shares are from 0 to 1, and those of a group add to at most 1. */
function* sharesIn(frame: DataFrame, numbers: Numbers): Generator<Finding> {
  const { field, by } = SHARES;
  const values = numbers.get(field);
  if (values === undefined || !frame.columns.includes(by)) return;
  const severity = "broken";
  for (const [row, value] of values.entries()) {
    if (value < 0 || value > 1 + 1e-9) {
      yield { row, field, rule: "a fraction", value, expected: "0 to 1", severity };
    }
  }
  const groups = frame.getColumn(by).toArray() as unknown[];
  for (const [, rows] of Map.groupBy(values.keys(), (row) => groups[row])) {
    const value = rows.reduce((sum, row) => sum + (values[row]! || 0), 0);
    if (value <= 1 + 1e-6) continue;
    const rule = `shares of a ${by} add to at most 1`;
    yield { row: rows[0]!, field, rule, value, expected: "at most 1", severity: "look" };
  }
}

/** In month 0, all users are active. Later months have a part of them, and no month is missing between two others. */
function* cohortsIn(numbers: Numbers): Generator<Finding> {
  const months = [...numbers.keys()].filter((name) => /^month_\d+$/.test(name))
    .toSorted((a, b) => Number(a.slice(6)) - Number(b.slice(6)));
  const [first, sizes] = [numbers.get("month_0"), numbers.get("initial_cohort_size")];
  if (first === undefined || sizes === undefined) return;
  const isIn = (whole: (row: number) => number) =>
    first.filter((value, row) => Math.abs(value - whole(row)) < 1e-9).length;
  // The unit that most cohorts have, because one of them can be broken.
  const wholes = [() => 1, () => 100, (row: number) => sizes[row] ?? NaN];
  const wholeAt = wholes.toSorted((a, b) => isIn(b) - isIn(a))[0]!;
  const severity = "broken";
  for (let row = 0; row < first.length; row++) {
    const whole = wholeAt(row);
    const values = months.map((name) => numbers.get(name)![row]!);
    const last = values.findLastIndex((value) => !Number.isNaN(value));
    for (const [at, field] of months.entries()) {
      const value = values[at]!;
      if (Number.isNaN(value)) {
        const expected = `a value, because ${months[last]} has one`;
        const rule = "no hole between months";
        if (at < last) yield { row, field, rule, value: null, expected, severity: "look" };
      } else if (
        field === "month_0" && sizes[row] !== 0 && Math.abs(value - whole) > 1e-9 * whole
      ) {
        yield { row, field, rule: "month 0 is whole", value, expected: rounded(whole), severity };
      } else if (value < 0 || value > whole * (1 + 1e-9)) {
        yield {
          row,
          field,
          rule: "a fraction",
          value,
          expected: `0 to ${rounded(whole)}`,
          severity,
        };
      }
    }
  }
}

/** The rows of a frame have different ids. */
function* uniqueIn(frame: DataFrame, keys: readonly string[]): Generator<Finding> {
  if (keys.length === 0) return;
  const { numbers, first } = rowGroups(frame, keys);
  if (first.length === frame.height) return;
  for (let row = 0; row < frame.height; row++) {
    const same = first[numbers[row]!]!;
    if (same === row) continue;
    const about = { row, field: keys.at(-1)!, rule: "ids are unique", value: null };
    yield { ...about, expected: `not the ids of row ${same}`, severity: "broken" };
  }
}

/** Numbers are finite, and those that cannot be negative are not. */
function* possibleIn(frame: DataFrame, numbers: Numbers): Generator<Finding> {
  const severity = "broken";
  const dtypes = dtypeNames(frame);
  for (const [field, values] of numbers) {
    const isFloat = dtypes[frame.columns.indexOf(field)]!.startsWith("Float");
    const odd = isFloat
      ? pl.col(field).isNotNull().and(pl.col(field).isFinite().not())
      : pl.lit(false);
    const found = frame.withRowIndex("(row)").filter(odd).select("(row)", field).rows();
    for (const [row, value] of found as [number, number][]) {
      yield { row, field, rule: "a finite number", value, expected: "a finite number", severity };
    }
    if (!cannotBeNegative(columnIn(frame, field), field)) continue;
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!;
      if (!(value < 0) || value === -Infinity) continue;
      yield { row, field, rule: "not negative", value, expected: "0 or more", severity };
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
    yield { row, field, rule: PART_WINDOW, value, expected: "a full window", severity: "look" };
  }
  yield* sharesIn(frame, numbers);
  yield* cohortsIn(numbers);
}
