import type { Database } from "../engine/duckdb.ts";
import { ACTIVITY_COLUMNS } from "./shard_tables.ts";

/** The rows of a day that go to a shard; they are next to each other in `load.activity`. */
export interface DayRows {
  readonly day: string;
  /** The place of the shard in the list, from 0 on. */
  readonly shard: number;
  readonly rows: number;
  /** The sum of the hashes of the rows: another order of the same rows has the same. */
  readonly digest: string;
  /** The `rowid` of the first one. */
  readonly first: number;
}

const COLUMNS = Object.keys(ACTIVITY_COLUMNS);
const TEXTS = COLUMNS.filter((name) => ACTIVITY_COLUMNS[name] === "String");

// What the format of a shard takes for the end of a cell or a row, or for the beginning of an escape.
const MACROS = `
CREATE OR REPLACE MACRO shard_text(t) AS CASE
  WHEN contains(t, '\\') OR contains(t, chr(9)) OR contains(t, chr(10)) OR contains(t, chr(13))
    THEN replace(replace(replace(replace(t, '\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n'), chr(13), '\\r')
  ELSE t END;
`;

// Enumerations are numbered anew by every load: a hash is of their texts.
const HASH = `hash(${
  COLUMNS.map((name) => TEXTS.includes(name) ? `CAST(${name} AS VARCHAR)` : name).join(", ")
})`;

// 38 digits are written five times as slowly as the 18 that nearly all amounts fit.
const CELLS = COLUMNS.map((name) => {
  const text = `CAST(${name} AS VARCHAR)`;
  if (TEXTS.includes(name)) return `shard_text(${text})`;
  const short = ACTIVITY_COLUMNS[name]!.includes("Decimal")
    ? `CAST(TRY_CAST(${name} AS DECIMAL(18, 9)) AS VARCHAR), `
    : "";
  return `coalesce(${short}${text}, '\\N')`;
});

/**
 * Sorts the rows of `facts.activity` by day and shard, into `load.activity`, and says what there is.
 * All rows of a user go to one shard, told by the MD5 of the address: the same whenever and wherever
 * they are loaded.
 */
export async function sortRows(database: Database, shards: number): Promise<DayRows[]> {
  await database.run(MACROS);
  await database.run("CREATE SCHEMA load");
  await database.run(
    `CREATE TABLE load.activity AS
     SELECT ${
      COLUMNS.join(", ")
    }, CAST(md5_number_lower(user_address) % ${shards} AS INTEGER) AS shard
     FROM facts.activity ORDER BY day, shard`,
  );
  await database.run(
    "DROP VIEW facts.activity; DROP TABLE facts.numbered_activity; DROP TABLE facts.users",
  );
  const found = await database.rows(
    `SELECT day, shard, count(*) AS n, min(rowid) AS first_row, CAST(sum(${HASH}) AS VARCHAR) AS digest
     FROM load.activity GROUP BY day, shard ORDER BY day, shard`,
  );
  return found.map(({ day, shard, n, first_row, digest }) => ({
    day: String(day),
    shard: Number(shard),
    rows: Number(n),
    digest: String(digest),
    first: Number(first_row),
  }));
}

/** Some rows of a shard: all of neighbouring days, or a piece of one day. */
export interface Piece {
  readonly from: string;
  readonly to: string;
  readonly shard: number;
  /** The `rowid` of the first and the last row that may be of it. */
  readonly first: number;
  readonly last: number;
}

/** Rows in the format TabSeparated. */
export async function textOfRows(database: Database, piece: Piece): Promise<string> {
  // By day and rowid, whole groups of rows are passed over.
  const [row] = await database.rows(
    `SELECT string_agg(concat_ws(chr(9), ${CELLS.join(", ")}), chr(10)) AS lines
     FROM load.activity
     WHERE day BETWEEN $from::DATE AND $to::DATE AND shard = $shard
       AND rowid BETWEEN $first AND $last`,
    { ...piece },
  );
  return String(row?.lines);
}
