import { mkdir } from "node:fs/promises";
import { CLICKHOUSE_NAMES } from "../datasets/activity_parts.ts";
import type { ReadActivity } from "../datasets/read_activity.ts";
import type { Database } from "../engine/duckdb.ts";
import type { FactColumn } from "../facts/fact_layout.ts";
import { MAX_COUNT, MAX_SUM, MAX_USD } from "../facts/fact_rules.ts";
import { ClusterError, type SentTable, type Shard, withShards } from "./clickhouse.ts";
import { readShardList } from "./shard_list.ts";
import { ACTIVITY, copyPart, createPart, numberContracts, PART_TABLES } from "./shard_parts.ts";

/** The activity on the shards, for a build. */
interface ShardActivity {
  /** Last day of the activity. */
  readonly lastDay: string;
  /** Computes a part of each table on each shard, and combines the parts. */
  readonly readActivity: ReadActivity;
}

const MOST_ROWS = 5_000_000;

/** Number of rows of a shard on each day, in the order of the days. */
type DayRows = ReadonlyMap<string, number>;

const TYPES: Readonly<Record<string, string>> = {
  day: "Date",
  text: "String",
  count: "Int64",
  amount: "Decimal(38, 9)",
  balance: "Decimal(38, 9)",
};

async function checkColumns({ url, rows }: Shard, database: string): Promise<void> {
  const found = await rows(
    `SELECT name, type FROM system.columns WHERE database = '${database}' AND table = 'activity'`,
  );
  const types = new Map(found.map(({ name, type }) => [name, type]));
  for (const { name, type, optional } of ACTIVITY.columns) {
    const wanted = optional ? `Nullable(${TYPES[type]})` : TYPES[type];
    if (types.get(name) === wanted) continue;
    throw new ClusterError(
      `shard ${url}: ${database}.activity: ${name} must be a column of the type ${wanted}; got ${
        types.get(name) ?? "none"
      }`,
    );
  }
}

async function countDays({ rows }: Shard, activity: string): Promise<DayRows> {
  const found = await rows(
    `SELECT day, count(*) AS n FROM ${activity} GROUP BY day ORDER BY day`,
  );
  return new Map(found.map(({ day, n }) => [String(day), Number(n)]));
}

/** A span of days that one query reads. */
interface Turn {
  readonly first: string;
  readonly last: string;
  readonly rows: number;
}

// Splits the days into spans with at most `most` rows. A day with more rows is a span of its own.
function turnsOf(days: DayRows, most: number): Turn[] {
  const turns: Turn[] = [];
  for (const [day, rows] of days) {
    const turn = turns.at(-1);
    if (turn === undefined || turn.rows + rows > most) turns.push({ first: day, last: day, rows });
    else turns.splice(-1, 1, { ...turn, last: day, rows: turn.rows + rows });
  }
  return turns;
}

function within({ first, last }: Turn): string {
  return `day BETWEEN toDate('${first}') AND toDate('${last}')`;
}

/** SQL that is true if the value of a column is not allowed. */
function isWrong({ name, type }: FactColumn): string[] {
  if (name === "user_address") return [`${name} = ''`];
  if (type === "day" || type === "text") return [];
  const most = BigInt(type === "count" ? MAX_COUNT : Number(MAX_USD));
  return [`${name} > ${most}`, `${name} < ${type === "balance" ? -most : 0}`];
}

const WRONG = ACTIVITY.columns.flatMap(isWrong).map((sql) => `ifNull(${sql}, 0)`).join(" OR ");
const COUNTS = ACTIVITY.columns.filter(({ type }) => type === "count").map(({ name }) => name);

/** The rows of a shard, and the rule that selects the shard of a user. */
interface ShardRows {
  readonly activity: string;
  readonly turns: readonly Turn[];
  readonly contracts: SentTable;
  /** SQL that is true for the users of this shard. */
  readonly own: string;
}

/** Checks all rows of a shard. Returns the sums of the columns of counts. */
async function checkRows(
  { url, rows }: Shard,
  { activity, turns, contracts, own }: ShardRows,
): Promise<number[]> {
  const sums = COUNTS.map(() => 0);
  for (const turn of turns) {
    const [found = {}] = await rows(
      `SELECT countIf(NOT (${own})) AS elsewhere,
         countIf(${WRONG}) AS wrong,
         countIf((chain_id, account_address) NOT IN (
           SELECT chain_id, account_address FROM contract_number) AS is_unknown) AS unknown,
         anyIf(concat(chain_id, ',', account_address), is_unknown) AS example,
         count(*) - uniqExact(day, user_address, chain_id, account_address) AS again,
         ${COUNTS.map((name, index) => `sum(toFloat64(${name})) AS sum_${index}`).join(", ")}
       FROM ${activity} WHERE ${within(turn)}`,
      contracts,
    );
    const problems = [
      [found.elsewhere, `are of users of another shard: ${own} must hold`],
      [found.wrong, "have no user, or a count or an amount out of range"],
      [found.unknown, `refer to no known contract: ${found.example} is not in contracts`],
      [found.again, "repeat a user, contract and day"],
    ] as const;
    for (const [count, problem] of problems) {
      if (Number(count) === 0) continue;
      throw new ClusterError(
        `shard ${url}: ${count} rows of ${turn.first} to ${turn.last} ${problem}`,
      );
    }
    sums.forEach((sum, index) => sums[index] = sum + Number(found[`sum_${index}`]));
  }
  return sums;
}

