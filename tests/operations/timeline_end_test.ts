import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { CacheOptions } from "../../lib/http/settings.ts";
import { timeline } from "../../lib/operations/timeline.ts";
import { manualClock } from "../http/manual_clock.ts";
import { playing } from "../http/playing.ts";
import { inFolder } from "../in_folder.ts";

const QUERY = {
  metric_ids: ["fees"],
  group_by: "chains",
  every: "month",
  from: "2025-11",
} as const;

/** Runs a timeline on a day, against a service whose data end on a day, and returns the months requested. */
async function run(
  today: string,
  through: string | null,
  { query = {}, cache }: { query?: object; cache?: CacheOptions } = {},
) {
  const clock = manualClock(() => 0.5, Date.parse(`${today}T12:00:00Z`));
  const months: string[] = [];
  const { connection } = playing(
    async (request) => {
      const { start } = await request.json();
      months.push(start.slice(0, 7));
      const headers: Record<string, string> = through === null ? {} : { "data-through": through };
      const data = [{ data_id: "a", chain_id: "a", product_id: null, metrics: { fees: 1 } }];
      return Response.json({ data }, { headers });
    },
    { ...(cache ? { cache } : {}) },
    clock,
  );
  const frame = await clock.finish(timeline({ ...QUERY, ...query }, connection));
  return { months: months.sort(), frame };
}

Deno.test("timeline does not follow a service whose data end in another century", () =>
  rejects(
    run("2026-05-02", "9999-12-31"),
    /from: needs 95690 requests, to 9999-12-31: pass a later from, an earlier to/,
  ));

Deno.test("timeline without to ends at the last day of the data, with no further request", async () => {
  deepStrictEqual((await run("2026-05-02", "2026-01-31")).months, [
    "2025-11",
    "2025-12",
    "2026-01",
  ]);
  deepStrictEqual((await run("2026-02-02", null)).months, [
    "2025-11",
    "2025-12",
    "2026-01",
    "2026-02",
  ]);
});

Deno.test("timeline without to finds the same responses offline, and newer data when asked again", () =>
  inFolder(async (dir) => {
    const first = await run("2026-02-02", "2026-01-31", { cache: { dir } });
    const offline = await run("2026-05-02", null, { cache: { dir, mode: "offline" } });
    deepStrictEqual([offline.months, offline.frame.height], [[], first.frame.height]);
    const later = await run("2026-03-12", "2026-02-28", { cache: { dir } });
    deepStrictEqual(later.months, ["2025-11", "2026-01", "2026-02"]);
    strictEqual(later.frame.height, 4);
  }));

Deno.test("timeline requests a period again whose data were not there when it was cached", () =>
  inFolder(async (dir) => {
    const query = { from: "2026-02", to: "2026-02" };
    await run("2026-11-22", "2026-01-31", { query, cache: { dir } });
    const again = await run("2026-11-23", "2026-02-13", { query, cache: { dir } });
    deepStrictEqual(again.months, ["2026-02"]);
    await run("2026-11-24", "2026-03-07", { query, cache: { dir } });
    deepStrictEqual((await run("2026-11-25", null, { query, cache: { dir } })).months, []);
  }));

Deno.test("timeline with maxAge 0 requests every period, except offline", () =>
  inFolder(async (dir) => {
    const query = { to: "2025-12" };
    const run2 = (cache: Omit<CacheOptions, "dir">) =>
      run("2026-11-22", null, { query, cache: { dir, ...cache } });
    await run2({});
    deepStrictEqual((await run2({})).months, []);
    deepStrictEqual((await run2({ maxAge: 0 })).months, ["2025-11", "2025-12"]);
    deepStrictEqual((await run2({ maxAge: 0, mode: "offline" })).months, []);
  }));
