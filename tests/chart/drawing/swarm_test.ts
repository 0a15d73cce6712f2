import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { DOT, swarm } from "../../../lib/chart/drawing/swarm.ts";

Deno.test("dots of a swarm do not overlap, and a dot with room is not moved", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 60, noNaN: true }), { maxLength: 60 }),
      (heights) => {
        const moves = swarm(heights);
        equal(moves.length, heights.length);
        heights.forEach((height, one) =>
          heights.slice(one + 1).forEach((other, after) => {
            const apart = Math.hypot(height - other, moves[one]! - moves[one + 1 + after]!);
            ok(apart > 2 * DOT, `${height} and ${other} are ${apart} px apart`);
          })
        );
      },
    ),
    { numRuns: 50, seed: 4 },
  );
  ok(swarm([0, 5, 10, 20]).every((move) => move === 0));
});

Deno.test("a swarm of equal heights reaches to both sides", () => {
  const moves = swarm(Array(7).fill(3)).toSorted((a, b) => a - b);
  ok(Math.abs(moves[0]! + moves.at(-1)!) <= 2 * DOT + 1, String(moves));
});
