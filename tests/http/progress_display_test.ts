import { deepStrictEqual } from "node:assert/strict";
import { createProgress } from "../../lib/http/progress.ts";
import { systemClock } from "../../lib/http/clock.ts";

function recorded() {
  const lines: [string, boolean][] = [];
  let time = 0;
  const report = createProgress("project", 4, {
    clock: { ...systemClock, elapsed: () => time },
    onProgress: null,
    redact: (text) => text,
    warn: () => {},
    retries: 4,
    timeout: 30_000,
    showLine: (line, final) => void lines.push([line, final]),
  });
  const arrivedAt = (ms: number) => {
    time = ms;
    report.arrived();
  };
  return { ...report, lines, arrivedAt };
}

Deno.test("createProgress shows nothing for a call that is over within a second", async () => {
  const { lines, arrivedAt, waiting, end } = recorded();
  arrivedAt(10);
  waiting(999);
  arrivedAt(999);
  await end();
  deepStrictEqual(lines, []);
});

Deno.test("createProgress shows a long call in place and ends as one line", async () => {
  const { lines, arrivedAt, end } = recorded();
  arrivedAt(10);
  arrivedAt(1_000);
  arrivedAt(1_500);
  arrivedAt(2_500);
  await end();
  deepStrictEqual(lines, [
    ["project: 2 of 4 requests · about 1 s left", false],
    ["project: 3 of 4 requests · about 1 s left", false],
    ["project: 4 of 4 requests", false],
    ["project: 4 of 4 requests in 2.5 s", true],
  ]);
});

Deno.test("createProgress shows a wait of more than a second at once", async () => {
  const { lines, arrivedAt, waiting, end } = recorded();
  arrivedAt(10);
  waiting(29_500);
  await end();
  deepStrictEqual(lines.map(([line]) => line), [
    "project: 1 of 4 requests · waiting 30 s",
    "project: 1 of 4 requests in 0.0 s",
  ]);
});

Deno.test("createProgress shows silence in place, and the end of the call", async () => {
  const lines: string[] = [];
  const slept: (() => void)[] = [];
  const report = createProgress("project", 1, {
    clock: {
      ...systemClock,
      elapsed: () => 5_000,
      sleep: (_, signal) =>
        new Promise((resolve, reject) => {
          slept.push(resolve);
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    },
    onProgress: null,
    redact: (text) => text,
    warn: () => {},
    retries: 1,
    timeout: Infinity,
    showLine: (line) => void lines.push(line),
  });
  const watch = report.watch();
  watch.begin(1);
  watch.begin(2);
  for (const wake of slept) wake();
  await Promise.resolve().then(() => {}).then(() => {});
  report.arrived();
  watch.end();
  await report.end();
  deepStrictEqual(lines, [
    "project: no answer yet, attempt 2 of 2",
    "project: 1 of 1 requests",
    "project: 1 of 1 requests in 0.0 s",
  ]);
});
