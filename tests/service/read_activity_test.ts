import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { readActivityHere } from "../../lib/service/datasets/read_activity.ts";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { inFolder } from "../in_folder.ts";

// Users who come back in other months, several contracts on a day, days of very different sizes.
const ACTIVITY = `
CREATE SCHEMA work;
CREATE SCHEMA facts;
CREATE TABLE facts.numbered_activity AS
SELECT DISTINCT ON (day, user_no, contract) *
FROM (
  SELECT DATE '2025-01-20' + (sqrt(h % 10000)::INTEGER) AS day, (h // 7 % 40000)::INTEGER AS user_no,
    'c,' || (h // 11 % 50) AS contract, 'x' || (h // 11 % 50 % 20) || ',c' AS cell,
    'p' || (h // 11 % 50 % 6) AS project_id, 1::BIGINT AS transaction_count, (h % 1000)::BIGINT AS gas_used,
    (h % 777)::DECIMAL(18, 2) AS fees, 0.25::DECIMAL(18, 2) AS revenue, 1::DECIMAL(18, 2) AS dex_trading_volume,
    2::DECIMAL(18, 2) AS inflows, 1.5::DECIMAL(18, 2) AS outflows
  FROM (SELECT (hash(i) >> 2)::BIGINT AS h FROM range(150000) AS rows(i))
);`;

Deno.test("readActivityHere reads the same at once and in parts that fit into memory", () =>
  inFolder(async (folder) => {
    const read = async (memory: string) => {
      const database = await openDuckdb({ temporaryFolder: folder, memory });
      let statements = 0;
      await database.run(ACTIVITY);
      await readActivityHere({
        ...database,
        run: (sql) => {
          statements += Number(sql.startsWith("INSERT"));
          return database.run(sql);
        },
      });
      const tables = ["contract_daily", "user_set", "cohort_count"].map((name) =>
        database.rows(
          `SELECT count(*) AS n, CAST(sum(hash(t)) AS VARCHAR) AS digest FROM work.${name} t`,
        )
      );
      const found = await Promise.all(tables);
      database.close();
      return { statements, found };
    };
    const [whole, parts] = [await read("2GB"), await read("60MB")];
    equal(parts.found, whole.found);
    equal(whole.statements, 1);
    ok(parts.statements >= 4, `${parts.statements} statements`);
  }));
