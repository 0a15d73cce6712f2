import fc from "fast-check";
import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
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

/** What is kept, in an order, with users by their addresses: numbers are given as they come. */
async function keptOf(path: string): Promise<Record<string, string[]>> {
  const { "main.user_number": _, "main.user_month": _months, ...tables } = await tablesOf(
    path,
    " ORDER BY ALL",
  );
  const database = await openDuckdb();
  await database.run(`ATTACH ${quoteText(path)} AS kept (READ_ONLY)`);
  const months = await database.rows(
    `SELECT project_id, user_address, day FROM kept.user_month JOIN kept.user_number USING (user_no)
     ORDER BY ALL`,
  );
  database.close();
  return { ...tables, months: months.map((row) => JSON.stringify(row)) };
}

/** Every row of every table of a file, in their order or one that is given. */
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
              await keptOf(`${folder}/data.duckdb.kept`),
              await keptOf(`${folder}/whole.duckdb.kept`),
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

/** The tiny facts with some of them changed. */
function tiny(change: (facts: Facts) => void): Facts {
  const facts = tinyFacts();
  change(facts);
  return facts;
}

const LAST = "2026-01-31";

Deno.test("buildData with since says in a line why it reads all days", () =>
  withFolder(async (folder) => {
    const data = `${folder}/data.duckdb`;
    const kept = `${data}.kept`;
    const because = async (facts: Facts, before: () => Promise<unknown>) => {
      await build(folder, tinyFacts(), { keep: true });
      await before();
      const built = await build(folder, facts, { since: LAST });
      equal(built.since, built.because === undefined ? LAST : null);
      return built.because;
    };
    const nothing = () => Promise.resolve();
    equal(await because(tinyFacts(), () => Deno.remove(kept)), `there is no ${kept}`);
    equal(
      await because(tinyFacts(), () => Deno.writeTextFile(kept, "x")),
      `${kept} cannot be read`,
    );
    const other = async () => {
      const database = await openDuckdb();
      await database.run(
        `ATTACH ${quoteText(kept)} AS k; UPDATE k.state SET layout = 0; DETACH k`,
      );
      database.close();
    };
    equal(await because(tinyFacts(), other), `${kept} is of another version`);
    for (
      const between of [
        () => build(folder, tinyFacts()),
        () => Deno.remove(data),
        () => Deno.writeTextFile(data, "x"),
        async () => {
          await Deno.copyFile(kept, `${kept}.old`);
          await build(folder, tinyFacts(), { keep: true });
          await Deno.rename(`${kept}.old`, kept);
        },
      ]
    ) equal(await because(tinyFacts(), between), `${kept} and ${data} are not of the same build`);
    const changed = "contracts, products or projects have changed";
    equal(
      await because(tiny((facts) => void (facts.contracts[0]!.product_id = "x2")), nothing),
      `${changed}: c1,0xa was of x1, p1, s1 and is of x2, p2, s1`,
    );
    equal(
      await because(tiny((facts) => void (facts.products[1]!.project_id = "p1")), nothing),
      `${changed}: c1,0xb was of x2, p2, s1 and is of x2, p1, s1`,
    );
    const sectors = tiny((facts) => {
      facts.market_sectors.push({ market_sector_id: "s2", market_sector_name: "Sector Two" });
      for (const project of facts.projects) project.market_sector_id = "s2";
    });
    equal(
      await because(sectors, nothing),
      `${changed}: c1,0xa was of x1, p1, s1 and is of x1, p1, s2 (and 1 more)`,
    );
    const gone = tiny((facts) => {
      facts.contracts.pop();
      facts.activity.pop();
    });
    const more = tiny((facts) => {
      facts.contracts.push({ ...facts.contracts[0]!, account_address: "0x0" });
      facts.projects[0]!.project_name = "Renamed";
    });
    equal(await because(more, nothing), undefined);
    // What was read whole is kept as well.
    equal(await because(gone, nothing), `${changed}: c1,0xb is gone`);
    equal((await build(folder, gone, { since: LAST })).because, undefined);
  }));

