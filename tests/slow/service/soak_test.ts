import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { soak } from "./soak.ts";

/** Whether the machine was idle before the soaks, which load it themselves. */
const isIdle = Deno.loadavg()[0]! < 0.5;

Deno.test({
  name:
    "a short soak: no request of a good client fails while data is swapped and 50 clients are slow",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const { failures, requests, wrong, refused, swaps, versions, code } = await soak(8, 2);
    equal([failures, wrong, code], [[], 0, 0]);
    ok(refused >= 24, `${refused} bad requests`);
    ok(requests >= 200, `${requests} requests`);
    ok(swaps >= 2 && versions === 2, `${swaps} swaps, ${versions} versions`);
  },
});

Deno.test({
  name:
    "a soak of six minutes: no wrong answer, after five minutes the memory of two, and a p99 of 400 ms on an idle machine",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const { failures, requests, wrong, versions, code, p99_ms, parts } = await soak(360, 30);
    equal([failures, wrong, code, versions, parts.length], [[], 0, 0, 2, 6]);
    ok(requests > 10_000, `${requests} requests`);
    const [second, fifth] = [parts[2]!.lowest_mb, parts[5]!.lowest_mb];
    ok(fifth < 1.1 * second, `${second} MB after two minutes, ${fifth} MB after five`);
    const minutes = parts.map(({ p99_ms }) => p99_ms).join(", ");
    // Other processes on the machine would be measured, too.
    console.log(
      `p99 ${p99_ms} ms, by minute ${minutes}${
        isIdle ? "" : ", not judged: the machine was not idle"
      }`,
    );
    if (isIdle) ok(p99_ms <= 400, `p99 ${p99_ms} ms, by minute ${minutes}`);
  },
});
