import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { append, openAppendix } from "../../lib/service/engine/appendix.ts";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { buildData } from "../../lib/service/mod.ts";
import { writeFacts } from "./facts_model.ts";
import { seededRandom } from "./seeded_random.ts";
import { tinyFacts } from "./tiny_facts.ts";

const random = seededRandom(8);
const BYTES = Uint8Array.from({ length: 300_001 }, () => Math.floor(random() * 256));

async function* pieces() {
  for (let at = 0; at < BYTES.length; at += 70_000) yield BYTES.subarray(at, at + 70_000);
}

async function databaseWithBytes(path: string): Promise<number> {
  const database = await openDuckdb({ built: path });
  await database.run(
    "CREATE TABLE data.number AS SELECT i FROM range(50000) r(i); CHECKPOINT built; DETACH built",
  );
  database.close();
  const { size } = await Deno.stat(path);
  await append(path, pieces(), "whose it is");
  return size;
}

Deno.test("append leaves the database as it was, and openAppendix reads what stands behind it", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a.duckdb`;
  await databaseWithBytes(path);
  const database = await openDuckdb({ file: path });
  const appendix = await openAppendix(path);
  equal(await database.rows("SELECT count(*) AS n, sum(i) AS sum FROM data.number"), [
    { n: 50_000, sum: 1_249_975_000 },
  ]);
  equal([appendix.of, appendix.plain.size], ["whose it is", BYTES.length]);
  // Many read at once, each from a place of its own, and beyond the end there is nothing.
  const places = Array.from({ length: 60 }, () => Math.floor(random() * BYTES.length));
  const read = await Promise.all(
    places.map((from) => appendix.plain.read(from, new Uint8Array(40_000))),
  );
  places.forEach((from, index) => equal(read[index], BYTES.slice(from, from + 40_000)));
  equal((await appendix.plain.read(BYTES.length, new Uint8Array(9))).length, 0);
  const packed = await appendix.gzip.read(0, new Uint8Array(appendix.gzip.size));
  ok(gunzipSync(packed).equals(BYTES));
  database.close();
  appendix.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("openAppendix refuses a file with nothing behind it, and one that was changed", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a.duckdb`;
  const size = await databaseWithBytes(path);
  const whole = await Deno.readFile(path);
  const refused = async (bytes: Uint8Array, why: RegExp) => {
    await Deno.writeFile(path, bytes);
    await rejects(openAppendix(path), why);
  };
  await refused(new Uint8Array(), /there is nothing behind the database in .*a\.duckdb/);
  await refused(whole.slice(0, size), /there is nothing behind/);
  await refused(whole.slice(0, -1), /there is nothing behind/);
  await refused(new Uint8Array([0, ...whole]), /there is nothing behind/);
  for (const place of [size, size + 1_000, size + BYTES.length - 1, size + BYTES.length + 99]) {
    const changed = whole.slice();
    changed[place]! ^= 1;
    await refused(changed, /behind the database in .*a\.duckdb is not what was put there/);
  }
  await Deno.writeFile(path, whole);
  (await openAppendix(path)).close();
  // Another program writes to the database: its blocks come to stand where the bytes were.
  const database = await openDuckdb();
  await database.run(`ATTACH '${path}' AS other; CREATE TABLE other.more AS SELECT i, hash(i) AS h
    FROM range(300000) r(i); DETACH other`);
  database.close();
  ok((await Deno.stat(path)).size > whole.length);
  await rejects(openAppendix(path), /behind the database/);
  await Deno.remove(folder, { recursive: true });
});

Deno.test({
  name: "append says which file could not be written, and passes on why there are no more bytes",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await rejects(
      append("/dev/full", pieces(), "whose"),
      /^Error: Cannot write behind the database in \/dev\/full: No space left/,
    );
    const reason = new Error("no more");
    const broken = async function* () {
      yield BYTES;
      await Promise.resolve();
      throw reason;
    };
    const path = await Deno.makeTempFile();
    await rejects(append(path, broken(), "whose"), (error) => error === reason);
    await rejects(openAppendix(path), /there is nothing behind/);
    await Deno.remove(path);
  },
});

Deno.test("a build that is aborted at its end leaves nothing", async () => {
  const folder = await Deno.makeTempDir();
  await writeFacts(`${folder}/facts`, tinyFacts());
  // Looked at once before the file is whole, and then with each piece that is put behind it.
  let looks = 0;
  const throwIfAborted = () => {
    if (++looks === 2) throw new Error("stopped");
  };
  const building = buildData({
    facts: `${folder}/facts`,
    out: `${folder}/data.duckdb`,
    signal: { throwIfAborted } as AbortSignal,
  });
  await rejects(building, /stopped/);
  equal(looks, 2);
  equal(Array.from(Deno.readDirSync(folder), ({ name }) => name), ["facts"]);
  await Deno.remove(folder, { recursive: true });
});
