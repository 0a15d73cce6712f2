import { deepEqual, equal, ok } from "node:assert/strict";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { createService } from "../../lib/service/mod.ts";
import { loadSampleFacts } from "../../lib/service/sample/load_sample_facts.ts";
import { cohortAnalysis, connect, type DataFrame } from "../../mod.ts";
import { cohortsByLoops, type Event } from "./cohorts_by_loops.ts";

/** The raw events that the service's sample is built from, one per user, contract and day. */
async function sampleEvents(): Promise<Event[]> {
  const database = await openDuckdb();
  try {
    await loadSampleFacts(database);
    const rows = await database.rows(
      "SELECT project_id, user_id, day FROM facts.activity " +
        "JOIN facts.contracts USING (contract_no) JOIN facts.products USING (product_id)",
    );
    return rows.map(({ project_id, user_id, day }) => ({
      project: String(project_id),
      user: Number(user_id),
      day: String(day),
    }));
  } finally {
    database.close();
  }
}

async function cohortsOfTheService(): Promise<DataFrame> {
  const service = await createService();
  try {
    const connection = connect({
      baseUrl: "http://127.0.0.1:9",
      token: service.tokens[0]!,
      fetch: (request) => service.fetch(request),
    });
    return await cohortAnalysis({}, connection);
  } finally {
    await service.close();
  }
}

Deno.test("retentionCurves of the service's cohorts are what plain loops count from raw events", async () => {
  const events = await sampleEvents();
  const days = events.map(({ day }) => day).sort();
  const counted = cohortsByLoops(events, days.at(-1)!);
  const curves = retentionCurves(await cohortsOfTheService()).toRecords();
  equal(curves.length, 12 * counted.size);
  const found = new Set(curves.map(({ project_id, cohort }) => `${project_id} ${cohort}`));
  deepEqual([...found].sort(), [...counted.keys()].sort());
  for (const { project_id, cohort, month, size, retained, retention } of curves) {
    const place = `${project_id} ${cohort}`;
    const expected = counted.get(place)!;
    const left = expected.retained[Number(month)]!;
    equal(size, expected.size, place);
    equal(retention, left === null ? null : left / expected.size, `${place} month ${month}`);
    if (left === null) equal(retained, null);
    else ok(Math.abs(Number(retained) - left) < 1e-9);
  }
  // The sample has to hold what the test is about: months that are over, and months that are not.
  ok(curves.some(({ retention }) => retention === null));
  ok(curves.filter(({ retention, month }) => retention !== null && Number(month) > 6).length > 100);
});