Deno.test("buildData with since reads from the first new day on, and nothing of the days before", () =>
  withFolder(async (folder) => {
    const use = tinyFacts().activity[0]!;
    await build(folder, tinyFacts(), { keep: true });
    const later = tiny((facts) => {
      for (const row of facts.activity) row.transaction_count = 900;
      facts.activity[0]!.gas_used = -1;
      facts.activity.push({ ...use, day: "2026-02-01" }, { ...use, day: "2026-02-03" });
    });
    const built = await build(folder, later, { since: "2026-02-03" });
    equal([built.since, built.first_day, built.last_day], [
      "2026-02-01",
      "2026-01-30",
      "2026-02-03",
    ]);
    const whole = tiny((facts) => void facts.activity.push(...later.activity.slice(-2)));
    whole.activity.slice(-2).forEach((row) => row.transaction_count = 2);
    await build(folder, whole, { name: "whole.duckdb" });
    equal(await tablesOf(`${folder}/data.duckdb`), await tablesOf(`${folder}/whole.duckdb`));
  }));

Deno.test("buildData with since moves the first month of a user whose first days are restated", () =>
  withFolder(async (folder) => {
    const use = tinyFacts().activity[0]!;
    const facts = (...days: string[]) =>
      tiny((facts) => void (facts.activity = days.map((day) => ({ ...use, day }))));
    const cohorts = async () =>
      (await tablesOf(`${folder}/data.duckdb`))["data.cohort_analysis"]!
        .map((row) => JSON.parse(row)).map((
          { cohort, month_0, month_1, month_2 },
        ) => [cohort, month_0, month_1, month_2]);
    const january = ["2026-01-05", "2026-01-20"];
    const days = [...january, "2026-02-10", "2026-03-31"];
    const short = (facts: Facts) => ({ ...facts, product_daily: [] });
    await build(folder, short(facts(...days)), { keep: true });
    equal(await cohorts(), [["2026-01", 1, 1, 1]]);
    await build(folder, short(facts("2026-03-31")), { since: "2026-01-20" });
    equal(await cohorts(), [["2026-01", 1, 0, 1]]);
    await build(folder, short(facts("2026-02-02", "2026-03-31")), { since: "2026-01-05" });
    equal(await cohorts(), [["2026-02", 1, 1, null]]);
    await build(folder, short(facts(...days)), { since: "2026-01-01" });
    equal(await cohorts(), [["2026-01", 1, 1, 1]]);
  }));

Deno.test("buildData with since refuses to lose days, counts too much together, names what is wrong", () =>
  withFolder(async (folder) => {
    const start = (facts: Facts) => {
      facts.product_daily[0]!.day = "2026-01-30";
      facts.activity[0]!.gas_used = 9_007_199_254_740_000;
    };
    await build(folder, tiny(start), { keep: true });
    const before = await tablesOf(`${folder}/data.duckdb`);
    const only = (change: (facts: Facts) => void) =>
      tiny((facts) => {
        start(facts);
        facts.activity.shift();
        change(facts);
      });
    const refused = async (facts: Facts, problem: string) => {
      const because = { name: "FactsError", message: `Cannot build from these facts:\n${problem}` };
      await rejects(build(folder, facts, { since: LAST }), because);
      equal(await tablesOf(`${folder}/data.duckdb`), before);
    };
    await refused(
      only((facts) => void (facts.product_daily = [])),
      "product_daily: it has no row, and in the last build it began on 2026-01-30: of the days before " +
        "2026-01-31 only activity is kept, the rest is read whole",
    );
    await refused(
      only((facts) => void (facts.products[0]!.project_id = "p2")),
      "activity: it begins on 2026-01-31, and in the last build it began on 2026-01-30: every day has " +
        "to be read, as contracts, products or projects have changed: c1,0xa was of x1, p1, s1 and is " +
        "of x1, p2, s1",
    );
    await refused(
      only((facts) => void (facts.activity[1]!.transaction_count = -2)),
      'activity.csv from 2026-01-31 on, row 2: transaction_count is negative: "-2"',
    );
    const many = only((facts) => {
      facts.activity = Array.from({ length: 999 }, (_, user) => ({
        ...facts.activity[0]!,
        user_address: `u${user}`,
        gas_used: 9_007_199_254_740_000,
      }));
    });
    await refused(
      many,
      "activity: gas_used adds up to more than 9e18 with the days before 2026-01-31",
    );
    for (const since of ["2026-02-30", "yesterday", "2026-1-1", ""]) {
      await rejects(build(folder, tinyFacts(), { since }), {
        name: "RangeError",
        message: `Cannot build: since must be a day of the calendar, YYYY-MM-DD; got ${since}`,
      });
    }
    const ready = await build(folder, only(() => {}), { since: LAST });
    equal([ready.since, ready.because], [LAST, undefined]);
    equal(await tablesOf(`${folder}/data.duckdb`), before);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    equal(names, ["data.duckdb", "data.duckdb.kept", "facts"]);
  }));
