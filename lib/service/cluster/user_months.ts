import { userMonthsPart } from "../datasets/activity_parts.ts";
import { ClusterError, type Shard } from "./clickhouse.ts";

/** What the months of users on a shard are made of. */
export interface UserMonthsOf {
  /** The database of the facts, quoted. */
  readonly facts: string;
  /** The database of the build, with the numbers of contracts. */
  readonly own: string;
  /** The days that there are, each with the load that brought it. */
  readonly loads: ReadonlyMap<string, string>;
  /** What projects the contracts are of, as a text: months that were made under another one are void. */
  readonly contracts: string;
}

const COLUMNS = "(project_id String, user_address String, day Date)";
const ORDER = "ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (project_id, user_address)";

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toHex();
}

// The months that there are, as `202601`, and what each is to be made from.
async function wantedMonths({ loads, contracts }: UserMonthsOf): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [day, load] of [...loads].sort()) {
    const month = day.slice(0, 7).replace("-", "");
    texts.set(month, `${texts.get(month) ?? contracts}\n${day} ${load}`);
  }
  const months = [...texts].map(async ([month, text]) => [month, await digestOf(text)] as const);
  return new Map(await Promise.all(months));
}

function first(month: string): string {
  return `toDate('${month.slice(0, 4)}-${month.slice(4)}-01')`;
}

async function countMonths({ rows }: Shard, table: string): Promise<Map<string, number>> {
  const counted = await rows(
    `SELECT toYYYYMM(day) AS month, count(*) AS month_rows FROM ${table} GROUP BY month`,
  );
  return new Map(counted.map((row) => [String(row.month), Number(row.month_rows)]));
}

// What each month was made from; of one that has not the rows that were made, nobody knows.
async function keptMonths(shard: Shard, facts: string): Promise<Map<string, string>> {
  const counted = await countMonths(shard, `${facts}.user_month`);
  const found = await shard.rows(
    `SELECT month, argMax(digest, step) AS latest, argMax(month_rows, step) AS latest_rows
     FROM ${facts}.user_month_made GROUP BY month`,
  );
  const whole = found.filter(({ month, latest_rows }) =>
    Number(latest_rows) === (counted.get(String(month)) ?? 0)
  );
  return new Map(whole.map(({ month, latest }) => [String(month), String(latest)]));
}

async function makeMonths(
  shard: Shard,
  { facts, own }: UserMonthsOf,
  wanted: ReadonlyMap<string, string>,
): Promise<void> {
  await shard.run(`CREATE TABLE ${own}.user_month ${COLUMNS} ${ORDER}`);
  for (const month of wanted.keys()) {
    const activity = `(SELECT project_id, user_address, day
      FROM (SELECT contract, user_address, day FROM ${facts}.activity
        WHERE day >= ${first(month)} AND day < addMonths(${first(month)}, 1)) AS rows_of_month
      ALL INNER JOIN (SELECT contract, project_id FROM ${own}.contract_number) AS contracts
      USING (contract)
    ) AS activity`;
    await shard.run(`INSERT INTO ${own}.user_month ${userMonthsPart(activity)}`);
  }
  const made = await countMonths(shard, `${own}.user_month`);
  const [latest] = await shard.rows(`SELECT max(step) AS step FROM ${facts}.user_month_made`);
  const say = async (steps: number, digest: (of: string) => string) => {
    const lines = [...wanted].map(([month, of]) =>
      [month, Number(latest?.step) + steps, digest(of), made.get(month) ?? 0].join("\t")
    );
    const into = `INSERT INTO ${facts}.user_month_made (month, step, digest, month_rows)`;
    await shard.run(`${into} FORMAT TabSeparated\n${lines.join("\n")}\n`);
  };
  // What is being replaced is of nobody until it is there: a build may die in between.
  await say(1, () => "");
  for (const month of wanted.keys()) {
    // A current ClickHouse refuses to replace a partition by one that has no row.
    const enter = made.has(month)
      ? `REPLACE PARTITION ${month} FROM ${own}.user_month`
      : `DROP PARTITION ${month}`;
    await shard.run(`ALTER TABLE ${facts}.user_month ${enter}`);
  }
  await say(2, (of) => of);
}

/**
 * Has a shard keep in which months each of its users used each project, by month, and make those
 * again whose days are of other loads, or whose contracts are of other projects, than when they were
 * made. Returns SQL of the rows of all months, with numbers for projects.
 */
export async function userMonths(shard: Shard, of: UserMonthsOf): Promise<string> {
  const { facts, own } = of;
  await shard.run(`CREATE TABLE IF NOT EXISTS ${facts}.user_month ${COLUMNS} ${ORDER}`);
  await shard.run(
    `CREATE TABLE IF NOT EXISTS ${facts}.user_month_made
     (month UInt32, step UInt64, digest String, month_rows UInt64)
     ENGINE = MergeTree ORDER BY (month, step)`,
  );
  const [wanted, kept] = [await wantedMonths(of), await keptMonths(shard, facts)];
  const stale = [...wanted].filter(([month, digest]) => kept.get(month) !== digest);
  if (stale.length > 0) await makeMonths(shard, of, new Map(stale));
  // Two steps, as ClickHouse would take the new `project_id` for the one that is joined on.
  return `(SELECT project_no AS project_id, user_address, day
  FROM (
    SELECT project_no, user_address, day
    FROM (SELECT project_id, user_address, day FROM ${facts}.user_month
      WHERE toYYYYMM(day) IN (${[...wanted.keys()].join(", ")})) AS months
    ALL INNER JOIN (SELECT DISTINCT project_id, project_no FROM ${own}.contract_number) AS projects
    USING (project_id)
  ) AS numbered) AS activity`;
}

/**
 * Checks, once the months of users were counted, that they are what they were when the counting began.
 *
 * @throws {ClusterError} when another build has made some of them again, or rows are gone.
 */
export async function checkUserMonths(shard: Shard, of: UserMonthsOf): Promise<void> {
  const [wanted, kept] = [await wantedMonths(of), await keptMonths(shard, of.facts)];
  for (const [month, digest] of wanted) {
    if (kept.get(month) === digest) continue;
    throw new ClusterError(
      `shard ${shard.url}: the months of users that are kept of ${month} have changed while they ` +
        "were counted: build again",
    );
  }
}
