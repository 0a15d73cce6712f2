import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { type Database, openDuckdb } from "../../../lib/service/engine/duckdb.ts";

async function tablesOf(database: Database): Promise<string[]> {
  const rows = await database.rows(
    "SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'data' ORDER BY name",
  );
  return rows.map(({ name }) => String(name));
}

async function columnsOf(database: Database, table: string): Promise<[string, string][]> {
  const rows = await database.rows(`DESCRIBE data.${table}`);
  return rows.map(({ column_name, column_type }) => [String(column_name), String(column_type)]);
}

/** Compares two files of data: the same tables and rows, exactly; ratios to 1e-12 of them. */
export async function sameData(actual: string, expected: string): Promise<void> {
  const [one, other] = [await openDuckdb({ file: actual }), await openDuckdb({ file: expected })];
  try {
    const tables = await tablesOf(other);
    equal(await tablesOf(one), tables);
    ok(tables.length > 14);
    for (const table of tables.filter((name) => name !== "layout")) {
      const columns = await columnsOf(other, table);
      equal(await columnsOf(one, table), columns, table);
      const texts = columns.map(([name]) => `CAST(${name} AS VARCHAR) AS ${name}`).join(", ");
      const sql = `SELECT ${texts} FROM data.${table} ORDER BY ALL`;
      const [rows, wanted] = await Promise.all([one.rows(sql), other.rows(sql)]);
      equal(rows.length, wanted.length, table);
      for (const [index, row] of rows.entries()) {
        for (const [name, type] of columns) {
          const [is, should] = [row[name], wanted[index]![name]];
          if (is === should) continue;
          const near = type === "DOUBLE" && is !== null && should !== null &&
            Math.abs(Number(is) - Number(should)) <= 1e-12 * Math.abs(Number(should));
          ok(near, `${table}, row ${index}: ${name} is ${is}, and should be ${should}`);
        }
      }
    }
  } finally {
    one.close();
    other.close();
  }
}
