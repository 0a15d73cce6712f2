import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { type FrameKind, ownKinds, servedKinds } from "./frame_kinds.ts";
import { checkOrders, sorted, textOf } from "./frame_orders.ts";

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

Deno.test("functions that refuse repeated rows themselves read frames as others do", () => {
  for (const { name, frame } of ownKinds()) {
    for (const series of [false, true]) {
      // A frame of the same columns has no reading yet.
      const [before, after] = [textOf(frame, series), textOf(frame.clone(), series, true)];
      deepEqual(after, before, name);
    }
  }
});

Deno.test("all functions read frames of the service and of analyses right", async () => {
  const kinds = await servedKinds();
  for (const series of [false, true]) deepEqual(wrongOf(kinds, series), []);
});

Deno.test("the order of rows changes no reading, that of columns at most which of equal columns it names", () => {
  const kinds = ownKinds();
  fc.assert(
    fc.property(
      fc.nat(kinds.length - 1),
      fc.boolean(),
      fc.nat(),
      (at, series, seed) => checkOrders(kinds[at]!, series, seed),
    ),
    { seed: 7, numRuns: 80 },
  );
});
