import { deepStrictEqual as equal, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "../../lib/http/connect.ts";
import { CacheError, ConfigurationError, QueryError } from "../../lib/http/errors.ts";
import { answersOf } from "../../lib/evidence/archive.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { restatements } from "../../lib/evidence/restatements.ts";
import { timeline } from "../../lib/operations/timeline.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { inputsOf, provenanceOf } from "../../lib/table/track/provenance.ts";
import type { Connection } from "../../lib/http/connect.ts";
import { hearing } from "../http/hearing.ts";
import { manualClock } from "../http/manual_clock.ts";
import { playing } from "../http/playing.ts";

type Ask = (connection: Connection) => Promise<unknown>;

/** An archive, requests at given times, and the archive offline. */
async function withArchive(
  code: (
    at: (
      moment: string,
      answer: (path: string, body: string) => unknown,
      ask: Ask,
    ) => Promise<void>,
    archive: Connection,
    dir: string,
  ) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    const archive = connect({
      baseUrl: "http://127.0.0.1:9",
      cache: { dir, mode: "offline" },
    });
    await code(
      async (moment, answer, ask) => {
        const clock = manualClock(() => 0.5, Date.parse(moment));
        const { connection } = playing(
          async (request) => {
            const path = new URL(request.url).pathname;
            const said = answer(path, await request.text());
            return said instanceof Response ? said : Response.json({ data: said });
          },
          { cache: { dir, maxAge: 0 }, onMissing: "ignore" },
          clock,
        );
        await clock.finish(ask(connection));
      },
      archive,
      dir,
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Returns each row as a text: `-` for null, and the day and the hour of a date. */
function rows(frame: DataFrame): string[] {
  // Not frame.rows(): polars gives a column of that name.
  return (frame.toRecords() as Record<string, unknown>[]).map((row) =>
    Object.values(row).map((value) =>
      value instanceof Date ? value.toISOString().slice(0, 13).replace("T00", "") : value ?? "-"
    ).join(" ")
  );
}

const chain = (chain_id: string, fees: number | null, name = chain_id) => ({
  chain_id,
  chain_name: name,
  ecosystem_fees_30d_sum: fees,
});

/** A response with the days of its data. */
function through(day: string, data: unknown): Response {
  return Response.json({ data }, { headers: { "Data-Through": day } });
}

const comparison: Ask = (connection) => blockchainComparison({}, connection);

Deno.test("answersOf returns the archive as a frame: time, digest, number of rows, last day", () =>
  withArchive(async (at, archive, dir) => {
    await at("2026-06-01T08:00:00Z", () => through("2026-05-31", [chain("a", 1)]), comparison);
    await at(
      "2026-06-02T08:00:00Z",
      () => through("2026-06-01", [chain("a", 2), chain("b", 5)]),
      comparison,
    );
    await at("2026-06-03T08:00:00Z", () => [chain("a", 1)], comparison);
    await at("2026-06-04T08:00:00Z", () => [chain("a", 1)], comparison);
    const frame = await answersOf({ operation: blockchainComparison }, archive);
    equal([provenanceOf(frame).kind, provenanceOf(frame).steps], ["response", ["answersOf"]]);
    equal(frame.columns, ["retrieved_at", "sha256", "rows", "data_through", "changed"]);
    equal(frame.dtypes.map(({ variant }) => variant), [
      "Datetime",
      "String",
      "Int64",
      "Date",
      "Bool",
    ]);
    equal(rows(frame.drop("sha256")), [
      "2026-06-01T08 1 2026-05-31 -",
      "2026-06-02T08 2 2026-06-01 true",
      "2026-06-03T08 1 - true",
    ]);
    const [first] = frame.getColumn("sha256").toArray();
    const then = connect({
      baseUrl: "http://127.0.0.1:9",
      cache: { dir, mode: "offline", asOf: "2026-06-01" },
    });
    strictEqual(provenanceOf(await blockchainComparison({}, then)).sha256, first);
  }));

Deno.test("restatements lists changed fields, added rows and removed rows", () =>
  withArchive(async (at, archive) => {
    await at(
      "2026-06-01T08:00:00Z",
      () => [chain("a", 1), chain("b", null), chain("c", 7)],
      comparison,
    );
    await at(
      "2026-06-02T08:00:00Z",
      () => [chain("a", 1), chain("b", 2), chain("c", 7)],
      comparison,
    );
    await at(
      "2026-06-03T08:00:00Z",
      () => [chain("b", null), chain("c", 8, "Cedar"), chain("d", 1)],
      comparison,
    );
    const frame = await restatements({ operation: blockchainComparison }, archive);
    equal(frame.columns, [
      "chain_id",
      "change",
      "field",
      "before",
      "after",
      "before_text",
      "after_text",
      "when",
    ]);
    equal(rows(frame), [
      "b changed ecosystem_fees_30d_sum - 2 - - 2026-06-02T08",
      "b changed ecosystem_fees_30d_sum 2 - - - 2026-06-03T08",
      "c changed chain_name - - c Cedar 2026-06-03T08",
      "c changed ecosystem_fees_30d_sum 7 8 - - 2026-06-03T08",
      "d new - - - - - 2026-06-03T08",
      "a gone - - - - - 2026-06-03T08",
    ]);
    const from = async (from: string) =>
      (await restatements({ operation: blockchainComparison, from }, archive)).height;
    equal([await from("2026-06-02"), await from("2026-06-03"), await from("2026-06-04")], [
      6,
      5,
      0,
    ]);
  }));

Deno.test("restatements of a timeline name the period, and skip incomplete periods", async () => {
  const query = {
    metric_ids: ["fees"],
    group_by: "chains",
    every: "month",
    from: "2026-04",
    to: "2026-05",
  } as const;
  await withArchive(async (at, archive) => {
    const answer = (april: number, may: number) => (_: string, body: string) => {
      const fees = body.includes('"2026-04-01"') ? april : may;
      return [{ data_id: "a", chain_id: "a", product_id: null, metrics: { fees: { sum: fees } } }];
    };
    const ask: Ask = (connection) => timeline(query, connection);
    await at("2026-05-02T08:00:00Z", answer(10, 1), ask);
    await at("2026-05-03T08:00:00Z", answer(11, 2), ask);
    await at("2026-06-20T08:00:00Z", answer(99, 3), ask);
    await at("2026-06-21T08:00:00Z", answer(99, 99), ask);
    const heard = await hearing(async () => {
      equal(rows(await restatements({ operation: timeline, query }, archive)), [
        "2026-04-01 a a - changed fees_sum 10 11 - - 2026-05-03T08",
        "2026-05-01 a a - changed fees_sum 1 2 - - 2026-05-03T08",
        "2026-04-01 a a - changed fees_sum 11 99 - - 2026-06-20T08",
        "2026-05-01 a a - changed fees_sum 2 3 - - 2026-06-20T08",
        "2026-05-01 a a - changed fees_sum 3 99 - - 2026-06-21T08",
      ]);
    });
    equal(heard, []);
    equal((await answersOf({ operation: timeline, query }, archive)).getColumn("rows").toArray(), [
      2,
      2,
      2,
      2,
    ]);
  });
});

Deno.test("a timeline without `to` ends on the day of asOf", async () => {
  const query = {
    metric_ids: ["fees"],
    group_by: "chains",
    every: "month",
    from: "2026-04",
  } as const;
  await withArchive(async (at, archive, dir) => {
    const answer = (_: string, body: string) => [
      { data_id: "a", chain_id: "a", product_id: null, metrics: { fees: body.length } },
    ];
    const ask: Ask = (connection) => timeline(query, connection);
    await at("2026-05-30T08:00:00Z", answer, ask);
    await at("2026-06-02T08:00:00Z", answer, ask);
    const then = (asOf: string) =>
      connect({ baseUrl: archive.baseUrl, cache: { dir, mode: "offline", asOf } });
    strictEqual((await timeline(query, then("2026-05-31"))).height, 2);
    strictEqual((await timeline(query, then("2026-06-02"))).height, 3);
    equal(
      (await answersOf({ operation: timeline, query }, then("2026-06-30"))).getColumn("rows")
        .toArray(),
      [
        2,
        3,
      ],
    );
  });
});

const CHAINS = { operation: blockchainComparison } as const;

Deno.test("answersOf with values stacks the comparison with the last day of its data", () =>
  withArchive(async (at, archive) => {
    await at(
      "2026-06-02T08:00:00Z",
      () => through("2026-06-01", [chain("a", 1), chain("b", 2)]),
      comparison,
    );
    await at(
      "2026-06-02T20:00:00Z",
      () => through("2026-06-01", [chain("a", 1.5), chain("b", 2)]),
      comparison,
    );
    await at("2026-06-03T08:00:00Z", () => [{ ...chain("a", 3), extra: 4 }], comparison);
    const frame = await answersOf({ ...CHAINS, values: true }, archive);
    equal(frame.columns.slice(0, 3), ["date", "retrieved_at", "chain_id"]);
    equal(rows(frame.select("date", "chain_id", "ecosystem_fees_30d_sum", "extra")), [
      "2026-06-01 a 1.5 -",
      "2026-06-01 b 2 -",
      "2026-06-03 a 3 4",
    ]);
    strictEqual(inputsOf(provenanceOf(frame)).length, 2);
    const query = { chain_ids: ["a"] };
    await rejects(answersOf({ ...CHAINS, query, values: true }, archive), CacheError);
    await rejects(answersOf({ ...CHAINS, vintage: "first" }, archive), {
      name: "RangeError",
      message: "answersOf: vintage: needs values: true",
    });
  }));

Deno.test("answersOf with values has one row per data day, and vintage selects the first or last version", () =>
  withArchive(async (at, archive) => {
    const said = (value: number, day: string) => () => through(day, [chain("a", value)]);
    await at("2026-06-02T08:00:00Z", said(1, "2026-06-01"), comparison);
    await at("2026-06-02T20:00:00Z", said(1.5, "2026-06-01"), comparison);
    await at("2026-06-03T08:00:00Z", said(3, "2026-06-02"), comparison);
    const found = async (vintage: "first" | "last") =>
      rows(
        (await answersOf({ ...CHAINS, values: true, vintage }, archive))
          .select("date", "retrieved_at", "ecosystem_fees_30d_sum"),
      );
    equal(await found("first"), [
      "2026-06-01 2026-06-02T08 1",
      "2026-06-02 2026-06-03T08 3",
    ]);
    equal(await found("last"), [
      "2026-06-01 2026-06-02T20 1.5",
      "2026-06-02 2026-06-03T08 3",
    ]);
  }));

Deno.test("answersOf with values has a row for a day of data that a 304 confirmed", () =>
  withArchive(async (at, archive) => {
    const said = (value: number, day: string) => () => {
      const response = through(day, [chain("a", value)]);
      response.headers.set("ETag", `"${value}"`);
      return response;
    };
    const confirmed = (day: string) => () =>
      new Response(null, { status: 304, headers: { "Data-Through": day, ETag: '"10"' } });
    await at("2026-06-02T08:00:00Z", said(10, "2026-06-01"), comparison);
    await at("2026-06-03T08:00:00Z", confirmed("2026-06-02"), comparison);
    await at("2026-06-04T08:00:00Z", said(12, "2026-06-03"), comparison);
    const frame = await answersOf({ ...CHAINS, values: true }, archive);
    equal(rows(frame.select("date", "ecosystem_fees_30d_sum")), [
      "2026-06-01 10",
      "2026-06-02 10",
      "2026-06-03 12",
    ]);
    strictEqual((await answersOf(CHAINS, archive)).height, 2);
  }));

Deno.test("a project that is missing on some days has no row for them", () =>
  withArchive(async (at, archive) => {
    const query = { project_id: ["one", "other"] };
    const ask: Ask = (connection) => project(query, connection);
    const answer = (gone: string) => (path: string) =>
      path.endsWith(gone)
        ? Response.json({ message: "no such project" }, { status: 404 })
        : { project_id: path.split("/").at(-1), name: "P" };
    await at("2026-06-01T00:00:00Z", answer("nobody"), ask);
    await at("2026-06-02T00:00:00Z", answer("other"), ask);
    await at("2026-06-03T00:00:00Z", answer("nobody"), ask);
    equal((await answersOf({ operation: project, query }, archive)).getColumn("rows").toArray(), [
      2,
      1,
      2,
    ]);
    const changes = await restatements({ operation: project, query }, archive);
    equal(changes.select("project_id", "change").rows(), [["other", "gone"], ["other", "new"]]);
  }));

Deno.test("a damaged response is a row of nulls, and restatements skips it", () =>
  withArchive(async (at, archive, dir) => {
    await at("2026-06-01T00:00:00Z", () => [chain("a", 1)], comparison);
    await at(
      "2026-06-02T00:00:00Z",
      () => [{ chain_id: "a", ecosystem_tvl_latest: [] }],
      (connection) => blockchainComparison({}, connection).catch(() => {}),
    );
    await at("2026-06-03T00:00:00Z", () => [chain("a", 2)], comparison);
    equal(
      rows(
        (await answersOf({ operation: blockchainComparison }, archive)).select("rows", "changed"),
      ),
      [
        "1 -",
        "- true",
        "1 true",
      ],
    );
    strictEqual((await restatements({ operation: blockchainComparison }, archive)).height, 1);
    for (const { name } of Deno.readDirSync(dir)) {
      const path = `${dir}/${name}`;
      if (name.endsWith(".body.json") && Deno.readTextFileSync(path).includes(":1")) {
        Deno.writeTextFileSync(path, "damaged");
      }
    }
    equal(
      (await answersOf({ operation: blockchainComparison }, archive)).getColumn("rows").toArray(),
      [
        null,
        null,
        1,
      ],
    );
  }));

Deno.test("the functions of an archive require a cache with the request, and a valid query", () =>
  withArchive(async (_, archive) => {
    const query = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;
    await rejects(answersOf({ operation: metricBreakdown, query }, archive), (error: Error) => {
      ok(error instanceof CacheError);
      ok(/^answersOf: the cache in .* has no response to this query$/.test(error.message));
      return true;
    });
    await rejects(
      restatements(
        { operation: metricBreakdown, query: { ...query, metric_ids: [] } },
        archive,
      ),
      QueryError,
    );
    await rejects(answersOf({ operation: metricBreakdown, query }, connect({})), (error: Error) => {
      ok(error instanceof ConfigurationError);
      ok(error.message.endsWith("; sample data needs allowSample: true"));
      return true;
    });
  }));
