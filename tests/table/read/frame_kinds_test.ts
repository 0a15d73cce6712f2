import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { DataFrame } from "../../../mod.ts";
import { distinct } from "../../../lib/table/read/numbered.ts";
import { readingOf, refuseTwice } from "../../../lib/table/read/reading.ts";
import { warned } from "../../analysis/measured.ts";
import { type FrameKind, ownKinds, servedKinds } from "./frame_kinds.ts";

const fn = "read";

/** Returns the columns of a reading by functions over time, or by functions of rows, or null if it is refused. */
function read(frame: DataFrame, series: boolean) {
  try {
    const [reading] = warned(() => readingOf(frame, { fn, series }));
    refuseTwice(frame, reading, fn);
    return reading;
  } catch (error) {
    if (error instanceof RangeError && /^read: \w+: .*; |make periods/.test(error.message)) {
      return null;
    }
    throw error;
  }
}

const sorted = (reading: string) => {
  const [entity = "", date] = reading.split("|");
  return date === undefined ? reading : `${entity.split("+").sort().join("+")}|${date}`;
};

function textOf(frame: DataFrame, series: boolean): string {
  const reading = read(frame, series);
  return reading === null
    ? "refuse"
    : sorted(`${reading.entity.join("+")}|${reading.times.join("+")}`);
}

/** Returns the frames that are not read right. */
function wrongOf(kinds: readonly FrameKind[], series: boolean): string[] {
  return kinds.flatMap(({ name, frame, right }) => {
    const got = textOf(frame, series);
    return right.map(sorted).includes(got) ? [] : [`${name}: ${got}`];
  });
}

Deno.test("functions over time read frames right, or refuse them", () => {
  // The rows of this frame look like events.
  deepEqual(wrongOf(ownKinds(), true), ["id, three of ten cells: refuse"]);
});

Deno.test("functions of rows read frames right; they take events row by row", () => {
  deepEqual(wrongOf(ownKinds(), false), [
    "id, three of ten cells: id|day",
    "ten transactions a day: tx_hash|day",
    "trades of wallets and tokens: trade_id|day",
    "votes: proposal_id|day",
  ]);
});

Deno.test("all functions read frames of the service and of analyses right", async () => {
  const kinds = await servedKinds();
  for (const series of [false, true]) deepEqual(wrongOf(kinds, series), []);
});

Deno.test("the order of rows changes no reading, that of columns at most which of equal columns it names", () => {
  const kinds = ownKinds();
  const equalColumns = new Set([
    "a snapshot with id, name, slug",
    "code, country",
    "filtered to both",
    "first_day, last_day",
    "one chain of each of two protocols",
  ]);
  fc.assert(
    fc.property(fc.nat(kinds.length - 1), fc.boolean(), fc.nat(), (at, series, seed) => {
      const { name, frame } = kinds[at]!;
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
      if (equalColumns.has(name)) return;
      equal(textOf(frame.select(...order), series), textOf(frame, series), name);
    }),
    { seed: 7, numRuns: 80 },
  );
});

/** Returns a number that orders names at random. */
function hash(name: string, seed: number): number {
  return [...name].reduce((sum, each) => (sum * 31 + each.codePointAt(0)! + seed) % 65_521, seed);
}
