import { deepStrictEqual } from "node:assert/strict";
import type { Progress } from "../../lib/http/options.ts";
import { progressLine } from "../../lib/http/progress.ts";

function recorded() {
  const lines: [string, boolean][] = [];
  let time = 0;
  const display = progressLine(
    () => time,
    (line, final) => void lines.push([line, final]),
  );
  const at = (ms: number, progress: Partial<Progress>) => {
    time = ms;
    display.update({ operation: "project", done: 0, total: 4, waiting_ms: 0, ...progress });
  };
  return { lines, at, end: display.end };
}

Deno.test("progressLine shows nothing for a call that is over within a second", async () => {
  const { lines, at, end } = recorded();
  at(10, { done: 1 });
  at(999, { done: 4 });
  await end();
  deepStrictEqual(lines, []);
});

Deno.test("progressLine shows a long call in place and ends as one line", async () => {
  const { lines, at, end } = recorded();
  at(10, { done: 1 });
  at(1_000, { done: 2 });
  at(2_500, { done: 4 });
  await end();
  deepStrictEqual(lines, [
    ["project ████████████░░░░░░░░░░░░ 2 of 4 · about 1 s left", false],
    ["project ████████████████████████ 4 of 4", false],
    ["project: 4 of 4 requests in 2.5 s", true],
  ]);
});

Deno.test("progressLine shows a wait of a second or more at once", async () => {
  const { lines, at, end } = recorded();
  at(10, { done: 1, waiting_ms: 999 });
  at(20, { done: 1, waiting_ms: 29_500 });
  await end();
  deepStrictEqual(lines.map(([line]) => line), [
    "project ██████░░░░░░░░░░░░░░░░░░ 1 of 4 · waiting 30 s",
    "project: 1 of 4 requests in 0.0 s",
  ]);
});
