import { deepEqual, equal } from "node:assert/strict";
import type { DataFrame } from "../../../mod.ts";
import { distinct } from "../../../lib/table/read/numbered.ts";
import { readingOf, refuseTwice } from "../../../lib/table/read/reading.ts";
import { warned } from "../../analysis/measured.ts";
import type { FrameKind } from "./frame_kinds.ts";

const fn = "read";

/** Returns the columns of a reading by functions over time, or by functions of rows, or null if it is refused. */
function read(frame: DataFrame, series: boolean, isChecked = false) {
  try {
    const [reading] = warned(() => readingOf(frame, { fn, series, isChecked }));
    refuseTwice(frame, reading, fn);
    return reading;
  } catch (error) {
    if (error instanceof RangeError && /^read: \w+: .*; |make periods/.test(error.message)) {
      return null;
    }
    throw error;
  }
}

/** Returns a reading with the columns of its entity in order of their names. */
export const sorted = (reading: string) => {
  const [entity = "", date] = reading.split("|");
  return date === undefined ? reading : `${entity.split("+").sort().join("+")}|${date}`;
};

/** Returns a reading as `entity|date`, or `refuse`. */
export function textOf(frame: DataFrame, series: boolean, isChecked = false): string {
  const reading = read(frame, series, isChecked);
  return reading === null
    ? "refuse"
    : sorted(`${reading.entity.join("+")}|${reading.times.join("+")}`);
}

/** Frames in which several columns name the entity, and the first of them is taken. */
const EQUAL_COLUMNS = new Set([
  "a snapshot with id, name, slug",
  "code, country",
  "filtered to both",
  "first_day, last_day",
  "one chain of each of two protocols",
  "token and wallet, no dates",
]);

/** Checks that the order of rows changes no reading, and that of columns at most which of equal columns it names. */
export function checkOrders({ name, frame }: FrameKind, series: boolean, seed: number): void {
  const before = read(frame, series);
  const rows = frame.sample({ frac: 1, seed, shuffle: true });
  equal(textOf(rows, series), textOf(frame, series), `${name}: rows`);
  const order = frame.columns.toSorted((a, b) => hash(a, seed) - hash(b, seed));
  const after = read(frame.select(...order), series);
  equal(after === null, before === null, `${name}: ${order}`);
  if (before === null || after === null) return;
  for (const part of ["entity", "times"] as const) {
    const [was, is]: (readonly string[])[] = [before[part], after[part]];
    const counts: (readonly string[])[] = [was!, is!, [...was!, ...is!]];
    const [one, other, both] = counts.map((columns) => distinct(frame, columns));
    deepEqual([other, both], [one, one], `${name}: ${part}: ${order}`);
  }
  if (EQUAL_COLUMNS.has(name)) return;
  equal(textOf(frame.select(...order), series), textOf(frame, series), name);
}

/** Returns a number that orders names at random. */
function hash(name: string, seed: number): number {
  return [...name].reduce((sum, each) => (sum * 31 + each.codePointAt(0)! + seed) % 65_521, seed);
}
