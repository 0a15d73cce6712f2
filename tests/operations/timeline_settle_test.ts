import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { CacheOptions } from "../../lib/http/settings.ts";
import { CacheError } from "../../lib/http/errors.ts";
import { timeline, type TimelineQuery } from "../../lib/operations/timeline.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { manualClock } from "../http/manual_clock.ts";
import { playing } from "../http/playing.ts";

const DAY = 86_400_000;
const QUERY = {
  metric_ids: ["fees"],
  group_by: "chains",
  every: "month",
  from: "2025-01",
  to: "2025-03",
} as const;

/** A folder, and a service in front of it that counts: a new connection each time. */
async function withService(
  code: (
    run: (
      moment: string,
      cache?: Partial<CacheOptions>,
      query?: Partial<TimelineQuery>,
    ) => Promise<{ asked: string[]; frame: DataFrame }>,
  ) => Promise<void>,
  { etag = false } = {},
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await code(async (moment, cache = {}, query = {}) => {
      const clock = manualClock(() => 0.5, Date.parse(moment));
      const asked: string[] = [];
      const { connection } = playing(
        async (request) => {
          const { start } = await request.json();
          asked.push(start.slice(0, 7));
          const headers: Record<string, string> = etag ? { etag: '"same"' } : {};
          if (etag && request.headers.get("if-none-match") === '"same"') {
            return new Response(null, { status: 304, headers });
          }
          const fees = Number(start.slice(5, 7));
          const data = [{ data_id: "a", chain_id: "a", product_id: null, metrics: { fees } }];
          return Response.json({ data }, { headers });
        },
        { cache: { dir, ...cache } },
        clock,
      );
      const frame = await clock.finish(timeline({ ...QUERY, ...query }, connection));
      return { asked: asked.sort(), frame };
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("a daily run requests only periods that may have changed", async () => {
  await withService(async (run) => {
    const days: [moment: string, asked: string[]][] = [
      ["2025-02-03T09:00:00Z", ["2025-01", "2025-02", "2025-03"]],
      ["2025-02-04T09:00:00Z", ["2025-01", "2025-02", "2025-03"]],
      // January ended with the 31st: what is retrieved up to 8 February, 00:00, is no more than 7 days later.
      ["2025-02-08T00:00:00Z", ["2025-01", "2025-02", "2025-03"]],
      ["2025-02-08T00:00:01Z", ["2025-01", "2025-02", "2025-03"]],
      ["2025-02-08T00:00:02Z", ["2025-02", "2025-03"]],
      ["2025-04-02T09:00:00Z", ["2025-02", "2025-03"]],
      ["2025-04-07T09:00:00Z", ["2025-03"]],
      ["2025-04-08T09:00:00Z", ["2025-03"]],
      ["2025-04-09T09:00:00Z", []],
      ["2035-04-09T09:00:00Z", []],
    ];
    for (const [moment, expected] of days) {
      const { asked, frame } = await run(moment);
      deepStrictEqual(asked, expected, moment);
      deepStrictEqual(frame.getColumn("fees").toArray(), [1, 2, 3]);
    }
  });
});

Deno.test("settle sets the number of days, and is not part of the request", async () => {
  await withService(async (run) => {
    strictEqual((await run("2025-04-02T09:00:00Z")).asked.length, 3);
    deepStrictEqual((await run("2025-04-02T10:00:00Z", {}, { settle: 0 })).asked, []);
    deepStrictEqual((await run("2025-04-02T11:00:00Z", {}, { settle: 1 })).asked, []);
    deepStrictEqual((await run("2025-04-02T12:00:00Z", {}, { settle: 2 })).asked, ["2025-03"]);
    deepStrictEqual((await run("2025-04-02T13:00:00Z", {}, { settle: 90 })).asked.length, 3);
  });
});

Deno.test("a period that is not settled obeys maxAge if one is given", async () => {
  await withService(async (run) => {
    await run("2025-03-05T09:00:00Z");
    deepStrictEqual((await run("2025-03-05T10:00:00Z", { maxAge: DAY })).asked, []);
    deepStrictEqual((await run("2025-03-06T10:00:00Z", { maxAge: DAY })).asked, [
      "2025-02",
      "2025-03",
    ]);
    deepStrictEqual((await run("2025-03-07T10:00:00Z", { maxAge: Infinity })).asked, []);
    strictEqual((await run("2025-04-30T10:00:00Z", { maxAge: 0 })).asked.length, 3);
  });
});

Deno.test("refresh requests everything, offline nothing, and without a cache settle has no effect", async () => {
  await withService(async (run) => {
    await rejects(run("2025-05-01T09:00:00Z", { mode: "offline" }), CacheError);
    await run("2025-05-01T09:00:00Z");
    strictEqual((await run("2025-05-02T09:00:00Z", { mode: "refresh" })).asked.length, 3);
    const { asked, frame } = await run("2025-05-02T09:00:00Z", { mode: "offline" });
    deepStrictEqual([asked, frame.getColumn("fees").toArray()], [[], [1, 2, 3]]);
  });
  const clock = manualClock(() => 0.5, Date.parse("2030-01-01"));
  const { connection, sent } = playing(() => Response.json({ data: [] }), {}, clock);
  await clock.finish(timeline(QUERY, connection));
  await clock.finish(timeline(QUERY, connection));
  strictEqual(sent.length, 6);
});

Deno.test("a confirmed response is as recent as its confirmation", async () => {
  await withService(async (run) => {
    strictEqual(
      (await run("2025-03-31T09:00:00Z")).frame.getColumn("complete").toArray()[2],
      false,
    );
    const { asked, frame } = await run("2025-04-20T09:00:00Z");
    deepStrictEqual(asked, ["2025-03"]);
    deepStrictEqual(frame.getColumn("complete").toArray(), [true, true, true]);
    deepStrictEqual((await run("2025-04-21T09:00:00Z")).asked, []);
  }, { etag: true });
});

Deno.test("a response dated in the future settles no period", async () => {
  await withService(async (run) => {
    await run("2031-01-01T00:00:00Z");
    strictEqual((await run("2025-05-01T00:00:00Z")).asked.length, 3);
  });
});
