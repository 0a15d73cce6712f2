import { deepEqual, equal, ok } from "node:assert/strict";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { buildData, createService } from "../../lib/service/mod.ts";
import { cohortAnalysis, connect, type DataFrame } from "../../mod.ts";
import { cohortsByLoops, type Event } from "./cohorts_by_loops.ts";

const PROJECTS = ["amber-swap", "birch-loans", "cedar-games"];

/** Events of 300 users by chance from a fixed seed: each may stay away for months and come back. */
function eventsThrough(lastDay: string): Event[] {
  let state = 20_070_101;
  const chance = () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
  const first = Date.parse("2024-11-03");
  const days = (Date.parse(lastDay) - first) / 86_400_000;
  const events: Event[] = [];
  const add = (project: string, user: string, day: number) => {
    const text = new Date(first + day * 86_400_000).toISOString().slice(0, 10);
    events.push({ project, user, day: text });
  };
  for (let user = 0; user < 300; user++) {
    const project = PROJECTS[user % PROJECTS.length]!;
    for (let day = Math.floor(days * chance()); day <= days; day += 1 + Math.floor(90 * chance())) {
      add(project, `user-${user}`, day);
      // The same user in another project is a user of each.
      if (chance() < 0.2) add(PROJECTS[0]!, `user-${user}`, day);
    }
  }
  // The data ends on its last day, even without activity.
  add(PROJECTS[1]!, "user-0", days);
  return events;
}

function factFiles(events: readonly Event[]): Record<string, string[]> {
  const uses = new Set(
    events.map(({ project, user, day }) => `${day},${user},alder,0x${project},1`),
  );
  return {
    chains: ["chain_id,chain_name", "alder,Alder"],
    market_sectors: ["market_sector_id,market_sector_name", "apps,Apps"],
    projects: [
      "project_id,project_name,market_sector_id",
      ...PROJECTS.map((id) => `${id},The ${id},apps`),
    ],
    products: ["product_id,product_name,project_id", ...PROJECTS.map((id) => `${id}-v1,V1,${id}`)],
    contracts: [
      "chain_id,account_address,product_id",
      ...PROJECTS.map((id) => `alder,0x${id},${id}-v1`),
    ],
    activity: ["day,user_address,chain_id,account_address,transaction_count", ...uses],
  };
}

/** What the service's cohort dataset is, when the service is built from these events. */
async function cohortsOfTheService(events: readonly Event[]): Promise<DataFrame> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, lines] of Object.entries(factFiles(events))) {
      await Deno.writeTextFile(`${folder}/${name}.csv`, lines.join("\n") + "\n");
    }
    const data = `${folder}/data.duckdb`;
    await buildData({ facts: folder, out: data });
    const service = await createService({ data });
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
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const lastDay of ["2026-03-31", "2026-03-30"]) {
  Deno.test(`retentionCurves of the service equals counts by plain loops over raw events, to ${lastDay}`, async () => {
    const events = eventsThrough(lastDay);
    const counted = cohortsByLoops(events, lastDay);
    const curves = retentionCurves(await cohortsOfTheService(events)).toRecords();
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
    // March is over on its last day, and not on the day before.
    const march = curves.filter(({ cohort, month }) => cohort === "2026-03" && month === 0);
    ok(march.length > 0);
    ok(march.every(({ retention }) => retention === (lastDay === "2026-03-31" ? 1 : null)));
  });
}
