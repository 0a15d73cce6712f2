import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { longWork, mapLong } from "../../lib/platform/long_work.ts";
import { warned } from "../analysis/measured.ts";

/** Runs work of pieces that take so many milliseconds, and returns notices with the number of pieces before each. */
function announced(pieces: readonly number[], total = pieces.length): [number, string][] {
  let now = 1000;
  let before = 0;
  const found: [number, string][] = [];
  const what = () => `${total} pieces`;
  const isDone = longWork({ fn: "pool", what, less: "fewer pieces", total }, () => now);
  for (const ms of pieces) {
    now += ms;
    before += 1;
    for (const notice of warned(() => isDone(1))[1]) found.push([before, notice]);
  }
  return found;
}

const notice = (count: number, time: string) =>
  `pool: ${count} pieces take about ${time}; fewer pieces make it shorter`;

Deno.test("longWork announces work of more than 5 s after its first second, once", () => {
  deepStrictEqual(announced(Array(400).fill(100)), [[10, notice(400, "40 s")]]);
  deepStrictEqual(announced(Array(49).fill(100)), []);
  deepStrictEqual(announced(Array(5000).fill(100)), [[10, notice(5000, "8 min")]]);
});

Deno.test("longWork announces long pieces after the first of them, and never after the last", () => {
  deepStrictEqual(announced([4000, 4000, 4000]), [[1, notice(3, "12 s")]]);
  deepStrictEqual(announced([9000]), []);
});

Deno.test("longWork does not measure slow first calls, and measures again if later pieces are slower", () => {
  deepStrictEqual(announced([350, ...Array(1000).fill(1)]), []);
  const slower = announced([...Array(100).fill(10), ...Array(100).fill(100)]);
  strictEqual(slower.length, 1);
  deepStrictEqual(announced([...Array(200).fill(10)]), []);
});

Deno.test("mapLong returns the results in the order of the items", () => {
  const announced = { fn: "pool", what: () => "items", less: "fewer items" };
  deepStrictEqual(mapLong([3, 1, 2], announced, (each) => 2 * each), [6, 2, 4]);
});
