import { deepStrictEqual, throws } from "node:assert/strict";
import { frameOfColumns } from "../../lib/table/frame_from_rows.ts";
import {
  numbersOf,
  type Reader,
  type Row,
  valuesByField,
  withDigits,
} from "../../lib/table/columns.ts";
import type { Series } from "../../lib/table/polars.ts";
import { type Rejected, rejecting } from "./rejecting.ts";

function numberColumn(name: string, rows: readonly Row[], reader: Reader): Series {
  const values = valuesByField(rows).get(name) ?? new Array(rows.length);
  const numbers = numbersOf(name, values, reader);
  return frameOfColumns([{ name, numbers }]).getColumn(name);
}

function column(...values: unknown[]): unknown[] {
  return numberColumn("x", values.map((x) => ({ x })), rejecting).toArray();
}

Deno.test("numbersOf distinguishes null from 0", () => {
  deepStrictEqual(column(0, null, -0, 1.5), [0, null, -0, 1.5]);
});

Deno.test("numbersOf reads a missing key as null", () => {
  deepStrictEqual(numberColumn("x", [{}, { x: 2 }], rejecting).toArray(), [null, 2]);
});

Deno.test("numbersOf reads a numeric string as a number", () => {
  deepStrictEqual(column("1", "-2.5", "1e3", "0.1", "+7", ".5"), [1, -2.5, 1000, 0.1, 7, 0.5]);
});

Deno.test("numbersOf is Float64, also for nulls only and for no values", () => {
  for (const rows of [[], [{}], [{ x: null }, {}]]) {
    const series = numberColumn("x", rows, rejecting);
    deepStrictEqual([series.dtype.toString(), series.length], ["DataType(Float64)", rows.length]);
    deepStrictEqual(series.nullCount(), rows.length);
  }
});

Deno.test("numbersOf refuses other values than finite numbers, and names the row", () => {
  for (
    const value of [" ", " 1", "n/a", "nan", "1,000", "0x10", true, [], {}]
  ) {
    throws(() => column(1, value), ({ mismatch }: Rejected) => {
      deepStrictEqual(mismatch, { row: 1, field: "x", expected: "a number", got: value });
      return true;
    });
  }
});

Deno.test("numbersOf reads a text such as NaN as null, and reports each", () => {
  const told: string[][] = [];
  const noNumber = (field: string, text: string) => void told.push([field, text]);
  const rows = ["NaN", 1, "-", "Infinity", "-Infinity", "", 0].map((x) => ({ x }));
  const series = numberColumn("x", rows, { ...rejecting, noNumber });
  deepStrictEqual(series.toArray(), [null, 1, null, null, null, null, 0]);
  deepStrictEqual(told, [["x", "NaN"], ["x", "-"], ["x", "Infinity"], ["x", "-Infinity"], [
    "x",
    "",
  ]]);
});

Deno.test("numbersOf reports numbers that Float64 rounds, and numbers beyond its range", () => {
  const cases: [sent: string, value: number | null, how: string][] = [
    ["9007199254740991", 9007199254740991, "same"],
    ["9007199254740992", 9007199254740992, "same"],
    ["9007199254740993", 9007199254740992, "rounded"],
    ["-9007199254740993.0", -9007199254740992, "rounded"],
    ["123456789012345678901234", 1.2345678901234568e23, "rounded"],
    // The shortest texts of a Float64, as JavaScript and Python write it.
    ["123456789012345680000", 123456789012345680000, "same"],
    ["1.2345678901234569e+23", 1.2345678901234569e23, "same"],
    ["1000e20", 1e23, "same"],
    ["1e308", 1e308, "same"],
    ["1e309", null, "null"],
    ["-1e999", null, "null"],
    ["0.1234567890123456789", 0.12345678901234568, "same"],
  ];
  for (const [sent, value, how] of cases) {
    for (const spelled of [JSON.stringify(sent), sent]) {
      const told: string[] = [];
      const reader = { ...rejecting, lost: (_: string, how: string) => void told.push(how) };
      const numbers = numberColumn("x", withDigits(`[{"x":${spelled}}]`) as Row[], reader);
      deepStrictEqual([numbers.toArray(), told], [[value], how === "same" ? [] : [how]], spelled);
    }
  }
});

Deno.test("numbersOf accepts any column name, also one that polars would read as a pattern", () => {
  for (const x of ["*", "^a.*$", "^(", "a b", "\u0000"]) {
    const series = numberColumn(x, [{ [x]: 1 }, {}], rejecting);
    deepStrictEqual([series.name, series.toArray()], [x, [1, null]]);
  }
});
