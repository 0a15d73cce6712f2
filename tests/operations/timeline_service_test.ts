import { deepStrictEqual as equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { connect } from "../../lib/http/connect.ts";
import type { Connection } from "../../lib/http/settings.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { timeline, type TimelineQuery } from "../../lib/operations/timeline.ts";
import { dayOf, dayText, EVERY, periodAt } from "../../lib/schema/period.ts";
import { GROUP_BYS } from "../../lib/schema/vocabulary.ts";
import { buildData, createService, type Service } from "../../lib/service/mod.ts";
import { errorsOf, provenanceOf } from "../../lib/table/provenance.ts";
import { hearing } from "../http/hearing.ts";
import { arbitraryFacts, arbitraryFilters } from "../service/arbitrary_facts.ts";
import { ALL_METRICS, bruteForce } from "../service/brute_force.ts";
import { writeFacts } from "../service/facts_model.ts";

const TOKEN = "test-token";

function connectTo(service: Service): Connection {
  return connect({
    baseUrl: "http://127.0.0.1:9",
    token: TOKEN,
    fetch: (request) => service.fetch(request),
    requestsPerMinute: Infinity,
    onMissing: "ignore",
  });
}

/** The periods of a query, by walking over its days. */
function periodsOf({ every, from, to }: TimelineQuery): { start: string; end: string }[] {
  const found = new Map<number, { start: string; end: string }>();
  for (let day = dayOf(from); day <= dayOf(to!); day++) {
    const { start, end } = periodAt(day, every);
    found.set(start, { start: dayText(start), end: dayText(end) });
  }
  return [...found.values()];
}

type Cell = string | number | boolean | null;

/** The rows that single questions bring, with their periods before them. */
async function singly(query: TimelineQuery, connection: Connection) {
  const { every: _, from: __, to: ___, ...filters } = query;
  const { data_through, data_since } = provenanceOf(
    await metricBreakdown({ ...filters, interval: "24h" }, connection),
  );
  const rows: Record<string, Cell>[] = [];
  for (const { start, end } of periodsOf(query)) {
    const frame = await metricBreakdown({ ...filters, interval: "max", start, end }, connection);
    const complete = new Date(start) >= data_since! && new Date(end) <= data_through!;
    const records = frame.toRecords() as Record<string, Cell>[];
    rows.push(...records.map((record) => ({ date: start, until: end, complete, ...record })));
  }
  return rows;
}

async function together(query: TimelineQuery, connection: Connection) {
  const frame = await timeline(query, connection);
  const records = frame.toRecords() as Record<string, Cell | Date>[];
  return records.map((record): Record<string, Cell> => ({
    ...record as Record<string, Cell>,
    date: (record.date as Date).toISOString().slice(0, 10),
    until: (record.until as Date).toISOString().slice(0, 10),
  }));
}

/** Neither the order of columns nor a column that is null in a single answer, and so missing there. */
function known(rows: readonly Record<string, Cell>[]): Record<string, Cell>[] {
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, v]) => v !== null)));
}

Deno.test("timeline equals 18 single calls, row by row, on the sample", async () => {
  const service = await createService({ tokens: [TOKEN] });
  const connection = connectTo(service);
  const query = {
    metric_ids: ["fees", "active_users"],
    group_by: "chains",
    every: "month",
    from: "2025-01-01",
    to: "2026-06-30",
  } as const;
  const rows = await together(query, connection);
  equal(rows, await singly(query, connection));
  equal(new Set(rows.map(({ date }) => date)).size, 18);
  ok(rows.length >= 18 * 5);
  equal(provenanceOf(await timeline(query, connection)).requests, 18);
  await service.close();
});

const arbitraryTimeline = fc.record({
  every: fc.constantFrom(...EVERY),
  group_by: fc.constantFrom(...GROUP_BYS),
  from: fc.integer({ min: 0, max: 500 }),
  days: fc.integer({ min: 0, max: 400 }),
  filters: arbitraryFilters,
  metric: fc.nat(ALL_METRICS.length - 1),
});

Deno.test("timeline equals single calls, and loops over random facts", async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryFacts,
      fc.array(arbitraryTimeline, { minLength: 8, maxLength: 8 }),
      async (facts, draws) => {
        const folder = await Deno.makeTempDir();
        await writeFacts(`${folder}/facts`, facts);
        await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
        const service = await createService({ tokens: [TOKEN], data: `${folder}/data.duckdb` });
        const connection = connectTo(service);
        const expected = bruteForce(facts);
        const days = facts.activity.map(({ day }) => day).sort();
        try {
          for (const { every, group_by, from, days: length, filters, metric } of draws) {
            const first = dayOf(days.at(-1)!) - from;
            // Days are many: a dozen of them will do.
            const last = first +
              (every === "day" ? length % 12 : every === "week" ? length % 80 : length);
            const query = {
              metric_ids: [ALL_METRICS[metric]!, ALL_METRICS[(metric + 3) % ALL_METRICS.length]!],
              group_by,
              every,
              from: dayText(first),
              to: dayText(last),
              ...filters,
            };
            let rows: Record<string, Cell>[] = [];
            await hearing(async () => rows = await together(query, connection));
            equal(known(rows), known(await singly(query, connection)), JSON.stringify(query));
            const looped = periodsOf(query).flatMap(({ start, end }) => {
              const { every: _, from: __, to: ___, ...rest } = query;
              const items = expected.breakdown({ ...rest, interval: "max", start, end }) as {
                metrics: Record<string, Record<string, Cell>>;
              }[];
              return items.map(({ metrics, ...ids }) => ({
                date: start,
                until: end,
                ...ids,
                ...Object.fromEntries(
                  Object.entries(metrics).flatMap(([name, values]) =>
                    Object.entries(values).map(([key, value]) => [`${name}_${key}`, value])
                  ),
                ),
              }));
            }) as Record<string, Cell>[];
            const without = rows.map(({ complete: _, ...row }) => row);
            equal(known(without), known(looped), JSON.stringify(query));
          }
        } finally {
          await service.close();
          await Deno.remove(folder, { recursive: true });
        }
      },
    ),
    { numRuns: 6, seed: 20261121, endOnFailure: true },
  );
});

Deno.test("an unknown entity is an error once, though every period says so", async () => {
  const service = await createService({ tokens: [TOKEN] });
  const frame = await timeline({
    metric_ids: ["fees"],
    group_by: "chains",
    chain_ids: ["alder", "nowhere"],
    every: "quarter",
    from: "2025",
    to: "2025",
  }, connectTo(service));
  equal(errorsOf(frame).rows(), [["NOT_FOUND", "chain_ids", "nowhere"]]);
  equal(frame.getColumn("data_id").toArray(), ["alder", "alder", "alder", "alder"]);
  await service.close();
});