// A row of activity is one address, contract and day. So the counts of addresses must add up to the number of rows.
async function checkAddresses(database: Database, shards: readonly DayRows[]): Promise<void> {
  const found = await database.rows(
    "SELECT day, sum(addresses)::BIGINT AS counted FROM work.contract_daily_part GROUP BY day",
  );
  const counted = new Map(found.map(({ day, counted }) => [String(day), Number(counted)]));
  for (const day of new Set(shards.flatMap((days) => [...days.keys()]))) {
    const rows = shards.reduce((sum, days) => sum + (days.get(day) ?? 0), 0);
    if (counted.get(day) === rows) continue;
    throw new ClusterError(`the shards counted ${counted.get(day) ?? 0} of ${rows} rows of ${day}`);
  }
}

/**
 * Counts the rows of the shards. Returns the last day of the activity, and a function that reads the activity.
 *
 * The returned function checks all rows, computes a part of each table on each shard, and combines the parts in DuckDB.
 * Nothing is written to the shards.
 *
 * @param path the file that lists the shards
 * @throws {ClusterError} when a shard cannot be read, or has wrong rows. `readActivity` also throws this error.
 */
export async function shardActivity(
  path: string,
  { folder, signal, most = MOST_ROWS }: {
    /** Folder for downloaded rows. */
    readonly folder: string;
    readonly signal?: AbortSignal | undefined;
    /**
     * Maximum number of rows that a query may group. A day with more rows gets a query of its own.
     * @default 5 000 000
     */
    readonly most?: number;
  },
): Promise<ShardActivity> {
  const list = await readShardList(path);
  const activity = `${list.database}.activity`;
  const count = (shards: readonly Shard[]) =>
    Promise.all(shards.map((shard) => countDays(shard, activity)));
  const days = await withShards(list, async (shards) => {
    for (const shard of shards) await checkColumns(shard, list.database);
    return await count(shards);
  }, signal);
  const lastDay = days.flatMap((each) => [...each.keys()]).sort().at(-1);
  if (lastDay === undefined) throw new ClusterError("the shards have no rows of activity");

  const readParts = async (database: Database, shards: readonly Shard[]) => {
    const contracts = await numberContracts(database);
    const turns = days.map((each) => turnsOf(each, most));
    const sums = await Promise.all(shards.map((shard, index) => {
      const own = `cityHash64(user_address) % ${shards.length} = ${index}`;
      return checkRows(shard, { activity, turns: turns[index]!, contracts, own });
    }));
    const over = COUNTS.find((_, index) =>
      sums.reduce((total, each) => total + each[index]!, 0) > Number(MAX_SUM)
    );
    if (over !== undefined) {
      throw new ClusterError(`activity on the shards: ${over} adds up to more than ${MAX_SUM}`);
    }
    await database.run(CLICKHOUSE_NAMES);
    for (const table of PART_TABLES) {
      await createPart(database, table);
      await Promise.all(shards.map(async (shard, index) => {
        // The cohorts need all months of a user in one query.
        const spans = table.name === "cohort_count" ? ["1 = 1"] : turns[index]!.map(within);
        for (const during of spans) {
          const path = `${folder}/${index}.tsv`;
          await copyPart(database, { shard, table }, { activity, during, contracts, path });
        }
      }));
      if (table.name === "contract_daily") await checkAddresses(database, days);
      const parts = `work.${table.name}_part`;
      await database.run(
        `CREATE TABLE work.${table.name} AS ${table.sum(parts)}; DROP TABLE ${parts}`,
      );
    }
    for (const [index, after] of (await count(shards)).entries()) {
      const changed = [...new Set([...days[index]!.keys(), ...after.keys()])]
        .find((day) => days[index]!.get(day) !== after.get(day));
      if (changed === undefined) continue;
      throw new ClusterError(
        `shard ${shards[index]!.url}: the rows of ${changed} changed during the build; build again`,
      );
    }
  };
  return {
    lastDay,
    readActivity: async (database) => {
      await mkdir(folder, { recursive: true });
      await withShards(list, (shards) => readParts(database, shards), signal);
    },
  };
}
