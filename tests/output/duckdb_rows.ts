// deno-lint-ignore-file no-import-prefix -- the project's door to the database belongs to the service
import { DuckDBInstance } from "npm:@duckdb/node-api@1.5.5-r.5";

/** A column that DuckDB read: its type and its values, lists and structs as plain ones. */
export interface ReadColumn {
  readonly type: string;
  readonly values: readonly unknown[];
}

/** The columns of a query's result, by name. */
export async function duckdbColumns(sql: string): Promise<Record<string, ReadColumn>> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql);
    const types = reader.columnTypes().map(String);
    const values = reader.getColumnsJS();
    return Object.fromEntries(
      reader.columnNames().map((name, index) => [name, {
        type: types[index]!,
        values: values[index]!,
      }]),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
