import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { sampleFolder, statementsOf } from "../../../lib/service/sample/sample_file.ts";
import { fillSample, sampleSnapshot } from "../../../lib/service/snapshot.ts";

// Without values that were read from the database while it was filled.
const READ = /( AND)? ?day [<>]=? DATE '[^']*'|'[^']*' AS digest|'\d{4}-\d\d-\d\d'|\d+/g;
const shape = (sql: string) => sql.replaceAll(READ, "");

/** Makes the sample in memory once, and keeps the statements that made it. */
async function makeInMemory(): Promise<{ readonly run: Set<string>; readonly digest: unknown }> {
  const run = new Set<string>();
  const database = await openDuckdb();
  const spy =
    <T>(method: (sql: string, bindings?: never) => Promise<T>) => (sql: string, bindings = {}) => {
      run.add(shape(`${sql}\n${JSON.stringify(bindings)}`));
      return method(sql, bindings as never);
    };
  try {
    await fillSample({ ...database, run: spy(database.run), rows: spy(database.rows) });
    const [row] = await database.rows("SELECT digest FROM data.layout");
    return { run, digest: row?.digest };
  } finally {
    database.close();
  }
}

let inMemory: ReturnType<typeof makeInMemory> | undefined;

Deno.test("sampleName covers every statement that makes the sample, and the data of its entities", async () => {
  const { run } = await (inMemory ??= makeInMemory());
  const recorded = new Set((await statementsOf(fillSample)).map(shape));
  // One statement for each table of the file, whose names are read from it.
  const missing = [...run.difference(recorded)].filter((sql) => !sql.includes("hash(t)"));
  equal(missing.map((sql) => sql.slice(0, 80)), []);
  ok([...recorded].some((sql) => sql.includes("plumbline")));
});

// The run of the tests has built the file before, with the same code.
Deno.test("the sample from its file has the rows of the sample in memory, and is marked as sample data", async () => {
  const expected = await (inMemory ??= makeInMemory());
  ok(sampleFolder() !== null);
  const { digest, sample, database } = await sampleSnapshot();
  equal([digest, sample], [expected.digest, true]);
  database.close();
});
