import { deepStrictEqual as equal, notStrictEqual, ok } from "node:assert/strict";
import { type Database, openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { fillSample, sampleSnapshot } from "../../lib/service/snapshot.ts";
import {
  openSample,
  sampleFileName,
  sampleFolder,
  statementsOf,
} from "../../lib/service/sample/sample_file.ts";

import { hearing } from "../http/hearing.ts";

const VERSION = { layout: 1, duckdb: "v1.0.0" };

async function fillSmall(database: Database): Promise<void> {
  await database.run("CREATE SCHEMA data");
  await database.run("CREATE TABLE data.answer AS SELECT $value::INTEGER AS value", { value: 42 });
}

/** Runs code with a cache folder of its own, which is empty. */
async function withCache(code: (folder: string) => Promise<void>): Promise<void> {
  const before = Deno.env.get("XDG_CACHE_HOME");
  const folder = await Deno.makeTempDir();
  Deno.env.set("XDG_CACHE_HOME", folder);
  try {
    await code(`${folder}/chainframe`);
  } finally {
    if (before === undefined) Deno.env.delete("XDG_CACHE_HOME");
    else Deno.env.set("XDG_CACHE_HOME", before);
    await Deno.remove(folder, { recursive: true });
  }
}

async function valueIn(database: Database): Promise<unknown> {
  try {
    return (await database.rows("SELECT value FROM data.answer"))[0]?.value;
  } finally {
    database.close();
  }
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("sampleFileName changes with a statement, its data, the layout and the DuckDB version", async () => {
  const name = await sampleFileName(fillSmall, VERSION);
  equal(await sampleFileName(fillSmall, VERSION), name);
  const others = await Promise.all([
    sampleFileName(async (database) => {
      await fillSmall(database);
      await database.run("SELECT 1");
    }, VERSION),
    sampleFileName(async ({ run }) => {
      await run("CREATE SCHEMA data");
      await run("CREATE TABLE data.answer AS SELECT $value::INTEGER AS value", { value: 43 });
    }, VERSION),
    sampleFileName(fillSmall, { ...VERSION, layout: 2 }),
    sampleFileName(fillSmall, { ...VERSION, duckdb: "v1.0.1" }),
    sampleFileName(fillSmall, { layout: 1 }),
  ]);
  equal(new Set([name, ...others]).size, 6);
});

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

Deno.test("sampleFileName covers every statement that makes the sample, and the data of its entities", async () => {
  const { run } = await (inMemory ??= makeInMemory());
  const recorded = new Set((await statementsOf(fillSample)).map(shape));
  // One statement for each table of the file, whose names are read from it.
  const missing = [...run.difference(recorded)].filter((sql) => !sql.includes("hash(t)"));
  equal(missing.map((sql) => sql.slice(0, 80)), []);
  ok([...recorded].some((sql) => sql.includes("plumbline")));
});

Deno.test("openSample writes a file once and opens it again", () =>
  withCache(async (folder) => {
    equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
    const name = await sampleFileName(fillSmall, VERSION);
    equal(filesIn(folder), [name, `${name}.sha256`]);
    const { ino } = await Deno.stat(`${folder}/${name}`);
    equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
    equal((await Deno.stat(`${folder}/${name}`)).ino, ino);
  }));

Deno.test("openSample replaces a file that is damaged, truncated or without its digest", () =>
  withCache(async (folder) => {
    (await openSample(fillSmall, VERSION)).close();
    const path = `${folder}/${await sampleFileName(fillSmall, VERSION)}`;
    const whole = await Deno.readFile(path);
    const damages: readonly (() => Promise<void>)[] = [
      () => Deno.writeFile(path, whole.with(whole.length >> 1, whole[whole.length >> 1]! ^ 1)),
      () => Deno.truncate(path, whole.length >> 1),
      () => Deno.remove(`${path}.sha256`),
      () => Deno.remove(path),
    ];
    for (const damage of damages) {
      await damage();
      const { ino } = await Deno.stat(path).catch(() => ({ ino: null }));
      equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
      notStrictEqual((await Deno.stat(path)).ino, ino);
    }
    equal(filesIn(folder).length, 2);
  }));

Deno.test("openSample builds the file again, once, when a block is damaged while its size and time are not", () =>
  withCache(async (folder) => {
    const fill = (database: Database) =>
      database.run(
        "CREATE SCHEMA data; CREATE TABLE data.answer AS SELECT hash(range) % 1000 AS value FROM range(200000)",
      );
    const sumIn = async (database: Database) =>
      (await database.rows("SELECT sum(value)::BIGINT AS sum FROM data.answer"))[0]?.sum;
    const whole = await openSample(fill, VERSION);
    const sum = await sumIn(whole);
    whole.close();
    const path = `${folder}/${await sampleFileName(fill, VERSION)}`;
    const { mtime } = await Deno.stat(path);
    const bytes = await Deno.readFile(path);
    await Deno.writeFile(path, bytes.map((byte, at) => at % 65_536 === 40_000 ? byte ^ 1 : byte));
    await Deno.utime(path, mtime!, mtime!);
    const { ino } = await Deno.stat(path);
    const database = await openSample(fill, VERSION);
    equal(await Promise.all([sumIn(database), sumIn(database)]), [sum, sum]);
    database.close();
    notStrictEqual((await Deno.stat(path)).ino, ino);
  }));

Deno.test("openSample replaces a file that cannot be opened while its size and time are not new, with a notice", () =>
  withCache(async (folder) => {
    (await openSample(fillSmall, VERSION)).close();
    const path = `${folder}/${await sampleFileName(fillSmall, VERSION)}`;
    const { mtime, ino } = await Deno.stat(path);
    const bytes = await Deno.readFile(path);
    await Deno.writeFile(path, bytes.fill(7, 0, 12_288));
    await Deno.utime(path, mtime!, mtime!);
    const opened = async () => void equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
    equal(await hearing(opened), [
      `chainframe: the sample data in ${path} are damaged: building them again`,
    ]);
    notStrictEqual((await Deno.stat(path)).ino, ino);
    equal(await hearing(opened), []);
  }));

Deno.test("openSample can run twice at the same time", () =>
  withCache(async (folder) => {
    const both = await Promise.all([1, 2].map(() => openSample(fillSmall, VERSION)));
    equal(await Promise.all(both.map(valueIn)), [42, 42]);
    equal(filesIn(folder).length, 2);
  }));

Deno.test("openSample removes files of other versions after a day", () =>
  withCache(async (folder) => {
    await Deno.mkdir(folder, { recursive: true });
    for (const name of ["sample-old.duckdb", "sample-new.duckdb", "other"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "");
    }
    const old = new Date(Date.now() - 2 * 86_400_000);
    await Deno.utime(`${folder}/sample-old.duckdb`, old, old);
    await Deno.utime(`${folder}/other`, old, old);
    (await openSample(fillSmall, VERSION)).close();
    equal(filesIn(folder).filter((name) => /old|new|other/.test(name)), [
      "other",
      "sample-new.duckdb",
    ]);
  }));

Deno.test("openSample makes the sample in memory if the folder cannot be written", () =>
  withCache(async (folder) => {
    await Deno.writeTextFile(folder, "a file, not a folder");
    equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
    equal(await Deno.readTextFile(folder), "a file, not a folder");
  }));

for (
  const [missing, permissions] of [
    ["write", { env: true, read: true, write: false }],
    ["read", { env: true, read: false, write: true }],
    ["env", { env: false, read: true, write: true }],
  ] as const
) {
  Deno.test({
    name: `sampleFolder is null without the permission to ${missing}`,
    permissions,
    fn: () => equal(sampleFolder(), null),
  });
}

Deno.test("the sample from its file has the rows of the sample in memory, and is marked as sample data", () =>
  withCache(async () => {
    const expected = await (inMemory ??= makeInMemory());
    for (const _ of ["built", "opened"]) {
      const { digest, sample, database } = await sampleSnapshot();
      equal([digest, sample], [expected.digest, true]);
      database.close();
    }
  }));
