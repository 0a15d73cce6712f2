import type { Database } from "../engine/duckdb.ts";
import { checkFacts } from "./check_facts.ts";
import {
  AMOUNTS,
  CONTRACT_KEYS,
  FACT_TABLES,
  type FactTable,
  STORED_TABLES,
  storedColumn,
} from "./fact_layout.ts";
import { type FactFiles, readFacts, refuseChanged } from "./read_facts.ts";
import { addendOf, AMOUNT_MACROS, amountOf, USD } from "./amounts.ts";

// This file converts facts from the documented layout to the tables of the build.

function insertSql({ name: table, columns }: FactTable, files: FactFiles): string {
  const values = columns.map((column) => {
    const { type } = storedColumn(column);
    const read = files.get(table)?.types.get(column.name) ?? "VARCHAR";
    return type === USD ? amountOf(column.name, read) : `CAST(${column.name} AS ${type})`;
  });
  return `INSERT INTO facts.${table} SELECT ${values.join(", ")} FROM raw.${table};\n`;
}

function activitySql(files: FactFiles): string {
  const amounts = AMOUNTS.map((name) => {
    const column = `${name}_usd`;
    return `${addendOf(column, files.get("activity")?.types.get(column) ?? "VARCHAR")} AS ${name}`;
  });
  return `
CREATE TABLE raw.users AS
  SELECT user_address, CAST(row_number() OVER () AS INTEGER) AS user_no
  FROM (SELECT DISTINCT CAST(user_address AS VARCHAR) AS user_address FROM raw.activity);
CREATE TABLE facts.numbered_activity AS
  SELECT CAST(day AS DATE) AS day, user_no, contract, cell, project_id,
    CAST(transaction_count AS BIGINT) AS transaction_count, CAST(gas_used AS BIGINT) AS gas_used,
    ${amounts.join(", ")}
  FROM raw.activity
  JOIN raw.users AS users ON CAST(raw.activity.user_address AS VARCHAR) = users.user_address
  JOIN facts.contract_keys AS keys ON CAST(raw.activity.chain_id AS VARCHAR) = keys.chain_id
    AND CAST(raw.activity.account_address AS VARCHAR) = keys.account_address;
`;
}

/**
 * Reads and checks the facts of a folder, and fills the schema `facts`.
 *
 * @param lastDay the last day of activity that is stored elsewhere; by default, the activity is read from the folder
 * @throws {FactsError} when the facts are invalid. The schema `facts` is then not filled.
 */
export async function loadFacts(
  database: Database,
  folder: string,
  lastDay?: string,
): Promise<void> {
  const files = await readFacts(database, folder, lastDay === undefined ? null : "activity");
  await checkFacts(database, files, lastDay);
  await database.run(AMOUNT_MACROS);
  const inserts = STORED_TABLES.map((table) => insertSql(table, files)).join("");
  await database.run(
    FACT_TABLES + inserts + CONTRACT_KEYS + activitySql(files) +
      "DROP SCHEMA raw CASCADE;",
  );
  await refuseChanged(files);
}
