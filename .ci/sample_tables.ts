/**
 * Writes the tables of the sample into `lib/service/sample/tables`, so that they need not be built on each machine.
 *
 *     deno run --allow-all .ci/sample_tables.ts
 *
 * @module
 */
import { DATA_LAYOUT } from "../lib/service/datasets/build_datasets.ts";
import { openDuckdb } from "../lib/service/engine/duckdb.ts";
import { sampleName } from "../lib/service/sample/sample_file.ts";
import { fillSample } from "../lib/service/snapshot.ts";
import { fileSha256 } from "../lib/platform/machine.ts";

const FOLDER = new URL("../lib/service/sample/tables/", import.meta.url).pathname;

await Deno.remove(FOLDER, { recursive: true }).catch(() => {});
await Deno.mkdir(FOLDER);
const database = await openDuckdb();
await fillSample(database);
const names = await database.rows(
  "SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'data' ORDER BY name",
);
const tables: Record<string, string> = {};
let bytes = 0;
for (const { name } of names) {
  const path = `${FOLDER}${name}.parquet`;
  await database.run(
    `COPY data.${name} TO '${path}' (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, ` +
      "COMPRESSION_LEVEL 19, ROW_GROUP_SIZE 1000000)",
  );
  tables[String(name)] = fileSha256(path);
  bytes += (await Deno.stat(path)).size;
}
database.close();
const stored = { name: await sampleName(fillSample, DATA_LAYOUT), tables };
await Deno.writeTextFile(`${FOLDER}sample.json`, `${JSON.stringify(stored, null, 2)}\n`);
console.log(`${names.length} tables, ${(bytes / 1e6).toFixed(1)} MB`);
