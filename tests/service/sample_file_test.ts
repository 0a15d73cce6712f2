import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { type Database, openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { fillStored } from "../../lib/service/sample/stored_tables.ts";
import { DATA_LAYOUT } from "../../lib/service/datasets/build_datasets.ts";
import { fillSample, sampleSnapshot } from "../../lib/service/snapshot.ts";
import {
  openSample,
  sampleFolder,
  sampleName,
  statementsOf,
} from "../../lib/service/sample/sample_file.ts";

import { hearing } from "../http/hearing.ts";

const VERSION = 1;

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

Deno.test("sampleName changes with a statement, its data and the layout", async () => {
  const name = await sampleName(fillSmall, VERSION);
  equal(await sampleName(fillSmall, VERSION), name);
  const others = await Promise.all([
    sampleName(async (database) => {
      await fillSmall(database);
      await database.run("SELECT 1");
    }, VERSION),
    sampleName(async ({ run }) => {
      await run("CREATE SCHEMA data");
      await run("CREATE TABLE data.answer AS SELECT $value::INTEGER AS value", { value: 43 });
    }, VERSION),
    sampleName(fillSmall, 2),
  ]);
  equal(new Set([name, ...others]).size, 4);
});

Deno.test("two first runs at once leave one sample file", () =>
  withCache(async (folder) => {
    const ready = Promise.withResolvers<void>();
    let filling = 0;
    const fill = async (database: Database) => {
      await fillSmall(database);
      // The statements are recorded first, without a database. Then both builds wait for each other.
      if (++filling === 4) ready.resolve();
      if (filling > 2) await ready.promise;
    };
    const opened = await Promise.all([openSample(fill, VERSION), openSample(fill, VERSION)]);
    equal(await Promise.all(opened.map(valueIn)), [42, 42]);
    equal(filesIn(folder).length, 1, `${filesIn(folder)}`);
  }));

Deno.test("openSample writes a file once and opens it again", () =>
  withCache(async (folder) => {
    equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
    const files = filesIn(folder);
    equal(files.length, 1);
    ok(files[0]!.startsWith(await sampleName(fillSmall, VERSION)), files[0]);
    const { ino } = await Deno.stat(`${folder}/${files[0]}`);
    equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
    equal(filesIn(folder), files);
    equal((await Deno.stat(`${folder}/${files[0]}`)).ino, ino);
  }));

Deno.test("openSample replaces a file that is damaged, also where its size and time are not new, with a notice", () =>
  withCache(async (folder) => {
    const open = async () => void equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
    await open();
    const pathNow = () => `${folder}/${filesIn(folder)[0]}`;
    const whole = await Deno.readFile(pathNow());
    const middle = whole.length >> 1;
    for (
      const damaged of [
        whole.with(middle, whole[middle]! ^ 1),
        whole.slice(0, middle),
        whole.slice().fill(7, 0, 12_288),
      ]
    ) {
      const path = pathNow();
      const { mtime } = await Deno.stat(path);
      await Deno.writeFile(path, damaged);
      await Deno.utime(path, mtime!, mtime!);
      equal(await hearing(open), [
        `chainframe: the sample data in ${path} are damaged: building them again`,
      ]);
      equal(filesIn(folder).length, 1);
      equal(await hearing(open), []);
    }
    await Deno.remove(pathNow());
    await open();
  }));

Deno.test("openSample can run twice at the same time", () =>
  withCache(async () => {
    const both = await Promise.all([1, 2].map(() => openSample(fillSmall, VERSION)));
    equal(await Promise.all(both.map(valueIn)), [42, 42]);
    equal(await valueIn(await openSample(fillSmall, VERSION)), 42);
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

// The run of the tests has built the file before, with the same code.
Deno.test("the sample is read from its file, and is marked as sample data", async () => {
  const [folder, name] = [sampleFolder()!, await sampleName(fillSample, DATA_LAYOUT)];
  ok(filesIn(folder).some((file) => file.startsWith(name)), name);
  const { sample, database } = await sampleSnapshot();
  equal(sample, true);
  database.close();
});

Deno.test("the statements that name the sample have the data of its entities", async () => {
  const recorded = await statementsOf(fillSample);
  ok(recorded.some((sql) => sql.includes("plumbline")));
});

Deno.test("the tables of the sample that come with the code are those of its statements", async () => {
  const path = new URL("../../lib/service/sample/tables/sample.json", import.meta.url);
  const { name, tables } = JSON.parse(await Deno.readTextFile(path));
  equal(
    name,
    await sampleName(fillSample, DATA_LAYOUT),
    "run deno run --allow-all .ci/sample_tables.ts",
  );
  ok(Object.keys(tables).length > 15);
  const database = await openDuckdb();
  try {
    equal(await fillStored(database, "sample-of-another-version"), false);
    equal(await fillStored(database, name), true);
    const [row] = await database.rows("SELECT count(*) AS chains FROM data.chain");
    equal(row, { chains: 24 });
  } finally {
    database.close();
  }
});
