import type { Database } from "../engine/duckdb.ts";
import { ACTIVITY_COLUMNS } from "./shard_tables.ts";

/** The rows of one day that go to one shard. They are successive rows of the table `load.activity`. */
export interface DayRows {
  readonly day: string;
  /** Index of the shard in the list. */
  readonly shard: number;
  readonly rows: number;
  /** Sum of the hashes of the rows. The sum does not depend on the order of the rows. */
  readonly digest: string;
  /** `rowid` of the first row. */
  readonly first: number;
}

const COLUMNS = Object.keys(ACTIVITY_COLUMNS);
const TEXTS = COLUMNS.filter((name) => ACTIVITY_COLUMNS[name] === "String");

// Escapes tabs, line breaks and backslashes, which have a special meaning in the format TabSeparated.
const MACROS = `
CREATE OR REPLACE MACRO shard_text(t) AS CASE
  WHEN contains(t, '\\') OR contains(t, chr(9)) OR contains(t, chr(10)) OR contains(t, chr(13))
    THEN replace(replace(replace(replace(t, '\\', '\\\\'), chr(9), '\\t'), chr(10), '\\n'), chr(13), '\\r')
  ELSE t END;
`;

// Hashes the text of enumeration values, because their numbers can differ between two runs of `loadShards`.
const HASH = `hash(${
  COLUMNS.map((name) => TEXTS.includes(name) ? `CAST(${name} AS VARCHAR)` : name).join(", ")
})`;

// Casts amounts to 18 digits if they fit, because casting to 38 digits takes five times as long.
const CELLS = COLUMNS.map((name) => {
  const text = `CAST(${name} AS VARCHAR)`;
  if (TEXTS.includes(name)) return `shard_text(${text})`;
  const short = ACTIVITY_COLUMNS[name]!.includes("Decimal")
    ? `CAST(TRY_CAST(${name} AS DECIMAL(18, 9)) AS VARCHAR), `
    : "";
  return `coalesce(${short}${text}, '\\N')`;
});

/**
 * Copies `facts.activity` to the new table `load.activity`, sorted by day and shard. For each day and each shard,
 * returns the number of rows and their digest.
 *
 * All rows of a user go to one shard, which is selected by the MD5 digest of the user's address.
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

/** Rows for one shard: the rows of several days, or a part of the rows of one day. */
export interface Piece {
  /** The days, in order. */
  readonly days: readonly string[];
  readonly shard: number;
  /** `first` and `last` are the first and the last `rowid` of the rows in the piece. */
  readonly first: number;
  readonly last: number;
}

/** Returns the rows of a piece in the format TabSeparated. */
export async function textOfRows(
  database: Database,
  { days, ...piece }: Piece,
): Promise<string> {
  const list = days.map((day) => `'${day}'::DATE`);
  // The bounds of day and rowid let DuckDB skip whole row groups.
  const [row] = await database.rows(
    `SELECT string_agg(concat_ws(chr(9), ${CELLS.join(", ")}), chr(10)) AS lines
     FROM load.activity
     WHERE day BETWEEN ${list[0]} AND ${list.at(-1)} AND day IN (${list.join(", ")})
       AND shard = $shard AND rowid BETWEEN $first AND $last`,
    piece,
  );
  return String(row?.lines);
}
