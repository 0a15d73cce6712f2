import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { AMOUNT_MACROS } from "../../../lib/service/facts/amounts.ts";
import { FACT_LAYOUT } from "../../../lib/service/facts/fact_layout.ts";
import type { Activity, Facts } from "../../service/facts_model.ts";
import { seededRandom } from "../../service/seeded_random.ts";
import { tinyFacts } from "../../service/tiny_facts.ts";
import { HAS_CLICKHOUSE, type Shard, withShards } from "./shards.ts";

/** The user of the shards of these tests. */
export const ACCOUNT = { user: "builder", password: "secret" };

/** Repeats what fails until it holds. */
export async function eventually(holds: () => Promise<void>): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      return await holds();
    } catch (error) {
      if (tries === 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** A test with two shards, or as many as it says, and a folder, which are gone afterwards. */
export function clusterTest(
  name: string,
  fn: (shards: readonly Shard[], folder: string) => Promise<void>,
  { count = 2 } = {},
): void {
  Deno.test({
    name,
    ignore: !HAS_CLICKHOUSE,
    fn: async () => {
      Deno.env.set("CHAINFRAME_CLICKHOUSE_PASSWORD", ACCOUNT.password);
      const folder = await Deno.makeTempDir();
      try {
        await withShards({ count, ...ACCOUNT }, (shards) => fn(shards, folder));
      } finally {
        await Deno.remove(folder, { recursive: true });
        Deno.env.delete("CHAINFRAME_CLICKHOUSE_PASSWORD");
      }
    },
  });
}

/** The n-th day of the facts, from 0 on. */
export function dayOf(n: number): string {
  return new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
}

/**
 * Irregular facts of some days: nulls, sub-cent amounts, late starters, days without a user, and
 * addresses with what a format takes for its own. The same seed gives the same rows of a day.
 */
export function irregularFacts(days: number, { seed = 1, users = 40 } = {}): Facts {
  const activity: Activity[] = [];
  for (let n = 0; n < days; n++) {
    const random = seededRandom(seed * 1_000 + n);
    const some = <T>(value: T) => random() < 0.7 ? value : null;
    const amount = () => some(Number((random() * 10 ** (random() * 21 - 6)).toFixed(9)));
    for (let u = 0; u < users; u++) {
      if (random() < 0.4 || u > n * 10 + 10) continue;
      for (const account_address of ["0xa", "0xb"]) {
        if (random() < 0.5) continue;
        const revenue = amount();
        activity.push({
          day: dayOf(n),
          user_address: u % 8 === 0 ? `u\\${u}\tof "many, lines"\nü\\N` : `u${u}`,
          chain_id: "c1",
          account_address,
          transaction_count: Math.floor(random() * 9),
          gas_used: some(Math.floor(random() * 1e6)),
          fees_usd: amount(),
          revenue_usd: revenue === null || random() < 0.5 ? revenue : -revenue,
          dex_trading_volume_usd: amount(),
          inflows_usd: amount(),
          outflows_usd: amount(),
        });
      }
    }
  }
  return { ...tinyFacts(), activity, product_daily: [] };
}

const ANSWER_MS = 60_000;

/** Asks a shard itself, past all that is tested. */
export async function ask({ url }: Pick<Shard, "url">, sql: string): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    body: sql,
    headers: { authorization: `Basic ${btoa(`${ACCOUNT.user}:${ACCOUNT.password}`)}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${sql.slice(0, 500)}: ${text}`);
  return text;
}

const PAGE = await Deno.readTextFile(new URL("../../../docs/service/scaling.md", import.meta.url));

/** The statements of docs/service/scaling.md, for a database. */
export function statementsOfPage(database: string): string[] {
  return [...PAGE.matchAll(/```sql\n([^]*?)```/g)]
    .flatMap(([, block]) => block!.split(";"))
    .map((sql) => sql.trim().replaceAll(/\bchainframe\b/g, database))
    .filter((sql) => sql !== "");
}

const [ACTIVITY] = FACT_LAYOUT.filter(({ name }) => name === "activity");

/** The activity of a folder as CSV for ClickHouse: columns in the order of the table, null as `\N`. */
export async function activityCsv(facts: string): Promise<string> {
  const [path] = Array.from(Deno.readDirSync(facts), ({ name }) => name)
    .filter((name) => name.startsWith("activity."));
  const reader = path!.endsWith("csv")
    ? `read_csv('${facts}/${path}', all_varchar = true, header = true, nullstr = '',
        delim = ',', quote = '"', escape = '"', strict_mode = true)`
    : `read_parquet('${facts}/${path}')`;
  const database = await openDuckdb();
  try {
    await database.run(AMOUNT_MACROS);
    const found = await database.rows(`DESCRIBE SELECT * FROM ${reader}`);
    const there = found.map(({ column_name }) => column_name);
    const cells = ACTIVITY!.columns.map(({ name, type }) => {
      if (!there.includes(name)) return "NULL";
      if (type === "count") return `CAST(${name} AS BIGINT)`;
      return type === "text" || type === "day" ? name : `amount_of_text(CAST(${name} AS VARCHAR))`;
    });
    const csv = `${facts}/../${crypto.randomUUID()}.csv`;
    await database.run(
      `COPY (SELECT ${cells.join(", ")} FROM ${reader})
       TO '${csv}' (FORMAT csv, HEADER false, NULLSTR '\\N')`,
    );
    const text = await Deno.readTextFile(csv);
    await Deno.remove(csv);
    return text;
  } finally {
    database.close();
  }
}

/** Creates the page's tables on shards, and loads the activity of a folder. */
export async function loadActivity(
  shards: readonly Pick<Shard, "url">[],
  { facts, database = "facts" }: { facts: string; database?: string },
): Promise<void> {
  const text = await activityCsv(facts);
  const [createDatabase, createTable] = statementsOfPage(database);
  for (const [index, shard] of shards.entries()) {
    await ask(shard, createDatabase!.replace("DATABASE", "DATABASE IF NOT EXISTS"));
    await ask(shard, createTable!.replace("TABLE", "TABLE IF NOT EXISTS"));
    await ask(shard, `CREATE TABLE ${database}.given AS ${database}.activity ENGINE = Memory`);
    if (text !== "") await ask(shard, `INSERT INTO ${database}.given FORMAT CSV\n${text}`);
    await ask(
      shard,
      `INSERT INTO ${database}.activity SELECT * FROM ${database}.given
       WHERE cityHash64(user_address) % ${shards.length} = ${index}`,
    );
    await ask(shard, `DROP TABLE ${database}.given`);
  }
}

/** Writes the file that lists the shards, and gives back its path. */
export async function writeShardList(
  folder: string,
  shards: readonly Pick<Shard, "url">[],
  changes: object = {},
): Promise<string> {
  const path = `${folder}/shards.json`;
  const list = {
    shards: shards.map(({ url }) => url),
    database: "facts",
    user: ACCOUNT.user,
    ...changes,
  };
  await Deno.writeTextFile(path, JSON.stringify(list));
  return path;
}
