import fc from "fast-check";
import { deepStrictEqual as equal, match, ok } from "node:assert/strict";
import {
  CLICKHOUSE_NAMES,
  cohortCountsPart,
  cohortCountsSum,
  contractDaysPart,
  contractDaysSum,
  userSetsPart,
  userSetsSum,
} from "../../lib/service/datasets/activity_parts.ts";
import { type Database, openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { loadFacts } from "../../lib/service/facts/load_facts.ts";
import { writeSample } from "../../lib/service/sample/sample.ts";
import { arbitraryFacts } from "../service/arbitrary_facts.ts";
import { type Facts, writeFacts } from "../service/facts_model.ts";
import { type Chdb, HAS_CHDB, openChdb } from "./chdb.ts";

const STATEMENTS = [
  { name: "contract_days", part: contractDaysPart, sum: contractDaysSum },
  { name: "user_sets", part: userSetsPart, sum: userSetsSum },
  { name: "cohort_counts", part: cohortCountsPart, sum: cohortCountsSum },
] as const;

const AMOUNTS = [
  "fees",
  "revenue",
  "dex_trading_volume",
  "inflows",
  "outflows",
];

const COLUMNS: Readonly<Record<string, string>> = {
  day: "Date",
  user_address: "String",
  contract: "String",
  cell: "String",
  project_id: "String",
  transaction_count: "Int64",
  gas_used: "Nullable(Int64)",
  ...Object.fromEntries(
    AMOUNTS.map((name) => [name, "Nullable(Decimal(38, 9))"]),
  ),
};

/** Two tables of a current ClickHouse with the activity of half of the users each. */
async function load(
  engine: Chdb,
  database: Database,
  folder: string,
): Promise<void> {
  const names = Object.keys(COLUMNS);
  const columns = names.map((name) => `${name} ${COLUMNS[name]}`).join(", ");
  for (const shard of [0, 1]) {
    const path = `${folder}/activity_${shard}.parquet`;
    await database.run(
      `COPY (SELECT ${
        names.map((name) =>
          name in { contract: 1, cell: 1, user_address: 1 }
            ? `CAST(${name} AS VARCHAR) AS ${name}`
            : name
        )
      } FROM facts.activity WHERE hash(user_address) % 2 = ${shard}) TO '${path}' (FORMAT parquet)`,
    );
    engine.ask(`DROP TABLE IF EXISTS activity_${shard}`);
    engine.ask(
      `CREATE TABLE activity_${shard} (${columns}) ENGINE = MergeTree
       PARTITION BY toYYYYMM(day) ORDER BY (day, user_address)`,
    );
    engine.ask(
      `INSERT INTO activity_${shard} SELECT * FROM file('${path}', Parquet)`,
    );
    await Deno.remove(path);
  }
}

async function textsOf(database: Database, sql: string): Promise<string[]> {
  const rows = await database.rows(
    `SELECT * FROM (${sql}) AS rows ORDER BY ALL`,
  );
  return rows.map((row) => JSON.stringify(row));
}

/** Compares what the engine makes of both halves, put together, with what DuckDB makes of all rows. */
async function compare(
  engine: Chdb,
  database: Database,
  folder: string,
): Promise<number> {
  await load(engine, database, folder);
  let compared = 0;
  for (const { name, part, sum } of STATEMENTS) {
    await database.run(
      `CREATE OR REPLACE TABLE ${name} AS ${part("facts.activity")} LIMIT 0`,
    );
    for (const shard of [0, 1]) {
      const text = engine.ask(part(`activity_${shard}`));
      if (text === "") continue;
      const path = `${folder}/${name}.tsv`;
      await Deno.writeTextFile(path, text);
      await database.run(
        `INSERT INTO ${name} FROM read_csv('${path}', delim = '\\t', header = false,
           all_varchar = true, nullstr = '\\N', quote = '', escape = '')`,
      );
      await Deno.remove(path);
    }
    const whole = await textsOf(database, part("facts.activity"));
    equal([name, await textsOf(database, sum(name))], [name, whole]);
    compared += whole.length;
  }
  return compared;
}

async function withEngine(
  use: (engine: Chdb, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    using engine = await openChdb(`${folder}/chdb`);
    await use(engine, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Compares on the facts of a folder. */
async function compareFacts(engine: Chdb, folder: string): Promise<number> {
  const database = await openDuckdb();
  try {
    await database.run(CLICKHOUSE_NAMES);
    await loadFacts(database, `${folder}/facts`);
    await database.run(
      `CREATE VIEW facts.activity AS SELECT * EXCLUDE (user_no)
         REPLACE (${
        AMOUNTS.map((name) => `CAST(${name} AS DECIMAL(38, 9)) AS ${name}`).join(", ")
      }),
         concat('user ', user_no) AS user_address FROM facts.numbered_activity`,
    );
    return await compare(engine, database, folder);
  } finally {
    database.close();
    await Deno.remove(`${folder}/facts`, { recursive: true });
  }
}

const SAME = "the statements over activity give in a current ClickHouse what they give in DuckDB";

Deno.test({
  name: `${SAME}, on the sample`,
  ignore: !HAS_CHDB,
  fn: () =>
    withEngine(async (engine, folder) => {
      match(engine.ask("SELECT version()"), /^26\./);
      await writeSample({ out: `${folder}/facts`, scale: 0.2 });
      ok(await compareFacts(engine, folder) > 10_000);
    }),
});

Deno.test({
  name: `${SAME}, on random facts`,
  ignore: !HAS_CHDB,
  fn: () =>
    withEngine(async (engine, folder) => {
      const same = async (facts: Facts) => {
        await writeFacts(`${folder}/facts`, facts);
        // Each statement returns a row at least.
        ok(await compareFacts(engine, folder) >= STATEMENTS.length);
      };
      await fc.assert(fc.asyncProperty(arbitraryFacts, same), {
        numRuns: 40,
        seed: 20261121,
        endOnFailure: true,
      });
    }),
});
