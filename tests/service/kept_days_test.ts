import fc from "fast-check";
import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { openDuckdb, quoteText } from "../../lib/service/engine/duckdb.ts";
import { buildData, type BuildOptions, type BuildResult } from "../../lib/service/mod.ts";
import { arbitraryFacts } from "./arbitrary_facts.ts";
import { type Facts, toCsv, writeFacts } from "./facts_model.ts";
import { tinyFacts } from "./tiny_facts.ts";

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Builds `<folder>/<name>` of facts; activity has a file even when it has no row. */
async function build(
  folder: string,
  facts: Facts,
  { name = "data.duckdb", ...options }: Partial<BuildOptions> & { name?: string } = {},
): Promise<BuildResult> {
  const path = `${folder}/facts`;
  await Deno.remove(path, { recursive: true }).catch(() => {});
  await writeFacts(path, facts);
  const columns = Object.keys(tinyFacts().activity[0]!);
  await Deno.writeTextFile(`${path}/activity.csv`, toCsv(facts.activity, columns));
  return await buildData({ facts: path, out: `${folder}/${name}`, ...options });
}

/** Every row of every table of a file, in their order, or sorted where the file has none. */
async function tablesOf(path: string, order = ""): Promise<Record<string, string[]>> {
  const database = await openDuckdb();
  try {
    await database.run(`ATTACH ${quoteText(path)} AS file (READ_ONLY)`);
    const names = await database.rows(
      `SELECT concat(schema_name, '.', table_name) AS name FROM duckdb_tables()
       WHERE database_name = 'file' AND table_name NOT IN ('layout', 'state') ORDER BY name`,
    );
    const tables: Record<string, string[]> = {};
    for (const { name } of names) {
      const rows = await database.rows(`SELECT * FROM file.${name}${order}`);
      tables[String(name)] = rows.map((row) => JSON.stringify(row));
    }
    return tables;
  } finally {
    database.close();
  }
}

const shifted = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

const lastOf = (rows: readonly { day: string }[]) => rows.map(({ day }) => day).sort().at(-1)!;

/** Facts with the days from one on taken from other facts, whose days are moved to end on a day. */
function restated(
  facts: Facts,
  other: Facts,
  { since, last }: { since: string; last: string },
): Facts {
  const before = <T extends { day: string }>(rows: T[]) => rows.filter(({ day }) => day < since);
  const days = (Date.parse(last) - Date.parse(lastOf(other.activity))) / 86_400_000;
  const moved = <T extends { day: string }>(rows: T[]) =>
    rows.map((row) => ({ ...row, day: shifted(row.day, days) })).filter(({ day }) => day >= since);
  const known = new Set(facts.contracts.map((row) => `${row.chain_id},${row.account_address}`));
  const ofContracts = <T extends { chain_id: string; account_address: string }>(rows: T[]) =>
    rows.filter((row) => known.has(`${row.chain_id},${row.account_address}`));
  const activity = [...before(facts.activity), ...moved(ofContracts(other.activity))];
  const end = activity.length === 0 ? "" : lastOf(activity);
  const levels = <T extends { day: string }>(was: T[], now: T[]) =>
    [...before(was), ...moved(now)].filter(({ day }) => day <= end);
  return {
    ...facts,
    activity,
    contract_events: levels(facts.contract_events, ofContracts(other.contract_events)),
    contract_transfers: levels(facts.contract_transfers, ofContracts(other.contract_transfers)),
    product_daily: levels(facts.product_daily, other.product_daily),
    project_daily: levels(facts.project_daily, other.project_daily),
    chain_daily: levels(facts.chain_daily, other.chain_daily),
  };
}

/** A night: how many days after the last one the data ends, how many are restated, and by what. */
const night = fc.record({
  later: fc.constantFrom(0, 0, 1, 1, 2, 40, -3),
  back: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 45 }), fc.constant(900)),
  other: arbitraryFacts,
  // Whether the facts of the days before are in the folder as well.
  whole: fc.boolean(),
});

Deno.test("buildData with since leaves what a build of all facts leaves, night after night", async () => {
  let reused = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryFacts,
      fc.array(night, { minLength: 1, maxLength: 3 }),
      (first, nights) =>
        withFolder(async (folder) => {
          let facts = first;
          await build(folder, facts, { keep: true });
          for (const { later, back, other, whole } of nights) {
            const last = lastOf(facts.activity);
            const since = shifted(last, 1 - back);
            const next = restated(facts, other, { since, last: shifted(last, later) });
            if (next.activity.length === 0) continue;
            const given = whole
              ? next
              : { ...next, activity: next.activity.filter(({ day }) => day >= since) };
            const built = await build(folder, given, { since });
            equal([built.since, built.because], [since, undefined]);
            await build(folder, next, { name: "whole.duckdb", keep: true });
            equal(
              await tablesOf(`${folder}/data.duckdb`),
              await tablesOf(`${folder}/whole.duckdb`),
            );
            equal(
              await tablesOf(`${folder}/data.duckdb.kept`, " ORDER BY ALL"),
              await tablesOf(`${folder}/whole.duckdb.kept`, " ORDER BY ALL"),
            );
            if (next.activity.some(({ day }) => day < since)) reused++;
            facts = next;
          }
        }),
    ),
    { numRuns: 10, seed: 20261121, endOnFailure: true },
  );
  ok(reused > 5, `${reused}`);
});
