import { deepStrictEqual as equal } from "node:assert/strict";
import fc from "fast-check";
import type { TimelineQuery } from "../../../lib/operations/timeline.ts";
import { dayOf, dayText, EVERY } from "../../../lib/schema/period.ts";
import { GROUP_BYS } from "../../../lib/schema/vocabulary.ts";
import { buildData, createService } from "../../../lib/service/mod.ts";
import { hearing } from "../../http/hearing.ts";
import {
  type Cell,
  connectTo,
  known,
  periodsOf,
  singly,
  together,
  TOKEN,
} from "../../operations/single_calls.ts";
import { arbitraryFacts, arbitraryFilters } from "../../service/arbitrary_facts.ts";
import { ALL_METRICS, bruteForce } from "../../service/brute_force.ts";
import { writeFacts } from "../../service/facts_model.ts";

const arbitraryTimeline = fc.record({
  every: fc.constantFrom(...EVERY),
  group_by: fc.constantFrom(...GROUP_BYS),
  from: fc.integer({ min: 0, max: 500 }),
  days: fc.integer({ min: 0, max: 400 }),
  filters: arbitraryFilters,
  metric: fc.nat(ALL_METRICS.length - 1),
});

/** Leaves the periods out that end before the data begin. If all of them do, the first stays. */
function begun(query: TimelineQuery, firstDay: string): TimelineQuery {
  const periods = periodsOf(query);
  const [begin] = periods.filter(({ end }) => end >= firstDay);
  return begin === undefined
    ? { ...query, to: query.from }
    : begin === periods[0]
    ? query
    : { ...query, from: begin.start };
}

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
            const within = begun(query, days[0]!);
            equal(known(rows), known(await singly(within, connection)), JSON.stringify(query));
            const looped = periodsOf(within).flatMap(({ start, end }) => {
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
            // The id of the grouping is added where the interface has none.
            const ours = ["complete", "project_id", "market_sector_id"]
              .filter((name) => !looped.some((row) => name in row));
            const without = rows.map((row) =>
              Object.fromEntries(Object.entries(row).filter(([name]) => !ours.includes(name)))
            );
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
