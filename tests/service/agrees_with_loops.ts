import fc from "fast-check";
import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { buildData, createService, type Service } from "../../lib/service/mod.ts";
import { arbitraryFacts, arbitraryFilters } from "./arbitrary_facts.ts";
import { ALL_METRICS, bruteForce, type Question } from "./brute_force.ts";
import { breakdown, get, TOKEN } from "./call_service.ts";
import { type Facts, writeFacts } from "./facts_model.ts";
import { GROUP_BYS, INTERVALS } from "./request_corpus.ts";
import type { SentRequest } from "./sent_request.ts";

// Some dates of which each may be missing, outside the data, or leave no day of it.
const DATES: { start?: string; end?: string }[] = [
  {},
  { start: "2025-12-20" },
  { end: "2025-11-30" },
  { start: "2025-12-01", end: "2026-01-02" },
  { start: "2020-01-01", end: "2030-01-01" },
  { start: "2030-01-01", end: "2030-02-01" },
];

/** That a number is within 1e-9 of the expected one, as a share of it where it is large. */
function near(actual: number, expected: number): boolean {
  return Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
}

/** Compares responses: numbers to 1e-9, the decimal texts of aggregations likewise, the rest exactly. */
function agree(actual: unknown, expected: unknown, what: string): void {
  if (typeof actual === "number" && typeof expected === "number") {
    ok(near(actual, expected), `${what}: ${actual} for ${expected}`);
  } else if (Array.isArray(actual) && Array.isArray(expected)) {
    equal(actual.length, expected.length, what);
    actual.forEach((item, index) => agree(item, expected[index], `${what}[${index}]`));
  } else if (typeof actual === "object" && typeof expected === "object" && actual && expected) {
    equal(Object.keys(actual).sort(), Object.keys(expected).sort(), what);
    for (const [name, value] of Object.entries(actual)) {
      agree(value, expected[name as keyof typeof expected], `${what}.${name}`);
    }
  } else if (/\.value$/.test(what) && Number.isFinite(Number(actual))) {
    ok(near(Number(actual), Number(expected)), `${what}: ${actual} for ${expected}`);
  } else equal(actual, expected, what);
}

async function serviceOf(facts: Facts, folder: string): Promise<Service> {
  await writeFacts(`${folder}/facts`, facts);
  await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb` });
  return await createService({ tokens: [TOKEN], data: `${folder}/data.duckdb` });
}

/**
 * Compares every operation of services of random facts with loops over the facts.
 *
 * @param numRuns how many worlds of facts
 * @param check is given the requests to each service
 */
export async function agreesWithLoops(
  numRuns: number,
  check: (sent: readonly SentRequest[], service: Service) => Promise<void> = () =>
    Promise.resolve(),
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(arbitraryFacts, arbitraryFilters, async (facts, filters) => {
      const folder = await Deno.makeTempDir();
      try {
        const service = await serviceOf(facts, folder);
        const sent: SentRequest[] = [];
        const authorization = `Bearer ${TOKEN}`;
        const expected = bruteForce(facts);
        const dataset = async (name: string) => {
          sent.push({ method: "GET", path: `/v2/${name}`, headers: { authorization }, body: null });
          return (await get(service, `/v2/${name}`)).body.data;
        };
        for (
          const [path, rows] of [
            ["datasets/blockchain_comparison", expected.comparison()],
            ["datasets/project_contracts", expected.contracts()],
            ["datasets/cohort_analysis", expected.cohorts()],
            ["metric-aggregations", expected.aggregations()],
          ] as const
        ) agree(await dataset(path), rows, path);
        for (const [index, group_by] of GROUP_BYS.entries()) {
          for (const [other, interval] of INTERVALS.entries()) {
            const question: Question = {
              // A third of the metrics each time, another third for the next facts.
              metric_ids: ALL_METRICS.filter((_, metric) =>
                (metric + index + other + facts.activity.length) % 3 === 0
              ),
              interval,
              group_by,
              ...((index + other) % 2 === 0 ? filters : {}),
              ...DATES[(index + other) % DATES.length],
            };
            sent.push({
              ...{ method: "POST", path: "/v2/metric-breakdown" },
              headers: { authorization, "content-type": "application/json" },
              body: JSON.stringify(question),
            });
            const { status, body } = await breakdown(service, question);
            equal(status, 200);
            agree(body.data, expected.breakdown(question), JSON.stringify(question));
          }
        }
        await check(sent, service);
        await service.close();
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    }),
    { numRuns, seed: 20260617, endOnFailure: true },
  );
}
