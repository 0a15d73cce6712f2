import { deepStrictEqual as equal } from "node:assert/strict";
import type { DayRows } from "../../lib/service/cluster/activity_rows.ts";
import type { DayState, ShardDay } from "../../lib/service/cluster/manifest.ts";
import { batchesOf, piecesOf, planLoad } from "../../lib/service/cluster/plan_load.ts";

/** Rows of one shard, day after day, next to each other. */
function onOneShard(...rows: number[]): DayRows[] {
  let first = 0;
  return rows.map((rows, index) => {
    const day = { day: `2026-01-0${index + 1}`, shard: 0, rows, digest: `d${rows}`, first };
    first += rows;
    return day;
  });
}

function manifest(...days: [day: string, rows: number, state?: DayState, load?: string][]) {
  return new Map(days.map(([day, rows, state = "whole", load = "a"]): [string, ShardDay] => [
    day,
    { day, rows, state, load, digest: `d${rows}` },
  ]));
}

Deno.test("planLoad selects new, changed and incomplete days, and lists the others", () => {
  const there = manifest(
    ["2025-12-31", 4],
    ["2026-01-01", 5],
    ["2026-01-02", 7],
    ["2026-01-03", 8, "entering"],
    ["2026-01-04", 0, "removed"],
    ["2026-02-01", 2],
    ["2026-02-02", 0, "removed"],
  );
  const plan = planLoad(onOneShard(5, 6, 8, 9), [there], "2026-01-01");
  equal(plan.days.map(({ day }) => day), ["2026-01-02", "2026-01-03", "2026-01-04"]);
  equal([plan.added, plan.restated, plan.unchanged], [1, 2, 1]);
  equal(plan.others, ["2026-02-01"]);
  const fromLast = planLoad(onOneShard(5), [there], "2026-02-01");
  equal(fromLast.others, ["2026-02-01"]);
});

Deno.test("planLoad reloads a day that is from two loads, or complete on one shard only", () => {
  const rows = onOneShard(5, 6, 7).flatMap((each) => [each, { ...each, shard: 1 }]);
  const one = manifest(["2026-01-01", 5], ["2026-01-02", 6], ["2026-01-03", 7]);
  const other = manifest(["2026-01-01", 5], ["2026-01-02", 6, "whole", "b"]);
  const { days } = planLoad(rows, [one, other], "2026-01-01");
  equal(days.map(({ day }) => day), ["2026-01-02", "2026-01-03"]);
});

Deno.test("batchesOf groups days up to a million rows and 100 days, and keeps a larger day alone", () => {
  const sizes = (...rows: number[]) =>
    batchesOf(planLoad(onOneShard(...rows), [manifest()], "2026-01-01").days)
      .map((batch) => batch.map(({ on }) => on[0]!.rows));
  equal(sizes(600_000, 400_000, 1, 3_000_000, 5), [[600_000, 400_000], [1], [3_000_000], [5]]);
  const days = Array.from(
    { length: 245 },
    (_, index) => ({ day: `${index}`, on: [] }),
  );
  equal(batchesOf(days).map((batch) => batch.length), [100, 100, 45]);
});

Deno.test("piecesOf splits large days, joins small days, and skips days in between", () => {
  const pieces = (rows: number[], among?: string) => {
    const { days } = planLoad(onOneShard(...rows), [manifest()], "2026-01-01");
    const batch = days.filter(({ day }) => among === undefined || among.includes(day.slice(-1)));
    return piecesOf(batch, 0).map(({ days, first, last }) =>
      `${days.map((day) => day.slice(-1)).join("+")}: ${first}-${last}`
    );
  };
  equal(pieces([10, 20, 30]), ["1+2+3: 0-59"]);
  equal(pieces([10, 20, 30], "13"), ["1+3: 0-59"]);
  equal(pieces([50_000, 1]), ["1: 0-49999", "2: 50000-50000"]);
  equal(pieces([120_000, 10, 29_990, 1]), [
    ...["1: 0-49999", "1: 50000-99999", "1+2+3: 100000-149999", "4: 150000-150000"],
  ]);
});

Deno.test("piecesOf skips days without rows on a shard", () => {
  const rows = onOneShard(5, 0, 6).map((each) => ({ ...each, shard: each.rows === 0 ? 1 : 0 }));
  const { days } = planLoad(rows, [manifest(), manifest()], "2026-01-01");
  equal(piecesOf(days, 1), []);
  equal(piecesOf(days, 0), [{
    ...{ days: ["2026-01-01", "2026-01-03"], shard: 0, first: 0, last: 10 },
  }]);
});
