import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "../../lib/http/connect.ts";
import type { Connection } from "../../lib/http/connect.ts";
import { openConnection } from "../../lib/http/connect.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { createService } from "../../lib/service/mod.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { hearing } from "../http/hearing.ts";
import { manualClock } from "../http/manual_clock.ts";
import { withEnvironment } from "../http/with_environment.ts";

type Ask = (connection: Connection) => Promise<DataFrame>;

const FRAMES: [string, Ask, readonly string[]][] = [
  ["a breakdown with an unknown chain", (c) =>
    metricBreakdown({
      metric_ids: ["fees", "tvl"],
      interval: "30d",
      group_by: "chains",
      chain_ids: ["alder", "nowhere"],
    }, c), ["nowhere"]],
  ["a breakdown with dates", (c) =>
    metricBreakdown({
      metric_ids: ["active_users"],
      interval: "max",
      group_by: "projects",
      start: "2025-01-01",
      end: "2025-01-31",
    }, c), []],
  ["aggregations of all", (c) => metricAggregations({}, c), []],
  [
    "aggregations of some",
    (c) =>
      metricAggregations({ project_ids: ["tidewater", "ghost"], metric_ids: ["fees", "none"] }, c),
    ["ghost", "none"],
  ],
  ["a comparison", (c) => blockchainComparison({}, c), []],
  [
    "a comparison in order",
    (c) =>
      blockchainComparison({
        order_by: "ecosystem_fees_30d_sum",
        order_direction: "desc",
        limit: 3,
      }, c),
    [],
  ],
  ["contracts", (c) => projectContracts({ chain_ids: ["alder"], limit: 9 }, c), []],
  ["cohorts", (c) => cohortAnalysis({ project_ids: ["tidewater"] }, c), []],
  ["nothing", (c) => cohortAnalysis({ project_ids: "ghost" }, c), ["ghost"]],
  ["no project", (c) => project({ project_id: "ghost" }, c), ["ghost"]],
  ["a project", (c) => project({ project_id: "tidewater" }, c), []],
  ["a renamed project", (c) => project({ project_id: "tidepool" }, c), []],
  ["several projects", (c) => project({ project_id: ["tidewater", "ghost"] }, c), ["ghost"]],
];

const FAILURES: [string, Ask, object][] = [
  ["a field that does not exist", (c) => blockchainComparison({ order_by: "fees" as string }, c), {
    name: "HttpError",
    status: 400,
    operation: "blockchain_comparison",
    message:
      /order_by: must be one of chain_id, .*; got "fees" \(did you mean ecosystem_fees_1d_sum/,
  }],
];

function content(frame: DataFrame): unknown {
  const { renamed, requests, sha256 } = provenanceOf(frame);
  return [frame.columns, frame.dtypes.map(String), frame.toRecords(), errorsOf(frame).toRecords(), {
    renamed,
    requests,
    sha256,
  }];
}

async function contents(connection: Connection): Promise<Map<string, unknown>> {
  const frames = new Map<string, unknown>();
  for (const [name, ask, missing] of FRAMES) {
    const frame = await ask(connection);
    deepStrictEqual(errorsOf(frame).getColumn("value").toArray(), missing, name);
    strictEqual(provenanceOf(frame).renamed?.length, name === "a renamed project" ? 1 : 0, name);
    strictEqual(frame.height === 0, name.startsWith("no"), name);
    frames.set(name, content(frame));
  }
  for (const [name, ask, error] of FAILURES) {
    await rejects(ask(connection), error, name);
  }
  return frames;
}

Deno.test("the embedded service gives equal responses in this process and over loopback", async () => {
  const service = await createService({ tokens: ["t0ken-of-a-test"] });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (r) => service.fetch(r),
  );
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  try {
    await hearing(async () => {
      const live = { baseUrl, token: "t0ken-of-a-test", onMissing: "ignore" } as const;
      const within = await withEnvironment({}, () => contents(connect({ onMissing: "ignore" })));
      deepStrictEqual(await contents(connect(live)), within);
      // And over loopback with every list split.
      const split = connect({ ...live, maxUrlLength: 1, requestsPerMinute: Infinity });
      for (const [name, ask] of FRAMES) {
        const whole = within.get(name) as unknown[];
        deepStrictEqual(
          (content(await ask(split)) as unknown[]).slice(0, 4),
          whole.slice(0, 4),
          name,
        );
      }
      await rejects(contents(connect({ ...live, token: "another-token" })), {
        name: "HttpError",
      });
    });
  } finally {
    await server.shutdown();
    await service.close();
  }
});

Deno.test("sample data is marked in provenance and announced once on stderr", () =>
  withEnvironment({}, async () => {
    await hearing(async () => {
      const frame = await blockchainComparison({ limit: 1 }, connect());
      strictEqual(provenanceOf(frame).source, "sample");
    });
  }));

Deno.test("calls wait for a service with a rate limit, and none is lost", async () => {
  const clock = manualClock();
  const service = await createService({
    tokens: ["t0ken-of-a-test"],
    rateLimit: { requests: 5, seconds: 60 },
    now: clock.now,
  });
  try {
    let refused = 0;
    const connection = openConnection({
      baseUrl: "http://127.0.0.1:9",
      token: "t0ken-of-a-test",
      fetch: async (request) => {
        const response = await service.fetch(request);
        if (response.status === 429) refused++;
        return response;
      },
      requestsPerMinute: Infinity,
      // The database works in real time, while this clock leaps.
      timeout: Infinity,
      deadline: Infinity,
    }, clock);
    const limits = Array.from({ length: 16 }, (_, index) => index + 1);
    const frames = await clock.finish(
      Promise.all(limits.map((limit) => cohortAnalysis({ limit }, connection))),
    );
    deepStrictEqual(frames.map((frame) => frame.height), limits);
    // A clock that leaps also counts the 3 s after which a call that waits says so.
    ok(clock.elapsed() >= 180_000 && clock.elapsed() <= 183_000, `${clock.elapsed()}`);
    ok(refused >= 3 && refused <= 12, `${refused} were refused`);
  } finally {
    await service.close();
  }
});
